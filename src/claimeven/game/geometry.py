"""The board: its size, its connect length, and the layout of its cells in an integer.

Bits run up each column, with a spare bit on top (the sentinel, always 0 in a position). So a step
along a line is a constant shift, and lines do not wrap around the edge. On 7 columns by 6 rows:

```text
    row                                        step
     .    6 13 20 27 34 41 48   sentinels      up         1
     5    5 12 19 26 33 40 47                  right      rows + 1
     4    4 11 18 25 32 39 46                  right-up   rows + 2
     3    3 10 17 24 31 38 45                  right-down rows
     2    2  9 16 23 30 37 44
     1    1  8 15 22 29 36 43
     0    0  7 14 21 28 35 42
   column 0  1  2  3  4  5  6
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from claimeven.game.errors import ClaimevenError, IllegalMove, InvalidGeometry
from claimeven.game.validation import instance, whole_number

MAX_SIDE = 16
MIN_CONNECT, MAX_CONNECT = 2, 8
#: Bits of a word.
WORD_BITS = 64

#: (column step, row step) of the four directions: up, right, right-up, right-down.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True)
class Geometry:
    """A board of `columns` x `rows` cells on which `connect` discs in a line win.

    `columns` and `rows` are 1..16, `connect` 2..8. Raises `InvalidGeometry` otherwise.

    >>> Geometry().cells
    42
    >>> Geometry(4, 4, 3).bit(1, 2)
    7
    """

    columns: int = 7
    rows: int = 6
    connect: int = 4

    def __post_init__(self) -> None:
        for name, low, high in (
            ("columns", 1, MAX_SIDE),
            ("rows", 1, MAX_SIDE),
            ("connect", MIN_CONNECT, MAX_CONNECT),
        ):
            given = getattr(self, name)
            number = whole_number(given, name, InvalidGeometry, low=low, high=high)
            object.__setattr__(self, name, number)

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows} connect {self.connect}"

    def as_dict(self) -> dict[str, int]:
        """Return the board as plain data: `columns`, `rows`, `connect`."""
        return {"columns": self.columns, "rows": self.rows, "connect": self.connect}

    @cached_property
    def cells(self) -> int:
        """Number of cells, which is also the greatest possible ply."""
        return self.columns * self.rows

    @cached_property
    def height(self) -> int:
        """Bits per column: its cells and the sentinel above them."""
        return self.rows + 1

    @cached_property
    def bits(self) -> int:
        """Bits of the whole board, including sentinels."""
        return self.columns * self.height

    @property
    def fits_word(self) -> bool:
        """Whether the board fits one 64-bit word."""
        return self.bits <= WORD_BITS

    def check_fits_word(
        self,
        holder: str = "compiled code",
        error: type[ClaimevenError] = InvalidGeometry,
        bits: int = WORD_BITS,
    ) -> None:
        """Raise `error`, with the name of the holder, unless the board fits a word of `bits`."""
        if self.bits > bits:
            raise error(
                f"{holder} supports boards of columns * (rows + 1) <= {bits} bits;"
                f" {self} takes {self.bits}"
            )

    def check_column(self, column: object) -> int:
        """Return a 0-based column of this board as an int. Raises `IllegalMove` for any other."""
        number = whole_number(column, "a column", IllegalMove)
        if not 0 <= number < self.columns:
            raise IllegalMove(
                f"column {number} (counted from 0) is not on the board: choose from 0 to"
                f" {self.columns - 1}"
            )
        return number

    @cached_property
    def bottom(self) -> int:
        """Mask of the lowest cell of every column."""
        return sum(1 << (column * self.height) for column in range(self.columns))

    @cached_property
    def board(self) -> int:
        """Mask of every cell, without sentinels."""
        return self.bottom * ((1 << self.rows) - 1)

    @cached_property
    def top(self) -> int:
        """Mask of the highest cell of every column."""
        return self.bottom << (self.rows - 1)

    @cached_property
    def steps(self) -> tuple[int, int, int, int]:
        """Shift of one step in each of `DIRECTIONS`."""
        return (1, self.height, self.height + 1, self.height - 1)

    @cached_property
    def line_shifts(self) -> tuple[tuple[int, ...], ...]:
        """Shifts for each direction that find the first disc of every line.

        A mask and-ed with itself, shifted by each of them in turn, keeps runs of 2, then 4 ...
        """
        lengths = [1]
        while lengths[-1] < self.connect:
            lengths.append(min(2 * lengths[-1], self.connect))
        shifts = tuple(longer - length for length, longer in pairwise(lengths))
        return tuple(tuple(step * length for length in shifts) for step in self.steps)

    @cached_property
    def center_order(self) -> tuple[int, ...]:
        """Columns from the center outwards, the left one first at equal distance."""
        return tuple(
            sorted(range(self.columns), key=lambda c: (abs(2 * c - (self.columns - 1)), c))
        )

    def bit(self, column: int, row: int) -> int:
        """Index of the bit of a cell; column and row count from 0, row 0 at the bottom."""
        return column * self.height + row

    def cell(self, bit: int) -> tuple[int, int]:
        """Return (column, row) of a bit; the inverse of `bit`."""
        return divmod(bit, self.height)

    def column_mask(self, column: int) -> int:
        """Mask of the cells of a column."""
        return ((1 << self.rows) - 1) << (column * self.height)

    def has(self, column: int, row: int) -> bool:
        """Whether the cell is on the board."""
        return 0 <= column < self.columns and 0 <= row < self.rows

    def cells_of(self, mask: int) -> Iterator[tuple[int, int]]:
        """Yield (column, row) of every set bit, column by column, bottom up."""
        while mask:
            low = mask & -mask
            yield self.cell(low.bit_length() - 1)
            mask ^= low

    def windows(self, length: int) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return every straight run of `length` cells, as (column, row) tuples.

        The four directions in the order of `DIRECTIONS`, starts column by column, bottom up. A
        window of length 1 occurs once for each direction.
        """
        return tuple(
            tuple((column + i * dc, row + i * dr) for i in range(length))
            for dc, dr in DIRECTIONS
            for column in range(self.columns)
            for row in range(self.rows)
            if self.has(column + (length - 1) * dc, row + (length - 1) * dr)
        )


#: The default board: 7 columns, 6 rows, connect 4.
STANDARD: Final = Geometry()


def check_geometry(geometry: object, error: type[ClaimevenError] = InvalidGeometry) -> None:
    """Raise `error` unless this is a `Geometry`."""
    instance(geometry, "a board", Geometry, error, "Geometry(9, 7)")
