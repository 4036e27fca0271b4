"""The compiled UCT search on a tree, and the tree as one array of small records, `nodes`:

```text
    nodes[i] = VISITS | TOTAL | CHILD | META        four int32, 16 bytes
```

A node represents a move and the position after it. VISITS counts iterations through it, TOTAL
sums their results (-1, 0, +1) from the view of the mover. CHILD is the index of its first child,
NO_CHILDREN before it is expanded; the children are adjacent, in the order of their first visits.
META: see `montecarlo.layout`. Node 0 is the root, without a move; its results are from the view of
the side not to move.

Children always come after their parent. Positions are not stored: a descent plays the moves. A
search stops at MAX_VISITS of the root, so VISITS and TOTAL never overflow.

`textbook` is the same search on positions, draw for draw and visit for visit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, Word, inlined, int32, int64, kernel, popcount, trailing_zeros
from claimeven.game.bitboard_kernel import HEIGHT
from claimeven.montecarlo import kernel as steps
from claimeven.montecarlo import layout
from claimeven.montecarlo.formula import (
    FORMULA,
    TOLERANCE,
    Formula,
    spread_kernel,
    upper_bound_kernel,
)
from claimeven.montecarlo.layout import SETUP, WORK, Records, Setup, Work

VISITS, TOTAL, CHILD, META, FIELDS = range(5)

NO_CHILDREN: Final = -1
ROOT: Final = 0
#: The record of a new root.
NEW_ROOT: Final = (0, 0, NO_CHILDREN, 0)


def tree_records(capacity: int) -> npt.NDArray[np.int32]:
    """Allocate a tree of up to `capacity` nodes."""
    return np.zeros((capacity, FIELDS), dtype=np.int32)


_0, _1 = np.uint64(0), np.uint64(1)
_LOWEST = -1.0e300


@inlined
def best_child(node: Int, nodes: Records, work: Work, setup: Setup, formula: Formula) -> Int:
    """Child of an expanded node with the greatest upper bound. An unvisited child comes first or,
    with ALL_AT_ONCE, counts as one won playout. Ties go to the first child or a random one. Proven
    losses are skipped.
    """
    first = np.int64(nodes[node, CHILD])
    spread = spread_kernel(nodes[node, VISITS], formula)
    best, equals = _LOWEST, 1
    chosen: Int = first
    last = first + layout.count_of(nodes[node, META]) - 1
    tolerance = 0.0
    # Children get their first visits in order: no draw before the last one is visited.
    draws = nodes[last, VISITS] != 0 or setup.settings[layout.ALL_AT_ONCE] != 0
    if setup.settings[layout.RANDOM_TIES] != 0 and draws:
        tolerance = TOLERANCE
    for child in range(first, last + 1):
        visits = nodes[child, VISITS]
        if visits == 0:
            if setup.settings[layout.ALL_AT_ONCE] == 0:
                return child
            bound = 1.0 + spread
        else:
            if (
                setup.settings[layout.SOLVER] != 0
                and layout.proof_of(nodes[child, META]) == layout.PROVEN_LOSS
            ):
                continue
            bound = upper_bound_kernel(nodes[child, TOTAL], visits, spread, formula)
        if bound > best + tolerance:
            best, equals = bound, 1
            chosen = child
        elif tolerance != 0.0 and bound >= best - tolerance:
            equals += 1
            if steps.draw(equals, work.words) == 0:
                chosen = child
    return chosen


@inlined
def expand(node: Int, cells: Word, nodes: Records, work: Work, setup: Setup) -> bool:
    """Give a node a child for every cell, ordered or shuffled; return False without room."""
    first = work.state[layout.USED]
    count = np.int64(popcount(cells))
    if first + count > nodes.shape[0]:
        work.state[layout.FULL] = 1
        return False
    child = first
    while cells != _0:
        nodes[child, VISITS] = 0
        nodes[child, TOTAL] = 0
        nodes[child, CHILD] = NO_CHILDREN
        cell = np.uint64(trailing_zeros(cells))
        nodes[child, META] = np.int64(cell // np.uint64(setup.board[HEIGHT]))
        cells &= cells - _1
        child += 1
    if setup.settings[layout.SHUFFLED] != 0:
        steps.shuffle(nodes, META, first, count, work.words)
    nodes[node, CHILD] = first
    nodes[node, META] |= count << layout.COUNT_SHIFT
    work.state[layout.USED] = first + count
    return True


@inlined
def select(
    nodes: Records, work: Work, setup: Setup, formula: Formula
) -> tuple[Int, Int, Word, Word]:
    """Follow the greatest upper bound down to a leaf and play its moves. A leaf with an earlier
    visit (with ALL_AT_ONCE every leaf) is expanded on the way.

    Returns the leaf, its depth, and the discs there; `work.path` contains the nodes of the path.
    """
    settings, board = setup.settings, setup.board
    node, depth = np.int64(ROOT), 0
    mine, mask = work.words[layout.MINE], work.words[layout.MASK]
    work.path[0] = ROOT
    while True:
        is_leaf = nodes[node, CHILD] == NO_CHILDREN
        if layout.proof_of(nodes[node, META]) != layout.UNPROVEN and (
            settings[layout.SOLVER] != 0 or is_leaf
        ):
            break
        if is_leaf:
            if nodes[node, VISITS] == 0 and depth > 0 and settings[layout.ALL_AT_ONCE] == 0:
                break
            cells = steps.candidate_cells(mine, mask, settings[layout.DECISIVE] != 0, board)
            if not expand(node, cells, nodes, work, setup):
                break
        at_random = is_leaf and settings[layout.ALL_AT_ONCE] != 0
        if at_random:
            node = nodes[node, CHILD] + steps.draw(layout.count_of(nodes[node, META]), work.words)
        else:
            node = best_child(node, nodes, work, setup, formula)
        depth += 1
        work.path[depth] = node
        meta = nodes[node, META]
        mine ^= mask
        mask = steps.played(mask, layout.column_of(meta), board)
        if nodes[node, VISITS] == 0:
            nodes[node, META] = steps.prove_new(
                meta, mine, mask, settings[layout.DECISIVE] != 0, board
            )
            if at_random:
                break
    return node, depth, mine, mask


@inlined
def prove(node: Int, child: Int, nodes: Records) -> bool:
    """Prove a node from its newly proven child if possible; return whether it is proven."""
    meta = nodes[child, META]
    if layout.proof_of(meta) == layout.PROVEN_WIN:
        nodes[node, META] = layout.with_proof(
            nodes[node, META], layout.PROVEN_LOSS, layout.distance_of(meta) + 1
        )
        return True
    first = nodes[node, CHILD]
    proof = layout.PROVEN_WIN
    longest = np.int64(0)
    for other in range(first, first + layout.count_of(nodes[node, META])):
        meta = nodes[other, META]
        if layout.proof_of(meta) == layout.UNPROVEN:
            return False
        proof, longest = steps.combine_proof(proof, longest, meta)
    nodes[node, META] = layout.with_proof(nodes[node, META], proof, longest + 1)
    return True


@inlined
def back_up(leaf: Int, depth: Int, result: Int, nodes: Records, work: Work, setup: Setup) -> None:
    """Count a result along the path, with alternating sign, and back up proofs."""
    proven = (
        setup.settings[layout.SOLVER] != 0 and layout.proof_of(nodes[leaf, META]) != layout.UNPROVEN
    )
    node = leaf
    while True:
        nodes[node, VISITS] += 1
        nodes[node, TOTAL] += result
        if depth == 0:
            break
        depth -= 1
        child, node = node, work.path[depth]
        result = -result
        if proven:
            proven = prove(node, child, nodes)
            if proven:
                result = np.int64(layout.proof_result(layout.proof_of(nodes[node, META])))


@kernel(int64(int32[:, ::1], WORK, SETUP, FORMULA, int64), trusting=True)
def grow_tree(nodes: Records, work: Work, setup: Setup, formula: Formula, iterations: Int) -> Int:
    """Make iterations of UCT and return their number: fewer if the root gets proven."""
    solver = setup.settings[layout.SOLVER] != 0
    iteration = np.int64(0)
    while iteration < iterations and not (
        solver and layout.proof_of(nodes[ROOT, META]) != layout.UNPROVEN
    ):
        iteration += 1
        # 1, 2. Select a leaf, expand one on the way.
        leaf, depth, mine, mask = select(nodes, work, setup, formula)
        work.state[layout.DEPTH] = max(work.state[layout.DEPTH], depth)
        # 3. Simulate.
        result = steps.simulate(layout.proof_of(nodes[leaf, META]), mine, mask, work, setup)
        # 4. Back up.
        back_up(leaf, depth, result, nodes, work, setup)
    return iteration


@kernel(int64(int32[:, ::1], int32[::1], int64))
def keep_subtree(nodes: Records, new_index: Records, root: Int) -> Int:
    """Make `root` the root: move its subtree to the front and drop the other nodes.

    Only the first `len(new_index)` nodes are read, which limits the time. A node with children
    beyond them becomes a leaf again. Returns the new number of used nodes. Children come after
    their parents, before and after, so one forward pass marks, and one moves without overwriting.
    """
    limit = np.int64(new_index.shape[0])
    # 1. Mark the nodes below the root.
    for node in range(limit):
        new_index[node] = 0
    new_index[root] = 1
    for node in range(root, limit):
        if new_index[node] != 0 and nodes[node, CHILD] != NO_CHILDREN:
            first = np.int64(nodes[node, CHILD])
            last = first + layout.count_of(nodes[node, META])
            if last > limit:
                nodes[node, CHILD] = NO_CHILDREN
                nodes[node, META] &= ~(layout.COUNT_MASK << layout.COUNT_SHIFT)
            else:
                for child in range(first, last):
                    new_index[child] = 1
    # 2. Number the marked nodes.
    used = np.int64(0)
    for node in range(limit):
        if new_index[node] != 0:
            new_index[node] = used
            used += 1
        else:
            new_index[node] = -1
    # 3. Move them.
    for node in range(root, limit):
        place = new_index[node]
        if place >= 0:
            child = nodes[node, CHILD]
            nodes[place, VISITS] = nodes[node, VISITS]
            nodes[place, TOTAL] = nodes[node, TOTAL]
            nodes[place, CHILD] = new_index[child] if child != NO_CHILDREN else NO_CHILDREN
            nodes[place, META] = nodes[node, META]
    return used
