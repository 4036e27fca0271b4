"""What mirroring a board does to its columns and lines, so that a net can be symmetric by itself.

Columns, and lines of cells, come in pairs that change places; a column or line in the middle is its
own mirror image. Of the numbers of a pair a net takes the sum, which stays the same in the mirror
image, and the difference, which changes its sign there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.networks.net.planes import STATES

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Symmetry:
    """The pairs of columns and of lines of a board.

    `middle` is 1 where a column lies in the middle, else 0; `pairs` counts the pairs of columns.
    Of each pair of lines `first` and `second` are the numbers of its lines, int64 (n,), equal for a
    line that is its own image, and `read_as` int64 (n, states) the state of the first line that the
    mirror image shows where the second line has a state here. The first `unequal` of them may
    differ from their images; lines that never do come last.

    Two columns, too, change places with two others, or with each other: `left` and `right` are the
    numbers of the columns, one of two such couples each, int64 (n,).

    >>> from claimeven.networks.net import Features
    >>> symmetry = Features().symmetry
    >>> symmetry.pairs, symmetry.middle, len(symmetry.first), symmetry.unequal
    (3, 1, 36, 33)
    >>> len(symmetry.left)
    12
    """

    pairs: int
    middle: int
    first: Numbers
    second: Numbers
    read_as: Numbers
    unequal: int
    left: Numbers
    right: Numbers

    @property
    def half(self) -> int:
        """Columns on the left, with that in the middle."""
        return self.pairs + self.middle

    def taken_apart(self, by_column: Any) -> tuple[list[Any], Any]:
        """Return the parts of sums, the last of the middle column, and the differences.

        `by_column` are numbers of columns, (n, columns, ...), of NumPy or of JAX.
        """
        left, right = by_column[:, : self.pairs], by_column[:, ::-1][:, : self.pairs]
        return [left + right, by_column[:, self.pairs : self.half]], left - right

    def put_together(self, sums: Any, differences: Any) -> list[Any]:
        """Return the parts of a row for all columns: (n, half) and (n, pairs) make (n, columns).

        A pair's columns are its sum with its difference, and less it.
        """
        left, right = sums[:, : self.pairs] + differences, sums[:, : self.pairs] - differences
        return [left, sums[:, self.pairs :], right[:, ::-1]]

    @classmethod
    def of(cls, geometry: Geometry, lines: Numbers) -> Symmetry:
        """Return that of a board with such lines, int64 (lines, connect): see `Features.lines`."""
        columns, rows, connect = geometry.columns, geometry.rows, geometry.connect
        numbers = {frozenset(line): number for number, line in enumerate(lines.tolist())}
        found, fixed = [], []
        for first, line in enumerate(lines.tolist()):
            image = [(columns - 1 - cell // rows) * rows + cell % rows for cell in line]
            second = numbers[frozenset(image)]
            places = [image.index(cell) for cell in lines[second].tolist()]
            if first == second and places == list(range(connect)):
                fixed.append((first, second, places))
            elif first <= second:
                found.append((first, second, places))
        pairs = found + fixed
        couples = [
            (left, right)
            for left in range(columns)
            for right in range(left + 1, columns)
            if left + right < columns
        ]
        states = np.arange(STATES**connect)
        read_as = np.zeros((len(pairs), len(states)), dtype=np.int64)
        for number, (_, _, places) in enumerate(pairs):
            for place, there in enumerate(places):
                read_as[number] += states // STATES**place % STATES * STATES**there
        return cls(
            columns // 2,
            columns % 2,
            np.array([first for first, _, _ in pairs], dtype=np.int64),
            np.array([second for _, second, _ in pairs], dtype=np.int64),
            read_as,
            len(found),
            np.array([left for left, _ in couples], dtype=np.int64),
            np.array([right for _, right in couples], dtype=np.int64),
        )
