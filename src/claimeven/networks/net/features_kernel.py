"""The static features of positions, compiled: `array_features` describes them.

A plane of the other side follows the plane of the side to move.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from claimeven.compiled import Ints, Words, inlined, int64, kernel, uint8, uint64, void
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, ONE, ZERO, playable_cells
from claimeven.networks.net.array_features import (
    BOARD_NUMBERS,
    COLUMN_NUMBERS,
    MAX_LINES,
    PLANES,
    SEEN_CELLS,
    STATES,
)

MINE: Final = 0
THEIRS: Final = 1
PLAYABLE: Final = 2
ABOVE_PLAYABLE: Final = 3
#: Four planes: mine with the first player to move, mine with the second, then theirs.
MY_THREAT_FIRST: Final = 4
UNDER_MY_THREAT: Final = 8
MY_LINES_NEAR: Final = 10
MY_LINES_NEAR_TWICE: Final = 12
MY_LINES_FAR: Final = 14

ODD_BELOW: Final = 0
SHUT: Final = 3
ALL_BUT_SHUT: Final = 4

TO_MOVE: Final = 0
ALL_ODD_BELOW: Final = 1
ALL_SHUT: Final = 4

#: Distance from a plane of the side to move to the same of the other side.
_OTHER = 1


@inlined
def count_line(row: Any, cells: Ints, mine: Any, theirs: Any, turn: Any) -> None:
    """Note a line that only one side has discs in, at each of its empty cells."""
    owner = 0 if mine > 0 else _OTHER
    missing = cells.shape[0] - mine - theirs
    for place in range(cells.shape[0]):
        at = cells[place] * PLANES
        if row[at + MINE] or row[at + THEIRS]:
            continue
        if missing == 1:
            row[at + MY_THREAT_FIRST + 2 * owner + turn] = 1
        elif missing == 2:
            near = at + MY_LINES_NEAR + owner
            if row[near]:
                row[near + MY_LINES_NEAR_TWICE - MY_LINES_NEAR] = 1
            row[near] = 1
        elif missing == 3:
            far = at + MY_LINES_FAR + owner
            row[far] = min(row[far] + 1, MAX_LINES)


@inlined
def count_quiet(row: Any, column: Any, first: Any, end: Any, cells: Any, whole: Any) -> Any:
    """Write the numbers of a column's quiet cells; return the column's state.

    Its cells are `first` to before `end`; its numbers follow the planes of `cells` cells, and the
    numbers of the whole board start at `whole`.
    """
    mine = theirs = both = np.int64(0)  # quiet cells so far, while no threat was met
    mine_met = theirs_met = False
    discs, owned, power = np.int64(0), np.int64(0), np.int64(1)
    for cell in range(first, end):
        at = cell * PLANES
        if row[at + MINE] or row[at + THEIRS]:
            if cell - first < SEEN_CELLS:
                discs += power
                owned += power * np.int64(row[at + MINE])
                power *= 2
            continue
        threat = at + MY_THREAT_FIRST
        mine_met = mine_met or row[threat] or row[threat + 1]
        theirs_met = theirs_met or row[threat + 2] or row[threat + 3]
        mine += not mine_met
        theirs += not theirs_met
        both += not (mine_met or theirs_met)
    at = cells * PLANES + column * COLUMN_NUMBERS
    row[at + ODD_BELOW], row[at + ODD_BELOW + 1], row[at + ODD_BELOW + 2] = (
        mine & 1,
        theirs & 1,
        both & 1,
    )
    row[at + SHUT], row[at + ALL_BUT_SHUT] = both == 0, both == 1
    for kind in range(3):
        row[whole + ALL_ODD_BELOW + kind] ^= row[at + ODD_BELOW + kind]
    row[whole + ALL_SHUT] += both == 0
    return discs + owned


@kernel(
    void(
        uint64[::1], uint64[::1], int64[:, ::1], uint64[::1], uint64[::1], uint8[:, ::1],
        int64[:, ::1],
    )
)  # fmt: skip
def fill_features(
    board: Words,
    bits: Words,
    lines: Ints,
    mines: Words,
    masks: Words,
    planes: Any,
    states: Any,
) -> None:
    """Write the planes and states of positions.

    `board` is the `board_vector`, `bits` the bit of each cell, `lines` the cells of each line.
    A row of `planes` is a position: the planes of cell 0, of cell 1, ..., the numbers of each
    column, of the whole board. A row of `states` is one position too: a number for each line, whose
    digits in base `STATES` are its cells, and a number for each column (see `Features.of`).
    """
    cells = bits.shape[0]
    whole = planes.shape[1] - BOARD_NUMBERS
    columns = states.shape[1] - lines.shape[0]
    rows = cells // columns
    for i in range(mines.shape[0]):
        mine, mask = mines[i], masks[i]
        playable = playable_cells(mask, board[BOTTOM], board[BOARD])
        row = planes[i]
        discs = 0
        # Step 1: the content of each cell.
        for cell in range(cells):
            at, bit = cell * PLANES, bits[cell]
            for plane in range(PLANES):
                row[at + plane] = 0
            if mask & bit != ZERO:
                discs += 1
                row[at + (MINE if mine & bit != ZERO else THEIRS)] = 1
            elif playable & bit != ZERO:
                row[at + PLAYABLE] = 1
            elif playable & (bit >> ONE) != ZERO:
                row[at + ABOVE_PLAYABLE] = 1
        turn = discs & 1
        for number in range(BOARD_NUMBERS):
            row[whole + number] = 0
        row[whole + TO_MOVE] = turn
        # Step 2: each line, and its part in the planes of its empty cells.
        for line in range(lines.shape[0]):
            mine_here, theirs_here, state, power = np.int64(0), np.int64(0), np.int64(0), 1
            for place in range(lines.shape[1]):
                at = lines[line, place] * PLANES
                is_mine, is_theirs = np.int64(row[at + MINE]), np.int64(row[at + THEIRS])
                mine_here += is_mine
                theirs_here += is_theirs
                state += (is_mine + 2 * is_theirs + 3 * np.int64(row[at + PLAYABLE])) * power
                power *= STATES
            states[i, line] = state
            if (mine_here == 0) != (theirs_here == 0):
                count_line(row, lines[line], mine_here, theirs_here, turn)
        # Step 3: the empty cells under a threat.
        for cell in range(cells - 1):
            above = (cell + 1) * PLANES
            if bits[cell + 1] != bits[cell] << ONE or row[cell * PLANES + MINE]:
                continue
            if row[cell * PLANES + THEIRS]:
                continue
            for owner in range(2):
                threat = above + MY_THREAT_FIRST + 2 * owner
                if row[threat] or row[threat + 1]:
                    row[cell * PLANES + UNDER_MY_THREAT + owner] = 1
        # Step 4: each column.
        for column in range(columns):
            states[i, lines.shape[0] + column] = count_quiet(
                row, column, column * rows, (column + 1) * rows, cells, whole
            )
