"""Compiled bit operations on boards of up to 64 bits (layout: see `geometry`).

Helpers for kernels, inlined into them. Every function takes and returns uint64 words; the board's
size comes in as `height` (bits a column takes), `bottom` and `board` (the masks of `Geometry`) and
`connect`.
`bitboards` holds the twins on Python integers for any size.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import inlined

ONE = np.uint64(1)
ZERO = np.uint64(0)


@inlined
def run_starts(discs, step, length):  # type: ignore[no-untyped-def]
    """Mask of the first cells of all runs of `length` discs in the direction of `step`."""
    if length == np.uint64(4):
        pairs = discs & (discs >> step)
        return pairs & (pairs >> (step << ONE))
    starts = discs
    shift = step
    for _ in range(1, length):
        starts &= discs >> shift
        shift += step
    return starts


@inlined
def lines(discs, height, connect):  # type: ignore[no-untyped-def]
    """Return a word that is not zero when the discs of one player hold `connect` in a line."""
    return (
        run_starts(discs, ONE, connect)
        | run_starts(discs, height, connect)
        | run_starts(discs, height + ONE, connect)
        | run_starts(discs, height - ONE, connect)
    )


@inlined
def playable_cells(mask, bottom, board):  # type: ignore[no-untyped-def]
    """Mask of the lowest empty cell of every column that is not full."""
    return (mask + bottom) & board


@inlined
def wins_along(discs, step):  # type: ignore[no-untyped-def]
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
def wins_along_any(discs, step, connect):  # type: ignore[no-untyped-def]
    """Cells that would complete a line of `connect` along `step`."""
    found = ZERO
    for gap in range(connect):
        completed = ~ZERO
        for i in range(connect):
            if i > gap:
                completed &= discs >> (step * np.uint64(i - gap))
            elif i < gap:
                completed &= discs << (step * np.uint64(gap - i))
        found |= completed
    return found


@inlined
def winning_cells(discs, mask, height, connect, board):  # type: ignore[no-untyped-def]
    """Mask of the empty cells, playable or not, that would complete a line for `discs`."""
    if connect == np.uint64(4):
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
def mirrored(discs, columns, height):  # type: ignore[no-untyped-def]
    """Return the mask with its columns in reverse order."""
    column_bits = (ONE << height) - ONE if height < np.uint64(64) else ~ZERO
    flipped = ZERO
    for column in range(columns):
        part = (discs >> (np.uint64(column) * height)) & column_bits
        flipped |= part << ((columns - ONE - np.uint64(column)) * height)
    return flipped
