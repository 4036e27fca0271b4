"""A thread of the search: its arrays and speed, its first window, its share of positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Words, for_bits
from claimeven.compiled.wide import words
from claimeven.game.geometry import MAX_SIDE, Geometry
from claimeven.game.position import Position
from claimeven.solver import kernel, layout
from claimeven.solver.call_kernel import solve_columns

#: The assumed nodes per second before a measurement: few, so that first slices are short.
FIRST_RATE = 500_000.0
#: More nodes than any search visits.
UNLIMITED = 1 << 62

Scores = npt.NDArray[np.int64]


class ChildTask(NamedTuple):
    """An unfinished position after a column, and a lower bound on its score, None if unknown."""

    column: int
    position: Position
    floor: int | None


class SearchThread:
    """The arrays of one thread, and its last speed in nodes per second."""

    def __init__(self, geometry: Geometry, entries: Words, bucket_bits: int, number: int) -> None:
        self.arrays: layout.Arrays = layout.Arrays(
            layout.search_setup(geometry, bucket_bits, number),
            entries,
            words(layout.stack_size(geometry), geometry.bits),
            np.zeros(layout.CONTROLS, dtype=np.int64),
            np.zeros(layout.SHARED, dtype=np.int64),
        )
        self.solve: Any = for_bits(kernel.solve, geometry.bits)
        self.solve_many: Any = for_bits(kernel.solve_many, geometry.bits)
        self.solve_columns: Any = for_bits(solve_columns, geometry.bits)
        self.control: Scores = self.arrays.control
        self.shared: Scores = self.arrays.shared
        self.columns: Scores = np.zeros(MAX_SIDE, dtype=np.int64)
        self.rate = FIRST_RATE
        #: The node count at which the guide is asked.
        self.guide_at = UNLIMITED

    @property
    def nodes(self) -> int:
        """Nodes visited since the thread state was made."""
        return int(self.control[layout.NODES])


def parts_for(total: int, threads: int, most: int) -> Iterator[slice]:
    """Yield a number of positions in parts for threads; a single thread gets one large part.

    >>> [part.stop - part.start for part in parts_for(20, 2, 64)]
    [5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1]
    """
    start = 0
    while start < total:
        left = total - start
        share = left if threads == 1 and most > 1 else min(most, max(1, left // (2 * threads)))
        yield slice(start, start + share)
        start += share


def first_alpha(guess: int, most: int) -> int:
    """Return the first window for a guess: does the winner win as soon as it says, or sooner?

    >>> [first_alpha(guess, 18) for guess in (-9, -1, 0, 1, 4, 5, 9, 99)]
    [-11, -1, 0, 0, 3, 5, 10, 18]
    """
    margin = (abs(guess) >= 5) + (abs(guess) >= 9)  # an early win is quickly refuted
    return max(-most, min(most, guess - 1 + margin if guess > 0 else guess - margin))
