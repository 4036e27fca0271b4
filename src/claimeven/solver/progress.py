"""Progress of a running call, and statistics of all calls of a solver."""

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
    """Totals of a solver since it was made.

    `nodes` counts positions visited by searches, `searched` positions that were searched and
    `book_hits` positions found in the book. `seconds` is the wall-clock time of calls.
    """

    nodes: int = 0
    seconds: float = 0.0
    searched: int = 0
    book_hits: int = 0


@dataclass(frozen=True)
class SolveProgress:
    """Progress of a call: `nodes` visited in it, `rate` in nodes per second.

    The score of the current position is in `low` .. `high` for its side to move; in `scores` this
    is a child of the given position, otherwise that position. `scores` has the solved columns,
    None for the others. In `score_many` it is empty, and `done` of `total` positions are solved.
    """

    nodes: int
    rate: float
    low: int
    high: int
    scores: tuple[int | None, ...] = ()
    done: int = 0
    total: int = 1


OnProgress: TypeAlias = Callable[[SolveProgress], None] | None
#: The bounds of the scores that a search distinguishes.
CutOff: TypeAlias = tuple[int, int]


def reporter(
    geometry: Geometry,
    on_progress: OnProgress,
    scores: tuple[int | None, ...] = (),
    known: int | None = None,
    cut_off: CutOff | None = None,
) -> OnProgress:
    """Return a callback that turns reports of a search into reports of the call.

    The search may be cut off to `cut_off`, or `known` may be the score of the call's position.
    """
    if on_progress is None:
        return None

    def report(at: SolveProgress) -> None:
        low, high = at.low, at.high
        if cut_off is not None:
            low, high = uncut(geometry, low, high, cut_off)
        if known is not None:
            low = high = known
        on_progress(replace(at, low=low, high=high, scores=scores))

    return report


@contextmanager
def narrow_on_stop(score: int) -> Iterator[None]:
    """If the search is stopped, raise `SearchStopped` with the known score as both bounds."""
    try:
        yield
    except SearchStopped:
        raise SearchStopped(score, score) from None


def uncut(geometry: Geometry, low: int, high: int, cut_off: CutOff) -> tuple[int, int]:
    """Return bounds of a score from bounds of a search; a bound at the cut-off may be untrue.

    >>> uncut(Geometry(), 0, 1, (-1, 1))
    (0, 21)
    """
    most = win_score(geometry, 0)
    floor, ceiling = cut_off
    return (-most if low <= floor else low, most if high >= ceiling else high)
