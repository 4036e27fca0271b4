"""The compiled search: one null window, iterative, on plain words (readable: `textbook`).

`search` is a test of the kind "is the score more than alpha?"; `null_window` finds a score by a row
of them. Contract of a test of (position, alpha) that returns v: if v > alpha the score is at least
v, otherwise it is at most v. What the steps take for granted is proved in `bounds`.

A position is entered as a node only if the mover can do more than one thing: positions where a win
is at hand, where every move loses at once, or where a single move does not, are played on inside
the node above. So the children of a node are the next positions with a choice, one or more plies
below.

The path from the root lies on a stack of frames (`layout`), so a search can pause at any node and
go on later. Several threads may search the same position: they share the transposition table, and a
thread goes to a position that another is at only if there is no other to go to.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Word, inlined, int64, kernel, popcount, uint64
from claimeven.solver.bounds import completing_cells
from claimeven.solver.layout import (
    ALPHA,
    BEST,
    BUDGET,
    FRAME,
    HIGH,
    LOW,
    NODES,
    PLIES,
    PLY,
    REGISTERS,
    RESUME,
    STOP,
    TOGETHER,
    WORK,
    Fixed,
    Work,
    fixed_of,
)
from claimeven.solver.scores import win_score_kernel
from claimeven.solver.steps import (
    NO_SHARING,
    NO_TABLE,
    NONE,
    Node,
    decided_value,
    heaviest,
    heaviest_unmarked,
    known_bounds,
    lay_down,
    make_children,
    mark_place,
    nearest_win,
    open_frame,
    play_forced,
    position_hash,
    store_node,
    take_child,
    take_up,
    unmark,
    weed_children,
)

#: Returned instead of a score when the search pauses, and inside when its window is settled.
PAUSED = 2000
MOOT = 2001
#: Nodes between two looks at `STOP` and at the other threads' bounds.
LOOK_EVERY = 4096

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROOT, _FRAME = np.uint64(REGISTERS), np.uint64(FRAME)


@inlined
def expand(
    fixed: Fixed, work: Work, base: Word, node: Node, alpha: Int, nodes: Int
) -> tuple[bool, Int]:
    """Decide a node without a search if that can be, otherwise lay its children into its frame.

    Return whether it is decided, and its value if so.
    """
    empties = np.int64(fixed.cells) - node.ply
    # Step 3: neither side can win sooner than this; what the table knows by now.
    low, high = known_bounds(fixed, work.entries, node, empties)
    if high <= alpha:
        return True, high
    if low > alpha:
        return True, low
    # Step 4: make the children, playing forced replies out; ask for their entries.
    best, left = make_children(fixed, work, base, node, alpha)
    # Step 5: a move decided it, or no win is as near as the window wants it.
    if best > alpha or left == _ZERO:
        return True, best
    if nearest_win(empties) <= alpha:
        return True, nearest_win(empties)
    # Step 6: what the table and the bounds know of the children.
    best, kept = weed_children(fixed, work, base, empties, alpha, best, left)
    if best > alpha or kept == _ZERO:
        return True, best
    open_frame(work.stack, base, node, alpha, best, kept, nodes)
    return False, NONE


@kernel(int64(WORK, uint64, uint64, int64))
def search(work: Work, mine: Word, mask: Word, alpha: Int) -> Int:
    """Test whether the score of a position is more than `alpha`; see the contract above.

    The position must not be finished. Returns `PAUSED` when the budget is used up or `STOP` is
    set, and goes on from there when called again with the same arguments; `MOOT` if other threads
    have settled the window meanwhile.
    """
    fixed = fixed_of(work.setup)
    stack, control, shared = work.stack, work.control, work.shared
    cells = np.int64(fixed.cells)
    root_alpha = alpha
    root_ply = np.int64(popcount(mask))
    nodes = control[NODES]
    look_at = nodes
    base = _ROOT
    # Step 1: take up a paused search, or find the first position with a choice.
    if control[RESUME] != 0:
        control[RESUME] = 0
        node, alpha, base = take_up(stack)
    else:
        playable = (mask + fixed.bottom) & fixed.board
        if completing_cells(fixed, mine, mask) & playable != _ZERO:
            return win_score_kernel(cells, root_ply)
        threats = completing_cells(fixed, mask ^ mine, mask)
        mine, mask, threats, replies, plies = play_forced(fixed, mine, mask, threats, np.int64(0))
        if replies == _ZERO:
            return decided_value(fixed, mask, cells - root_ply, plies)
        ply = root_ply + plies
        if plies & 1:
            alpha = -alpha - 1
        node = Node(mine, mask, threats, replies, position_hash(fixed, mine, mask, ply), ply)
    while True:
        # Step 2: enter a node. Now and then look whether to pause.
        if nodes >= look_at:
            control[NODES] = nodes
            if shared[LOW] > root_alpha or shared[HIGH] <= root_alpha:
                return MOOT
            if nodes >= control[BUDGET] or shared[STOP] != 0:
                lay_down(stack, node, alpha, base)
                control[RESUME] = 1
                return PAUSED
            look_at = min(control[BUDGET], nodes + LOOK_EVERY)
        nodes += 1
        # Steps 3 to 6: decide it, or lay down its children.
        is_decided, value = expand(fixed, work, base, node, alpha, nodes)
        # Step 7: while nodes are decided, hand their values to the nodes above them.
        ply, hashed = node.ply, node.hash
        key = _ZERO
        while is_decided:
            if base == _ROOT:
                control[NODES] = nodes
                return -value if (ply - root_ply) & 1 else value
            if shared[TOGETHER] != 0 and cells - ply > NO_SHARING:
                unmark(shared, hashed)
            base -= _FRAME
            if stack[base + np.uint64(PLIES)] & _ONE:
                value = -value
            alpha = np.int64(stack[base + np.uint64(ALPHA)])
            ply = np.int64(stack[base + np.uint64(PLY)])
            value = max(value, np.int64(stack[base + np.uint64(BEST)]))
            if value <= alpha:
                key = heaviest(stack, base)
                if key != _ZERO:
                    stack[base + np.uint64(BEST)] = np.uint64(value)
                    break
            # Step 8: the node is done: into the table with it.
            if cells - ply > NO_TABLE:
                hashed = store_node(fixed, work, base, value, alpha, nodes)
        # Step 9: go down to the most promising child left, of those where no other thread is.
        if key == _ZERO:
            key = heaviest(stack, base)
        together = shared[TOGETHER] != 0 and cells - ply > NO_SHARING + 1
        if together:
            key = heaviest_unmarked(stack, base, shared, key)
        node, plies = take_child(stack, base, key)
        if together:
            shared[mark_place(node.hash)] = np.int64(node.hash)
        if plies & 1:
            alpha = -alpha - 1
        base += _FRAME
