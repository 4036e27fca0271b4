"""Compiled bit operations on boards of up to 128 bits (layout: see `geometry`).

Helpers that are inlined into kernels. Every function takes and returns words. The board is
given by `height` (bits per column), `bottom` and `board` (the masks of `Geometry`) and `connect`.
`bitboard` has the twins on Python integers for any size.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from claimeven.compiled import MAX_BITS, bits_of, inlined, line_of_four, winning_four
from claimeven.compiled.types import Int, Word, Words
from claimeven.compiled.wide import words
from claimeven.game.bitboard import window_starts
from claimeven.game.geometry import DIRECTIONS, Geometry

ONE = np.uint64(1)
ZERO = np.uint64(0)


@inlined
def widened(number: Word, word: Word) -> Word:
    """Return a number as a word of the same width as `word`."""
    return (word ^ word) | number


@inlined
def run_starts(discs: Word, step: Word, length: Word) -> Word:
    """Mask of the first cells of all runs of `length` discs in the direction of `step`."""
    if length == np.uint64(4):
        pairs = discs & (discs >> step)
        return pairs & (pairs >> (step << ONE))
    starts = discs
    shift = step
    for _ in range(1, np.int64(length)):
        if shift >= bits_of(discs):  # shifts by more are undefined; no such line fits the board
            return ZERO
        starts &= discs >> shift
        shift += step
    return starts


@inlined
def direction_step(direction: Int, height: Word) -> Word:
    """Shift of one step along a direction, 0 to 3 in the order of `DIRECTIONS`."""
    if direction == 0:
        return ONE
    if direction == 1:
        return height
    if direction == 2:
        return height + ONE
    return height - ONE


@inlined
def has_line(discs: Word, height: Word, connect: Word) -> bool:
    """Whether the discs of one player include a line."""
    if connect == np.uint64(4):
        return bool(line_of_four(discs, height) != ZERO)
    starts = (
        run_starts(discs, ONE, connect)
        | run_starts(discs, height, connect)
        | run_starts(discs, height + ONE, connect)
        | run_starts(discs, height - ONE, connect)
    )
    return bool(starts != ZERO)


@inlined
def longest_run(discs: Word, cell: Word, height: Word) -> Word:
    """Length of the longest straight run through a cell once a disc there joins `discs`."""
    longest = ONE
    for direction in range(len(DIRECTIONS)):
        step = direction_step(direction, height)
        length = ONE
        other = cell << step
        while discs & other != ZERO:
            length += ONE
            other <<= step
        other = cell >> step
        while discs & other != ZERO:
            length += ONE
            other >>= step
        longest = max(longest, length)
    return longest


@inlined
def playable_cells(mask: Word, bottom: Word, board: Word) -> Word:
    """Mask of the lowest empty cell of every column that is not full."""
    return (mask + bottom) & board


@inlined
def wins_along(discs: Word, step: Word) -> Word:
    """Cells that would complete a line of four along `step`: the part of `winning_cells` for 4."""
    two = step << ONE
    three = two + step
    right = (discs >> step) & (discs >> two)
    left = (discs << step) & (discs << two)
    return (
        (right & (discs >> three))
        | (left & (discs << three))
        | (right & (discs << step))
        | (left & (discs >> step))
    )


@inlined
def wins_along_any(discs: Word, step: Word, connect: Word) -> Word:
    """Cells that would complete a line of `connect` along `step`."""
    found = ZERO
    for gap in range(np.int64(connect)):
        completed = ~(discs ^ discs)
        for i in range(np.int64(connect)):
            offset = step * np.uint64(i - gap if i > gap else gap - i)
            if offset >= bits_of(discs):
                completed = ZERO
            elif i > gap:
                completed &= discs >> offset
            elif i < gap:
                completed &= discs << offset
        found |= completed
    return found


@inlined
def winning_cells(discs: Word, mask: Word, height: Word, connect: Word, board: Word) -> Word:
    """Mask of the empty cells, playable or not, that would complete a line for `discs`.

    A vertical line is completed only at its top, because discs rest on each other.
    """
    if connect == np.uint64(4) and bits_of(discs) > np.uint64(64):
        wins = winning_four(discs, height)
    elif connect == np.uint64(4):
        wins = (
            ((discs << ONE) & (discs << np.uint64(2)) & (discs << np.uint64(3)))
            | wins_along(discs, height)
            | wins_along(discs, height + ONE)
            | wins_along(discs, height - ONE)
        )
    else:
        wins = (
            wins_along_any(discs, ONE, connect)
            | wins_along_any(discs, height, connect)
            | wins_along_any(discs, height + ONE, connect)
            | wins_along_any(discs, height - ONE, connect)
        )
    return wins & board & ~mask


@inlined
def mirrored(discs: Word, columns: Word, height: Word) -> Word:
    """Return the mask with its columns in reverse order."""
    column_bits = (ONE << height) - ONE
    flipped = ZERO
    for column in range(np.int64(columns)):
        part = (discs >> (np.uint64(column) * height)) & column_bits
        flipped |= part << ((columns - ONE - np.uint64(column)) * height)
    return flipped


#: Slots of the array that `board_vector` fills.
HEIGHT, CONNECT, BOTTOM, BOARD, CENTER, STARTS = range(6)
_WORDS = STARTS + len(DIRECTIONS)


@lru_cache(maxsize=256)
def board_vector(geometry: Geometry) -> Words:
    """Return the constants of a board for kernels: read-only words of shape (9,).

    Its slots are `HEIGHT`, `CONNECT`, `BOTTOM`, `BOARD` and `CENTER` (mask of the center column).
    From `STARTS` on it has the first cells of windows of `connect` cells, one mask for each of
    `DIRECTIONS`. Raises `InvalidGeometry` for boards of more than 128 bits.
    """
    geometry.check_fits_word(bits=MAX_BITS)
    vector = words(_WORDS, geometry.bits)
    vector[HEIGHT] = geometry.height
    vector[CONNECT] = geometry.connect
    vector[BOTTOM] = geometry.bottom
    vector[BOARD] = geometry.board
    vector[CENTER] = geometry.column_mask(geometry.columns // 2)
    vector[STARTS:] = window_starts(geometry, geometry.connect)
    vector.setflags(write=False)
    return vector
