"""N-tuple networks, compiled: indices updated move by move, values, priors, alpha-beta over them.

The layout of a network is drawn in `ntuple`. The indices of a position's slots are updated as discs
are dropped: a disc changes the digits of two cells, so a few indices change, and a value is one
look-up a slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.compiled import (
    Int,
    Ints,
    Word,
    Words,
    boolean,
    float32,
    float64,
    inlined,
    int64,
    kernel,
    popcount,
    uint64,
    void,
)
from claimeven.compiled import trailing_zeros as lowest_bit
from claimeven.game.bitboard_kernel import (
    BOARD,
    BOTTOM,
    CONNECT,
    HEIGHT,
    ONE,
    ZERO,
    has_line,
    playable_cells,
)
from claimeven.minimax.kernel import (
    ALPHA,
    BEST,
    BETA,
    BOUNDED,
    CUTOFFS,
    DEEPEST,
    DEPTH_LIMIT,
    DONE,
    EVALUATIONS,
    EXPANDED,
    IS_EXACT,
    MASK,
    MINE,
    NODES,
    PLY,
    PROGRESS,
    ROOT_STATE,
    ROOT_VALUE,
    ROWS,
    RULES,
    TODO,
    TRYING,
    Progress,
    Rows,
    Rules,
    next_column,
    open_row,
    update_best,
)
from claimeven.minimax.types import WIN
from claimeven.networks.ntuple import EMPTY, FIRST, PLAYABLE, SCALE, TUPLES, TupleArrays


@inlined
def change_cell(indices: Ints, bit: Int, change: Int, tuples: TupleArrays) -> None:
    """Add `change` to the digit of a cell in every slot that looks at it."""
    for use in range(tuples.places[bit], tuples.places[bit + 1]):
        indices[tuples.use_slots[use]] += change * tuples.use_powers[use]


@inlined
def drop_disc(indices: Ints, move: Word, player: Int, sign: Int, tuples: TupleArrays) -> None:
    """Put a disc of a player (0 or 1) on the cell of the bit `move`; with `sign` -1 take it away.

    The cell above becomes playable; in the top row the bit above is unused.
    """
    bit = np.int64(lowest_bit(move))
    change_cell(indices, bit, sign * (FIRST + player - PLAYABLE), tuples)
    change_cell(indices, bit + 1, sign * (PLAYABLE - EMPTY), tuples)


@inlined
def value_of(weights: Words, indices: Ints, turn: Int, tuples: TupleArrays) -> Any:
    """Return the value for the first player of a position that `turn` (0 or 1) is to move in."""
    total = 0.0
    start_index = turn * (weights.shape[0] // 2)
    for slot in range(tuples.slot_tables.shape[0]):
        # In plain Python a sum with a float32 would be one too.
        total += np.float64(weights[start_index + tuples.slot_tables[slot] + indices[slot]])
    return np.tanh(total)


@kernel(boolean(ROWS, RULES, PROGRESS, TUPLES, float32[::1], int64[:, ::1], int64, int64))
def search_network_slice(
    rows: Rows,
    rules: Rules,
    progress: Progress,
    tuples: TupleArrays,
    weights: Words,
    indices: Ints,
    root_ply: Int,
    pause: Int,
) -> Int:
    """Continue an alpha-beta search until it is done (returns True) or at `pause` nodes.

    The loop of `minimax.kernel.search_slice` with the network at the leaves: row p of `indices`
    has the indices of the position entered at ply p. `root_ply` discs are on the board of the root.
    """
    discs, numbers, roots = rows.discs, rows.numbers, progress.roots
    registers, counts = progress.registers, progress.counts
    height, connect, board = rules.board[HEIGHT], rules.board[CONNECT], rules.board[BOARD]
    depth_limit = registers[DEPTH_LIMIT]
    slots = tuples.slot_tables.shape[0]
    nodes, evaluations, deepest = counts[NODES], counts[EVALUATIONS], counts[DEEPEST]
    ply = registers[PLY]
    done = ply == DONE
    while not done:
        todo = discs[ply, TODO]
        if todo == ZERO:
            # Step 1. No column left: the position's value is known, hand it to its parent.
            if ply == 0:
                done = True
                break
            value = -numbers[ply, BEST]
            ply -= 1
            column = numbers[ply, TRYING]
        else:
            # Step 2. Drop a disc in the next column of the order that is not full.
            if nodes >= pause:
                break
            column, cell = next_column(rows, rules, ply, todo)
            discs[ply, TODO] = todo ^ cell
            mover = discs[ply, MINE] | cell
            mask = discs[ply, MASK] | cell
            below = ply + 1
            nodes += 1
            deepest = max(deepest, below)
            rows.lines[below, 0] = 0

            # Step 3. Its value, if the game is over or the depth is spent.
            if has_line(mover, height, connect):
                value = np.int64(WIN - below)
            elif mask == board:
                value = np.int64(0)
            else:
                player = (root_ply + ply) & 1
                for slot in range(slots):
                    indices[below, slot] = indices[ply, slot]
                drop_disc(indices[below], cell, player, 1, tuples)
                if below < depth_limit:
                    # Step 4. Otherwise it gets the next row and is searched next.
                    discs[below, MINE] = mover ^ mask
                    discs[below, MASK] = mask
                    open_row(rows, below, rules, -numbers[ply, BETA], -numbers[ply, ALPHA], -1)
                    counts[EXPANDED] += 1
                    ply = below
                    continue
                evaluations += 1
                worth = value_of(weights, indices[below], 1 - player, tuples)
                value = np.int64(np.rint(SCALE * (worth if player == 0 else -worth)))

        # Step 5. A column's value is known: store the best, and cut if the bounds meet.
        if ply == 0:
            roots[column, ROOT_VALUE] = value
            roots[column, ROOT_STATE] = IS_EXACT if value > numbers[0, ALPHA] else BOUNDED
        update_best(rows, ply, column, value)
        if numbers[ply, ALPHA] >= numbers[ply, BETA] and discs[ply, TODO] != ZERO:
            counts[CUTOFFS] += 1
            discs[ply, TODO] = ZERO
    registers[PLY] = DONE if done else ply
    counts[NODES], counts[EVALUATIONS], counts[DEEPEST] = nodes, evaluations, deepest
    return done


@inlined
def drop_all(discs: Any, player: Any, indices: Ints, tuples: TupleArrays) -> None:
    """Put discs of a player on the board, in any order: each changes the digits by itself."""
    while discs != ZERO:
        drop_disc(indices, discs & (~discs + ONE), player, 1, tuples)
        discs &= discs - ONE


@kernel(
    void(
        TUPLES,
        float32[::1],
        uint64[::1],
        uint64[::1],
        uint64[::1],
        int64[::1],
        float64,
        float32[::1],
        float32[:, ::1],
    )
)
def evaluate_positions(
    tuples: TupleArrays,
    weights: Any,
    board: Words,
    mines: Words,
    masks: Words,
    indices: Ints,
    softness: Any,
    values: Any,
    priors: Any,
) -> None:
    """Fill in the values and priors of positions: see `NTuplePolicyValue`.

    `board` is from `board_vector`; `indices` is room for the index of each slot.
    """
    column_cells = (ONE << board[HEIGHT]) - ONE
    for number in range(mines.shape[0]):
        mine, mask = mines[number], masks[number]
        player = np.int64(popcount(mask)) & 1
        sign = 1.0 if player == 0 else -1.0
        for slot in range(indices.shape[0]):
            indices[slot] = tuples.start_indices[slot]
        drop_all(mine, player, indices, tuples)
        drop_all(mine ^ mask, 1 - player, indices, tuples)

        # 1. The value of each column, one ply ahead.
        cells = playable_cells(mask, board[BOTTOM], board[BOARD])
        best = -2.0
        for column in range(priors.shape[1]):
            cell = cells & (column_cells << (np.uint64(column) * board[HEIGHT]))
            priors[number, column] = 0.0
            if cell != ZERO:
                if has_line(mine | cell, board[HEIGHT], board[CONNECT]):
                    worth = 1.0
                elif mask | cell == board[BOARD]:
                    worth = 0.0
                else:
                    drop_disc(indices, cell, player, 1, tuples)
                    worth = sign * value_of(weights, indices, 1 - player, tuples)
                    drop_disc(indices, cell, player, -1, tuples)
                priors[number, column] = worth
                best = max(best, worth)

        # 2. The value of the best; the priors follow the distance of each from it.
        values[number] = best
        total = 0.0
        for column in range(priors.shape[1]):
            if cells & (column_cells << (np.uint64(column) * board[HEIGHT])) != ZERO:
                share = np.exp((np.float64(priors[number, column]) - best) / softness)
                priors[number, column] = share
                total += share
        for column in range(priors.shape[1]):
            priors[number, column] /= total
