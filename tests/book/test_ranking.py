"""Numbers of positions: each has its own, no number comes twice, and the compiled twin's are the
same."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book import InvalidBook
from claimeven.book.enumerate import layers
from claimeven.book.ranking import BEYOND, PositionRanking
from claimeven.game.batch import mirrored_keys
from tests.positions import random_positions


@pytest.mark.parametrize(
    ("geometry", "plies"),
    [(Geometry(4, 4, 3), 7), (Geometry(5, 3), 9), (Geometry(3, 6, 3), 8), (Geometry(1, 9), 8)],
)
def test_every_position_has_a_unique_number(geometry: Geometry, plies: int) -> None:
    numbering = PositionRanking(geometry, plies)
    taken: dict[int, int] = {}
    for layer in layers(geometry, plies):
        images = mirrored_keys(layer.keys, geometry)
        numbers = numbering.numbers(layer.keys)
        both = numbering.numbers(images)
        starts = numbering.starts[layer.ply], numbering.starts[layer.ply + 1]
        assert ((numbers >= starts[0]) & (numbers < starts[1])).all()
        for key, image, number, other in zip(
            *(array.tolist() for array in (layer.keys, images, numbers, both)), strict=True
        ):
            for expected, at in ((key, number), (image, other)):
                canonical = min(key, image)
                assert taken.setdefault(at, canonical) == canonical, expected


@pytest.mark.parametrize("geometry", [Geometry(), Geometry(5, 4), Geometry(4, 5)])
def test_single_numbers_equal_the_batch(geometry: Geometry) -> None:
    numbering = PositionRanking(geometry, 12)
    positions = list(random_positions(geometry, 300, seed=3))
    numbers = numbering.numbers(np.array([p.key for p in positions], dtype=np.uint64))
    for position, number in zip(positions, numbers.tolist(), strict=True):
        if position.ply > 12:
            assert number == BEYOND
        else:
            assert number == numbering.number(position.mine, position.mask)


def test_a_column_of_one_board_is_counted_by_hand() -> None:
    """Two columns of two cells: after one disc (1 0) is the image of (0 1); after two (2 0)."""
    numbering = PositionRanking(Geometry(2, 2, 2), 3)
    assert numbering.blocks == [1, 1, 2, 1]
    assert numbering.colorings == [1, 1, 2, 3]
    assert numbering.starts == [0, 1, 2, 6, 9]
    left, right = (Position(Geometry(2, 2, 2)).play(column) for column in (0, 1))
    assert numbering.number(left.mine, left.mask) == numbering.number(right.mine, right.mask) == 1


def test_the_numbers_of_a_file_never_change() -> None:
    numbering = PositionRanking(Geometry(), 12)
    assert numbering.starts[-1] == 11_040_401
    known = {"4455": 350, "226744515337": 9_208_301}
    for moves, number in known.items():
        position = Position.from_moves(moves)
        assert numbering.number(position.mine, position.mask) == number


def test_too_many_ways_to_spread_are_refused() -> None:
    with pytest.raises(InvalidBook, match="too many ways to spread 14 discs over 16x3 connect 4"):
        PositionRanking(Geometry(16, 3), 14)
