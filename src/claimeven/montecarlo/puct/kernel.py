"""The compiled search with priors on many trees. Contract of the arrays: see `layout`.

`textbook` is the same search of one tree on positions, node for node with one leaf a batch. A batch
has two steps, with a call of the model between them:

1. `gather_leaves` selects leaves in every tree and expands them. Proven leaves are backed up
   immediately. The others wait, and until they are backed up their paths count as lost once
   (virtual loss), so that the next selection in the same tree goes elsewhere.
2. `back_up_leaves` gives their children priors and backs up their values.
"""

from __future__ import annotations

import math

import numpy as np

from claimeven.compiled import Int, Ints, Word, float32, inlined, int32, int64, kernel, void
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, HEIGHT, ONE, ZERO, playable_cells
from claimeven.montecarlo.kernel import combine_proof, played, prove_ending, prove_new
from claimeven.montecarlo.layout import (
    COUNT_MASK,
    COUNT_SHIFT,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
    column_of,
    count_of,
    distance_of,
    proof_of,
    proof_result,
    with_proof,
)
from claimeven.montecarlo.puct.layout import (
    BATCH,
    CHILD,
    DEPTH,
    FLIGHT,
    FPU,
    FULL,
    LEAF,
    LENGTH,
    MASK,
    META,
    MINE,
    NO_CHILDREN,
    NODES,
    PRIOR_POWER,
    PUCT_RULES,
    SOLVER,
    TREES,
    USED,
    VISITS,
    C,
    Leaves,
    Nodes,
    PuctRules,
    Singles,
    Trees,
)
from claimeven.montecarlo.puct.options import MIN_WIN_PLIES

_LOWEST = -1.0e300


@inlined
def best_child(node: Int, nodes: Nodes, rules: PuctRules) -> Int:
    """Child of a visited node with the greatest bound, the first of equals. Iterations in flight
    count as lost. With the solver proven losses are skipped and, at a proven win, all proven
    children.
    """
    counts, settings = nodes.counts, rules.settings
    first = np.int64(counts[node, CHILD])
    visits = counts[node, VISITS]
    spread = settings[C] * math.sqrt(visits + counts[node, FLIGHT])
    untried = max(-1.0, -nodes.totals[node] / visits - settings[FPU])
    is_won = proof_of(counts[node, META]) != UNPROVEN
    best = _LOWEST
    chosen: Int = first
    for child in range(first, first + count_of(counts[node, META])):
        proof = proof_of(counts[child, META])
        if settings[SOLVER] != 0.0 and (proof == PROVEN_LOSS or (is_won and proof != UNPROVEN)):
            continue
        flight = counts[child, FLIGHT]
        visits_in_flight = counts[child, VISITS] + flight
        value = untried
        if visits_in_flight != 0:
            value = (nodes.totals[child] - flight) / visits_in_flight
        bound = value + spread * nodes.priors[child] / (1 + visits_in_flight)
        if bound > best:
            best = bound
            chosen = child
    return chosen


@inlined
def is_done(root: Int, nodes: Nodes, solver: bool) -> bool:
    """Whether a root is finished, or (with the solver) proven without a possible sooner win."""
    counts = nodes.counts
    meta = np.int64(counts[root, META])
    if proof_of(meta) == UNPROVEN:
        return False
    if not solver:
        return bool(distance_of(meta) == 0)
    if proof_of(meta) != PROVEN_LOSS or distance_of(meta) <= MIN_WIN_PLIES:
        return True
    first = np.int64(counts[root, CHILD])
    for child in range(first, first + count_of(meta)):
        if proof_of(counts[child, META]) == UNPROVEN:
            return False
    return True


@inlined
def prove_from_children(node: Int, nodes: Nodes) -> None:
    """Prove a node by its children if possible: lost if one is won, by the nearest win; else, if
    all are proven, drawn or won against the longest defense.
    """
    counts = nodes.counts
    first = np.int64(counts[node, CHILD])
    nearest = np.int64(-1)
    proof = PROVEN_WIN
    longest = np.int64(0)
    is_open = False
    for child in range(first, first + count_of(counts[node, META])):
        meta = counts[child, META]
        if proof_of(meta) == PROVEN_WIN:
            if nearest < 0 or distance_of(meta) < nearest:
                nearest = np.int64(distance_of(meta))
        elif proof_of(meta) == UNPROVEN:
            is_open = True
        else:
            proof, longest = combine_proof(proof, longest, meta)
    if nearest >= 0:
        counts[node, META] = with_proof(counts[node, META], PROVEN_LOSS, nearest + 1)
    elif not is_open:
        counts[node, META] = with_proof(counts[node, META], proof, longest + 1)


