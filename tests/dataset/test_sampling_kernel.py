"""Random positions by the million: each is the end of its moves, and made again from its number."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset.sampling_kernel import ENDED, random_positions
from claimeven.game.bitboard_kernel import board_vector


@pytest.mark.core
@pytest.mark.parametrize(
    "geometry", [Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 4), Geometry(3, 5, 2)]
)
def test_random_candidates_are_the_positions_of_their_moves(geometry: Geometry) -> None:
    count, last = 400, geometry.cells - 1
    mines, masks = np.zeros((2, count), dtype=np.uint64)
    plies = np.zeros(count, dtype=np.int64)
    moves = np.zeros((count, geometry.cells), dtype=np.int64)

    def make(first: int, seed: int = 5) -> None:
        random_positions(
            board_vector(geometry), geometry.columns, np.uint64(seed), first, 0, last,
            mines, masks, plies, moves,
        )  # fmt: skip

    make(0)
    ended = 0
    for i in range(count):
        if plies[i] == ENDED:
            ended += 1
            assert Position(geometry, mines[i], masks[i]).is_over
            continue
        position = Position.from_moves(moves[i, : plies[i]].tolist(), geometry)
        assert not position.is_over
        assert (position.mine, position.mask) == (mines[i], masks[i])
    assert 0 < ended < count
    earlier = mines.copy()
    make(100)
    assert (mines[:-100] == earlier[100:]).all()
    make(0, seed=6)
    assert (mines != earlier).any()
