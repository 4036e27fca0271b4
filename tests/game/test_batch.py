"""Many positions in one call: every operation equals the operation one by one."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.compiled.decorators import PLAIN
from claimeven.compiled.wide import words_of
from claimeven.game.batch import (
    Boards,
    canonical_keys,
    disc_counts,
    has_line,
    has_win,
    image_counts,
    mirrored_keys,
    moves,
)
from tests.positions import WIDE, random_positions

BOARDS = (
    *(Geometry(), Geometry(8, 7), Geometry(4, 12, 5), Geometry(3, 16, 6), Geometry(2, 4, 2)),
    *(() if PLAIN else WIDE),
)


def boards_of(positions: list[Position]) -> tuple[Boards, Boards]:
    mine, mask = (
        words_of([getattr(position, name) for position in positions], positions[0].geometry.bits)
        for name in ("mine", "mask")
    )
    return mine, mask


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_array_operations_equal_positions(geometry: Geometry) -> None:
    positions = list(random_positions(geometry, 100, seed=3))
    mine, mask = boards_of(positions)
    copies = mine.copy(), mask.copy()
    images = mirrored_keys(mine + mask, geometry)
    canonical = canonical_keys(mine + mask, geometry)
    counts = image_counts(mine + mask, geometry)
    lines, wins = has_line(mine ^ mask, geometry), has_win(mine, mask, geometry)
    for i, position in enumerate(positions):
        assert int(images[i]) == position.mirror().key
        assert int(canonical[i]) == position.canonical_key
        assert counts[i] == len({position, position.mirror()})
        won = position.outcome is not None and position.outcome.winner is not None
        assert lines[i] == won
        assert disc_counts(mask)[i] == position.ply
        if not position.is_over:
            after = [position.play(column) for column in position.legal_columns]
            assert wins[i] == any(child.outcome and child.outcome.cells for child in after)
    assert disc_counts(mask[::2]).tolist() == [position.ply for position in positions[::2]]
    assert (mine == copies[0]).all()
    assert (mask == copies[1]).all()


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_moves_equal_positions(geometry: Geometry) -> None:
    positions = list(random_positions(geometry, 60, seed=4, ongoing=True))
    mine, mask = boards_of(positions)
    for column, (can, mine_after, mask_after) in enumerate(moves(mine, mask, geometry)):
        expected = {
            i: position.play(column)
            for i, position in enumerate(positions)
            if column in position.legal_columns
        }
        assert can.tolist() == list(expected)
        for i, child_mine, child_mask in zip(can, mine_after, mask_after, strict=True):
            assert Position(geometry, child_mine, child_mask) == expected[int(i)]


def test_no_positions_at_all() -> None:
    none = np.zeros(0, dtype=np.uint64)
    geometry = Geometry()
    assert len(mirrored_keys(none, geometry)) == len(has_line(none, geometry)) == 0
    assert [len(can) for can, _, _ in moves(none, none, geometry)] == [0] * 7
