"""Compiled playouts: games simulated from a leaf to the end or a cutoff, by one of seven rules.

Every playout takes the discs of the side to move, all discs, the random state, the maximum of moves
(negative: no limit) and the board vector of `playout_vector`. It returns the result for the side to
move (+1 win, 0 draw or cutoff, -1 loss) and the new random state. The position must be unfinished.
`textbook` contains the same rules on positions, draw for draw.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from claimeven.compiled import (
    RECORDING,
    bits_of,
    for_bits,
    inlined,
    kernel,
    popcount,
    prepared,
    trailing_zeros,
)
from claimeven.compiled.splitmix64 import STEP, draw_below
from claimeven.compiled.types import (
    Int,
    Ints,
    Word,
    Words,
    bits64,
    boolean,
    int64,
    tuple_of,
    uint64,
)
from claimeven.compiled.wide import word
from claimeven.evaluation.streaks import triples_kernel
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT
from claimeven.game.position import Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import SETUP, WORK, Setup, Work

_0, _1 = np.uint64(0), np.uint64(1)
_WIN = np.int64(1 << 40)
#: The result of a playout and the new random state.
RESULT: Final = tuple_of(int64, bits64)


@inlined
def record_move(cells: Word, board: Words) -> None:
    """Write a move of a playout, the lowest of `cells`, behind the board if it has room."""
    if board.shape[0] == layout.RECORDING_SLOTS:
        board[layout.MOVES + np.int64(board[layout.MOVE_COUNT])] = cells & (~cells + _1)
        board[layout.MOVE_COUNT] += _1


@inlined
def pick_cell(cells: Word, rng: Word, board: Words) -> tuple[Word, Word]:
    """Pick one of `cells` (one or more, at most one a column) at random: draw columns until one has
    a cell. The draws do not depend on the board, so they overlap with the moves before.
    """
    while True:
        rng += STEP
        column = draw_below(rng, np.uint64(board[layout.COLUMNS]))
        cell = cells & (board[layout.COLUMN] << (column * board[HEIGHT]))
        if cell != _0:
            return cell, rng


@inlined
def pick_bit(cells: Word, rng: Word) -> tuple[Word, Word]:
    """Pick one of `cells` at random with a single draw; no draw when there is only one."""
    count = np.uint64(popcount(cells))
    if count > _1:
        rng += STEP
        for _ in range(np.int64(draw_below(rng, count))):
            cells &= cells - _1
    return cells & (~cells + _1), rng


@inlined
def play_random(mine: Word, mask: Word, rng: Word, cut: Int, board: Words) -> tuple[Int, Word]:
    """Every move at random."""
    ply = np.uint64(popcount(mask))
    sign = np.int64(1)
    while cut != 0:
        cut -= 1
        # 1. A random column with room; its lowest empty cell.
        cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])
        if cells == _0:
            break
        cell, rng = pick_cell(cells, rng, board)
        if RECORDING:
            record_move(cell, board)
        # 2. Play it; check for lines only with enough discs.
        mine |= cell
        mask |= cell
        ply += _1
        if ply >= np.uint64(board[layout.FIRST_WIN]) and bitboard_kernel.has_line(
            mine, board[HEIGHT], board[CONNECT]
        ):
            return sign, rng
        # 3. The other side is to move.
        mine ^= mask
        sign = -sign
    return np.int64(0), rng


@kernel(RESULT(uint64, uint64, bits64, int64, uint64[::1], boolean))
def play_forced(
    mine: Word, mask: Word, rng: Word, cut: Int, board: Words, careful: bool
) -> tuple[Int, Word]:
    """Take a win, else block a win of the other side (the leftmost first), else play at random.

    With `careful` a random move fills no cell directly below a win of the other side if possible.
    The winning cells of a side change only by its own moves, so each move needs one computation.
    """
    height, connect, full = board[HEIGHT], board[CONNECT], board[BOARD]
    wins = bitboard_kernel.winning_cells(mine, mask, height, connect, full)
    threats = bitboard_kernel.winning_cells(mine ^ mask, mask, height, connect, full)
    sign = np.int64(1)
    while cut != 0:
        cut -= 1
        cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], full)
        if cells == _0:
            break
        # 1. Win.
        if wins & cells != _0:
            if RECORDING:
                record_move(wins & cells, board)
            return sign, rng
        # 2. Block, or pick at random.
        cell = threats & cells
        if cell != _0:
            cell &= ~cell + _1
        else:
            if careful:
                safe = cells & ~(threats >> _1)
                if safe != _0:
                    cells = safe
            cell, rng = pick_cell(cells, rng, board)
        if RECORDING:
            record_move(cell, board)
        # 3. Play it; the other side is to move.
        mask |= cell
        after = bitboard_kernel.winning_cells(mine | cell, mask, height, connect, full)
        mine = (mine | cell) ^ mask
        wins, threats = threats, after
        sign = -sign
    return np.int64(0), rng


@kernel(RESULT(uint64, uint64, bits64, int64, uint64[::1], uint64[::1]))
def play_replies(
    mine: Word, mask: Word, rng: Word, cut: Int, board: Words, words: Words
) -> tuple[Int, Word]:
    """`play_forced`, but instead of a random move it repeats the last reply to a move by a side
    that then won, if the cell is playable: last good replies with forgetting (Baier and Drake, "The
    power of forgetting", 2010).
    """
    height, connect, full = board[HEIGHT], board[CONNECT], board[BOARD]
    wins = bitboard_kernel.winning_cells(mine, mask, height, connect, full)
    threats = bitboard_kernel.winning_cells(mine ^ mask, mask, height, connect, full)
    sign, result = np.int64(1), np.int64(0)
    start = np.int64(popcount(mask))
    played = np.int64(0)
    while cut != 0 and result == 0:
        cut -= 1
        cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], full)
        if cells == _0:
            break
        # 1. Win, block, answer, or pick at random.
        cell = wins & cells
        if cell != _0:
            cell &= ~cell + _1
            result = sign
        else:
            cell = threats & cells
            cell &= ~cell + _1
            if cell == _0 and played > 0:
                cell = words[_answer(start + played, words[_moves(mask) + played - 1])] & cells
            if cell == _0:
                cell, rng = pick_cell(cells, rng, board)
        # 2. Play it; the other side is to move.
        if RECORDING:
            record_move(cell, board)
        words[_moves(mask) + played] = cell
        played += 1
        mask |= cell
        after = bitboard_kernel.winning_cells(mine | cell, mask, height, connect, full)
        mine = (mine | cell) ^ mask
        wins, threats = threats, after
        sign = -sign
    # 3. Store the winner's replies, and delete the loser's if they are stored.
    if result != 0:
        for move in range(1, played):
            place = _answer(start + move, words[_moves(mask) + move - 1])
            if (result > 0) == (move & 1 == 0):
                words[place] = words[_moves(mask) + move]
            elif words[place] == words[_moves(mask) + move]:
                words[place] = _0
    return result, rng


@inlined
def _moves(word: Word) -> Int:
    """Index in the `words` vector of the moves of a playout."""
    return layout.REPLIES + 2 * np.int64(bits_of(word))


@inlined
def _answer(ply: Int, cell: Word) -> Int:
    """Index in the `words` vector of the reply to `cell` by the player to move at `ply`."""
    return layout.REPLIES + (ply & 1) * np.int64(bits_of(cell)) + np.int64(trailing_zeros(cell))


@kernel(RESULT(uint64, uint64, bits64, int64, uint64[::1]))
def play_greedy(mine: Word, mask: Word, rng: Word, cut: Int, board: Words) -> tuple[Int, Word]:
    """The move with the longest own run; ties at random."""
    sign = np.int64(1)
    while cut != 0:
        cut -= 1
        cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])
        if cells == _0:
            break
        # 1. The cells of the longest run.
        longest = _0
        best = _0
        while cells != _0:
            cell = cells & (~cells + _1)
            cells ^= cell
            length = bitboard_kernel.longest_run(mine, cell, board[HEIGHT])
            if length > longest:
                longest, best = length, cell
            elif length == longest:
                best |= cell
        # 2. Play one of them.
        cell, rng = pick_bit(best, rng)
        if RECORDING:
            record_move(cell, board)
        mask |= cell
        if longest >= board[CONNECT]:
            return sign, rng
        mine = (mine | cell) ^ mask
        sign = -sign
    return np.int64(0), rng


@prepared
def worst_reply(theirs: Word, mask: Word, floor: Int, board: Words) -> Int:
    """Minimum over the replies of the value (`triples`, or a loss) for the side that has just
    moved, with a cutoff below `floor`. `theirs` are the discs of the replying side.
    """
    cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])
    if cells == _0:
        return -triples_kernel(theirs, mask, board)
    worst = _WIN
    while cells != _0 and worst >= floor:
        cell = cells & (~cells + _1)
        cells ^= cell
        if bitboard_kernel.has_line(theirs | cell, board[HEIGHT], board[CONNECT]):
            return -_WIN
        worst = min(worst, triples_kernel(theirs ^ mask, mask | cell, board))
    return worst


@kernel(RESULT(uint64, uint64, bits64, int64, uint64[::1], int64))
def play_alphabeta(
    mine: Word, mask: Word, rng: Word, cut: Int, board: Words, depth: Int
) -> tuple[Int, Word]:
    """The move an alpha-beta search of depth 1 or 2 with `triples` finds best; ties at random."""
    sign = np.int64(1)
    while cut != 0:
        cut -= 1
        cells = bitboard_kernel.playable_cells(mask, board[BOTTOM], board[BOARD])
        if cells == _0:
            break
        theirs = mine ^ mask
        # 1. The best cells.
        highest = -_WIN - 1
        best = _0
        while cells != _0:
            cell = cells & (~cells + _1)
            cells ^= cell
            after = mine | cell
            if bitboard_kernel.has_line(after, board[HEIGHT], board[CONNECT]):
                value = _WIN
            elif depth == 1:
                value = triples_kernel(after, mask | cell, board)
            else:
                value = worst_reply(theirs, mask | cell, highest, board)
            if value > highest:
                highest, best = value, cell
            elif value == highest:
                best |= cell
        # 2. Play one of them.
        cell, rng = pick_bit(best, rng)
        if RECORDING:
            record_move(cell, board)
        if highest == _WIN:
            return sign, rng
        mask |= cell
        mine = (mine | cell) ^ mask
        sign = -sign
    return np.int64(0), rng


@inlined
def play_out(
    rule: Int, mine: Word, mask: Word, rng: Word, cut: Int, board: Words, words: Words
) -> tuple[Int, Word]:
    """Play by the rule with this number."""
    if RECORDING and board.shape[0] == layout.RECORDING_SLOTS:
        board[layout.MOVE_COUNT] = _0
    if rule == layout.RANDOM:
        return play_random(mine, mask, rng, cut, board)
    if rule == layout.WINS_AND_BLOCKS:
        return play_forced(mine, mask, rng, cut, board, False)
    if rule == layout.CAREFUL:
        return play_forced(mine, mask, rng, cut, board, True)
    if rule == layout.GOOD_REPLIES:
        return play_replies(mine, mask, rng, cut, board, words)
    if rule == layout.GREEDY:
        return play_greedy(mine, mask, rng, cut, board)
    return play_alphabeta(mine, mask, rng, cut, board, np.int64(rule - layout.GREEDY))


@kernel(int64(uint64, uint64, WORK, SETUP, int64, int64[::1]))
def count_results(
    mine: Word, mask: Word, work: Work, setup: Setup, playouts: Int, results: Ints
) -> Int:
    """Count playouts in `results`: losses, draws and wins of the side to move. The random state
    continues in `work`. Returns the number of playouts.
    """
    words, settings = work.words, setup.settings
    for _ in range(playouts):
        result, words[layout.RANDOM_STATE] = play_out(
            settings[layout.PLAYOUT],
            mine,
            mask,
            np.uint64(words[layout.RANDOM_STATE]),
            settings[layout.CUT],
            setup.board,
            words,
        )
        results[result + 1] += 1
    return playouts


def playout_results(
    position: Position, playout: str, cut: int, seed: int, playouts: int
) -> tuple[int, int, int]:
    """Return losses, draws and wins of the side to move in playouts from a position on a board of
    at most 128 bits; `cut` is `playout_cutoff` of `MonteCarloOptions`.
    """
    bits = position.geometry.bits
    work = layout.work_vectors(layout.SHARED_STATE_FIELDS, position.geometry)
    work.words[layout.RANDOM_STATE] = seed
    setup = Setup(
        np.zeros(layout.SETTINGS_FIELDS, dtype=np.int64), layout.playout_vector(position.geometry)
    )
    setup.settings[layout.PLAYOUT] = layout.PLAYOUTS.index(playout)
    setup.settings[layout.CUT] = cut or -1
    results = np.zeros(3, dtype=np.int64)
    for_bits(count_results, bits)(
        word(position.mine, bits), word(position.mask, bits), work, setup, playouts, results
    )
    losses, draws, wins = (int(count) for count in results)
    return losses, draws, wins
