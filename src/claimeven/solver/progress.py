"""What a solver reports: while a call runs, and of all calls so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from claimeven.game.geometry import Geometry
from claimeven.solver.errors import SearchStopped
from claimeven.solver.scores import win_score


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


#: What a search by itself reports: the same, without scores.
Progress: TypeAlias = SolveProgress
OnProgress: TypeAlias = Callable[[SolveProgress], None] | None


#: The least and the greatest score that a search tells apart from those beyond.
CutOff: TypeAlias = tuple[int, int]


def reporter(
    geometry: Geometry,
    on_progress: OnProgress,
    scores: tuple[int | None, ...] = (),
    known: int | None = None,
    cut_off: CutOff | None = None,
) -> OnProgress:
    """Return what turns the reports of a search into those of the call that makes it.

    The search is cut off to `cut_off`, or its position is another than the one in work, whose score
    is `known`.
    """
    if on_progress is None:
        return None

    def report(at: SolveProgress) -> None:
        low, high = at.low, at.high
        if cut_off is not None:
            low, high = _uncut(geometry, low, high, cut_off)
        if known is not None:
            low = high = known
        on_progress(replace(at, low=low, high=high, scores=scores))

    return report


@contextmanager
def known_to_be(score: int) -> Iterator[None]:
    """Let a search that is stopped say that the score of the position asked about is known."""
    try:
        yield
    except SearchStopped:
        raise SearchStopped(score, score) from None


@contextmanager
def known_within(geometry: Geometry, cut_off: CutOff) -> Iterator[None]:
    """Let a search that is cut off, and stopped, say nothing of the score that it did not find."""
    try:
        yield
    except SearchStopped as stopped:
        low, high = _uncut(geometry, stopped.low, stopped.high, cut_off)
        raise SearchStopped(low, high) from None


def _uncut(geometry: Geometry, low: int, high: int, cut_off: CutOff) -> tuple[int, int]:
    """Return bounds of a score from those of a search: one at the cut-off may not have been found.

    >>> _uncut(Geometry(), 0, 1, (-1, 1))
    (0, 21)
    """
    most = win_score(geometry, 0)
    floor, ceiling = cut_off
    return (-most if low <= floor else low, most if high >= ceiling else high)
