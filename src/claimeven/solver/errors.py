"""The named errors of the solver, and the checks that every caller may meet first."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry

#: More threads than this nobody has cores for.
MOST_THREADS = 256


class InvalidSolve(ClaimevenError):
    """Something that cannot be solved: a board too large, a table too small, a finished game."""


class SolverBusy(ClaimevenError):
    """A call made from within another call of the same solver, by what it reports its progress to.

    It could only wait for itself.
    """


class SearchStopped(Exception):
    """A call that was stopped, or was out of time or nodes, before its result was known.

    `low` and `high` are the bounds found for the score of the position that was asked about.
    `scores` has what is known of each column where columns were asked for, None for the others.
    """

    def __init__(self, low: int, high: int, scores: tuple[int | None, ...] = ()) -> None:
        super().__init__(f"the search was stopped; the score is {low} to {high}")
        self.low = low
        self.high = high
        self.scores = scores

    def __reduce__(self) -> tuple[type[SearchStopped], tuple[Any, ...]]:
        """It may come from another process."""
        return type(self), (self.low, self.high, self.scores)


def check_board(geometry: Geometry) -> None:
    """Raise `InvalidSolve` for what is no board, and for one that the solver cannot hold."""
    if not isinstance(geometry, Geometry):
        raise InvalidSolve(f"a board must be a Geometry, not {geometry!r}")
    geometry.check_fits_word("the solver", InvalidSolve)


def check_table_mb(table_mb: float) -> float:
    """Return a size of a table; raise `InvalidSolve` for what is not a finite number above 0."""
    size = _as_float(table_mb)
    if not size > 0:
        raise InvalidSolve(f"a table takes more than 0 MB, not {table_mb!r}")
    if size == math.inf:
        raise InvalidSolve(f"a table takes a finite number of MB, not {table_mb!r}")
    return size


def check_threads(threads: int) -> int:
    """Return a number of threads; raise `InvalidSolve` for what is none."""
    if not _is_whole(threads) or threads < 1:
        raise InvalidSolve(f"a solver works with 1 thread or more, not {threads!r}")
    if threads > MOST_THREADS:
        raise InvalidSolve(f"a solver works with {MOST_THREADS} threads at most, not {threads!r}")
    return int(threads)


def check_seconds(seconds: float | None) -> float:
    """Return a limit of time, infinity for None; raise `InvalidSolve` for what is none."""
    if seconds is None:
        return math.inf
    limit = _as_float(seconds)
    if not limit >= 0:
        raise InvalidSolve(f"seconds must be a number from 0 up, or None, not {seconds!r}")
    return limit


def check_nodes(nodes: int | None) -> int | None:
    """Return a limit of nodes; raise `InvalidSolve` for what is none."""
    if nodes is not None and (not _is_whole(nodes) or nodes < 0):
        raise InvalidSolve(f"nodes must be a whole number from 0 up, or None, not {nodes!r}")
    return None if nodes is None else int(nodes)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _as_float(value: object) -> float:
    """Return a real number as a float, NaN for anything else and for what no float can hold."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
