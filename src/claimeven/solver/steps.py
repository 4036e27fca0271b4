"""The steps of the compiled search, one function each; `kernel.search` combines them.

`base` is the start of a node's frame on the stack; `layout` describes frames. `bounds` has the
proofs for the steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from claimeven.compiled import folded, inlined, popcount, prefetch
from claimeven.compiled.types import Int, Ints, Word, Words
from claimeven.game.bitboard_kernel import mirrored
from claimeven.solver import layout
from claimeven.solver.bounds import NO_BOUND, completing_cells, static_bound
from claimeven.solver.layout import Arrays, Fixed
from claimeven.solver.scores import win_score_kernel
from claimeven.solver.transposition_table import high_bound, look_up, low_bound, store

#: Positions with this many empty cells or fewer do not use the transposition table.
NO_TABLE = 10
#: For positions with this many empty cells or fewer, threads ignore each other.
NO_SHARING = 16

#: Less than every value.
NONE = np.int64(-1000)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
#: Order keys: winning cells after the move, then few replies, then column weight; child number.
_WINS_SHIFT, _REPLIES_SHIFT, _WEIGHT_SHIFT = np.uint64(24), np.uint64(16), np.uint64(8)
_NUMBER_MASK = np.uint64(255)
_MAX_REPLIES = np.uint64(63)
_MARK_SHIFT = np.uint64(20)
_CHILDREN, _CHILD, _ORDER = (
    np.uint64(layout.CHILDREN),
    np.uint64(layout.CHILD),
    np.uint64(layout.ORDER),
)


class Node(NamedTuple):
    """A position in which the mover has a choice.

    `mine` and `mask` are the mover's discs and all discs. `threats` are the empty cells that
    complete a line for the waiting side; they are not playable. `replies` are the moves that do not
    lose immediately, at least two. `hash` is set only for positions that may be in the table.
    """

    mine: Word
    mask: Word
    threats: Word
    replies: Word
    hash: Word
    ply: Int


# -- positions


@inlined
def position_hash(fixed: Fixed, mine: Word, mask: Word, ply: Int) -> Word:
    """Return the lesser key of the position and its mirror image, times the multiplier."""
    key = mine + mask
    if ply <= np.int64(fixed.mirror_plies):
        key = min(key, mirrored(key, fixed.columns, fixed.height))
    return (key * fixed.multiplier) & fixed.key_mask


@inlined
def play_forced(
    fixed: Fixed, mine: Word, mask: Word, threats: Word, plies: Int
) -> tuple[Word, Word, Word, Word, Int]:
    """Play while the mover has a single reply; return (mine, mask, threats, replies, plies).

    The mover must not have a win at hand. The result has `replies` 0 if the game is decided: drawn
    if the board is full, otherwise won by the waiting side with its next disc.
    """
    while True:
        playable = (mask + fixed.bottom) & fixed.board
        replies = playable & ~(threats >> _ONE)
        forced = playable & threats
        if forced != _ZERO:
            replies &= forced
            if forced & (forced - _ONE) != _ZERO:
                replies = _ZERO
        if replies == _ZERO or replies & (replies - _ONE) != _ZERO:
            return mine, mask, threats, replies, plies
        mine |= replies
        waiting = mask ^ (mine & ~replies)
        mask |= replies
        threats = completing_cells(fixed, mine, mask)
        mine = waiting
        plies += 1


@inlined
def decided_value(fixed: Fixed, mask: Word, empties: Int, plies: Int) -> Int:
    """Return the value of a decided line for the side that moved `plies` plies ago.

    `empties` is the number of empty cells of that side's position.
    """
    if mask == fixed.board:
        return 0
    value = win_score_kernel(empties, plies + 1)
    return value if plies & 1 else -value


# -- bounds of a position


@inlined
def bucket(fixed: Fixed, hashed: Word) -> Word:
    """Return the place of the first entry of a position's bucket in the table."""
    return np.uint64(hashed >> fixed.bucket_shift) << _ONE


@inlined
def table_bounds(fixed: Fixed, entries: Words, hashed: Word) -> tuple[Int, Int]:
    """Return the low and the high bound of a position in the transposition table."""
    entry = look_up(entries, bucket(fixed, hashed), hashed & fixed.rest_mask)
    return low_bound(entry), high_bound(entry)


@inlined
def known_bounds(fixed: Fixed, entries: Words, node: Node, empties: Int) -> tuple[Int, Int]:
    """Return bounds of a node from the soonest possible wins and from the table."""
    low, high = -win_score_kernel(empties, 3), win_score_kernel(empties, 2)
    if empties > NO_SHARING:
        table_low, table_high = table_bounds(fixed, entries, node.hash)
        low, high = max(low, table_low), min(high, table_high)
    return low, high


