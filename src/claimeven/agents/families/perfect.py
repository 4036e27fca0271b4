"""Agents that know exact scores: `perfect`, also at ten levels below itself, and `full`."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.options import AgentKind, Option
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch
from claimeven.minimax.types import ColumnValue, plies_to_end
from claimeven.solver.scores import sample_column, softmax_chances, win_score

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: The level that never errs.
TOP_LEVEL = 10
#: At a level below the top the temperature of errors (see `solver.scores`) is this minus the level.
SPREAD = 12
#: Plain names of some levels, the weakest first.
LEVEL_NAMES = {
    "newcomer": 0, "beginner": 2, "casual": 4, "regular": 6, "strong": 8, "expert": 9, "perfect": 10
}  # fmt: skip
#: Ways to fill the board, at most, for which `full` runs plain minimax: under a second of work.
LINES = 2_000_000

Scores = Sequence["int | None"]


def _decision(
    column: int,
    policy: tuple[float, ...],
    scores: Scores,
    score: int | None,
    nodes: int,
    start: float,
    **details: Any,
) -> Decision:
    """Return the decision for a column, begun at `start` on the clock of `perf_counter`.

    `scores` are the columns' scores, None if not known; `score` is the position's, if all are.
    """
    return Decision(
        column,
        value=None if score is None else float(_sign(score)),
        policy=policy,
        score=score,
        nodes=nodes,
        seconds=time.perf_counter() - start,
        details={"values": list(scores), "values_are": "score", **details},
    )


class SolverAgent(Agent):
    """The base of agents around a solver: one solver for the board they meet, and a time limit."""

    limits: frozenset[str] = frozenset(("seconds",))

    def __init__(self, threads: int, table_mb: int | None) -> None:
        self.threads = threads
        self.table_mb = table_mb
        self._solver: Solver | None = None

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSolve` for boards of over 64 bits."""
        from claimeven.solver.errors import check_board  # noqa: PLC0415 - comes with the search

        check_board(geometry)

    def load(self, geometry: Geometry) -> None:
        before = self._solver
        solver = self.solver(geometry)
        solver.load()
        if solver is not before:
            solver.clear()  # so the system finds the memory now, and not within a move

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver for a board. Raises `InvalidSolve` for boards of over 64 bits."""
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        solver = self._solver
        if solver is None or solver.geometry != geometry:
            solver = self._solver = Solver(geometry, self.table_mb, self.threads)
        return solver

    def share(self, solver: Solver) -> None:
        """Use a solver that others use too, while it plays on that solver's board."""
        self._solver = solver

    def solve(self, position: Position, seconds: float | None) -> tuple[Scores, int, bool]:
        """Return the columns' scores, the nodes visited, and whether all columns were solved.

        When the time is over the columns not solved yet have None.
        """
        from claimeven.solver import SearchStopped  # noqa: PLC0415 - brings in the compiled search

        deadline = None if seconds is None else time.perf_counter() + seconds
        solver = self.solver(position.geometry)
        before = solver.statistics.nodes
        left = None if deadline is None else max(0.0, deadline - time.perf_counter())
        try:
            scores, whole = solver.scores(position, seconds=left), True
        except SearchStopped as stopped:
            scores, whole = stopped.scores, False
        return scores, solver.statistics.nodes - before, whole


class PerfectAgent(SolverAgent):
    """Plays columns that keep the best score; below level 10 it errs on purpose.

    `pick` is "center" (the center-most of equally good columns) or "random". With `quick` the
    quickest win and the slowest loss, without it any column that keeps win, draw or loss.

    Below `level` 10 a column is drawn: with a chance of level / 10 a good one as above, otherwise
    any, where a column that loses s points of score is exp(-s / (12 - level)) times as likely as
    the best. `Decision.policy` is that distribution.

    `Limit.seconds` is kept; when it ends the search the best of the columns solved so far is
    played, or one that loses to no immediate win, and `score` is None. Other limits are passed
    over: exact scores cannot be had for less.
    """

    def __init__(
        self, pick: str, quick: bool, level: int, threads: int = 1, table_mb: int | None = None
    ) -> None:
        super().__init__(threads, table_mb)
        self.name = "perfect"
        self.pick = pick
        self.quick = quick
        self.level = level

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        scores, nodes, whole = self.solve(position, limit.seconds)
        if not whole:
            column = best_known(position, scores)
            policy = one_hot(column, position.geometry.columns)
            score = None
        else:
            policy = self.policy(scores, position.geometry)
            column = drawn(policy, rng)
            score = max(known for known in scores if known is not None)
        return _decision(
            column, policy, scores, score, nodes, start, complete=whole, backend="compiled"
        )

    def policy(self, scores: Scores, geometry: Geometry) -> tuple[float, ...]:
        """Return the chance of each column, given the score of each."""
        good = self.good(scores, geometry)
        share = self.level / TOP_LEVEL
        if self.pick == "center":
            good = good[:1]
        chances = [share * (column in good) / len(good) for column in range(geometry.columns)]
        if share < 1:
            for column, chance in enumerate(softmax_chances(scores, SPREAD - self.level)):
                chances[column] += (1 - share) * chance
        return tuple(chances)

    def good(self, scores: Scores, geometry: Geometry) -> tuple[int, ...]:
        """Return the columns that count as perfect, center-most first."""
        best = max(score for score in scores if score is not None)
        outcomes = [None if score is None else _sign(score) for score in scores]
        by, wanted = (scores, best) if self.quick else (outcomes, _sign(best))
        return tuple(column for column in geometry.center_order if by[column] == wanted)


