"""What the search takes for granted without searching, each with its proof.

Throughout, M is the side to move (the mover), W the other side (the waiting one), E the empty
cells and R their number, so that cells - R discs are on the board. Scores are those of M. All of
this is checked on every position of small boards, see docs/solver.md.

The first five sections are used by `kernel.search` and `kernel.solve`, in the steps they name;
`static_bound` below holds the others.

**Range** (`kernel.solve`, step 1). What a win with the disc that comes after n others is
worth, `scores` says. M's next disc comes after cells - R: if it completes a line the score is
(R + 1) // 2, and nothing is worth more. Otherwise M wins with the second of its discs to come at
the earliest, which comes after two more: the score is at most (R - 1) // 2. W's next disc comes
after cells - R + 1: the score is at least -(R // 2). With R too small for such a disc the bounds
are 0, the score of a full board.

**Forced replies** (`steps.play_forced`). M has no win at hand. A move *loses at once* if W then
completes a line with its next disc; the score of such a move is -(R // 2), the least there is. It
loses at once if W has a playable winning cell other than the one M takes, or a winning cell right
above that one; a disc of M takes cells from W and opens the cell above it, nothing else. So
`replies`, the moves that do not lose at once, are: the playable cells that are not right below a
winning cell of W; if W has one playable winning cell, only that one, if it is among them; if W has
two, none.

- If there is no reply, either the board is full and the score 0, or M has a move (a board that is
  not full has a playable cell), every move loses at once, and W wins with its next disc.
- If there is one reply, it is worth no less than the other moves, which are worth the least there
  is. So the score is minus the score after it. There the new mover has no win at hand, or the reply
  would have lost at once: the argument can be repeated, until the board is full at the latest.

A line that ends p moves on with a loss for the side to move is won with disc number
cells - R + p + 2, after cells - R + p + 1 others, and so worth (R - p) // 2 to the side that does
not move there: M if p is odd, W if p is even (`steps.decided_value`).

**At a node** (`search`, step 3). M has no win at hand and at least two replies, so R >= 2. M's
second disc to come comes after cells - R + 2: the score is at most (R - 1) // 2. After a reply W
does not win with its next disc, so with the second at the earliest, after cells - R + 3: the score
is at least -((R - 2) // 2). That holds for draws too, as R >= 2.

**Nearest win** (`search`, step 5). Say step 3 has not answered, so (R - 1) // 2 > alpha; no decided
move is worth more than alpha; and a child is left. If M could win with its second disc to come,
some reply would leave W without a win at hand and without a reply, on a board that is not full.
That is a decided move worth (R - 1) // 2 > alpha, and there is none. So M wins with its third disc
to come at the earliest, after cells - R + 4: the score is at most (R - 3) // 2, which is not less
than 0, as a child that is left has two empty cells or more, and so R >= 3. Children by a line of
forced replies are no exception: what is asked for is decided one ply below the node.

**Mirror images** (`steps.position_hash`). Reversing the order of the columns turns lines into
lines and legal moves into legal moves, so a position and its image have the same score, and what
bounds one bounds the other. In a key every column has bits of its own and carries into none
(`transpositions`), so the key of the image is the key with its columns reversed. The lesser of the
two keys is that of a position with as many discs, either this one or its image. Whether images are
looked at depends on the number of discs alone, so in the table a key stands for one position and
its image, or for one position.

**The bounds below** are for positions that a search enters: M has no win at hand, and W's winning
cells are not playable.

**No line left.** If W's discs and all of E together hold no line, W can never complete one, so
the score is at least 0. If M's discs and all of E hold none, it is at most 0.

**Follow-up.** Pair the cells of every column from the top down: the top cell with the one below
it, and so on. If a column's number of empty cells is even, its empty cells are whole pairs; if it
is odd, its playable cell is left over, the lower half of its pair being taken. Call such cells
single. Let R be even. Then the number of single cells is even as well, and W can always answer:
M takes the lower cell of a pair, W takes the upper one; M takes a single cell, W takes another
single cell, of which there is one because their number was even and each exchange takes two. M
never gets to take an upper cell, because it becomes playable only when the lower one is taken,
and W takes it at once. So W gets every upper cell, `T` = the empty upper cells that are not
playable (the playable ones are the single ones), and M gets at most E without T. Therefore:

- if M's discs and E without T hold no line, the score is at most 0;
- if besides W's discs and T hold a line, W completes it when the board is full at the latest,
  unless W has won before: the score is at most -1. If every cell of T in that line has at least k
  cells above it, at least k cells are still empty when W takes the last of them: W's winning disc
  is number cells - k at most, and the score at most -((k + 2) // 2).

On boards of even height with the first player to move this is the claimeven of Allis's thesis
(1988); it holds for any board with an even number of empty cells.

**Zugzwang.** Let z be a winning cell of W, y the empty cell below it, a the number of cells above
z. M cannot take y without losing to z at once, unless y itself gives M a line. Cut the board off:
y and what is above it in its column no longer count. If the number of cells left, R - (a + 2), is
even, W has the follow-up strategy on what is left, with the pairs of this column counted down
from the cell below y. When nothing is left M must take y, and W takes z. So if M's discs, the
cells that M can get on the cut board, and y hold no line, W wins, with disc number cells - a at
the latest: the score is at most -((a + 2) // 2).

Because a + 2 is as even as R, z is an upper cell of its pair if R is even and a lower one if R is
odd, and so is the cell below y in the cut column.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import inlined, leading_zeros, popcount, winning_four
from claimeven.compiled.types import Int, Word, Words
from claimeven.game import bitboard_kernel
from claimeven.solver.layout import ABOVE, Fixed

#: Returned when no bound decides; no score is as great.
NO_BOUND = 1000

_ZERO, _ONE, _FOUR = np.uint64(0), np.uint64(1), np.uint64(4)
_TOP_BIT = np.uint64(1 << 63)


@inlined
def completing_cells(fixed: Fixed, discs: Word, mask: Word) -> Word:
    """Mask of the empty cells that would complete a line for `discs`."""
    if fixed.connect == _FOUR:
        return winning_four(discs, fixed.height) & (fixed.board & ~mask)
    return bitboard_kernel.winning_cells(discs, mask, fixed.height, fixed.connect, fixed.board)


@inlined
def has_line(fixed: Fixed, cells: Word) -> bool:
    """Whether the given cells hold a line."""
    return bool(bitboard_kernel.has_line(cells, fixed.height, fixed.connect))


@inlined
def static_bound(
    fixed: Fixed, setup: Words, mine: Word, mask: Word, threats: Word, empties: Int, alpha: Int
) -> Int:
    """Return a bound on the mover's score that decides the window (alpha, alpha + 1).

    `threats` are the winning cells of the waiting side, `empties` the number of empty cells. The
    value is a high bound if it is at most `alpha` and a low bound otherwise; `NO_BOUND` if
    nothing here decides.
    """
    if is_out_of_lines(fixed, mine, mask, empties, alpha):
        return 0
    # What W wins by, it must win with so many cells of the column left that it decides.
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
    """Whether the side that would have to win to leave the window at 0 can complete no line.

    With an even number of empty cells `follow_up_bound` sees the mover's lines better.
    """
    empty = fixed.board & ~mask
    if alpha < 0:
        return not has_line(fixed, (mask ^ mine) | empty)
    return empties & 1 != 0 and not has_line(fixed, mine | empty)


@inlined
def follow_up_bound(
    fixed: Fixed, mine: Word, mask: Word, later: Word, high_enough: Word, alpha: Int
) -> Int:
    """Return what follow-up decides, for an even number of empty cells; `NO_BOUND` if nothing.

    `later` are the empty cells that are not playable, `high_enough` the cells with so many others
    of their column above them that a win there is below the window.
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
    """Return what zugzwang decides, by winning cells of W of the right parity; `NO_BOUND` if none.

    Of the cells in question the lowest bit goes first.
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
        next_in_column = _TOP_BIT >> leading_zeros((empty & ~later) & ((below << _ONE) - _ONE))
        under = below - next_in_column
        gone = from_cell_up | below
        upper = ((tops & ~(gone | under)) | (halves & under)) & later
        if not has_line(fixed, mine | (empty & ~upper & ~gone) | below):
            return -((np.int64(popcount(from_cell_up)) + 1) // 2)
    return NO_BOUND
