"""The benchmark: fixed positions searched within fixed limits, so that all but the time repeats.

One number, the total of the nodes, tells whether a change has altered a search: one that makes a
search faster leaves it as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from claimeven.errors import ClaimevenError
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
    positions = [Position.from_moves(moves) for moves in POSITIONS]
    yield _timed("solver", "exact score", _solver(positions))
    for algorithm, depth in DEPTHS.items():
        yield _timed(algorithm, f"{depth} plies", _minimax(algorithm, depth, positions))
    for name in GROWN:
        yield _timed(name, f"{ITERATIONS:,} iterations", _monte_carlo(name, positions))


def _timed(search: str, limit: str, work: Callable[[], int]) -> SearchTotals:
    begin = time.perf_counter()
    nodes = work()
    return SearchTotals(search, limit, nodes, time.perf_counter() - begin)


def _solver(positions: list[Position]) -> Callable[[], int]:
    search = ExactSearch(positions[0].geometry, TABLE_MB)
    search.load()

    def work() -> int:
        for position, (moves, right) in zip(positions, POSITIONS.items(), strict=True):
            score = search.score(position.mine, position.mask)
            if score != right:
                raise ClaimevenError(f"the solver is wrong: {moves} is worth {right}, not {score}")
        return search.nodes

    return work


def _minimax(algorithm: str, depth: int, positions: list[Position]) -> Callable[[], int]:
    search = MinimaxSearch(algorithm)
    search.load()

    def work() -> int:
        nodes = 0
        for position in positions:
            search.reset()
            nodes += search.search(position, depth).counters.nodes
        return nodes

    return work


def _monte_carlo(name: str, positions: list[Position]) -> Callable[[], int]:
    search = MonteCarloSearch(preset(name, reuse=False))
    search.load(positions[0].geometry)

    def work() -> int:
        rng = np.random.default_rng(1)
        return sum(search.search(position, rng, ITERATIONS).stored for position in positions)

    return work
