"""The layout of the arrays of the solver's kernels.

The board is chosen when the solver is made, not when the kernels are compiled. Everything that
depends on it, and on the size of the transposition table, is in the **setup**, words with named
slots. Words have 64 bits, or 128 for boards of more bits; indices are always uint64.

**Stack** (words): first `REGISTERS` words for saving a paused search, then one frame for each node
on the path:

```text
    ALPHA BEST HASH ENTERED PLIES LEFT PLY | order key of each child left | children
```

ENTERED is the node count at entry, PLIES the distance of the searched child in plies, LEFT the
number of children left. A child is six words: MINE MASK THREATS REPLIES HASH PLIES.

**Control** (int64, one array per thread): `BUDGET` is the node count at which to pause, `NODES` the
nodes visited so far. `RESUME` is not 0 if a paused search is saved. `kernel.solve` uses `STEP`, the
number of the window (0 before the first), `GUESS`, the start of the next window, and `ALPHA_NOW`,
the window of a saved search. `kernel.solve_many` uses `DONE`, the number of positions solved.

**Shared** (int64, one array for all threads at one position): `STOP` not 0 pauses all threads.
`LOW` and `HIGH` are the bounds found so far. `TOGETHER` is not 0 if several threads search; each
then marks its current positions in `MARK_COUNT` places from `MARKS` on.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from claimeven.compiled import (
    Ints,
    Word,
    Words,
    bits_of,
    inlined,
    int64,
    leading_zeros,
    named_tuple,
    uint64,
)
from claimeven.compiled.wide import width, words
from claimeven.game.geometry import Geometry
from claimeven.solver.errors import check_board
from claimeven.solver.transposition_table import BUCKET_BITS, max_rest_bits, multiplier

# -- setup

#: Slots: bits per column, connect length, numbers of cells and of columns, masks of the lowest
#: cells and of all cells.
HEIGHT, CONNECT, CELLS, COLUMNS, BOTTOM, BOARD = range(6)
#: Mask of the cells with an even number of cells above them in their column.
PAIR_TOPS = 6
#: Positions of at most this many discs share one table entry with their mirror image.
MIRROR_PLIES = 7
#: Constants for places in the transposition table, see `transposition_table`.
KEY_MASK, MULTIPLIER, BUCKET_SHIFT, REST_MASK = range(8, 12)
#: ABOVE + k: mask of the cells with at least k cells above them in their column.
ABOVE = 16
#: WEIGHT + bit: the weight of a cell, which orders moves that are otherwise equal. Wide setups have
#: 128 slots from `ABOVE` on, and 128 weights after them.
WEIGHT = ABOVE + 64
SETUP = WEIGHT + 64

# -- stack

R_MINE, R_MASK, R_THREATS, R_REPLIES, R_HASH, R_PLY, R_ALPHA, R_FRAME, REGISTERS = range(9)
ALPHA, BEST, HASH, ENTERED, PLIES, LEFT, PLY, ORDER = range(8)
MAX_CHILDREN = 16
CHILDREN = ORDER + MAX_CHILDREN
C_MINE, C_MASK, C_THREATS, C_REPLIES, C_HASH, C_PLIES, CHILD = range(7)
FRAME = CHILDREN + MAX_CHILDREN * CHILD
#: Words of a stack for every board of up to 64 bits, see `stack_size`.
STACK = REGISTERS + 65 * FRAME

# -- control, shared

BUDGET, NODES, RESUME, STEP, GUESS, ALPHA_NOW, DONE, CONTROLS = range(8)
STOP, LOW, HIGH, TOGETHER, MARKS = range(5)
#: Number of marks, a power of two.
MARK_COUNT = 1024
SHARED = MARKS + MARK_COUNT

_ONE = np.uint64(1)


class Arrays(NamedTuple):
    """The arrays of a thread, see above; `entries` belong to the transposition table."""

    setup: Words
    entries: Words
    stack: Words
    control: Ints
    shared: Ints


#: The type of `Arrays` in the signature of a kernel.
ARRAYS: Final = named_tuple(Arrays, uint64[::1], uint64[::1], uint64[::1], int64[::1], int64[::1])


class Fixed(NamedTuple):
    """The slots of the setup that a search needs at every node, by name."""

    height: Word
    connect: Word
    cells: Word
    columns: Word
    bottom: Word
    board: Word
    pair_tops: Word
    mirror_plies: Word
    key_mask: Word
    multiplier: Word
    bucket_shift: Word
    rest_mask: Word


@inlined
def weight_slot(cell: Word) -> Word:
    """Return the slot of the weight of a cell in the setup."""
    return np.uint64(ABOVE) + bits_of(cell) + bits_of(cell) - _ONE - np.uint64(leading_zeros(cell))


@inlined
def fixed_of(setup: Words) -> Fixed:
    """Return these slots as a tuple, so that compiled code keeps them in registers.

    Words of an array would be read again after every write to another array.
    """
    return Fixed(
        np.uint64(setup[HEIGHT]),
        np.uint64(setup[CONNECT]),
        np.uint64(setup[CELLS]),
        np.uint64(setup[COLUMNS]),
        setup[BOTTOM],
        setup[BOARD],
        setup[PAIR_TOPS],
        np.uint64(setup[MIRROR_PLIES]),
        setup[KEY_MASK],
        setup[MULTIPLIER],
        np.uint64(setup[BUCKET_SHIFT]),
        setup[REST_MASK],
    )


def cells_above(geometry: Geometry, row: int) -> int:
    """Return the number of cells above a cell of the given row in its column."""
    return geometry.rows - 1 - row


def _mask_of_rows(geometry: Geometry, is_included: list[bool]) -> int:
    rows = sum(1 << row for row in range(geometry.rows) if is_included[row])
    return geometry.bottom * rows


def pair_tops(geometry: Geometry) -> int:
    """Return the upper cells of pairs, with the cells of each column paired from the top."""
    return _mask_of_rows(
        geometry, [cells_above(geometry, row) % 2 == 0 for row in range(geometry.rows)]
    )


def cells_with_above(geometry: Geometry, count: int) -> int:
    """Return the cells with at least `count` cells above them in their column."""
    return _mask_of_rows(
        geometry, [cells_above(geometry, row) >= count for row in range(geometry.rows)]
    )


def column_weights(geometry: Geometry, worker: int = 0) -> list[int]:
    """Return the weight of each column: greatest in the center, and less for the right of a pair.

    Odd `worker`s prefer the right one, so two threads take different ways immediately.
    """
    order = list(geometry.center_order)
    if worker % 2:
        order = [geometry.columns - 1 - column for column in order]
    weights = [0] * geometry.columns
    for place, column in enumerate(order):
        weights[column] = geometry.columns - place
    return weights


def stack_size(geometry: Geometry) -> int:
    """Return the number of words of a stack: a path has at most one node for each cell."""
    return REGISTERS + (geometry.cells + 1) * FRAME


def search_setup(geometry: Geometry, bucket_bits: int, worker: int = 0) -> Words:
    """Return the setup for a board, a table of 2**bucket_bits buckets, and the nth worker.

    Raises `InvalidSolve` for boards of more than 128 bits, and ValueError if the keys of the board
    do not fit the entries (see `transposition_table.smallest_bucket_bits`).
    """
    check_board(geometry)
    rest_bits = geometry.bits - bucket_bits
    if bucket_bits < 1 or not 0 < rest_bits <= max_rest_bits(geometry):
        raise ValueError(
            f"a table of 2**{bucket_bits + BUCKET_BITS} entries does not fit {geometry}"
        )
    slots = width(geometry.bits)
    setup = words(ABOVE + 2 * slots, geometry.bits)
    setup[HEIGHT] = geometry.height
    setup[CONNECT] = geometry.connect
    setup[CELLS] = geometry.cells
    setup[COLUMNS] = geometry.columns
    setup[BOTTOM] = geometry.bottom
    setup[BOARD] = geometry.board
    setup[PAIR_TOPS] = pair_tops(geometry)
    setup[MIRROR_PLIES] = geometry.cells // 3
    setup[KEY_MASK] = (1 << geometry.bits) - 1
    setup[MULTIPLIER] = multiplier(geometry.bits)
    setup[BUCKET_SHIFT] = rest_bits
    setup[REST_MASK] = (1 << rest_bits) - 1
    for count in range(geometry.rows):
        setup[ABOVE + count] = cells_with_above(geometry, count)
    for column, weight in enumerate(column_weights(geometry, worker)):
        first = ABOVE + slots + geometry.bit(column, 0)
        setup[first : first + geometry.rows] = weight
    return setup
