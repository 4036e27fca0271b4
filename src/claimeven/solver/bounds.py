"""The facts that the search uses without searching, with their proofs.

M is the side to move (the mover), W the other side (the waiting side), E the empty cells and R
their number, so cells - R discs are on the board. Scores are for M. Tests check all of this on
every position of small boards, see docs/solver.md.

`kernel.search` and `kernel.solve` use the first five sections, in the steps they name;
`static_bound` below uses the others.

**Range** (`kernel.solve`, step 1). `scores` has the score of a win with the disc after n others.
M's next disc comes after cells - R: if it completes a line the score is (R + 1) // 2, the greatest
possible. Otherwise M wins with its second next disc at the earliest, which comes after two more:
the score is at most (R - 1) // 2. W's next disc comes after cells - R + 1: the score is at least
-(R // 2). If R is too small for such a disc the bounds are 0, the score of a full board.

**Forced replies** (`steps.play_forced`). M has no win at hand. A move *loses immediately* if W then
completes a line with its next disc; its score is -(R // 2), the least possible. A move loses
immediately if W has another playable winning cell, or a winning cell directly above the move: a
disc of M only takes a cell from W and opens the cell above it. So `replies`, the moves that do not
lose immediately, are the playable cells that are not directly below a winning cell of W. If W has
one playable winning cell, `replies` has at most that cell; if W has two, `replies` is empty.

- Without a reply, either the board is full and the score is 0, or M has a move (a board that is not
  full has a playable cell), every move loses immediately, and W wins with its next disc.
- A single reply is worth at least as much as the other moves, which have the least possible score.
  So the score is minus the score after it. The new mover has no win at hand, otherwise the reply
  would have lost immediately. So the argument repeats, until the board is full at the latest.

Suppose that a line ends after p moves with a loss for the side to move. It is won with disc number
cells - R + p + 2, after cells - R + p + 1 others. So it is worth (R - p) // 2 to the other side,
which is M if p is odd and W if p is even (`steps.decided_value`).

**At a node** (`search`, step 3). M has no win at hand and at least two replies, so R >= 2. M's
second next disc comes after cells - R + 2: the score is at most (R - 1) // 2. After a reply W does
not win with its next disc, but with its second next disc at the earliest, after cells - R + 3: the
score is at least -((R - 2) // 2). This is true for draws too, because R >= 2.

**Nearest win** (`search`, step 5). Suppose that step 3 has not decided the node, so (R - 1) // 2 >
alpha, that no decided move is worth more than alpha, and that a child is left. If M could win with
its second next disc, some reply would leave W without a win at hand and without a reply, on a board
that is not full. This would be a decided move worth (R - 1) // 2 > alpha, a contradiction. So M
wins with its third next disc at the earliest, after cells - R + 4: the score is at most (R - 3) //
2. This is at least 0, because a child left has at least two empty cells, so R >= 3. Children after
forced replies are not an exception, because such a move is decided one ply below the node.

**Mirror images** (`steps.position_hash`). Reversing the order of the columns turns lines into
lines and legal moves into legal moves, so a position and its image have the same score and the same
bounds. In a key every column has separate bits and does not carry (`transposition_table`), so the
key of the image is the key with its columns reversed. The lesser of the two keys belongs to a
position with the same number of discs, either this one or its image. The use of images depends only
on the number of discs, so a key in the table is for one position, or for a position and its image.

**The bounds below** are for positions that a search enters: M has no win at hand, and W's winning
cells are not playable.

**No line left.** If W's discs and all of E do not include a line, W can never complete a line, so
the score is at least 0. If M's discs and all of E do not include a line, it is at most 0.

**Follow-up.** Pair the cells of every column from the top down: the top cell with the cell below
it, and so on. If the number of empty cells of a column is even, its empty cells are whole pairs. If
it is odd, its playable cell is the upper half of a pair whose lower half is taken. Call such cells
single. Let R be even. Then the number of single cells is even too, and W always has a reply: if M
takes the lower cell of a pair, W takes the upper one; if M takes a single cell, W takes another
single cell, which exists because their number was even and each exchange takes two. M never takes
an upper cell, because it becomes playable only after the lower one, and W then takes it
immediately. So W gets `T`, the empty upper cells that are not playable (the playable ones are the
single cells), and M gets at most E without T. Therefore:

- if M's discs and E without T do not include a line, the score is at most 0;
- if also W's discs and T include a line, W completes it when the board is full at the latest,
  unless W has won before: the score is at most -1. If every cell of T in that line has at least k
  cells above it, at least k cells are still empty when W takes the last of them. Then W's winning
  disc is number cells - k at most, and the score is at most -((k + 2) // 2).

On boards of even height with the first player to move this is the claimeven of Allis's thesis
(1988); it is valid for any board with an even number of empty cells.

**Zugzwang.** Let z be a winning cell of W, y the empty cell below it, a the number of cells above
z. If M takes y, W wins with z immediately, unless y completes a line of M. Cut off y and the cells
above it. If the number of remaining cells, R - (a + 2), is even, W has the follow-up strategy on
them, with the pairs of this column counted down from the cell below y. When they are full, M must
take y, and W takes z. So W wins if M's discs, the cells that M can get on the cut board, and y do
not include a line. W's winning disc is number cells - a at the latest: the score is at most
-((a + 2) // 2).

Because a + 2 has the parity of R, z is the upper cell of its pair if R is even and the lower one if
R is odd, and so is the cell below y in the cut column.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import bits_of, inlined, leading_zeros, popcount, winning_four
from claimeven.compiled.types import Int, Word, Words
from claimeven.game import bitboard_kernel
from claimeven.solver.layout import ABOVE, Fixed

#: Returned if no bound decides; greater than every score.
NO_BOUND = 1000

_ZERO, _ONE, _FOUR = np.uint64(0), np.uint64(1), np.uint64(4)


@inlined
def completing_cells(fixed: Fixed, discs: Word, mask: Word) -> Word:
    """Mask of the empty cells that would complete a line for `discs`."""
    if fixed.connect == _FOUR:
        return winning_four(discs, fixed.height) & (fixed.board & ~mask)
    return bitboard_kernel.winning_cells(discs, mask, fixed.height, fixed.connect, fixed.board)


@inlined
def _top_bit(word: Word) -> Word:
    return bitboard_kernel.widened(_ONE, word) << (bits_of(word) - _ONE)


@inlined
def has_line(fixed: Fixed, cells: Word) -> bool:
    """Whether the given cells include a line."""
    return bool(bitboard_kernel.has_line(cells, fixed.height, fixed.connect))


@inlined
def static_bound(
    fixed: Fixed, setup: Words, mine: Word, mask: Word, threats: Word, empties: Int, alpha: Int
) -> Int:
    """Return a bound on the mover's score that decides the window (alpha, alpha + 1).

    `threats` are the winning cells of the waiting side, `empties` the number of empty cells. The
    value is a high bound if it is at most `alpha` and a low bound otherwise, or `NO_BOUND`.
    """
    if is_out_of_lines(fixed, mine, mask, empties, alpha):
        return 0
    # A win of W decides only with this many cells of the column left above it.
    above = 0 if alpha >= -1 else -2 * alpha - 2
    if above >= fixed.cells:
        return NO_BOUND
    high_enough = setup[ABOVE + above]
    playable = (mask + fixed.bottom) & fixed.board
    later = fixed.board & ~mask & ~playable
    if empties & 1 == 0:
        value = follow_up_bound(fixed, mine, mask, later, high_enough, alpha)
        if value != NO_BOUND:
            return value
    if threats != _ZERO:
        return zugzwang_bound(fixed, mine, mask, threats, later, high_enough, empties)
    return NO_BOUND


@inlined
def is_out_of_lines(fixed: Fixed, mine: Word, mask: Word, empties: Int, alpha: Int) -> bool:
    """Whether the side that must win to leave the window at 0 cannot complete a line.

    With an even number of empty cells `follow_up_bound` is better for the mover's lines.
    """
    empty = fixed.board & ~mask
    if alpha < 0:
        return not has_line(fixed, (mask ^ mine) | empty)
    return empties & 1 != 0 and not has_line(fixed, mine | empty)


@inlined
def follow_up_bound(
    fixed: Fixed, mine: Word, mask: Word, later: Word, high_enough: Word, alpha: Int
) -> Int:
    """Return the bound of follow-up, for an even number of empty cells, or `NO_BOUND`.

    `later` are the empty cells that are not playable; `high_enough` are the cells with enough cells
    above them that a win there is below the window.
    """
    upper = fixed.pair_tops & later
    mover_gets = fixed.board & ~mask & ~upper
    if alpha >= 0:
        if not has_line(fixed, mine | mover_gets):
            return 0
    elif has_line(fixed, (mask ^ mine) | (upper & high_enough)) and not has_line(
        fixed, mine | mover_gets
    ):
        return alpha
    return NO_BOUND


@inlined
def zugzwang_bound(
    fixed: Fixed,
    mine: Word,
    mask: Word,
    threats: Word,
    later: Word,
    high_enough: Word,
    empties: Int,
) -> Int:
    """Return the bound of zugzwang, from winning cells of W of the right parity, or `NO_BOUND`.

    It tries the cells from the lowest bit on.
    """
    tops = fixed.pair_tops
    halves = ~tops if empties & 1 else tops
    empty = fixed.board & ~mask
    left = threats & halves & high_enough
    while left != _ZERO:
        cell = left & (~left + _ONE)
        left ^= cell
        below = cell >> _ONE
        sentinel = ~fixed.board & ~(cell - _ONE)
        from_cell_up = (sentinel & (~sentinel + _ONE)) - cell
        playable_below = (empty & ~later) & ((below << _ONE) - _ONE)
        next_in_column = _top_bit(cell) >> leading_zeros(playable_below)
        under = below - next_in_column
        gone = from_cell_up | below
        upper = ((tops & ~(gone | under)) | (halves & under)) & later
        if not has_line(fixed, mine | (empty & ~upper & ~gone) | below):
            return -((np.int64(popcount(from_cell_up)) + 1) // 2)
    return NO_BOUND
