"""The compiled driver: the score of a position by a row of null-window tests.

Of the control array (see `layout`) it uses `STEP`, the number of the window, 0 before the first;
`GUESS`, where the next one begins; `ALPHA_NOW`, the window of a search that is laid down; and
`DONE`, the positions finished in `solve_many`.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, int64, kernel, popcount, uint64
from claimeven.solver.bounds import completing_cells
from claimeven.solver.kernel import MOOT, PAUSED, search
from claimeven.solver.layout import (
    ALPHA_NOW,
    DONE,
    GUESS,
    HIGH,
    LOW,
    NODES,
    RESUME,
    STEP,
    WORK,
    Work,
    fixed_of,
)
from claimeven.solver.scores import win_score_kernel

#: Bounds further apart than this are halved before the search asks for the sign.
FAR_APART = 3
#: The first windows, as `STEP` numbers them; `AT_FLOOR` only where a floor tells something.
AT_FLOOR, FAR_LOW, FAR_HIGH = 1, 2, 3

_ZERO = np.uint64(0)


@kernel(int64(WORK, uint64, uint64, int64, int64))
def solve(work: Work, mine: Word, mask: Word, floor: Int, ceiling: Int) -> Int:
    """Return the score of an unfinished position, no less than `floor`, no more than `ceiling`.

    Before the first call for a position set control[RESUME] and control[STEP] to 0, shared[LOW]
    to `floor` and shared[HIGH] to `ceiling`. Threads that share `entries` and `shared` work at the
    same position together. Returns `PAUSED` as `kernel.search` does; call again to go on.
    """
    fixed = fixed_of(work.setup)
    control, shared = work.control, work.shared
    cells = np.int64(fixed.cells)
    ply = np.int64(popcount(mask))
    if ply == cells:
        return 0
    if control[STEP] == 0:
        # Step 1: what follows from the number of discs alone.
        playable = (mask + fixed.bottom) & fixed.board
        if completing_cells(fixed, mine, mask) & playable != _ZERO:
            score = win_score_kernel(cells, ply)
            return max(floor, min(ceiling, score))
        least = -win_score_kernel(cells, ply + 1)
        shared[LOW] = max(shared[LOW], least)
        shared[HIGH] = min(shared[HIGH], win_score_kernel(cells, ply + 2))
        control[STEP] = AT_FLOOR if shared[LOW] > least else FAR_LOW
        control[GUESS] = 0
    while True:
        # Step 2: a floor that is given is often the score; two windows far out find short wins
        # cheaply; then from 0 towards the score.
        low, high = shared[LOW], shared[HIGH]
        if low >= high:
            return max(floor, min(ceiling, low))
        if control[RESUME] == 0:
            alpha = control[GUESS]
            if high - low > FAR_APART:
                if control[STEP] == AT_FLOOR:
                    alpha = low
                elif control[STEP] == FAR_LOW:
                    alpha = -(-low // 2)
                elif control[STEP] == FAR_HIGH:
                    alpha = high // 2
            control[ALPHA_NOW] = max(low, min(high - 1, alpha))
        alpha = control[ALPHA_NOW]
        value = search(work, mine, mask, alpha)
        if value == PAUSED:
            return PAUSED
        control[RESUME] = 0
        if value == MOOT:
            continue
        if value > alpha:
            shared[LOW] = max(shared[LOW], value)
        else:
            shared[HIGH] = min(shared[HIGH], value)
        # Step 3: the next window.
        if control[STEP] > FAR_HIGH:
            control[GUESS] = value if value > alpha else value - 1
        control[STEP] += 1


@kernel(int64(WORK, uint64[::1], uint64[::1], int64, int64, int64[::1], int64[::1]))
def solve_many(
    work: Work, mines: Words, masks: Words, floor: Int, ceiling: Int, scores: Ints, nodes: Ints
) -> Int:
    """Solve the positions from number control[DONE] on; fill in `scores` and `nodes`.

    Set control[DONE] and control[RESUME] to 0 before the first call. Returns 0 when all are done,
    `PAUSED` as `kernel.search` does; call again to go on.
    """
    control, shared = work.control, work.shared
    while control[DONE] < len(mines):
        i = control[DONE]
        if control[RESUME] == 0:
            control[STEP] = 0
            shared[LOW], shared[HIGH] = floor, ceiling
            nodes[i] = -control[NODES]
        score = solve(work, mines[i], masks[i], floor, ceiling)
        if score == PAUSED:
            return PAUSED
        scores[i] = score
        nodes[i] += control[NODES]
        control[DONE] += 1
    return 0