@inlined
def nearest_win(empties: Int) -> Int:
    """Return a high bound on the score of a node without a decided move above the window."""
    return win_score_kernel(empties, 4)


# -- children


@inlined
def make_children(
    fixed: Fixed, arrays: Arrays, base: Word, node: Node, alpha: Int
) -> tuple[Int, Word]:
    """Put the children of a node into its frame, with forced replies played.

    Return the best value of decided moves and the number of children left; end immediately if a
    decided move is worth more than `alpha`.
    """
    stack = arrays.stack
    empties = np.int64(fixed.cells) - node.ply
    theirs = node.mask ^ node.mine
    best = NONE
    left = _ZERO
    moves = node.replies
    while moves != _ZERO:
        move = moves & (~moves + _ONE)
        moves ^= move
        wins = completing_cells(fixed, node.mine | move, node.mask | move)
        mine, mask, threats, replies, plies = play_forced(
            fixed, theirs, node.mask | move, wins, np.int64(1)
        )
        if replies == _ZERO:
            best = max(best, decided_value(fixed, mask, empties, plies))
            if best > alpha:
                break
            continue
        child = base + _CHILDREN + left * _CHILD
        stack[child + np.uint64(layout.C_MINE)] = mine
        stack[child + np.uint64(layout.C_MASK)] = mask
        stack[child + np.uint64(layout.C_THREATS)] = threats
        stack[child + np.uint64(layout.C_REPLIES)] = replies
        stack[child + np.uint64(layout.C_PLIES)] = np.uint64(plies)
        if empties - plies > NO_TABLE:
            hashed = position_hash(fixed, mine, mask, node.ply + plies)
            stack[child + np.uint64(layout.C_HASH)] = hashed
            prefetch(arrays.entries, bucket(fixed, hashed))
        weight = np.uint64(arrays.setup[layout.weight_slot(move)])
        stack[base + _ORDER + left] = order_key(wins, replies, weight) | left
        left += _ONE
    return best, left


@inlined
def order_key(wins: Word, replies: Word, weight: Word) -> Word:
    """Return the key that orders children, greatest first; its lowest byte is for the number."""
    return (
        (np.uint64(popcount(wins)) << _WINS_SHIFT)
        | ((_MAX_REPLIES - np.uint64(popcount(replies))) << _REPLIES_SHIFT)
        | (weight << _WEIGHT_SHIFT)
    )


@inlined
def filter_children(
    fixed: Fixed, arrays: Arrays, base: Word, empties: Int, alpha: Int, best: Int, left: Word
) -> tuple[Int, Word]:
    """Drop the children that the table or a bound decides.

    Return the best value so far, which may be more than `alpha`, and the number of children left,
    whose order keys now come first in the frame.
    """
    stack = arrays.stack
    remaining = _ZERO
    for number in range(left):
        key = np.uint64(stack[base + _ORDER + np.uint64(number)])
        child = base + _CHILDREN + np.uint64(number) * _CHILD
        plies = np.int64(stack[child + np.uint64(layout.C_PLIES)])
        turned = plies & 1
        if empties - plies > NO_TABLE:
            low, high = table_bounds(fixed, arrays.entries, stack[child + np.uint64(layout.C_HASH)])
            if turned:
                low, high = -high, -low
            if low > alpha:
                best = low
                break
            if high <= alpha:
                best = max(best, high)
                continue
        value = static_bound(
            fixed,
            arrays.setup,
            stack[child + np.uint64(layout.C_MINE)],
            stack[child + np.uint64(layout.C_MASK)],
            stack[child + np.uint64(layout.C_THREATS)],
            empties - plies,
            -alpha - 1 if turned else alpha,
        )
        if value != NO_BOUND:
            best = max(best, -value if turned else value)
            if best > alpha:
                break
            continue
        stack[base + _ORDER + remaining] = key
        remaining += _ONE
    return best, remaining


# -- frames


@inlined
def open_frame(
    stack: Words, base: Word, node: Node, alpha: Int, best: Int, remaining: Word, nodes: Int
) -> None:
    """Store the data of a node in its frame, for when the search returns to it."""
    stack[base + np.uint64(layout.ALPHA)] = np.uint64(alpha)
    stack[base + np.uint64(layout.BEST)] = np.uint64(best)
    stack[base + np.uint64(layout.HASH)] = node.hash
    stack[base + np.uint64(layout.ENTERED)] = np.uint64(nodes)
    stack[base + np.uint64(layout.LEFT)] = remaining
    stack[base + np.uint64(layout.PLY)] = np.uint64(node.ply)


