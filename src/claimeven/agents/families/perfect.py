"""Agents that know exact scores: `perfect`, also at ten levels below itself, and `full`."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.options import AgentKind, Option
from claimeven.compiled import MAX_BITS
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch
from claimeven.minimax.types import ColumnValue, plies_to_end
from claimeven.montecarlo.playouts.textbook import winning_columns
from claimeven.solver.scores import sample_column, sign, softmax_chances, win_score

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: The level that never errs. Below, the temperature of errors is `SPREAD` minus the level.
TOP_LEVEL, SPREAD = 10, 12


class NamedLevel(NamedTuple):
    """A level with a name, and its sight in percent, as `bench.levels` measures it.

    `wins` in one move, `blocks` of a threat, `double_threats`, and `perfect` columns of all.
    """

    level: int
    wins: int
    blocks: int
    double_threats: int
    perfect: int


#: Levels with names, the weakest first; `bench.levels --steps` measures their distances.
LEVELS = {
    "newcomer": NamedLevel(0, 41, 29, 46, 55),
    "beginner": NamedLevel(2, 54, 46, 58, 65),
    "casual": NamedLevel(4, 67, 62, 70, 75),
    "regular": NamedLevel(6, 79, 78, 81, 85),
    "strong": NamedLevel(8, 91, 91, 92, 93),
    "expert": NamedLevel(9, 96, 97, 96, 97),
    "perfect": NamedLevel(TOP_LEVEL, 100, 100, 100, 100),
}
#: `full` runs plain minimax up to this many ways to fill the board: under a second.
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
    """Return the decision for a column; `score` is the position's, None if not all are known."""
    return Decision(
        column,
        value=None if score is None else float(sign(score)),
        policy=policy,
        score=score,
        nodes=nodes,
        seconds=time.perf_counter() - start,
        details={"values": list(scores), "values_are": "score", **details},
    )


class SolverAgent(Agent):
    """The base of agents around a solver: one solver for the current board, and a time limit."""

    limits: frozenset[str] = frozenset(("seconds",))

    def __init__(self, threads: int = 1, table_mb: int | None = None) -> None:
        self.threads, self.table_mb = threads, table_mb
        self._solver: Solver | None = None

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSolve` for boards of over 128 bits."""
        from claimeven.solver.errors import check_board  # noqa: PLC0415 - comes with the search

        check_board(geometry)

    def load(self, geometry: Geometry) -> None:
        before = self._solver
        solver = self.solver(geometry)
        solver.load()
        if solver is not before:
            solver.clear()  # the system allocates the memory now, not within a move

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver for a board. Raises `InvalidSolve` for boards of over 128 bits."""
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        solver = self._solver
        if solver is None or solver.geometry != geometry:
            solver = self._solver = Solver(geometry, self.table_mb, self.threads)
        return solver

    def share(self, solver: Solver) -> None:
        """Use a shared solver while it plays on that solver's board."""
        self._solver = solver

    def solve(self, position: Position, seconds: float | None) -> tuple[Scores, int, bool]:
        """Return the columns' scores (None: unsolved), the nodes, and whether all were solved."""
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

    `pick` is "center" (the most central of equally good columns) or "random". With `quick` it plays
    the quickest win or the slowest loss, without it any column that keeps win, draw or loss.

    Below `level` 10 a column is drawn. With probability level / 10 it is a good column as above.
    Otherwise it is any column, and one that loses s points of score is exp(-s / (12 - level)) times
    as likely as the best. `Decision.policy` is that distribution.

    If `Limit.seconds` ends the search, the best column solved so far is played, or one that does
    not lose immediately, and `score` is None. Other limits have no effect on exact scores.
    """

    name = "perfect"

    def __init__(
        self, pick: str, quick: bool, level: int, threads: int = 1, table_mb: int | None = None
    ) -> None:
        super().__init__(threads, table_mb)
        self.pick, self.quick, self.level = pick, quick, level

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        scores, nodes, whole = self.solve(position, limit.seconds)
        if not whole:
            column = best_known(position, scores)
            policy = one_hot(column, position.geometry.columns)
            score = None
        else:
            policy = self.policy(scores, position.geometry)
            column = draw_column(policy, rng)
            score = max(known for known in scores if known is not None)
        return _decision(
            column, policy, scores, score, nodes, start, complete=whole, backend="compiled"
        )

    def policy(self, scores: Scores, geometry: Geometry) -> tuple[float, ...]:
        """Return the probability of each column for the scores of the columns."""
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
        """Return the columns that count as perfect, the most central first."""
        best = max(score for score in scores if score is not None)
        outcomes = [None if score is None else sign(score) for score in scores]
        by, wanted = (scores, best) if self.quick else (outcomes, sign(best))
        return tuple(column for column in geometry.center_order if by[column] == wanted)


class FullAgent(SolverAgent):
    """Minimax to the end of the game: the ITU lab's "full minimax".

    Plain minimax searches all lines of play if that takes about a second and `Limit.seconds` is not
    set. Otherwise the exact solver gives the same answer, or under a limit its best known column.
    `details["engine"]` is the name of the one used.
    """

    name = "full"

    def load(self, geometry: Geometry) -> None:
        super().load(geometry)
        MinimaxSearch("minimax").load()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        whole = True
        countable = lines_left(position) <= LINES and position.geometry.bits <= MAX_BITS
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


def draw_column(policy: Sequence[float], rng: np.random.Generator) -> int:
    """Draw a column; the generator is not used if only one column is possible."""
    likely = [column for column, chance in enumerate(policy) if chance > 0]
    return likely[0] if len(likely) == 1 else sample_column(policy, float(rng.random()))


def best_known(position: Position, scores: Scores) -> int:
    """Return the best column by known scores, the most central of equal ones.

    An unknown score counts as a draw, or as the worst if the other side wins immediately after it.
    """
    worst = -position.geometry.cells

    def worth(column: int) -> int:
        score = scores[column]
        if score is None:
            after = position.play_unchecked(column)
            return worst if winning_columns(after) else 0
        return score

    return max((c for c in position.geometry.center_order if position.is_legal(c)), key=worth)


def lines_left(position: Position) -> int:
    """Return the number of orders in which the board can be filled: a bound on lines of play."""
    empty = [position.geometry.rows - height for height in position.heights]
    ways = math.factorial(sum(empty))
    for count in empty:
        ways //= math.factorial(count)
    return ways


def _score(known: ColumnValue | None, position: Position) -> int | None:
    """Return the exact score of a minimax column."""
    if known is None:
        return None
    plies = plies_to_end(known.value)
    if plies is None:
        return 0
    score = win_score(position.geometry, position.ply + plies - 1)
    return score if known.value > 0 else -score


_SOLVER_OPTIONS = (
    Option("threads", "int", 1, "threads that search together", 1, 256),
    Option(
        "table_mb", "int", None, "size of the table in MB; default: 16",
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
        notes=tuple(
            f"level {n} is {name}: sees {w} % of wins in one move, {b} % of threats to block,"
            f" {d} % of double threats; {p} % of its columns are perfect"
            for name, (n, w, b, d, p) in LEVELS.items()
        ),
    ),
    AgentKind(
        "full", "minimax to the end; the exact solver if that is too slow", _SOLVER_OPTIONS,
        lambda options: FullAgent(**options),
    ),
)  # fmt: skip
