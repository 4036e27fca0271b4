"""Random positions for the tests of the solver."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

from claimeven.game import tactics
from claimeven.game.geometry import Geometry
from claimeven.solver.search import ExactSearch, SearchStopped


def random_position(geometry: Geometry, plies: int, rng: random.Random) -> tuple[int, int]:
    """Return (mine, mask) after random moves in which nobody wins."""
    while True:
        mine = mask = 0
        for _ in range(plies):
            playable = tactics.playable_cells(mask, geometry)
            wins = tactics.winning_cells(mine, mask, geometry)
            moves = [1 << bit for bit in range(geometry.bits) if playable >> bit & 1]
            move = rng.choice(moves)
            if move & wins:
                break
            mine, mask = mine ^ mask, mask | move
        else:
            return mine, mask


def hard_positions(
    geometry: Geometry, plies: int, count: int, rng: random.Random, least: int, most: int
) -> Iterator[tuple[int, int]]:
    """Yield random positions whose score takes `least` to `most` nodes from an empty table."""
    probe = ExactSearch(geometry, table_mb=0.01)
    while count:
        mine, mask = random_position(geometry, plies, rng)
        before = probe.nodes
        with suppress(SearchStopped):
            probe.score(mine, mask, nodes=most + 1)
        nodes = probe.nodes - before
        if nodes:
            probe.clear()
        if least <= nodes <= most:
            count -= 1
            yield mine, mask
