"""The benchmark: fixed positions, searched within fixed limits. Only the time varies.

A change of the total of nodes shows that a search has changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.random import Generator

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch
from claimeven.montecarlo.options import PRESETS, preset
from claimeven.montecarlo.search import MonteCarloSearch
from claimeven.solver.search import ExactSearch

#: Move strings and exact scores, from the opening to the late middle game.
POSITIONS: Final = {
    "153316455": 2, "5116113476": -2, "57662623": -3, "56742551451": -2, "51751656": -3,
    "51441644": -2, "3114762775": 2, "735714364471": -1, "16234716": 2, "53762212": -3,
    "22327177562": -4, "5553342363267": 6, "1344375142265": -4, "44611563547": 7,
    "752336213376444": -4, "1332546137253554717": 2, "142121713614261": 5,
    "76512355255562336673273": 3, "74574531273143657": 9, "256673446116142777": -12,
}  # fmt: skip
#: Megabytes of the solver's table, initially empty and shared by all positions.
TABLE_MB: Final = 16
#: The search depth in plies of each algorithm, with the evaluation `windows`.
DEPTHS: Final = {"minimax": 7, "alphabeta": 10, "negamax": 12}
#: The presets of UCT, and the iterations of each search.
UCT_PRESETS: Final = tuple(name for name in PRESETS if name.startswith("uct"))
ITERATIONS: Final = 20_000


@dataclass(frozen=True)
class SearchTotals:
    """The cost of a search of all positions under a `limit`; Monte Carlo `nodes` are stored."""

    search: str
    limit: str
    nodes: int
    seconds: float

    @property
    def rate(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.seconds, 1e-9)


#: The number of searches that `run_benchmark` makes of each position.
SEARCHES: Final = 1 + len(DEPTHS) + len(UCT_PRESETS)


def run_benchmark() -> Iterator[SearchTotals]:
    """Search all positions with the solver, the minimax family and UCT; yield the cost of each.

    Each search is loaded before its clock runs. Raises `ClaimevenError` for a wrong exact score.
    """
    positions = [(Position.from_moves(moves), score) for moves, score in POSITIONS.items()]
    for search, limit, nodes_of in _searches(positions[0][0].geometry):
        begin = time.perf_counter()
        nodes = sum(nodes_of(position, score) for position, score in positions)
        yield SearchTotals(search, limit, nodes, time.perf_counter() - begin)


def _searches(geometry: Geometry) -> Iterator[tuple[str, str, Callable[[Position, int], int]]]:
    """Yield the name and limit of each search, and a function that returns a position's nodes."""
    exact = ExactSearch(geometry, TABLE_MB)
    exact.load()
    yield "solver", "exact score", partial(_solve, exact)
    for algorithm, depth in DEPTHS.items():
        search = MinimaxSearch(algorithm)
        search.load()
        yield algorithm, f"{depth} plies", partial(_look_ahead, search, depth)
    for name in UCT_PRESETS:
        tree_search = MonteCarloSearch(preset(name, reuse=False))
        tree_search.load(geometry)
        rng = np.random.default_rng(1)
        yield name, f"{ITERATIONS:,} iterations", partial(_run_uct, tree_search, rng)


def _solve(search: ExactSearch, position: Position, right: int) -> int:
    before = search.nodes
    score = search.score(position.mine, position.mask)
    if score != right:
        moves = next(m for m in POSITIONS if Position.from_moves(m) == position)
        raise ClaimevenError(f"wrong solver score: {moves} must score {right}, got {score}")
    return search.nodes - before


def _look_ahead(search: MinimaxSearch, depth: int, position: Position, score: int) -> int:
    search.reset()
    return search.search(position, depth).counters.nodes


def _run_uct(search: MonteCarloSearch, rng: Generator, position: Position, score: int) -> int:
    return search.search(position, rng, ITERATIONS).stored
