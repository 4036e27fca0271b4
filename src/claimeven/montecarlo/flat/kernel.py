"""The compiled searches without a selection formula: flat and breadth-first.

Both use the records of `tree.kernel`, and one more int32 for each node, its parent (NO_NODE at the
root), for backing up a result from any node. `textbook` contains the same searches on positions,
draw for draw.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import inlined, kernel, named_tuple, popcount, trailing_zeros
from claimeven.compiled.types import Int, Ints, Word, int32, int64
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, HEIGHT, playable_cells
from claimeven.montecarlo import kernel as steps
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import SETUP, WORK, Setup, Work
from claimeven.montecarlo.tree.kernel import CHILD, META, NO_CHILDREN, TOTAL, VISITS, tree_records

# Fields of `state` after the shared ones: the next node of `breadth`, the index from which to look
# for the next leaf (`breadth`, `flat`), and 1 while `flat` holds a leaf, 0 if leaves take turns.
CURSOR, LEAF, HOLDS_LEAF, STATE_FIELDS = range(
    layout.SHARED_STATE_FIELDS, layout.SHARED_STATE_FIELDS + 4
)


class LinkedTree(NamedTuple):
    """A tree with the parents of its nodes."""

    nodes: npt.NDArray[np.int32]
    parents: npt.NDArray[np.int32]


LINKED_TREE: Final = named_tuple(LinkedTree, int32[:, ::1], int32[::1])


def linked_tree(capacity: int) -> LinkedTree:
    """Allocate a tree of up to `capacity` nodes."""
    return LinkedTree(tree_records(capacity), np.zeros(capacity, dtype=np.int32))


_0, _1 = np.uint64(0), np.uint64(1)


@inlined
def position_of(node: Int, tree: LinkedTree, work: Work, setup: Setup) -> tuple[Word, Word, Int]:
    """Discs of the side to move, all discs, and depth of a node, by its moves from the root."""
    depth = 0
    while tree.parents[node] != layout.NO_NODE:
        work.path[depth] = layout.column_of(tree.nodes[node, META])
        depth += 1
        node = np.int64(tree.parents[node])
    mine, mask = work.words[layout.MINE], work.words[layout.MASK]
    for step in range(depth - 1, -1, -1):
        mine ^= mask
        mask = steps.played(mask, work.path[step], setup.board)
    return mine, mask, depth


@inlined
def expand(node: Int, mask: Word, tree: LinkedTree, work: Work, setup: Setup) -> None:
    """Give a node a child for every column, left to right, if there is room."""
    nodes, child = tree.nodes, work.state[layout.USED]
    cells = playable_cells(mask, setup.board[BOTTOM], setup.board[BOARD])
    count = np.int64(popcount(cells))
    if child + count > nodes.shape[0]:
        work.state[layout.FULL] = 1
        return
    nodes[node, CHILD] = child
    nodes[node, META] |= count << layout.COUNT_SHIFT
    work.state[layout.USED] += count
    while cells != _0:
        nodes[child, VISITS] = 0
        nodes[child, TOTAL] = 0
        nodes[child, CHILD] = NO_CHILDREN
        cell = np.uint64(trailing_zeros(cells))
        nodes[child, META] = np.int64(cell // np.uint64(setup.board[HEIGHT]))
        tree.parents[child] = node
        cells &= cells - _1
        child += 1


@inlined
def simulate_and_back_up(
    node: Int, mine: Word, mask: Word, tree: LinkedTree, work: Work, setup: Setup
) -> None:
    """Count one result of a node, by its proof or a playout, in it and in all nodes above."""
    result = steps.simulate(layout.proof_of(tree.nodes[node, META]), mine, mask, work, setup)
    while node != layout.NO_NODE:
        tree.nodes[node, VISITS] += 1
        tree.nodes[node, TOTAL] += result
        result = -result
        node = np.int64(tree.parents[node])


@inlined
def next_leaf(tree: LinkedTree, state: Ints) -> Int:
    """Return the next leaf in order of creation, or the held leaf."""
    node = state[LEAF]
    while node == state[layout.USED] or tree.nodes[node, CHILD] != NO_CHILDREN:
        node = np.int64(0) if node == state[layout.USED] else node + 1
    state[LEAF] = node + 1 - state[HOLDS_LEAF]
    return node


@kernel(int64(LINKED_TREE, WORK, SETUP, int64))
def grow_breadth(tree: LinkedTree, work: Work, setup: Setup, iterations: Int) -> Int:
    """Take nodes in order of creation: expand each and make one playout from it.

    Without room for children nodes are not expanded. After the last node, the leaves of a full tree
    take turns, and a tree with every line of play completes the search. Returns the number of
    iterations: fewer if the search is complete.
    """
    nodes, state = tree.nodes, work.state
    iteration = np.int64(0)
    while iteration < iterations:
        # 1. The next node, or the next leaf of a full tree, and its position.
        is_complete = state[CURSOR] == state[layout.USED]
        if is_complete and state[layout.FULL] == 0:
            break
        if is_complete:
            node = next_leaf(tree, state)
        else:
            node = state[CURSOR]
            state[CURSOR] += 1
        mine, mask, depth = position_of(node, tree, work, setup)
        # 2. Expand, unless the game is over there.
        if not is_complete:
            nodes[node, META] = steps.prove_ending(nodes[node, META], mine, mask, setup.board)
            if layout.proof_of(nodes[node, META]) == layout.UNPROVEN:
                expand(node, mask, tree, work, setup)
        # 3. Simulate and back up.
        simulate_and_back_up(node, mine, mask, tree, work, setup)
        state[layout.DEPTH] = max(state[layout.DEPTH], depth)
        iteration += 1
    return iteration


@kernel(int64(LINKED_TREE, WORK, SETUP))
def plant_two_plies(tree: LinkedTree, work: Work, setup: Setup) -> Int:
    """Expand the root and its unfinished children, if there is room; the root already exists."""
    nodes, state = tree.nodes, work.state
    node = np.int64(0)
    while node < state[layout.USED]:
        mine, mask, depth = position_of(node, tree, work, setup)
        nodes[node, META] = steps.prove_ending(nodes[node, META], mine, mask, setup.board)
        if layout.proof_of(nodes[node, META]) == layout.UNPROVEN and depth < 2:
            expand(node, mask, tree, work, setup)
        state[layout.DEPTH] = max(state[layout.DEPTH], depth)
        node += 1
    return state[layout.USED]


@kernel(int64(LINKED_TREE, WORK, SETUP, int64))
def grow_flat(tree: LinkedTree, work: Work, setup: Setup, iterations: Int) -> Int:
    """Play from each leaf in turn, round after round."""
    for _ in range(iterations):
        node = next_leaf(tree, work.state)
        mine, mask, _depth = position_of(node, tree, work, setup)
        simulate_and_back_up(node, mine, mask, tree, work, setup)
    return iterations
