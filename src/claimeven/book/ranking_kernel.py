"""The numbers of many positions at once, compiled (readable: `numbering.Numbering.number`).

What the kernel needs of a numbering stands in one int64 array, the **tables**:

```text
    COLUMNS HEIGHT ROWS PLIES | starts | colourings | blocks at | before | blocks | ranks
```

`starts`, `colourings` and `blocks at` have an entry a ply, `before` is (columns, plies + 1,
rows + 1), `blocks` of ply p begins at `blocks at`[p], `ranks` of ply p at 2**p - 1.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel
from claimeven.compiled.intrinsics import leading_zeros

COLUMNS, HEIGHT, ROWS, PLIES, LISTS = range(5)
#: The number of a position with more discs than are numbered.
BEYOND = -1

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_TOP = np.int64(63)


@inlined
def _column(key: Word, column: Int, height: Int) -> tuple[Int, Word]:
    """Return the discs of a column and those of the side to move, by a position's key."""
    part = ((key >> np.uint64(column * height)) & ((_ONE << np.uint64(height)) - _ONE)) + _ONE
    discs = _TOP - np.int64(leading_zeros(part))
    return discs, part ^ (_ONE << np.uint64(discs))


@inlined
def _seen_from(key: Word, tables: Ints, first: Int, step: Int, ply: Int) -> tuple[Int, Word]:
    """Return the spread's number and the colouring's word, taking the columns from either side."""
    columns, height, rows, plies = tables[COLUMNS], tables[HEIGHT], tables[ROWS], tables[PLIES]
    before = LISTS + 3 * (plies + 1)
    spread, left, discs, word = np.int64(0), ply, np.int64(0), _ZERO
    for place in range(columns):
        count, own = _column(key, first + step * place, height)
        spread += tables[before + (place * (plies + 1) + left) * (rows + 1) + count]
        word |= own << np.uint64(discs)
        left -= count
        discs += count
    return spread, word


@kernel("void(uint64[::1], Array(int64, 1, 'C', readonly=True), int64[::1])")
def number_all(keys: Words, tables: Ints, numbers: Ints) -> None:
    """Fill in the number of each position by its key, `BEYOND` for those of later plies."""
    columns, height, rows, plies = tables[COLUMNS], tables[HEIGHT], tables[ROWS], tables[PLIES]
    lists = plies + 1
    blocks = LISTS + 3 * lists + columns * lists * (rows + 1)
    ranks = len(tables) - ((np.int64(1) << lists) - 1)
    for i in range(len(keys)):
        key = keys[i]
        ply = np.int64(0)
        for column in range(columns):
            count, _ = _column(key, column, height)
            ply += count
        if ply > plies:
            numbers[i] = BEYOND
            continue
        spread, word = _seen_from(key, tables, np.int64(0), np.int64(1), ply)
        image, other = _seen_from(key, tables, columns - 1, np.int64(-1), ply)
        if image < spread:
            spread, word = image, other
        block = tables[blocks + tables[LISTS + 2 * lists + ply] + spread]
        rank = tables[ranks + (np.int64(1) << ply) - 1 + np.int64(word)]
        numbers[i] = tables[LISTS + ply] + block * tables[LISTS + lists + ply] + rank
