"""The compiled UCT search on a tree. Contract of the arrays: see `layout`.

`textbook` is the same search on positions, draw for draw and visit for visit.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel, popcount, trailing_zeros
from claimeven.compiled.randomness import STEP, draw_below
from claimeven.game.tactics_kernel import HEIGHT
from claimeven.montecarlo.formula_kernel import Floats, log_root_kernel, upper_bound_kernel
from claimeven.montecarlo.kernel import (
    cells_to_try,
    glance,
    played,
    shuffle,
    simulate,
    worst_so_far,
)
from claimeven.montecarlo.layout import (
    ALL_AT_ONCE,
    COUNT_MASK,
    COUNT_SHIFT,
    DECISIVE,
    DEPTH,
    FULL,
    MASK,
    MINE,
    PROVEN_LOSS,
    PROVEN_WIN,
    RANDOM_STATE,
    SHUFFLED,
    SOLVER,
    UNPROVEN,
    USED,
    Records,
    column_of,
    count_of,
    distance_of,
    proof_of,
    proof_result,
    with_proof,
)
from claimeven.montecarlo.tree.layout import CHILD, META, NO_CHILDREN, ROOT, TOTAL, VISITS

_0, _1 = np.uint64(0), np.uint64(1)
_LOWEST = -1.0e300


@inlined
def selected(
    nodes: Records,
    node: Int,
    weight: float,
    solver: bool,
    all_at_once: bool,
    inverse_roots: Floats,
    log_roots: Floats,
) -> Int:
    """Child of an expanded node with the greatest upper bound; an untried one before, or (all at
    once) as if it had won its only playout. The first of equals. Proven losses are passed over.
    """
    first = nodes[node, CHILD]
    spread = weight * log_root_kernel(nodes[node, VISITS], log_roots)
    best = _LOWEST
    chosen = first
    for child in range(first, first + count_of(nodes[node, META])):
        visits = nodes[child, VISITS]
        if visits == 0:
            if not all_at_once:
                return child
            bound = 1.0 + spread
        else:
            if solver and proof_of(nodes[child, META]) == PROVEN_LOSS:
                continue
            bound = upper_bound_kernel(nodes[child, TOTAL], visits, spread, inverse_roots)
        if bound > best:
            best = bound
            chosen = child
    return chosen


@inlined
def expanded(
    nodes: Records, node: Int, used: Int, cells: Word, shuffled: bool, rng: Word, board: Words
) -> tuple[Int, Word]:
    """Give a node a child for every cell, in order of the columns or shuffled. Returns the new
    number of used nodes, the same when there is no room, and the random state.
    """
    count = np.int64(popcount(cells))
    if used + count > nodes.shape[0]:
        return used, rng
    child = used
    while cells != _0:
        nodes[child, VISITS] = 0
        nodes[child, TOTAL] = 0
        nodes[child, CHILD] = NO_CHILDREN
        nodes[child, META] = np.int64(trailing_zeros(cells) // board[HEIGHT])
        cells &= cells - _1
        child += 1
    if shuffled:
        rng = shuffle(nodes, META, used, count, rng)
    nodes[node, CHILD] = used
    nodes[node, META] |= count << COUNT_SHIFT
    return used + count, rng


@inlined
def prove(nodes: Records, node: Int, child: Int) -> bool:
    """Prove a node from its newly proven child, where possible; returns whether it is proven."""
    meta = nodes[child, META]
    if proof_of(meta) == PROVEN_WIN:
        nodes[node, META] = with_proof(nodes[node, META], PROVEN_LOSS, distance_of(meta) + 1)
        return True
    first = nodes[node, CHILD]
    proof = PROVEN_WIN
    longest = np.int64(0)
    for other in range(first, first + count_of(nodes[node, META])):
        meta = nodes[other, META]
        if proof_of(meta) == UNPROVEN:
            return False
        proof, longest = worst_so_far(proof, longest, meta)
    nodes[node, META] = with_proof(nodes[node, META], proof, longest + 1)
    return True


@kernel(
    "int64(int32[:, ::1], int64[::1], uint64[::1], int64[::1], int64[::1], uint64[::1], float64,"
    " float64[::1], float64[::1], int64)"
)
def grow_tree(
    nodes: Records,
    state: Ints,
    words: Words,
    path: Ints,
    settings: Ints,
    board: Words,
    weight: float,
    inverse_roots: Floats,
    log_roots: Floats,
    iterations: Int,
) -> Int:
    """Grow a tree by iterations of UCT. Returns how many were made: fewer once the root is proven.

    `nodes`, `state`, `words`, `settings`: see `layout`. `path`: room for cells + 1 nodes.
    """
    rng = words[RANDOM_STATE]
    used = state[USED]
    all_at_once, solver = settings[ALL_AT_ONCE] != 0, settings[SOLVER] != 0
    decisive = settings[DECISIVE] != 0
    made = np.int64(0)
    while made < iterations:
        if solver and proof_of(nodes[ROOT, META]) != UNPROVEN:
            break
        made += 1
        # 1. Select: follow the greatest upper bound, playing the moves, down to a leaf.
        node, depth = np.int64(ROOT), 0
        mine, mask = words[MINE], words[MASK]
        path[0] = ROOT
        while True:
            meta = nodes[node, META]
            if proof_of(meta) != UNPROVEN and (solver or nodes[node, CHILD] == NO_CHILDREN):
                break
            picked = np.int64(-1)
            if nodes[node, CHILD] == NO_CHILDREN:
                if nodes[node, VISITS] == 0 and depth > 0 and not all_at_once:
                    break
                # 2. Expand: a leaf met again (all at once: met at all) gets its children.
                cells = cells_to_try(mine, mask, decisive, board)
                first = used
                used, rng = expanded(nodes, node, used, cells, settings[SHUFFLED] != 0, rng, board)
                if used == first:
                    state[FULL] = 1
                    break
                if all_at_once:
                    rng += STEP
                    picked = first + np.int64(draw_below(rng, np.uint64(used - first)))
            if picked >= 0:
                node = picked
            else:
                node = np.int64(
                    selected(nodes, node, weight, solver, all_at_once, inverse_roots, log_roots)
                )
            depth += 1
            path[depth] = node
            mine ^= mask
            meta = nodes[node, META]
            mask = played(mask, column_of(meta), board)
            if nodes[node, VISITS] == 0:
                nodes[node, META] = glance(meta, mine, mask, decisive, board)
                if picked >= 0:
                    break
        state[DEPTH] = max(state[DEPTH], depth)
        # 3. Simulate: the proof, or a playout, as the player sees it who moved into the leaf.
        proof = proof_of(nodes[node, META])
        result, rng = simulate(proof, mine, mask, rng, settings, board, words)
        # 4. Back up: visits, totals, and proofs as far as they reach.
        proven = solver and proof != UNPROVEN
        while True:
            nodes[node, VISITS] += 1
            nodes[node, TOTAL] += result
            if depth == 0:
                break
            depth -= 1
            child, node = node, path[depth]
            result = -result
            if proven:
                proven = prove(nodes, node, child)
                if proven:
                    result = np.int64(proof_result(proof_of(nodes[node, META])))
    words[RANDOM_STATE] = rng
    state[USED] = used
    return made


@kernel("int64(int32[:, ::1], int32[::1], int64)")
def keep_subtree(nodes: Records, moved: Records, root: Int) -> Int:
    """Make `root` the root: keep what is below it, packed to the front, and forget the rest.

    Only the first `len(moved)` nodes are looked at, which bounds the time; a node whose children
    lie behind them is a leaf again. Returns the new number of used nodes. Children lie behind
    their parents, before and after, so one pass forwards marks, and one moves without overwriting.
    """
    looked = np.int64(moved.shape[0])
    # 1. Mark the nodes below the root.
    for node in range(looked):
        moved[node] = 0
    moved[root] = 1
    for node in range(root, looked):
        if moved[node] != 0 and nodes[node, CHILD] != NO_CHILDREN:
            first = np.int64(nodes[node, CHILD])
            last = first + count_of(nodes[node, META])
            if last > looked:
                nodes[node, CHILD] = NO_CHILDREN
                nodes[node, META] &= ~(COUNT_MASK << COUNT_SHIFT)
            else:
                for child in range(first, last):
                    moved[child] = 1
    # 2. Number the marked ones; give the rest no number.
    kept = np.int64(0)
    for node in range(looked):
        if moved[node] != 0:
            moved[node] = kept
            kept += 1
        else:
            moved[node] = -1
    # 3. Move them.
    for node in range(root, looked):
        place = moved[node]
        if place >= 0:
            child = nodes[node, CHILD]
            nodes[place, VISITS] = nodes[node, VISITS]
            nodes[place, TOTAL] = nodes[node, TOTAL]
            nodes[place, CHILD] = moved[child] if child != NO_CHILDREN else NO_CHILDREN
            nodes[place, META] = nodes[node, META]
    return kept
