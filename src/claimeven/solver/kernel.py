"""The compiled search: null windows, iterative, on words of bits (readable: `textbook`).

`search` tests whether the score is more than alpha; `solve` finds a score with a series of tests.
Contract of a test of (position, alpha) that returns v: if v > alpha the score is at least v,
otherwise it is at most v. `bounds` has the proofs for the steps.

A position becomes a node only if the mover has a choice. Positions with a win at hand, or with at
most one move that does not lose immediately, are played on inside the node above. So the children
of a node are the next positions with a choice, one or more plies below.

The path from the root is a stack of frames (`layout`), so a search can pause at any node and resume
later. Several threads may search the same position: they share the transposition table, and a
thread avoids positions of other threads if it has a choice.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import (
    Int,
    Ints,
    Word,
    Words,
    as_word,
    folded,
    inlined,
    int64,
    kernel,
    popcount,
    uint64,
)
from claimeven.solver import layout, steps
from claimeven.solver.bounds import completing_cells
from claimeven.solver.layout import ARRAYS, Arrays, Fixed
from claimeven.solver.scores import win_score_kernel
from claimeven.solver.steps import NO_SHARING, NO_TABLE, Node

#: Returned instead of a score if the search pauses, or if other threads settled its window.
PAUSED = 2000
MOOT = 2001
#: Nodes between two checks of `STOP` and of the bounds of other threads.
CHECK_EVERY = 4096
#: If the bounds are further apart, special first windows are used.
FAR_APART = 3
#: The first windows, as numbered by `STEP`; `AT_FLOOR` only if the floor narrows the range.
AT_FLOOR, FAR_LOW, FAR_HIGH = 1, 2, 3

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROOT, _FRAME = np.uint64(layout.REGISTERS), np.uint64(layout.FRAME)


@inlined
def expand(
    fixed: Fixed, arrays: Arrays, base: Word, node: Node, alpha: Int, nodes: Int
) -> tuple[bool, Int]:
    """Decide a node without a search if possible, otherwise put its children into its frame.

    Return whether it is decided, and its value if so.
    """
    empties = np.int64(fixed.cells) - node.ply
    # Step 3: bounds from the soonest possible wins, and from the table.
    low, high = steps.known_bounds(fixed, arrays.entries, node, empties)
    if high <= alpha:
        return True, high
    if low > alpha:
        return True, low
    # Step 4: make the children, play forced replies; prefetch their entries.
    best, left = steps.make_children(fixed, arrays, base, node, alpha)
    # Step 5: a move decides it, or no win is as soon as the window requires.
    if best > alpha or left == _ZERO:
        return True, best
    if steps.nearest_win(empties) <= alpha:
        return True, steps.nearest_win(empties)
    # Step 6: drop children that the table or the bounds decide.
    best, remaining = steps.filter_children(fixed, arrays, base, empties, alpha, best, left)
    if best > alpha or remaining == _ZERO:
        return True, best
    steps.open_frame(arrays.stack, base, node, alpha, best, remaining, nodes)
    return False, steps.NONE


@kernel(int64(ARRAYS, uint64, uint64, int64))
def search(arrays: Arrays, mine: Word, mask: Word, alpha: Int) -> Int:
    """Test whether the score of a position is more than `alpha`; see the contract above.

    The position must not be finished. Returns `PAUSED` if the budget is used up or `STOP` is set; a
    call with the same arguments resumes the search. Returns `MOOT` if other threads have settled
    the window.
    """
    fixed = layout.fixed_of(arrays.setup)
    stack, control, shared = arrays.stack, arrays.control, arrays.shared
    cells = np.int64(fixed.cells)
    root_alpha = alpha
    root_ply = np.int64(popcount(mask))
    nodes = control[layout.NODES]
    next_check = nodes
    base = _ROOT
    # Step 1: resume a paused search, or find the first position with a choice.
    if control[layout.RESUME] != 0:
        control[layout.RESUME] = 0
        node, alpha, base = steps.resume_search(stack)
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
        # Step 2: enter a node; check regularly whether to pause.
        if nodes >= next_check:
            control[layout.NODES] = nodes
            if shared[layout.LOW] > root_alpha or shared[layout.HIGH] <= root_alpha:
                return MOOT
            if nodes >= control[layout.BUDGET] or shared[layout.STOP] != 0:
                steps.save_search(stack, node, alpha, base)
                control[layout.RESUME] = 1
                return PAUSED
            next_check = min(control[layout.BUDGET], nodes + CHECK_EVERY)
        nodes += 1
        # Steps 3 to 6: decide it, or put its children into the frame.
        is_decided, value = expand(fixed, arrays, base, node, alpha, nodes)
        # Step 7: pass the values of decided nodes to the nodes above them.
        ply, hashed = node.ply, node.hash
        key = _ZERO
        while is_decided:
            if base == _ROOT:
                control[layout.NODES] = nodes
                return -value if (ply - root_ply) & 1 else value
            if shared[layout.TOGETHER] != 0 and cells - ply > NO_SHARING:
                steps.unmark(shared, hashed)
            base -= _FRAME
            if np.uint64(stack[base + np.uint64(layout.PLIES)]) & _ONE:
                value = -value
            alpha = np.int64(stack[base + np.uint64(layout.ALPHA)])
            ply = np.int64(stack[base + np.uint64(layout.PLY)])
            value = max(value, np.int64(stack[base + np.uint64(layout.BEST)]))
            if value <= alpha:
                key = steps.best_key(stack, base)
                if key != _ZERO:
                    stack[base + np.uint64(layout.BEST)] = np.uint64(value)
                    break
            # Step 8: the node is done: store it in the table.
            if cells - ply > NO_TABLE:
                hashed = steps.store_node(fixed, arrays, base, value, alpha, nodes)
        # Step 9: go down to the most promising child left without another thread.
        if key == _ZERO:
            key = steps.best_key(stack, base)
        together = shared[layout.TOGETHER] != 0 and cells - ply > NO_SHARING + 1
        if together:
            key = steps.best_unmarked_key(stack, base, shared, key)
        node, plies = steps.take_child(stack, base, key)
        if together:
            shared[steps.mark_place(node.hash)] = np.int64(folded(node.hash))
        if plies & 1:
            alpha = -alpha - 1
        base += _FRAME


@kernel(int64(ARRAYS, uint64, uint64, int64, int64), trusting=True)
def solve(arrays: Arrays, mine: Word, mask: Word, floor: Int, ceiling: Int) -> Int:
    """Return the score of an unfinished position, no less than `floor`, no more than `ceiling`.

    Before the first call for a position set control[RESUME] and control[STEP] to 0, shared[LOW]
    to `floor` and shared[HIGH] to `ceiling`. Threads with the same `entries` and `shared` search
    the same position together. Returns `PAUSED` as `search` does; call again to continue.
    """
    mine, mask = as_word(mine), as_word(mask)
    fixed = layout.fixed_of(arrays.setup)
    control, shared = arrays.control, arrays.shared
    cells = np.int64(fixed.cells)
    ply = np.int64(popcount(mask))
    if ply == cells:
        return 0
    if control[layout.STEP] == 0:
        # Step 1: bounds from the number of discs.
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
        # Step 2: the given floor is often the score, and two far windows find short wins cheaply.
        # Then search from 0 towards the score.
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
        value = search(arrays, mine, mask, alpha)
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


@kernel(int64(ARRAYS, uint64[::1], uint64[::1], int64, int64, int64[::1], int64[::1]))
def solve_many(
    arrays: Arrays,
    mines: Words,
    masks: Words,
    floor: Int,
    ceiling: Int,
    scores: Ints,
    nodes: Ints,
) -> Int:
    """Solve the positions from number control[DONE] on; fill in `scores` and `nodes`.

    Set control[DONE] and control[RESUME] to 0 before the first call. Returns 0 if all are done,
    `PAUSED` as `search` does; call again to continue.
    """
    control, shared = arrays.control, arrays.shared
    while control[layout.DONE] < len(mines):
        i = control[layout.DONE]
        if control[layout.RESUME] == 0:
            control[layout.STEP] = 0
            shared[layout.LOW], shared[layout.HIGH] = floor, ceiling
            nodes[i] = -control[layout.NODES]
        score = solve(arrays, mines[i], masks[i], floor, ceiling)
        if score == PAUSED:
            return PAUSED
        scores[i] = score
        nodes[i] += control[layout.NODES]
        control[layout.DONE] += 1
    return 0
