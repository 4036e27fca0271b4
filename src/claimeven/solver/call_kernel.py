"""The scores of all columns in one kernel: near the end of a game they take less time than a few
steps of Python.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, as_word, int64, kernel, popcount, uint64
from claimeven.game.bitboard_kernel import mirrored, widened
from claimeven.solver import layout
from claimeven.solver.bounds import completing_cells
from claimeven.solver.kernel import PAUSED, solve
from claimeven.solver.layout import ARRAYS, Arrays
from claimeven.solver.scores import win_score_kernel

#: Nodes of a search before the first look at the clock, about a tenth of a millisecond.
SHORT = 4096
#: Instead of the score of a column: it cannot be played, or its score is not known yet.
UNPLAYABLE, UNKNOWN = -1000, -1001
#: More than every score, so that no column is good enough to stop.
NEVER = 1000

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel(int64(ARRAYS, uint64, uint64, int64, int64, int64, int64[::1]), trusting=True)
def solve_columns(
    arrays: Arrays, mine: Word, mask: Word, floor: Int, ceiling: Int, enough: Int, scores: Ints
) -> Int:
    """Put the score of each column for the side to move into `scores`; return how many it searched.

    Searched scores are cut off to `floor` .. `ceiling`. The most central columns come first; after
    a score of at least `enough` the others stay `UNKNOWN`. The game must not be over. After `SHORT`
    nodes it returns `PAUSED` plus that number; `solve` continues the first unknown column.
    """
    fixed = layout.fixed_of(arrays.setup)
    mine, mask = as_word(mine), as_word(mask)
    control, shared = arrays.control, arrays.shared
    columns, ply = np.int64(fixed.columns), np.int64(popcount(mask))
    playable = (mask + fixed.bottom) & fixed.board
    wins = completing_cells(fixed, mine, mask) & playable
    is_own_image = mirrored(mine + mask, fixed.columns, fixed.height) == mine + mask
    control[layout.BUDGET] = control[layout.NODES] + SHORT
    control[layout.RESUME] = shared[layout.TOGETHER] = 0
    scores[:columns] = UNKNOWN
    searched = 0
    for number in range(columns):
        away = (number + 1) // 2
        column = (columns - 1) // 2 + (away if (number + columns) & 1 else -away)
        lowest = widened((_ONE << (fixed.height - _ONE)) - _ONE, mask)
        in_column = lowest << (np.uint64(column) * fixed.height)
        image = scores[columns - 1 - column]
        if playable & in_column == _ZERO:
            scores[column] = UNPLAYABLE
        elif wins & in_column != _ZERO:
            scores[column] = win_score_kernel(np.int64(fixed.cells), ply)
        elif is_own_image and image != UNKNOWN:
            scores[column] = image
        else:
            control[layout.STEP] = 0
            shared[layout.LOW], shared[layout.HIGH] = -ceiling, -floor
            score = solve(arrays, mine ^ mask, mask | playable & in_column, -ceiling, -floor)
            if score == PAUSED:
                return PAUSED + searched
            scores[column] = -score
            searched += 1 if ply + 1 < np.int64(fixed.cells) else 0
        if scores[column] >= enough:
            break
    return searched