@inlined
def expand(
    node: Int, tree: Int, mine: Word, mask: Word, nodes: Nodes, trees: Trees, rules: PuctRules
) -> None:
    """Give a node a child for every column that is not full, with the proofs of `prove_new`;
    with the solver they can prove the node. Without room the node stays unchanged.
    """
    counts, board, state = nodes.counts, rules.board, trees.states[tree]
    solver = rules.settings[SOLVER] != 0.0
    size = counts.shape[0] // trees.states.shape[0]
    cells = playable_cells(mask, board[BOTTOM], board[BOARD])
    first = np.int64(tree * size + state[USED])
    child = first
    for place in range(rules.order.shape[0]):
        column = rules.order[place]
        column_cells = (ONE << board[HEIGHT]) - ONE
        cell = cells & (column_cells << (np.uint64(column) * board[HEIGHT]))
        if cell != ZERO:
            if child == (tree + 1) * size:
                state[FULL] = 1
                return
            counts[child, VISITS] = 0
            counts[child, FLIGHT] = 0
            counts[child, CHILD] = NO_CHILDREN
            counts[child, META] = prove_new(column, mine ^ mask, mask | cell, solver, board)
            nodes.totals[child] = 0.0
            nodes.priors[child] = 0.0
            child += 1
    counts[node, CHILD] = first
    counts[node, META] |= (child - first) << COUNT_SHIFT
    state[USED] = child - tree * size
    if solver:
        prove_from_children(node, nodes)


@inlined
def count_proven(path: Ints, depth: Int, nodes: Nodes, rules: PuctRules) -> None:
    """Back up an iteration with a proven leaf: count its result in every node of the path, with
    alternating sign; with the solver back up proofs as far as possible.
    """
    counts = nodes.counts
    node = path[depth]
    result = np.int64(proof_result(proof_of(counts[node, META])))
    proven = rules.settings[SOLVER] != 0.0
    while True:
        counts[node, VISITS] += 1
        nodes.totals[node] += result
        if depth == 0:
            break
        depth -= 1
        node = path[depth]
        result = -result
        if proven:
            prove_from_children(node, nodes)
            proven = proof_of(counts[node, META]) != UNPROVEN
            if proven:
                result = np.int64(proof_result(proof_of(counts[node, META])))


@kernel(int64(NODES, TREES, BATCH, PUCT_RULES, int64))
def gather_leaves(nodes: Nodes, trees: Trees, batch: Leaves, rules: PuctRules, limit: Int) -> Int:
    """Make up to `limit` iterations in each tree, without the model's part; return the number of
    leaves that wait for it. A tree makes fewer at its target, if it is done, or if it reaches a
    leaf that waits already.
    """
    counts, board = nodes.counts, rules.board
    solver = rules.settings[SOLVER] != 0.0
    size = counts.shape[0] // trees.states.shape[0]
    waiting = np.int64(0)
    for tree in range(trees.states.shape[0]):
        root = tree * size
        for _ in range(limit):
            if counts[root, VISITS] + counts[root, FLIGHT] >= trees.targets[tree]:
                break
            if is_done(root, nodes, solver):
                break

            # 1. Select: follow the greatest bound down to a node that is new, or proven.
            path = batch.paths[waiting]
            node, depth = np.int64(root), np.int64(0)
            mine, mask = trees.roots[tree, MINE], trees.roots[tree, MASK]
            path[0] = node
            while counts[node, VISITS] != 0 and counts[node, CHILD] != NO_CHILDREN:
                if solver and depth != 0 and proof_of(counts[node, META]) != UNPROVEN:
                    break
                node = np.int64(best_child(node, nodes, rules))
                depth += 1
                path[depth] = node
                mine ^= mask
                mask = played(mask, np.int64(column_of(counts[node, META])), board)
            trees.states[tree, DEPTH] = max(trees.states[tree, DEPTH], depth)

            # 2. Expand it.
            if proof_of(counts[node, META]) == UNPROVEN:
                if counts[node, FLIGHT] != 0:
                    break
                if counts[node, CHILD] == NO_CHILDREN:
                    expand(node, tree, mine, mask, nodes, trees, rules)

            # 3. Back it up if it is proven; else it waits, and its path is in flight.
            if proof_of(counts[node, META]) != UNPROVEN:
                count_proven(path, depth, nodes, rules)
            else:
                for step in range(depth + 1):
                    counts[path[step], FLIGHT] += 1
                batch.leaves[waiting, LEAF] = node
                batch.leaves[waiting, LENGTH] = depth
                batch.mines[waiting] = mine
                batch.masks[waiting] = mask
                waiting += 1
    return waiting


@inlined
def give_priors(node: Int, priors: Singles, leaf: Int, nodes: Nodes, rules: PuctRules) -> None:
    """Give the children of a node the model's priors to the power of the rules, normalized over the
    children without a proven loss; equal priors if the sum is 0.
    """
    counts, power = nodes.counts, rules.settings[PRIOR_POWER]
    first = np.int64(counts[node, CHILD])
    last = first + count_of(counts[node, META])
    total, live = 0.0, 0
    for child in range(first, last):
        if proof_of(counts[child, META]) != PROVEN_LOSS:
            total += np.float64(priors[leaf, column_of(counts[child, META])]) ** power
            live += 1
    for child in range(first, last):
        if proof_of(counts[child, META]) == PROVEN_LOSS:
            continue
        prior = np.float64(priors[leaf, column_of(counts[child, META])]) ** power
        nodes.priors[child] = np.float32(prior / total if total > 0.0 else 1.0 / live)


