"""Random positions by the million, compiled; the number of a position reproduces it.

Candidate `i` of a seed is a game of random moves from the empty board to a random ply. Each has a
separate generator, so candidates are independent of each other and of their order. The generator
is splitmix64 (Steele, Lea and Flood, 2014), the same on every machine and version.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import kernel
from claimeven.compiled.splitmix64 import STEP, draw_below, mixed
from claimeven.compiled.types import Int, Ints, Word, Words, bits64, int64, read_only, uint64, void
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT, has_line

_ONE = np.uint64(1)
#: In `plies`: the game was over before the ply drawn.
ENDED = -1


@kernel(
    void(
        *(read_only(uint64[::1]), int64, bits64, int64, int64, int64),
        *(uint64[::1], uint64[::1], int64[::1], int64[:, ::1]),
    )
)
def random_positions(
    words: Words,
    columns: Int,
    seed: Word,
    first: Int,
    lowest: Int,
    highest: Int,
    mines: Words,
    masks: Words,
    plies: Ints,
    moves: Ints,
) -> None:
    """Fill the arrays with the candidates first, first + 1, ...

    `words` are the `board_vector`. The ply of each is drawn from lowest..highest with equal chance.
    A candidate whose game is over by then is marked `ENDED` in `plies`. `moves[i]` has its
    `plies[i]` columns.
    """
    height, connect = words[HEIGHT], words[CONNECT]
    bottom, board = words[BOTTOM], words[BOARD]
    for i in range(plies.shape[0]):
        # Step 1: the generator of this candidate, far from the others.
        state = mixed(seed * STEP + _ONE) + mixed(np.uint64(first + i) + STEP)
        state += STEP
        last_ply = lowest + np.int64(draw_below(state, np.uint64(highest - lowest + 1)))
        mine = np.uint64(0)
        mask = np.uint64(0)
        ply = 0
        # Step 2: random moves, a full column drawn again, until the ply or the end of the game.
        while ply < last_ply:
            state += STEP
            column = draw_below(state, np.uint64(columns))
            column_bits = ((_ONE << (height - _ONE)) - _ONE) << (column * height)
            move = (mask + (bottom & column_bits)) & column_bits
            if move == np.uint64(0):
                continue
            moves[i, ply] = np.int64(column)
            ply += 1
            theirs = mine | move
            mine ^= mask
            mask |= move
            if has_line(theirs, height, connect) or mask == board:
                ply = ENDED
                break
        # Step 3: store the result.
        mines[i] = mine
        masks[i] = mask
        plies[i] = ply
