"""The compiled searches without a selection formula: flat and breadth-first.

Both use the tree of `tree.layout` and what `layout` adds. `textbook` holds the same searches on
positions, draw for draw.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel, popcount, trailing_zeros
from claimeven.game.tactics_kernel import BOARD, BOTTOM, HEIGHT, playable_cells
from claimeven.montecarlo.kernel import ending, played, simulate
from claimeven.montecarlo.layout import (
    COUNT_SHIFT,
    DEPTH,
    FULL,
    MASK,
    MINE,
    NO_NODE,
    RANDOM_STATE,
    UNPROVEN,
    USED,
    Records,
    column_of,
    proof_of,
)
from claimeven.montecarlo.simple.layout import CURSOR, LEAF
from claimeven.montecarlo.tree.layout import CHILD, META, NO_CHILDREN, TOTAL, VISITS

_0, _1 = np.uint64(0), np.uint64(1)


@inlined
def position_of(
    node: Int, words: Words, nodes: Records, parents: Records, path: Ints, board: Words
) -> tuple[Word, Word, Int]:
    """Discs of the side to move and all discs at a node, and its depth: the moves from the root
    are gathered upwards, then played.
    """
    depth = 0
    while parents[node] != NO_NODE:
        path[depth] = column_of(nodes[node, META])
        depth += 1
        node = np.int64(parents[node])
    mine, mask = words[MINE], words[MASK]
    for step in range(depth - 1, -1, -1):
        mine ^= mask
        mask = played(mask, path[step], board)
    return mine, mask, depth


@inlined
def give_children(
    node: Int, cells: Word, used: Int, nodes: Records, parents: Records, board: Words
) -> Int:
    """Give a node a child for every cell, in order of the columns; returns the new `used`."""
    nodes[node, CHILD] = used
    nodes[node, META] |= np.int64(popcount(cells)) << COUNT_SHIFT
    while cells != _0:
        nodes[used, VISITS] = 0
        nodes[used, TOTAL] = 0
        nodes[used, CHILD] = NO_CHILDREN
        nodes[used, META] = np.int64(trailing_zeros(cells) // board[HEIGHT])
        parents[used] = node
        cells &= cells - _1
        used += 1
    return used


@inlined
def simulate_and_back_up(
    node: Int,
    mine: Word,
    mask: Word,
    rng: Word,
    nodes: Records,
    parents: Records,
    settings: Ints,
    board: Words,
    words: Words,
) -> Word:
    """One result of a node, by its proof or a playout, counted in it and in all above."""
    proof = proof_of(nodes[node, META])
    result, rng = simulate(proof, mine, mask, rng, settings, board, words)
    while node != NO_NODE:
        nodes[node, VISITS] += 1
        nodes[node, TOTAL] += result
        result = -result
        node = np.int64(parents[node])
    return rng


@inlined
def next_leaf(state: Ints, nodes: Records) -> Int:
    """Return the leaf whose turn it is: they take turns in the order they were made."""
    node = state[LEAF]
    while node == state[USED] or nodes[node, CHILD] != NO_CHILDREN:
        node = np.int64(0) if node == state[USED] else node + 1
    state[LEAF] = node + 1
    return node


_SIGNATURE = (
    "int64(int32[:, ::1], int32[::1], int64[::1], uint64[::1], int64[::1], int64[::1],"
    " uint64[::1], int64)"
)


@kernel(_SIGNATURE)
def grow_breadth(
    nodes: Records,
    parents: Records,
    state: Ints,
    words: Words,
    path: Ints,
    settings: Ints,
    board: Words,
    iterations: Int,
) -> Int:
    """Take nodes in the order they were made: expand each and play once from it.

    When there is no room for children, nodes are taken without being expanded. Once every node
    has been taken, the leaves of a full tree are played from in turn, and a tree that holds every
    line of play ends the search. Returns the iterations made: fewer where it ended.
    """
    rng = words[RANDOM_STATE]
    made = np.int64(0)
    while made < iterations:
        # 1. The next node, or the next leaf of a full tree, and its position.
        taken = state[CURSOR] == state[USED]
        if taken and state[FULL] == 0:
            break
        if taken:
            node = next_leaf(state, nodes)
        else:
            node = state[CURSOR]
            state[CURSOR] += 1
        mine, mask, depth = position_of(node, words, nodes, parents, path, board)
        # 2. Expand, unless the game is over there.
        if not taken:
            nodes[node, META] = ending(nodes[node, META], mine, mask, board)
        if not taken and proof_of(nodes[node, META]) == UNPROVEN:
            cells = playable_cells(mask, board[BOTTOM], board[BOARD])
            if state[USED] + np.int64(popcount(cells)) <= nodes.shape[0]:
                state[USED] = give_children(node, cells, state[USED], nodes, parents, board)
            else:
                state[FULL] = 1
        # 3. Simulate and back up.
        rng = simulate_and_back_up(node, mine, mask, rng, nodes, parents, settings, board, words)
        state[DEPTH] = max(state[DEPTH], depth)
        made += 1
    words[RANDOM_STATE] = rng
    return made


@kernel("int64(int32[:, ::1], int32[::1], int64[::1], uint64[::1], int64[::1], uint64[::1])")
def plant_two_plies(
    nodes: Records, parents: Records, state: Ints, words: Words, path: Ints, board: Words
) -> Int:
    """Expand the root and its unfinished children, as far as there is room; the root is used."""
    node = np.int64(0)
    while node < state[USED]:
        mine, mask, depth = position_of(node, words, nodes, parents, path, board)
        nodes[node, META] = ending(nodes[node, META], mine, mask, board)
        if proof_of(nodes[node, META]) == UNPROVEN and depth < 2:
            cells = playable_cells(mask, board[BOTTOM], board[BOARD])
            if state[USED] + np.int64(popcount(cells)) <= nodes.shape[0]:
                state[USED] = give_children(node, cells, state[USED], nodes, parents, board)
            else:
                state[FULL] = 1
        state[DEPTH] = max(state[DEPTH], depth)
        node += 1
    return state[USED]


@kernel(_SIGNATURE)
def grow_flat(
    nodes: Records,
    parents: Records,
    state: Ints,
    words: Words,
    path: Ints,
    settings: Ints,
    board: Words,
    iterations: Int,
) -> Int:
    """Play from each leaf in turn, round after round."""
    rng = words[RANDOM_STATE]
    for _ in range(iterations):
        # 1. The next leaf.
        node = next_leaf(state, nodes)
        # 2. Simulate and back up.
        mine, mask, _depth = position_of(node, words, nodes, parents, path, board)
        rng = simulate_and_back_up(node, mine, mask, rng, nodes, parents, settings, board, words)
    words[RANDOM_STATE] = rng
    return iterations
