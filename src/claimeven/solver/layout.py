"""What the solver's kernels need to know of a board and of a table, as one array of words.

The board is chosen when the solver is made, not when the kernels are compiled: everything that
depends on it stands in a uint64 array with named slots.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import WORD_BITS, Geometry
from claimeven.solver.transpositions import BUCKET_BITS, REST_BITS, multiplier

#: Slots: bits a column takes, connect length, number of cells, of columns, masks of the lowest
#: cells and of all cells.
HEIGHT, CONNECT, CELLS, COLUMNS, BOTTOM, BOARD = range(6)
#: Mask of the cells that have an even number of cells of their column above them.
PAIR_TOPS = 6
#: Positions of at most this many discs share one table entry with their mirror image.
MIRROR_PLIES = 7
#: How keys become table places, see `table`.
KEY_MASK, MULTIPLIER, BUCKET_SHIFT, REST_MASK = range(8, 12)
#: ABOVE + k: mask of the cells that have at least k cells of their column above them.
ABOVE = 16
#: WEIGHT + bit: of two moves that look equally good, the one of greater weight goes first.
WEIGHT = ABOVE + WORD_BITS
SIZE = WEIGHT + WORD_BITS


def cells_above(geometry: Geometry, row: int) -> int:
    """Return the number of cells above a cell of the given row in its column."""
    return geometry.rows - 1 - row


def _mask_of_rows(geometry: Geometry, wanted: list[bool]) -> int:
    rows = sum(1 << row for row in range(geometry.rows) if wanted[row])
    return geometry.bottom * rows


def pair_tops(geometry: Geometry) -> int:
    """Return the cells that are the upper one of a pair when columns are paired from the top."""
    return _mask_of_rows(
        geometry, [cells_above(geometry, row) % 2 == 0 for row in range(geometry.rows)]
    )


def at_least_above(geometry: Geometry, count: int) -> int:
    """Return the cells that have at least `count` cells of their column above them."""
    return _mask_of_rows(
        geometry, [cells_above(geometry, row) >= count for row in range(geometry.rows)]
    )


def column_weights(geometry: Geometry, worker: int = 0) -> list[int]:
    """Return the weight of each column: the centre is heaviest, the right one of two lightest.

    Odd `worker`s prefer the right one, so two threads at the same work part ways at once.
    """
    order = list(geometry.centre_order)
    if worker % 2:
        order = [geometry.columns - 1 - column for column in order]
    weights = [0] * geometry.columns
    for place, column in enumerate(order):
        weights[column] = geometry.columns - place
    return weights


def search_words(geometry: Geometry, bucket_bits: int, worker: int = 0) -> npt.NDArray[np.uint64]:
    """Return the words for a board, a table of 2**bucket_bits buckets, and the nth worker.

    Raises `InvalidGeometry` for boards of more than 64 bits, and ValueError for a table in whose
    entries the keys of this board would not fit (see `transpositions.smallest_bucket_bits`).
    """
    geometry.check_fits_word("the solver")
    rest_bits = geometry.bits - bucket_bits
    if bucket_bits < 1 or not 0 < rest_bits <= REST_BITS:
        raise ValueError(
            f"a table of 2**{bucket_bits + BUCKET_BITS} entries does not fit {geometry}"
        )
    words = np.zeros(SIZE, dtype=np.uint64)
    words[HEIGHT] = geometry.height
    words[CONNECT] = geometry.connect
    words[CELLS] = geometry.cells
    words[COLUMNS] = geometry.columns
    words[BOTTOM] = geometry.bottom
    words[BOARD] = geometry.board
    words[PAIR_TOPS] = pair_tops(geometry)
    words[MIRROR_PLIES] = geometry.cells // 3
    words[KEY_MASK] = (1 << geometry.bits) - 1
    words[MULTIPLIER] = multiplier(geometry.bits)
    words[BUCKET_SHIFT] = rest_bits
    words[REST_MASK] = (1 << rest_bits) - 1
    for count in range(geometry.rows):
        words[ABOVE + count] = at_least_above(geometry, count)
    for column, weight in enumerate(column_weights(geometry, worker)):
        first = geometry.bit(column, 0)
        words[WEIGHT + first : WEIGHT + first + geometry.rows] = weight
    return words
