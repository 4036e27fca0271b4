"""The static features of positions, compiled; `features` says what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.compiled import Ints, Words, inlined, int64, kernel, uint8, uint64, void
from claimeven.game.tactics_kernel import BOARD, BOTTOM, ONE, ZERO, playable_cells
from claimeven.networks.net.planes import (
    ABOVE_PLAYABLE,
    MINE,
    MOST_LINES,
    MY_LINES_FAR,
    MY_LINES_NEAR,
    MY_LINES_NEAR_TWICE,
    MY_THREAT_FIRST,
    PLANES,
    PLAYABLE,
    STATES,
    THEIRS,
    UNDER_MY_THREAT,
)

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
            row[far] = min(row[far] + 1, MOST_LINES)


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
    """Write the planes and line states of positions.

    `board` is the `board_vector`, `bits` the bit of each cell, `lines` the cells of each line.
    A row of `planes` is a position: the planes of cell 0, of cell 1, ..., and who is to move. A row
    of `states` is one too: a number for each line, whose digits in base `STATES` are its cells.
    """
    cells = bits.shape[0]
    for i in range(mines.shape[0]):
        mine, mask = mines[i], masks[i]
        playable = playable_cells(mask, board[BOTTOM], board[BOARD])
        row = planes[i]
        discs = 0
        # Step 1: what lies in each cell.
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
        row[cells * PLANES] = turn
        # Step 2: each line, and what it says of its empty cells.
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
        # Step 3: the empty cells that a threat lies on.
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
