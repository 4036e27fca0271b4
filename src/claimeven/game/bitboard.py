"""Bit operations on boards of any size, on Python integers (layout: see `geometry`).

`bitboard_kernel` has the compiled twins for boards of up to 128 bits.
"""

from __future__ import annotations

from functools import lru_cache

from claimeven.game.errors import InvalidPosition
from claimeven.game.geometry import DIRECTIONS, Geometry


def run_starts(discs: int, step: int, length: int) -> int:
    """Mask of the first cells of all runs of `length` discs in the direction of `step`.

    A run of 4 contains two runs of length 3. No mask of the edges is needed: a run beyond the edge
    crosses a sentinel, which is always empty. `discs` may be an array of words.
    """
    starts = discs
    for i in range(1, length):
        starts = starts & (discs >> (i * step))
    return starts


def has_line(discs: int, geometry: Geometry) -> bool:
    """Whether the discs of one player include a line."""
    for shifts in geometry.line_shifts:
        runs = discs
        for shift in shifts:
            runs &= runs >> shift
        if runs:
            return True
    return False


def line_cells(discs: int, geometry: Geometry) -> int:
    """Mask of all cells of all winning lines among the discs of one player."""
    cells = 0
    for step in geometry.steps:
        starts = run_starts(discs, step, geometry.connect)
        for i in range(geometry.connect):
            cells |= starts << (i * step)
    return cells


def longest_run(discs: int, cell: int, geometry: Geometry) -> int:
    """Length of the longest straight run through a cell once a disc there joins `discs`."""
    longest = 1
    for step in geometry.steps:
        length, above, below = 1, cell << step, cell >> step
        while discs & above:
            length, above = length + 1, above << step
        while discs & below:
            length, below = length + 1, below >> step
        longest = max(longest, length)
    return longest


def runs_through(discs: int, cells: int, geometry: Geometry) -> list[int]:
    """Masks of the `cells` in which a disc would make a run of 1 or more, 2 or more, ... discs.

    This is `longest_run` for many cells. Only the first mask can be empty.
    """
    reached = [cells]
    for step in geometry.steps:
        above, below = [cells], [cells]
        shifted = discs >> step
        while near := above[-1] & shifted:
            above.append(near)
            shifted >>= step
        shifted = discs << step
        while near := below[-1] & shifted:
            below.append(near)
            shifted <<= step
        for up, high in enumerate(above):
            for down, low in enumerate(below):
                both = high & low
                if up + down < len(reached):
                    reached[up + down] |= both
                elif both:
                    reached.append(both)
    return reached


def playable_cells(mask: int, geometry: Geometry) -> int:
    """Mask of the lowest empty cell of every column that is not full."""
    return (mask + geometry.bottom) & geometry.board


def winning_cells(discs: int, mask: int, geometry: Geometry) -> int:
    """Mask of the empty cells, playable or not, that would complete a line for `discs`."""
    connect = geometry.connect
    wins = 0
    for step in geometry.steps:
        wins |= _wins_of_four(discs, step) if connect == 4 else _wins_of_any(discs, step, connect)
    return wins & geometry.board & ~mask


def _wins_of_four(discs: int, step: int) -> int:
    """Mask of the cells, taken ones too, that would complete a line of four in a direction."""
    twice = step << 1
    above, below = discs >> step, discs << step
    two_above, two_below = above & discs >> twice, below & discs << twice
    thrice = twice + step
    return (
        two_above & discs >> thrice | two_above & below | above & two_below
        | two_below & discs << thrice
    )  # fmt: skip


def _wins_of_any(discs: int, step: int, connect: int) -> int:
    """`_wins_of_four` for lines of `connect`."""
    above, below = [-1], [-1]  # cells with 0, 1, 2 ... of the discs right above them, and below
    for shift in range(step, connect * step, step):
        above.append(above[-1] & discs >> shift)
        below.append(below[-1] & discs << shift)
    wins = 0
    for high, low in zip(above, reversed(below), strict=True):
        wins |= high & low
    return wins


def mirrored(discs: int, geometry: Geometry) -> int:
    """Return the mask with its columns in reverse order."""
    column_bits = (1 << geometry.height) - 1
    flipped = 0
    for column in range(geometry.columns):
        part = (discs >> (column * geometry.height)) & column_bits
        flipped |= part << ((geometry.columns - 1 - column) * geometry.height)
    return flipped


@lru_cache(maxsize=256)
def window_starts(geometry: Geometry, length: int) -> tuple[int, int, int, int]:
    """Masks of the first cells of windows of `length`, in each of the four directions."""
    masks = [0, 0, 0, 0]
    for direction, (dc, dr) in enumerate(DIRECTIONS):
        for column in range(geometry.columns):
            for row in range(geometry.rows):
                if geometry.has(column + (length - 1) * dc, row + (length - 1) * dr):
                    masks[direction] |= 1 << geometry.bit(column, row)
    return (masks[0], masks[1], masks[2], masks[3])


@lru_cache(maxsize=4096)
def open_columns(top: int, columns: int, rows: int) -> tuple[int, ...]:
    """Return the columns that are not full, given the discs in the highest row."""
    height = rows + 1
    return tuple(c for c in range(columns) if not top >> (c * height + rows - 1) & 1)


def check_discs(geometry: Geometry, mine: int, mask: int) -> None:
    """Raise `InvalidPosition` for discs off the board or in the air, and for wrong counts."""
    if mask & ~geometry.board or mine & ~mask or mine < 0 or mask < 0:
        raise InvalidPosition("discs are off the board, or a disc of mine is not in the mask")
    check_floating(geometry, mask)
    own, others = mine.bit_count(), (mine ^ mask).bit_count()
    if others - own != mask.bit_count() % 2:
        raise InvalidPosition(
            f"the side to move has {own} discs and the other {others}: sides take turns"
        )


def check_floating(geometry: Geometry, mask: int) -> None:
    """Raise `InvalidPosition` if one of these discs is above an empty cell."""
    for column in range(geometry.columns):
        stack = (mask & geometry.column_mask(column)) >> (column * geometry.height)
        if stack & (stack + 1):
            raise InvalidPosition(f"a disc floats above an empty cell in column {column + 1}")
