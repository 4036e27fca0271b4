"""Random positions for the tests of the solver, as hard as they are wanted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

from claimeven.game.geometry import Geometry
from claimeven.solver.search import ExactSearch, SearchStopped
from tests.positions import position_after


def hard_positions(
    geometry: Geometry, plies: int, count: int, rng: random.Random, least: int, most: int
) -> Iterator[tuple[int, int]]:
    """Yield (mine, mask) of random positions whose score takes `least` to `most` nodes from an
    empty table.
    """
    probe = ExactSearch(geometry, table_mb=0.01)
    while count:
        position = position_after(rng, geometry, plies)
        mine, mask = position.mine, position.mask
        before = probe.nodes
        with suppress(SearchStopped):
            probe.score(mine, mask, nodes=most + 1)
        nodes = probe.nodes - before
        if nodes:
            probe.clear()
        if least <= nodes <= most:
            count -= 1
            yield mine, mask
