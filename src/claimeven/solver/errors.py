"""The errors of the solver, and the checks of its arguments."""

from __future__ import annotations

import math
from typing import Any

from claimeven.compiled import MAX_BITS
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry, check_geometry
from claimeven.game.validation import real_number, whole_number

#: The greatest number of threads.
MAX_THREADS = 256


class InvalidSolve(ClaimevenError):
    """An invalid request: a board too large, a table too small, a finished game."""


class SolverBusy(ClaimevenError):
    """A call from the progress callback of a call of the same solver, which would never end."""


class SearchStopped(Exception):
    """The end of a call that was stopped, or had no time or nodes left, before its result.

    `low` and `high` are the bounds found for the score of the position. If the call was for
    columns, `scores` has the score of each solved column and None for the others.
    """

    def __init__(self, low: int, high: int, scores: tuple[int | None, ...] = ()) -> None:
        super().__init__(f"the search was stopped; the score is {low} to {high}")
        self.low = low
        self.high = high
        self.scores = scores

    def __reduce__(self) -> tuple[type[SearchStopped], tuple[Any, ...]]:
        """Support pickling, because it may come from another process."""
        return type(self), (self.low, self.high, self.scores)


def check_board(geometry: Geometry) -> None:
    """Raise `InvalidSolve` unless this is a board that fits the solver."""
    check_geometry(geometry, InvalidSolve)
    geometry.check_fits_word("the solver", InvalidSolve, MAX_BITS)


def check_table_mb(table_mb: float) -> float:
    """Return a size of a table; raise `InvalidSolve` unless it is a finite number above 0."""
    return real_number(table_mb, "the MB of a table", InvalidSolve, above=0)


def check_threads(threads: int) -> int:
    """Return a number of threads; raise `InvalidSolve` unless it is 1 to `MAX_THREADS`."""
    return whole_number(threads, "threads", InvalidSolve, low=1, high=MAX_THREADS)


def check_seconds(seconds: float | None) -> float:
    """Return a limit of time, infinity for None; raise `InvalidSolve` for an invalid one."""
    if seconds is None:
        return math.inf
    return real_number(seconds, "seconds", InvalidSolve, low=0, finite=False)


def check_nodes(nodes: int | None) -> int | None:
    """Return a limit of nodes; raise `InvalidSolve` for an invalid one."""
    return None if nodes is None else whole_number(nodes, "nodes", InvalidSolve, low=0)