@kernel(void(NODES, BATCH, PUCT_RULES, float32[::1], float32[:, ::1]))
def back_up_leaves(
    nodes: Nodes, batch: Leaves, rules: PuctRules, values: Singles, priors: Singles
) -> None:
    """Give the waiting leaves their priors and back up their values: one row for each leaf."""
    counts = nodes.counts
    for leaf in range(values.shape[0]):
        path = batch.paths[leaf]
        depth = batch.leaves[leaf, LENGTH]
        node = path[depth]
        if counts[node, CHILD] != NO_CHILDREN:
            give_priors(node, priors, leaf, nodes, rules)
        # A value is for the side to move, a total for the player that moved.
        result = -np.float64(values[leaf])
        for step in range(depth, -1, -1):
            node = path[step]
            counts[node, FLIGHT] -= 1
            counts[node, VISITS] += 1
            nodes.totals[node] += result
            result = -result


@kernel(int64(NODES, int32[::1], int64, int64))
def keep_subtree(nodes: Nodes, new_index: Ints, start: Int, root: Int) -> Int:
    """Make a node the root of the tree from node `start` on: move its subtree to the front and drop
    the other nodes.

    Only the first `len(new_index)` nodes of the tree are read, which limits the time. A node with
    children beyond them becomes a leaf again. Returns the number of nodes left. One forward pass
    marks and one moves, since children come after their parents.
    """
    counts, totals, priors = nodes.counts, nodes.totals, nodes.priors
    end = start + new_index.shape[0]
    # 1. Mark the nodes below the root.
    new_index[:] = 0
    new_index[root - start] = 1
    for node in range(root, end):
        if new_index[node - start] != 0 and counts[node, CHILD] != NO_CHILDREN:
            first = np.int64(counts[node, CHILD])
            last = first + count_of(counts[node, META])
            if last > end:
                counts[node, CHILD] = NO_CHILDREN
                counts[node, META] &= ~(COUNT_MASK << COUNT_SHIFT)
            else:
                for child in range(first, last):
                    new_index[child - start] = 1
    # 2. Number the marked ones, and move them.
    used = np.int64(0)
    for node in range(start, end):
        if new_index[node - start] != 0:
            new_index[node - start] = used
            used += 1
        else:
            new_index[node - start] = -1
    for node in range(root, end):
        if new_index[node - start] >= 0:
            place = start + new_index[node - start]
            for field in range(counts.shape[1]):
                counts[place, field] = counts[node, field]
            if counts[place, CHILD] != NO_CHILDREN:
                counts[place, CHILD] = start + new_index[counts[place, CHILD] - start]
            totals[place] = totals[node]
            priors[place] = priors[node]
    return used


@kernel(void(NODES, TREES, PUCT_RULES, int64[::1], int64[::1], int32[::1]))
def advance_roots(
    nodes: Nodes, trees: Trees, rules: PuctRules, which: Ints, columns: Ints, new_index: Ints
) -> None:
    """Make a playable move at the root of each of some trees, and keep its subtree. `new_index` has
    room for the nodes of a tree.

    An unexpanded root keeps only the proof of a finished game: it needs children, which will prove
    it again.
    """
    counts = nodes.counts
    size = counts.shape[0] // trees.states.shape[0]
    for place in range(which.shape[0]):
        tree = which[place]
        # 1. Make the move on the board.
        root, roots, state = tree * size, trees.roots[tree], trees.states[tree]
        roots[MINE] ^= roots[MASK]
        roots[MASK] = played(roots[MASK], columns[place], rules.board)
        # 2. Find the child of the move.
        below = np.int64(NO_CHILDREN)
        first = np.int64(counts[root, CHILD])
        if first != NO_CHILDREN:
            for child in range(first, first + count_of(counts[root, META])):
                if column_of(counts[child, META]) == columns[place]:
                    below = np.int64(child)
        # 3. Keep its subtree, or start a new tree.
        state[DEPTH] = state[FULL] = 0
        if below == NO_CHILDREN:
            counts[root, VISITS] = counts[root, FLIGHT] = counts[root, META] = 0
            counts[root, CHILD] = NO_CHILDREN
            nodes.totals[root] = 0.0
            state[USED] = 1
        else:
            state[USED] = keep_subtree(nodes, new_index[: state[USED]], root, below)
        # 4. An unexpanded root keeps only the proof of a finished game.
        if counts[root, CHILD] == NO_CHILDREN:
            column = np.int64(column_of(counts[root, META]))
            counts[root, META] = prove_ending(column, roots[MINE], roots[MASK], rules.board)
