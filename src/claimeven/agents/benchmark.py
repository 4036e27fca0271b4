"""The benchmark: fixed positions searched within fixed limits, so that all but the time repeats.

A change that alters the total of the nodes has altered a search.
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
#: Megabytes of the solver's table, which is empty at first and kept from position to position.
TABLE_MB: Final = 16
#: Plies that each of these looks ahead, with the evaluation `windows`.
DEPTHS: Final = {"minimax": 7, "alphabeta": 10, "negamax": 12}
#: The presets that grow a tree or a graph by UCT, and the iterations of each of their searches.
GROWN: Final = tuple(name for name in PRESETS if name.startswith("uct"))
ITERATIONS: Final = 20_000


@dataclass(frozen=True)
class SearchTotals:
    """What one search took for all positions: `nodes` looked at (Monte Carlo: stored), `seconds`.

    `limit` says in words how far each position was searched.
    """

    search: str
    limit: str
    nodes: int
    seconds: float

    @property
    def rate(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.seconds, 1e-9)


#: How many searches `run_benchmark` makes of each position.
SEARCHES: Final = 1 + len(DEPTHS) + len(GROWN)


def run_benchmark() -> Iterator[SearchTotals]:
    """Search all positions with the solver, the minimax family and UCT; yield what each took.

    One thread. Each search is compiled, or loaded, before its clock runs. Raises `ClaimevenError`
    if the solver gives a wrong score.
    """
    positions = [(Position.from_moves(moves), score) for moves, score in POSITIONS.items()]
    for search, limit, nodes_of in _searches(positions[0][0].geometry):
        begin = time.perf_counter()
        nodes = sum(nodes_of(position, score) for position, score in positions)
        yield SearchTotals(search, limit, nodes, time.perf_counter() - begin)


def _searches(geometry: Geometry) -> Iterator[tuple[str, str, Callable[[Position, int], int]]]:
    """Yield the name and limit of each search, and what returns its nodes for a position."""
    exact = ExactSearch(geometry, TABLE_MB)
    exact.load()
    yield "solver", "exact score", partial(_solve, exact)
    for algorithm, depth in DEPTHS.items():
        search = MinimaxSearch(algorithm)
        search.load()
        yield algorithm, f"{depth} plies", partial(_look_ahead, search, depth)
    for name in GROWN:
        grown = MonteCarloSearch(preset(name, reuse=False))
        grown.load(geometry)
        yield name, f"{ITERATIONS:,} iterations", partial(_grow, grown, np.random.default_rng(1))


def _solve(search: ExactSearch, position: Position, right: int) -> int:
    before = search.nodes
    score = search.score(position.mine, position.mask)
    if score != right:
        moves = next(m for m in POSITIONS if Position.from_moves(m) == position)
        raise ClaimevenError(f"the solver is wrong: {moves} is worth {right}, not {score}")
    return search.nodes - before


def _look_ahead(search: MinimaxSearch, depth: int, position: Position, score: int) -> int:
    search.reset()
    return search.search(position, depth).counters.nodes


def _grow(search: MonteCarloSearch, rng: Generator, position: Position, score: int) -> int:
    return search.search(position, rng, ITERATIONS).stored
