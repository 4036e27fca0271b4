"""An n-tuple network asked for values and priors, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.compiled import (
    Ints,
    Words,
    float32,
    float64,
    inlined,
    int64,
    kernel,
    popcount,
    uint64,
    void,
)
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
from claimeven.networks.ntuple_kernel import drop_disc, value_of
from claimeven.networks.ntuple_layout import TUPLES, TupleArrays


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
def judge_positions(
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

    `board` is that of `board_vector`; `indices` is room for the index of each slot.
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

        # 1. What each column leads to, one ply ahead.
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

        # 2. The value is that of the best, the priors go by what each falls short of it.
        values[number] = best
        total = 0.0
        for column in range(priors.shape[1]):
            if cells & (column_cells << (np.uint64(column) * board[HEIGHT])) != ZERO:
                share = np.exp((np.float64(priors[number, column]) - best) / softness)
                priors[number, column] = share
                total += share
        for column in range(priors.shape[1]):
            priors[number, column] /= total
