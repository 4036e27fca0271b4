"""Counting the straight runs of a player's discs, four ways.

`count_by_length` and `sequence_list` are the public functions. `COUNTERS` has the four ways by
name, for tests and the benchmark: a scan of every window, a convolution of every line, a table of
every possible line, and a few shifts of the bitboard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from claimeven.game.bitboard import run_starts
from claimeven.game.geometry import DIRECTIONS, Geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import whole_number

#: `count_by_table` scans longer lines, because a table has 2^length rows.
TABLE_LINE = 9


class Sequence(NamedTuple):
    """A straight window of discs of one player.

    `start` is the (column, row) of its first cell, `step` the (column, row) of one step along
    it, `length` its number of discs.
    """

    start: tuple[int, int]
    step: tuple[int, int]
    length: int


def _discs_of(position: Position, player: int) -> int:
    check_position(position)
    return position.discs[whole_number(player, "player", low=0, high=1)]


def count_by_length(position: Position, player: int, length: int) -> int:
    """Return the number of straight windows of `length` cells that `player` (0 or 1) fills.

    A run of 4 holds two windows of length 3. All four directions count, so a single disc is
    four windows of length 1. Raises `ClaimevenError` for another player and for no length.

    >>> count_by_length(Position.from_moves("112233"), 0, 2)
    2
    """
    whole_number(length, "length", low=1)
    return count_by_bits(_discs_of(position, player), position.geometry, length)


def sequence_list(position: Position, player: int) -> list[Sequence]:
    """Return every window of length 1 to `connect` that `player` (0 or 1) fills.

    Ordered by length, then direction (up, right, right-up, right-down), then start cell by columns.
    """
    geometry, discs = position.geometry, _discs_of(position, player)
    return [
        Sequence(start, step, length)
        for length in range(1, geometry.connect + 1)
        for step, shift in zip(DIRECTIONS, geometry.steps, strict=True)
        for start in geometry.cells_of(run_starts(discs, shift, length))
    ]


def count_by_scan(discs: int, geometry: Geometry, length: int) -> int:
    """Look at every cell of every window."""
    return sum(
        all(discs >> geometry.bit(column, row) & 1 for column, row in window)
        for window in geometry.windows(length)
    )


def count_by_convolution(discs: int, geometry: Geometry, length: int) -> int:
    """Convolve every line with ones and count the sums that are `length`."""
    kernel = np.ones(length, dtype=np.int64)
    return sum(
        int(np.count_nonzero(np.convolve(line, kernel, mode="valid") == length))
        for line in _lines(discs, geometry)
        if len(line) >= length
    )


def count_by_table(discs: int, geometry: Geometry, length: int) -> int:
    """Look every line up in a table of all the lines of that size."""
    total = 0
    for line in _lines(discs, geometry):
        if len(line) > TABLE_LINE:
            total += _count_in_line(line, length)
        else:
            pattern = sum(disc << place for place, disc in enumerate(line))
            total += line_table(len(line), length)[pattern]
    return total


def count_by_bits(discs: int, geometry: Geometry, length: int) -> int:
    """Shift the bitboard along each direction and count the bits left."""
    return sum(run_starts(discs, step, length).bit_count() for step in geometry.steps)


#: The four ways, slowest first. Each takes (discs, geometry, length) and returns the same number.
COUNTERS: dict[str, Callable[[int, Geometry, int], int]] = {
    "scan": count_by_scan,
    "convolution": count_by_convolution,
    "table": count_by_table,
    "bitboard": count_by_bits,
}


@lru_cache(maxsize=32)
def _line_cells(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """Bits of the cells of every maximal line, single cells included."""
    lines = []
    for dc, dr in DIRECTIONS:
        for column in range(geometry.columns):
            for row in range(geometry.rows):
                if geometry.has(column - dc, row - dr):
                    continue
                cells: list[int] = []
                while geometry.has(column + len(cells) * dc, row + len(cells) * dr):
                    cells.append(geometry.bit(column + len(cells) * dc, row + len(cells) * dr))
                lines.append(tuple(cells))
    return tuple(lines)


def _lines(discs: int, geometry: Geometry) -> Iterator[list[int]]:
    return ([discs >> bit & 1 for bit in cells] for cells in _line_cells(geometry))


@lru_cache(maxsize=64)
def line_table(size: int, length: int) -> tuple[int, ...]:
    """Windows of `length` discs in each of the 2^size ways a line can hold one player's discs."""
    return tuple(
        _count_in_line([pattern >> place & 1 for place in range(size)], length)
        for pattern in range(1 << size)
    )


def _count_in_line(line: list[int], length: int) -> int:
    return sum(all(line[i : i + length]) for i in range(len(line) - length + 1))
