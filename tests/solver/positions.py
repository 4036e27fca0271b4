"""Random positions for the tests of the solver."""

from __future__ import annotations

import random

from claimeven.game import bitboards
from claimeven.game.geometry import Geometry


def random_position(geometry: Geometry, plies: int, rng: random.Random) -> tuple[int, int]:
    """Return (mine, mask) after random moves in which nobody wins."""
    while True:
        mine = mask = 0
        for _ in range(plies):
            playable = bitboards.playable_cells(mask, geometry)
            wins = bitboards.winning_cells(mine, mask, geometry)
            moves = [1 << bit for bit in range(geometry.bits) if playable >> bit & 1]
            move = rng.choice(moves)
            if move & wins:
                break
            mine, mask = mine ^ mask, mask | move
        else:
            return mine, mask
