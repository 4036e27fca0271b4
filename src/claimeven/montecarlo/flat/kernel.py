"""The compiled searches without a selection formula: flat and breadth-first.

Both use the tree of `tree.layout` and what `layout` adds. `textbook` holds the same searches on
positions, draw for draw.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, inlined, int64, kernel, popcount, trailing_zeros
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, HEIGHT, playable_cells
from claimeven.montecarlo.flat.layout import CURSOR, LEAF, LINKED_TREE, STAYS, LinkedTree
from claimeven.montecarlo.kernel import ending, played, simulate
from claimeven.montecarlo.layout import (
    COUNT_SHIFT,
    DEPTH,
    FULL,
    MASK,
    MINE,
    NO_NODE,
    RULES,
    UNPROVEN,
    USED,
    WORK,
    Rules,
    Work,
    column_of,
    proof_of,
)
from claimeven.montecarlo.tree.layout import CHILD, META, NO_CHILDREN, TOTAL, VISITS

_0, _1 = np.uint64(0), np.uint64(1)


@inlined
def position_of(node: Int, tree: LinkedTree, work: Work, rules: Rules) -> tuple[Word, Word, Int]:
    """Discs of the side to move and all discs at a node, and its depth: the moves from the root
    are gathered upwards, then played.
    """
    depth = 0
    while tree.parents[node] != NO_NODE:
        work.path[depth] = column_of(tree.nodes[node, META])
        depth += 1
        node = np.int64(tree.parents[node])
    mine, mask = work.words[MINE], work.words[MASK]
    for step in range(depth - 1, -1, -1):
        mine ^= mask
        mask = played(mask, work.path[step], rules.board)
    return mine, mask, depth


@inlined
def expand(node: Int, mask: Word, tree: LinkedTree, work: Work, rules: Rules) -> None:
    """Give a node a child for every column, in their order, if there is room."""
    nodes, child = tree.nodes, work.state[USED]
    cells = playable_cells(mask, rules.board[BOTTOM], rules.board[BOARD])
    count = np.int64(popcount(cells))
    if child + count > nodes.shape[0]:
        work.state[FULL] = 1
        return
    nodes[node, CHILD] = child
    nodes[node, META] |= count << COUNT_SHIFT
    work.state[USED] += count
    while cells != _0:
        nodes[child, VISITS] = 0
        nodes[child, TOTAL] = 0
        nodes[child, CHILD] = NO_CHILDREN
        nodes[child, META] = np.int64(trailing_zeros(cells) // rules.board[HEIGHT])
        tree.parents[child] = node
        cells &= cells - _1
        child += 1


@inlined
def simulate_and_back_up(
    node: Int, mine: Word, mask: Word, tree: LinkedTree, work: Work, rules: Rules
) -> None:
    """One result of a node, by its proof or a playout, counted in it and in all above."""
    result = simulate(proof_of(tree.nodes[node, META]), mine, mask, work, rules)
    while node != NO_NODE:
        tree.nodes[node, VISITS] += 1
        tree.nodes[node, TOTAL] += result
        result = -result
        node = np.int64(tree.parents[node])


@inlined
def next_leaf(tree: LinkedTree, state: Ints) -> Int:
    """Return the leaf whose turn it is: they take turns in the order they were made, unless the
    search stays at one.
    """
    node = state[LEAF]
    while node == state[USED] or tree.nodes[node, CHILD] != NO_CHILDREN:
        node = np.int64(0) if node == state[USED] else node + 1
    state[LEAF] = node + 1 - state[STAYS]
    return node


@kernel(int64(LINKED_TREE, WORK, RULES, int64))
def grow_breadth(tree: LinkedTree, work: Work, rules: Rules, iterations: Int) -> Int:
    """Take nodes in the order they were made: expand each and play once from it.

    When there is no room for children, nodes are taken without being expanded. Once every node
    has been taken, the leaves of a full tree are played from in turn, and a tree that holds every
    line of play ends the search. Returns the iterations made: fewer where it ended.
    """
    nodes, state = tree.nodes, work.state
    made = np.int64(0)
    while made < iterations:
        # 1. The next node, or the next leaf of a full tree, and its position.
        taken = state[CURSOR] == state[USED]
        if taken and state[FULL] == 0:
            break
        if taken:
            node = next_leaf(tree, state)
        else:
            node = state[CURSOR]
            state[CURSOR] += 1
        mine, mask, depth = position_of(node, tree, work, rules)
        # 2. Expand, unless the game is over there.
        if not taken:
            nodes[node, META] = ending(nodes[node, META], mine, mask, rules.board)
            if proof_of(nodes[node, META]) == UNPROVEN:
                expand(node, mask, tree, work, rules)
        # 3. Simulate and back up.
        simulate_and_back_up(node, mine, mask, tree, work, rules)
        state[DEPTH] = max(state[DEPTH], depth)
        made += 1
    return made


@kernel(int64(LINKED_TREE, WORK, RULES))
def plant_two_plies(tree: LinkedTree, work: Work, rules: Rules) -> Int:
    """Expand the root and its unfinished children, as far as there is room; the root is used."""
    nodes, state = tree.nodes, work.state
    node = np.int64(0)
    while node < state[USED]:
        mine, mask, depth = position_of(node, tree, work, rules)
        nodes[node, META] = ending(nodes[node, META], mine, mask, rules.board)
        if proof_of(nodes[node, META]) == UNPROVEN and depth < 2:
            expand(node, mask, tree, work, rules)
        state[DEPTH] = max(state[DEPTH], depth)
        node += 1
    return state[USED]


@kernel(int64(LINKED_TREE, WORK, RULES, int64))
def grow_flat(tree: LinkedTree, work: Work, rules: Rules, iterations: Int) -> Int:
    """Play from each leaf in turn, round after round."""
    for _ in range(iterations):
        node = next_leaf(tree, work.state)
        mine, mask, _depth = position_of(node, tree, work, rules)
        simulate_and_back_up(node, mine, mask, tree, work, rules)
    return iterations
