"""The compiled search: null windows, iterative, on plain words (readable: `textbook`).

`search` is a test of the kind "is the score more than alpha?"; `solve` finds a score by a row of
them. Contract of a test of (position, alpha) that returns v: if v > alpha the score is at least
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

from claimeven.compiled import Int, Ints, Word, Words, inlined, int64, kernel, popcount, uint64
from claimeven.solver import layout, steps
from claimeven.solver.bounds import completing_cells
from claimeven.solver.layout import WORK, Fixed, Work
from claimeven.solver.scores import win_score_kernel
from claimeven.solver.steps import NO_SHARING, NO_TABLE, Node

#: Returned instead of a score when the search pauses, and inside when its window is settled.
PAUSED = 2000
MOOT = 2001
#: Nodes between two looks at `STOP` and at the other threads' bounds.
LOOK_EVERY = 4096
#: Bounds further apart than this are halved before the search asks for the sign.
FAR_APART = 3
#: The first windows, as `STEP` numbers them; `AT_FLOOR` only where a floor tells something.
AT_FLOOR, FAR_LOW, FAR_HIGH = 1, 2, 3

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROOT, _FRAME = np.uint64(layout.REGISTERS), np.uint64(layout.FRAME)


@inlined
def expand(
    fixed: Fixed, work: Work, base: Word, node: Node, alpha: Int, nodes: Int
) -> tuple[bool, Int]:
    """Decide a node without a search if that can be, otherwise lay its children into its frame.

    Return whether it is decided, and its value if so.
    """
    empties = np.int64(fixed.cells) - node.ply
    # Step 3: neither side can win sooner than this; what the table knows by now.
    low, high = steps.known_bounds(fixed, work.entries, node, empties)
    if high <= alpha:
        return True, high
    if low > alpha:
        return True, low
    # Step 4: make the children, playing forced replies out; ask for their entries.
    best, left = steps.make_children(fixed, work, base, node, alpha)
    # Step 5: a move decided it, or no win is as near as the window wants it.
    if best > alpha or left == _ZERO:
        return True, best
    if steps.nearest_win(empties) <= alpha:
        return True, steps.nearest_win(empties)
    # Step 6: what the table and the bounds know of the children.
    best, kept = steps.weed_children(fixed, work, base, empties, alpha, best, left)
    if best > alpha or kept == _ZERO:
        return True, best
    steps.open_frame(work.stack, base, node, alpha, best, kept, nodes)
    return False, steps.NONE


@kernel(int64(WORK, uint64, uint64, int64))
def search(work: Work, mine: Word, mask: Word, alpha: Int) -> Int:
    """Test whether the score of a position is more than `alpha`; see the contract above.

    The position must not be finished. Returns `PAUSED` when the budget is used up or `STOP` is
    set, and goes on from there when called again with the same arguments; `MOOT` if other threads
    have settled the window meanwhile.
    """
    fixed = layout.fixed_of(work.setup)
    stack, control, shared = work.stack, work.control, work.shared
    cells = np.int64(fixed.cells)
    root_alpha = alpha
    root_ply = np.int64(popcount(mask))
    nodes = control[layout.NODES]
    look_at = nodes
    base = _ROOT
    # Step 1: take up a paused search, or find the first position with a choice.
    if control[layout.RESUME] != 0:
        control[layout.RESUME] = 0
        node, alpha, base = steps.take_up(stack)
    else:
        playable = (mask + fixed.bottom) & fixed.board
        if completing_cells(fixed, mine, mask) & playable != _ZERO:
            return win_score_kernel(cells, root_ply)
        threats = completing_cells(fixed, mask ^ mine, mask)
        mine, mask, threats, replies, plies = steps.play_forced(
            fixed, mine, mask, threats, np.int64(0)
        )
        if replies == _ZERO:
            return steps.decided_value(fixed, mask, cells - root_ply, plies)
        ply = root_ply + plies
        if plies & 1:
            alpha = -alpha - 1
        node = Node(mine, mask, threats, replies, steps.position_hash(fixed, mine, mask, ply), ply)
    while True:
        # Step 2: enter a node. Now and then look whether to pause.
        if nodes >= look_at:
            control[layout.NODES] = nodes
            if shared[layout.LOW] > root_alpha or shared[layout.HIGH] <= root_alpha:
                return MOOT
            if nodes >= control[layout.BUDGET] or shared[layout.STOP] != 0:
                steps.lay_down(stack, node, alpha, base)
                control[layout.RESUME] = 1
                return PAUSED
            look_at = min(control[layout.BUDGET], nodes + LOOK_EVERY)
        nodes += 1
        # Steps 3 to 6: decide it, or lay down its children.
        is_decided, value = expand(fixed, work, base, node, alpha, nodes)
        # Step 7: while nodes are decided, hand their values to the nodes above them.
        ply, hashed = node.ply, node.hash
        key = _ZERO
        while is_decided:
            if base == _ROOT:
                control[layout.NODES] = nodes
                return -value if (ply - root_ply) & 1 else value
            if shared[layout.TOGETHER] != 0 and cells - ply > NO_SHARING:
                steps.unmark(shared, hashed)
            base -= _FRAME
            if stack[base + np.uint64(layout.PLIES)] & _ONE:
                value = -value
            alpha = np.int64(stack[base + np.uint64(layout.ALPHA)])
            ply = np.int64(stack[base + np.uint64(layout.PLY)])
            value = max(value, np.int64(stack[base + np.uint64(layout.BEST)]))
            if value <= alpha:
                key = steps.heaviest(stack, base)
                if key != _ZERO:
                    stack[base + np.uint64(layout.BEST)] = np.uint64(value)
                    break
            # Step 8: the node is done: into the table with it.
            if cells - ply > NO_TABLE:
                hashed = steps.store_node(fixed, work, base, value, alpha, nodes)
        # Step 9: go down to the most promising child left, of those where no other thread is.
        if key == _ZERO:
            key = steps.heaviest(stack, base)
        together = shared[layout.TOGETHER] != 0 and cells - ply > NO_SHARING + 1
        if together:
            key = steps.heaviest_unmarked(stack, base, shared, key)
        node, plies = steps.take_child(stack, base, key)
        if together:
            shared[steps.mark_place(node.hash)] = np.int64(node.hash)
        if plies & 1:
            alpha = -alpha - 1
        base += _FRAME


@kernel(int64(WORK, uint64, uint64, int64, int64))
def solve(work: Work, mine: Word, mask: Word, floor: Int, ceiling: Int) -> Int:
    """Return the score of an unfinished position, no less than `floor`, no more than `ceiling`.

    Before the first call for a position set control[RESUME] and control[STEP] to 0, shared[LOW]
    to `floor` and shared[HIGH] to `ceiling`. Threads that share `entries` and `shared` work at the
    same position together. Returns `PAUSED` as `search` does; call again to go on.
    """
    fixed = layout.fixed_of(work.setup)
    control, shared = work.control, work.shared
    cells = np.int64(fixed.cells)
    ply = np.int64(popcount(mask))
    if ply == cells:
        return 0
    if control[layout.STEP] == 0:
        # Step 1: what follows from the number of discs alone.
        playable = (mask + fixed.bottom) & fixed.board
        if completing_cells(fixed, mine, mask) & playable != _ZERO:
            score = win_score_kernel(cells, ply)
            return max(floor, min(ceiling, score))
        least = -win_score_kernel(cells, ply + 1)
        shared[layout.LOW] = max(shared[layout.LOW], least)
        shared[layout.HIGH] = min(shared[layout.HIGH], win_score_kernel(cells, ply + 2))
        control[layout.STEP] = AT_FLOOR if shared[layout.LOW] > least else FAR_LOW
        control[layout.GUESS] = 0
    while True:
        # Step 2: a floor that is given is often the score; two windows far out find short wins
        # cheaply; then from 0 towards the score.
        low, high = shared[layout.LOW], shared[layout.HIGH]
        if low >= high:
            return max(floor, min(ceiling, low))
        if control[layout.RESUME] == 0:
            alpha = control[layout.GUESS]
            if high - low > FAR_APART:
                if control[layout.STEP] == AT_FLOOR:
                    alpha = low
                elif control[layout.STEP] == FAR_LOW:
                    alpha = -(-low // 2)
                elif control[layout.STEP] == FAR_HIGH:
                    alpha = high // 2
            control[layout.ALPHA_NOW] = max(low, min(high - 1, alpha))
        alpha = control[layout.ALPHA_NOW]
        value = search(work, mine, mask, alpha)
        if value == PAUSED:
            return PAUSED
        control[layout.RESUME] = 0
        if value == MOOT:
            continue
        if value > alpha:
            shared[layout.LOW] = max(shared[layout.LOW], value)
        else:
            shared[layout.HIGH] = min(shared[layout.HIGH], value)
        # Step 3: the next window.
        if control[layout.STEP] > FAR_HIGH:
            control[layout.GUESS] = value if value > alpha else value - 1
        control[layout.STEP] += 1


@kernel(int64(WORK, uint64[::1], uint64[::1], int64, int64, int64[::1], int64[::1]))
def solve_many(
    work: Work, mines: Words, masks: Words, floor: Int, ceiling: Int, scores: Ints, nodes: Ints
) -> Int:
    """Solve the positions from number control[DONE] on; fill in `scores` and `nodes`.

    Set control[DONE] and control[RESUME] to 0 before the first call. Returns 0 when all are done,
    `PAUSED` as `search` does; call again to go on.
    """
    control, shared = work.control, work.shared
    while control[layout.DONE] < len(mines):
        i = control[layout.DONE]
        if control[layout.RESUME] == 0:
            control[layout.STEP] = 0
            shared[layout.LOW], shared[layout.HIGH] = floor, ceiling
            nodes[i] = -control[layout.NODES]
        score = solve(work, mines[i], masks[i], floor, ceiling)
        if score == PAUSED:
            return PAUSED
        scores[i] = score
        nodes[i] += control[layout.NODES]
        control[layout.DONE] += 1
    return 0