@inlined
def store_node(
    fixed: Fixed, arrays: Arrays, base: Word, value: Int, alpha: Int, nodes: Int
) -> Word:
    """Store the result of a node in the transposition table; return its hash."""
    hashed = arrays.stack[base + np.uint64(layout.HASH)]
    store(
        arrays.entries,
        bucket(fixed, hashed),
        hashed & fixed.rest_mask,
        value,
        value > alpha,
        np.uint64(nodes) - np.uint64(arrays.stack[base + np.uint64(layout.ENTERED)]),
    )
    return hashed


@inlined
def best_key(stack: Words, base: Word) -> Word:
    """Return the greatest order key of the children left in a frame, 0 if all are done."""
    best = _ZERO
    left = np.uint64(stack[base + np.uint64(layout.LEFT)])
    for i in range(base + _ORDER, base + _ORDER + left):
        best = max(best, np.uint64(stack[np.uint64(i)]))
    return best


@inlined
def take_child(stack: Words, base: Word, key: Word) -> tuple[Node, Int]:
    """Remove the child of an order key from a frame; return it and its plies below the node."""
    place = base + _ORDER
    while np.uint64(stack[place]) != key:
        place += _ONE
    left = np.uint64(stack[base + np.uint64(layout.LEFT)]) - _ONE
    stack[place] = stack[base + _ORDER + left]
    stack[base + np.uint64(layout.LEFT)] = left
    child = base + _CHILDREN + (key & _NUMBER_MASK) * _CHILD
    plies = np.uint64(stack[child + np.uint64(layout.C_PLIES)])
    stack[base + np.uint64(layout.PLIES)] = plies
    node = Node(
        stack[child + np.uint64(layout.C_MINE)],
        stack[child + np.uint64(layout.C_MASK)],
        stack[child + np.uint64(layout.C_THREATS)],
        stack[child + np.uint64(layout.C_REPLIES)],
        stack[child + np.uint64(layout.C_HASH)],
        np.int64(stack[base + np.uint64(layout.PLY)]) + np.int64(plies),
    )
    return node, np.int64(plies)


# -- threads at one position


@inlined
def mark_place(hashed: Word) -> Word:
    """Return the place in `shared` where a thread marks that it searches a position."""
    word = folded(hashed)
    return np.uint64(layout.MARKS) + (word ^ (word >> _MARK_SHIFT)) % np.uint64(layout.MARK_COUNT)


@inlined
def unmark(shared: Ints, hashed: Word) -> None:
    """Remove the mark of a position, unless another position has overwritten it."""
    place = mark_place(hashed)
    if shared[place] == np.int64(folded(hashed)):
        shared[place] = 0


@inlined
def best_unmarked_key(stack: Words, base: Word, shared: Ints, key: Word) -> Word:
    """Return the greatest order key of the children without another thread, else `key`."""
    best = _ZERO
    for i in range(np.uint64(stack[base + np.uint64(layout.LEFT)])):
        other = np.uint64(stack[base + _ORDER + np.uint64(i)])
        child = base + _CHILDREN + (other & _NUMBER_MASK) * _CHILD
        hashed = stack[child + np.uint64(layout.C_HASH)]
        if other > best and np.uint64(shared[mark_place(hashed)]) != folded(hashed):
            best = other
    return best if best != _ZERO else key


# -- pausing


@inlined
def save_search(stack: Words, node: Node, alpha: Int, base: Word) -> None:
    """Save the state that is not in the frames, for `resume_search`."""
    stack[layout.R_MINE], stack[layout.R_MASK] = node.mine, node.mask
    stack[layout.R_THREATS], stack[layout.R_REPLIES] = node.threats, node.replies
    stack[layout.R_HASH] = node.hash
    stack[layout.R_PLY] = np.uint64(node.ply)
    stack[layout.R_ALPHA] = np.uint64(alpha)
    stack[layout.R_FRAME] = base


@inlined
def resume_search(stack: Words) -> tuple[Node, Int, Word]:
    """Return the node, alpha and frame of `save_search`."""
    node = Node(
        stack[layout.R_MINE],
        stack[layout.R_MASK],
        stack[layout.R_THREATS],
        stack[layout.R_REPLIES],
        stack[layout.R_HASH],
        np.int64(stack[layout.R_PLY]),
    )
    return node, np.int64(stack[layout.R_ALPHA]), np.uint64(stack[layout.R_FRAME])