class FullAgent(SolverAgent):
    """Minimax to the end of the game: the ITU lab's "full minimax".

    Where the lines of play can be counted out in about a second, and there is no `Limit.seconds`,
    plain minimax looks at every one of them; elsewhere the exact solver gives the same answer, or
    under a limit the best it knows by then. `details["engine"]` says which.
    """

    def __init__(self, threads: int = 1, table_mb: int | None = None) -> None:
        super().__init__(threads, table_mb)
        self.name = "full"

    def load(self, geometry: Geometry) -> None:
        super().load(geometry)
        MinimaxSearch("minimax").load()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        whole = True
        countable = lines_left(position) <= LINES and position.geometry.fits_word
        if countable and limit.seconds is None:
            engine = "minimax"
            result = MinimaxSearch("minimax").search(position)
            scores: Scores = [_score(known, position) for known in result.columns]
            nodes, column = result.counters.nodes, result.column
        else:
            engine = "solver"
            scores, nodes, whole = self.solve(position, limit.seconds)
            column = best_known(position, scores)
        score = scores[column] if whole else None
        policy = one_hot(column, position.geometry.columns)
        return _decision(column, policy, scores, score, nodes, start, engine=engine, complete=whole)


def drawn(policy: Sequence[float], rng: np.random.Generator) -> int:
    """Draw a column; a policy that leaves no choice takes nothing from the generator."""
    likely = [column for column, chance in enumerate(policy) if chance > 0]
    return likely[0] if len(likely) == 1 else sample_column(policy, float(rng.random()))


def best_known(position: Position, scores: Scores) -> int:
    """Return the best column by the scores known, None standing for one that is not.

    A column that is not known is taken for a draw, or for the worst if the other side wins at
    once after it. The center-most of equals.
    """
    worst = -position.geometry.cells

    def worth(column: int) -> int:
        score = scores[column]
        if score is None:
            return worst if _loses_at_once(position, column) else 0
        return score

    return max((c for c in position.geometry.center_order if position.is_legal(c)), key=worth)


def lines_left(position: Position) -> int:
    """Return in how many orders the board can be filled: a bound on the lines of play."""
    empty = [position.geometry.rows - height for height in position.heights]
    ways = math.factorial(sum(empty))
    for count in empty:
        ways //= math.factorial(count)
    return ways


def _loses_at_once(position: Position, column: int) -> bool:
    after = position.play_unchecked(column)
    wins = winning_cells(after.mine, after.mask, after.geometry)
    return bool(wins & playable_cells(after.mask, after.geometry))


def _score(known: ColumnValue | None, position: Position) -> int | None:
    """Turn the value of a minimax column into its exact score."""
    if known is None:
        return None
    plies = plies_to_end(known.value)
    if plies is None:
        return 0
    score = win_score(position.geometry, position.ply + plies - 1)
    return score if known.value > 0 else -score


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


_SOLVER_OPTIONS = (
    Option("threads", "int", 1, "threads that search together", 1, 256),
    Option(
        "table_mb", "int", None, "size of the table in MB; usual: 128, or 8 beside a deep book",
        1, 1 << 20,
    ),
)  # fmt: skip

KINDS = (
    AgentKind(
        "perfect",
        "keeps the exact score; below level 10 it errs on purpose",
        (
            Option(
                "pick", "choice", "center", "which of equally good columns",
                choices=("center", "random"),
            ),
            Option("quick", "flag", True, "no: any column that keeps win, draw or loss"),
            Option(
                "level", "int", TOP_LEVEL, "10 never errs; n plays a perfect column n times in 10",
                0, TOP_LEVEL,
            ),
            *_SOLVER_OPTIONS,
        ),
        lambda options: PerfectAgent(**options),
    ),
    AgentKind(
        "full", "minimax to the end; the exact solver where that is too much", _SOLVER_OPTIONS,
        lambda options: FullAgent(**options),
    ),
)  # fmt: skip
