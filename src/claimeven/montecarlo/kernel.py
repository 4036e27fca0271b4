"""The common parts of the kernels: steps of an iteration that do not depend on the tree's storage.

`textbook` is the twin in plain Python. Each step here becomes part of the kernels that call it.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Word, Words, inlined, popcount
from claimeven.compiled.splitmix64 import STEP, draw_below
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import Records, Setup, Work
from claimeven.montecarlo.playouts.kernel import play_out

_0, _1 = np.uint64(0), np.uint64(1)


@inlined
def safe_cells(mine: Word, mask: Word, board: Words) -> Word:
    """Cells that do not lose immediately, if the side to move has no immediate win: a move blocks
    wins of the other side and fills no cell below one. Without such cells the game is lost.
    """
    cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])
    threats = bitboard_kernel.winning_cells(
        mine ^ mask, mask, board[HEIGHT], board[CONNECT], board[BOARD]
    )
    forced = threats & cells
    if forced != _0:
        if forced & (forced - _1) != _0:
            return _0
        cells = forced
    return cells & ~(threats >> _1)


@inlined
def candidate_cells(mine: Word, mask: Word, decisive: bool, board: Words) -> Word:
    """Cells of the children of a node: with `decisive` only the safe ones."""
    if decisive:
        return safe_cells(mine, mask, board)
    return bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])


@inlined
def played(mask: Word, column: Int, board: Words) -> Word:
    """All discs after a move in a column."""
    return mask | (mask + (_1 << (np.uint64(column) * board[HEIGHT])))


@inlined
def prove_ending(meta: Int, mine: Word, mask: Word, board: Words) -> Int:
    """`meta` with the proof of a finished game if the game is over."""
    if popcount(mask) >= board[layout.FIRST_WIN] and bitboard_kernel.has_line(
        mine ^ mask, board[HEIGHT], board[CONNECT]
    ):
        return layout.with_proof(meta, layout.PROVEN_WIN, 0)
    if mask == board[BOARD]:
        return layout.with_proof(meta, layout.PROVEN_DRAW, 0)
    return meta


@inlined
def prove_new(meta: Int, mine: Word, mask: Word, decisive: bool, board: Words) -> Int:
    """`meta` of a new node with a proof if its game is over or decided by immediate threats."""
    meta = prove_ending(meta, mine, mask, board)
    if decisive and layout.proof_of(meta) == layout.UNPROVEN:
        wins = bitboard_kernel.winning_cells(
            mine, mask, board[HEIGHT], board[CONNECT], board[BOARD]
        )
        if wins & bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD]):
            return layout.with_proof(meta, layout.PROVEN_LOSS, 1)
        if safe_cells(mine, mask, board) == _0:
            return layout.with_proof(meta, layout.PROVEN_WIN, 2)
    return meta


@inlined
def draw(bound: Int, words: Words) -> Int:
    """A random number from 0 to bound - 1."""
    state = np.uint64(words[layout.RANDOM_STATE]) + STEP
    words[layout.RANDOM_STATE] = state
    return np.int64(draw_below(state, np.uint64(bound)))


@inlined
def shuffle(records: Records, field: Int, first: Int, count: Int, words: Words) -> None:
    """Put one field of `count` records, starting at `first`, in random order."""
    for last in range(count - 1, 0, -1):
        other = first + draw(last + 1, words)
        swapped = records[first + last, field]
        records[first + last, field] = records[other, field]
        records[other, field] = swapped


@inlined
def simulate(proof: Int, mine: Word, mask: Word, work: Work, setup: Setup) -> Int:
    """Result of a leaf, by its proof or a playout, for the player that moved there."""
    if proof != layout.UNPROVEN:
        return np.int64(layout.proof_result(proof))
    settings, words = setup.settings, work.words
    result, words[layout.RANDOM_STATE] = play_out(
        settings[layout.PLAYOUT],
        mine,
        mask,
        np.uint64(words[layout.RANDOM_STATE]),
        settings[layout.CUT],
        setup.board,
        words,
    )
    return -result


@inlined
def combine_proof(proof: Int, longest: Int, meta: Int) -> tuple[Int, Int]:
    """Combine the proof of a node without a won child with one more proven child: won (all lost)
    with the longest defense, or drawn with the longest draw.
    """
    if layout.proof_of(meta) == layout.PROVEN_DRAW and proof == layout.PROVEN_WIN:
        proof = layout.PROVEN_DRAW
        longest = np.int64(0)
    if layout.proof_of(meta) == layout.PROVEN_DRAW or proof == layout.PROVEN_WIN:
        longest = max(longest, np.int64(layout.distance_of(meta)))
    return proof, longest
