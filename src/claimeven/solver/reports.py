"""What a solver tells of its work: while a call runs, and of all calls so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from claimeven.solver.turn import Progress, Turn


@dataclass(frozen=True)
class SolverStatistics:
    """What a solver has done since it was made.

    `nodes` positions visited by searches, `seconds` of wall-clock time in calls, `searched`
    positions searched, `book_hits` positions answered by the book.
    """

    nodes: int = 0
    seconds: float = 0.0
    searched: int = 0
    book_hits: int = 0


@dataclass(frozen=True)
class SolveProgress:
    """How far a call is: `nodes` visited in it, `rate` in nodes a second.

    The score of the position in work lies in `low` .. `high` for its side to move: a child of the
    position asked about in `scores`, otherwise that position. `scores` are the columns decided,
    None for the others; in `score_many` they stay empty and `done` of `total` positions are done.
    """

    nodes: int
    rate: float
    low: int
    high: int
    scores: tuple[int | None, ...] = ()
    done: int = 0
    total: int = 1


Report: TypeAlias = Callable[[SolveProgress], None]


def reporter(
    turn: Turn, progress: Report | None, scores: tuple[int | None, ...] = ()
) -> Callable[[Progress], None] | None:
    """Return what turns the search's reports into those of a solver."""
    if progress is None:
        return None

    def report(at: Progress) -> None:
        rate = at.nodes / max(1e-9, turn.seconds)
        progress(SolveProgress(at.nodes, rate, at.low, at.high, scores, at.done, at.total))

    return report
