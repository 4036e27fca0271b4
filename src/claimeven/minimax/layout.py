"""The arrays of a compiled search, one row for each ply below the root.

```text
    discs   (plies, 3) uint64      MINE, MASK, TODO: playable cells not tried yet
    numbers (plies, 6) int64       ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING
    lines   (plies + 1, plies + 1) row p: length of the best line below p, then its columns
```

with `plies` of the root's empty cells and one: the row of a ply is used again for each position
that is entered there.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from claimeven.compiled import Ints, Words, int64, named_tuple, uint64
from claimeven.evaluation.registry import Evaluation
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.position import Position
from claimeven.minimax.types import column_order

#: Fields of a row. ALPHA_IN is the window's alpha as the position was entered, PLACE where the
#: order of columns goes on (-1: a column out of the order comes first), TRYING the last column.
MINE, MASK, TODO, DISCS_FIELDS = range(4)
ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING, NUMBERS_FIELDS = range(7)
#: Registers: where the loop stands (DONE at the end), and the search's options.
PLY, DEPTH_LIMIT, PRUNE, TABLE_BITS, EVALUATION, ROOT_VIEW, REGISTERS = range(7)
DONE: Final = -1
NODES, EVALUATIONS, CUTOFFS, EXPANDED, TABLE_HITS, DEEPEST, COUNTERS = range(7)
#: A root row: the value of a column, and what is known of it: UNSEEN where not searched.
ROOT_VALUE, ROOT_STATE, ROOT_FIELDS = range(3)
UNSEEN, BOUNDED, IS_EXACT = range(3)

INFINITY: Final = 1 << 62


class Rows(NamedTuple):
    """What a search knows at each ply: see above."""

    discs: Words
    numbers: Ints
    lines: Ints


class Progress(NamedTuple):
    """How far it is: `registers`, the `counts`, and `roots`, a row a column of the root."""

    registers: Ints
    counts: Ints
    roots: Ints


class Rules(NamedTuple):
    """What stays as it is: the board's vector, the `order` of columns, the evaluation's weights."""

    board: Words
    order: Ints
    weights: Ints


ROWS: Final = named_tuple(Rows, uint64[:, ::1], int64[:, ::1], int64[:, ::1])
PROGRESS: Final = named_tuple(Progress, int64[::1], int64[::1], int64[:, ::1])
RULES: Final = named_tuple(Rules, uint64[::1], int64[::1], int64[::1])


def root_rows(position: Position) -> Rows:
    """Set the rows of a search aside, with the position's discs in the first."""
    plies = position.geometry.cells - position.ply + 1
    rows = Rows(
        np.zeros((plies, DISCS_FIELDS), dtype=np.uint64),
        np.zeros((plies, NUMBERS_FIELDS), dtype=np.int64),
        np.zeros((plies + 1, plies + 1), dtype=np.int64),
    )
    rows.discs[0, MINE], rows.discs[0, MASK] = position.mine, position.mask
    return rows


def rules_of(position: Position, order: str, evaluation: Evaluation) -> Rules:
    """Return the rules of a search of a board. Raises `InvalidSearch` for an unknown order."""
    geometry = position.geometry
    return Rules(
        board_vector(geometry).copy(),
        np.array(column_order(geometry, order), dtype=np.int64),
        evaluation.kernel_weights(geometry),
    )
