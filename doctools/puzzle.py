"""The puzzle of the tutorial, and the answers of its players.

The first player is to move. One column wins, and every other column loses.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from claimeven import Position, Solver
from claimeven.minimax import MinimaxResult, MinimaxSearch
from claimeven.montecarlo import MonteCarloOptions, MonteCarloResult, MonteCarloSearch, preset

MOVES: Final = "76316431447416"
PUZZLE: Final = Position.from_moves(MOVES)
#: The winning column, from 0.
ANSWER: Final = 5

FLAT: Final = MonteCarloOptions(method="flat", final_choice="mean")
UCT: Final = MonteCarloOptions(formula="ucb1", c=1.0)
PROVING: Final = UCT.with_changes(solver=True)
DECISIVE: Final = PROVING.with_changes(decisive_moves="tree")
BEST: Final = preset("uct")

#: Depths for the minimax family, in plies; the last but one sees the win.
DEPTHS: Final = range(1, 9)
#: Numbers of iterations for Monte Carlo.
STEPS: Final = (10, 100, 1_000, 10_000, 100_000)
SEEDS: Final = range(5)


@cache
def minimax(algorithm: str, order: str, depth: int) -> MinimaxResult:
    """Search the puzzle with `windows` to a depth."""
    return MinimaxSearch(algorithm, "windows", order).search(PUZZLE, depth=depth)


@cache
def deepening() -> MinimaxResult:
    """Search with negamax deeper and deeper, with one table, until it sees a win."""
    return MinimaxSearch("negamax", "windows").search(PUZZLE, nodes=10**9)


@cache
def monte_carlo(options: MonteCarloOptions, iterations: int, seed: int = 0) -> MonteCarloResult:
    """Search the puzzle with a number of iterations."""
    rng = np.random.default_rng(seed)
    return MonteCarloSearch(options).search(PUZZLE, rng, iterations=iterations)


def iterations_needed(options: MonteCarloOptions, seed: int = 0) -> int | None:
    """Return the minimum number of iterations for the right answer, by bisection.

    None if the answer is wrong after the last number of `STEPS`.
    """
    low, high = 0, STEPS[-1]
    if monte_carlo(options, high, seed).column != ANSWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if monte_carlo(options, middle, seed).column == ANSWER:
            high = middle
        else:
            low = middle
    return high


def iterations_to_proof(options: MonteCarloOptions, seed: int = 0) -> int:
    """Return the iterations until a search with proofs has proven the win."""
    return monte_carlo(options, STEPS[-1], seed).iterations


@cache
def exact() -> tuple[tuple[int | None, ...], int, int]:
    """Return the scores of the columns, the nodes for the best, and the nodes for all."""
    solver = Solver(PUZZLE.geometry, table_mb=16, book=None)
    solver.score(PUZZLE)
    nodes = solver.statistics.nodes
    solver = Solver(PUZZLE.geometry, table_mb=16, book=None)
    return solver.scores(PUZZLE), nodes, solver.statistics.nodes
