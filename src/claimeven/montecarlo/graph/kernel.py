"""The compiled UCT search on a graph of positions: a tree whose equal positions share a node.

```text
    record of a node, 32 bytes, seen as int32, float64 and uint64
        VISITS | OWN_TOTAL | EDGES | META | VALUE (float64) | KEY (uint64)
    or of a wide board 64 bytes: the key is the fourth of its 128-bit words
    record of an edge, 8 bytes
        EDGE_VISITS | COLUMN AND NODE       bits 0-26 node + 1 (0: none), 27-30 column
    slots: open addressing from a key to its node, EMPTY without a node
```

Visits are counted on edges, because several edges lead to a node. VISITS of a node counts the
visits of its edges and its own playouts, whose results add up in OWN_TOTAL. VALUE is computed from
the children at each visit of the node: the mean of its own results and its children's values,
weighted by the visits of the edges. The path to a child therefore does not matter (Wu, "Monte-Carlo
graph search from first principles", 2022). META: see `montecarlo.layout`.

An iteration visits a node at most once, so MADE, the iterations since the graph was cleared, limits
all visits. A search stops at MAX_VISITS. At more than half of it the graph is cleared before the
next decision.

A full graph replaces a position by a new one: the least visited of BUCKET adjacent places, the
first determined by the key. Each move to the replaced position is unvisited again, and the results
of its visits count as own playouts of the node before the move.

The edges of node i start at i * columns. A million nodes of seven columns take at most 92 MiB: 32
bytes of record, seven edges of 8, and slots. Memory of unused edges is never touched.

`textbook` is the same search on positions, draw for draw and visit for visit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import (
    folded,
    inlined,
    kernel,
    named_tuple,
    popcount,
    trailing_zeros,
)
from claimeven.compiled.types import Int, Ints, Word, Words, float64, int32, int64, uint64
from claimeven.compiled.wide import words
from claimeven.game.bitboard_kernel import BOTTOM, HEIGHT, mirrored
from claimeven.game.perft_kernel import split_key
from claimeven.montecarlo import kernel as steps
from claimeven.montecarlo import layout
from claimeven.montecarlo.formula import FORMULA, Formula, inverse_root_kernel, spread_kernel
from claimeven.montecarlo.layout import SETUP, WORK, Setup, Work

VISITS, OWN_TOTAL, EDGES, META = range(4)
VALUE: Final = 2  # index among the float64 of a record
KEY: Final = 3  # index among the uint64 of a record
EDGE_VISITS, EDGE_TARGET = range(2)

NO_EDGES: Final = -1
EMPTY: Final = -1

_TARGET_BITS: Final = 27
_TARGET_MASK: Final = (1 << _TARGET_BITS) - 1

# Fields of `state` after the shared ones: the root's node, and the iterations since the graph was
# cleared.
GRAPH_ROOT, TOTAL_ITERATIONS, STATE_FIELDS = range(
    layout.SHARED_STATE_FIELDS, layout.SHARED_STATE_FIELDS + 3
)


class Graph(NamedTuple):
    """The arrays of a graph; the first three are views of the same memory."""

    nodes: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]
    keys: npt.NDArray[np.uint64]
    edges: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]


GRAPH: Final = named_tuple(
    Graph, int32[:, ::1], float64[:, ::1], uint64[:, ::1], int32[:, ::1], int32[::1]
)


def graph_arrays(capacity: int, columns: int, bits: int) -> Graph:
    """Allocate an empty graph of up to `capacity` positions of boards of `bits` bits."""
    keys = words((capacity, 4), bits)
    memory = keys.view(np.ndarray)
    slots = 1 << max(capacity * 4 // 3, 1).bit_length()
    return Graph(
        memory.view(np.int32),
        memory.view(np.float64),
        keys,
        np.zeros((capacity * columns, 2), dtype=np.int32),
        np.full(slots, EMPTY, dtype=np.int32),
    )


@inlined
def edge_column(target: Int) -> Int:
    """Column of an edge."""
    return np.int64(target) >> _TARGET_BITS


@inlined
def edge_node(target: Int) -> Int:
    """Node at the end of an edge, -1 without one."""
    return (np.int64(target) & _TARGET_MASK) - 1


@inlined
def edge_target(column: Int, node: Int) -> Int:
    """The EDGE_TARGET field of an edge, the inverse of `edge_column` and `edge_node`."""
    return (np.int64(column) << _TARGET_BITS) | (np.int64(node) + 1)


def unpack_edge(target: int) -> tuple[int, int]:
    """Column and node of an EDGE_TARGET field, for use from Python."""
    return target >> _TARGET_BITS, (target & _TARGET_MASK) - 1


_0, _1 = np.uint64(0), np.uint64(1)
_SPREAD_KEYS, _32 = np.uint64(layout.SPREAD_KEYS), np.uint64(32)
_LOWEST = -1.0e300


@inlined
def canonical(mine: Word, mask: Word, mirror: bool, board: Words) -> tuple[Word, Word]:
    """Return the position or, with `mirror`, its mirror image if that has the smaller key."""
    if mirror:
        mine_image = mirrored(mine, board[layout.COLUMNS], board[HEIGHT])
        mask_image = mirrored(mask, board[layout.COLUMNS], board[HEIGHT])
        if mine_image + mask_image < mine + mask:
            return mine_image, mask_image
    return mine, mask


@inlined
def spread(key: Word) -> Int:
    """Spread a key over the numbers below 2^32."""
    return np.int64((folded(key) * _SPREAD_KEYS) >> _32)


@inlined
def slot_of(key: Word, graph: Graph) -> Int:
    """Slot of a key's node, or the empty slot for it."""
    last = np.int64(graph.slots.shape[0] - 1)
    slot = spread(key) & last
    while graph.slots[slot] != EMPTY and graph.keys[graph.slots[slot], KEY] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def place_of(key: Word, graph: Graph, path: Ints, depth: Int) -> Int:
    """Place of a new position in a full graph (see above), except the places of the first `depth` +
    1 nodes of a path. NO_NODE without a free place.
    """
    capacity = np.int64(graph.nodes.shape[0])
    place = spread(key) * capacity >> 32
    best_place, fewest = np.int64(layout.NO_NODE), np.int64(layout.MAX_VISITS) + 1
    for _ in range(layout.BUCKET):
        is_on_path = False
        for step in range(depth + 1):
            is_on_path = is_on_path or path[2 * step] == place
        if not is_on_path and graph.nodes[place, VISITS] < fewest:
            best_place, fewest = place, np.int64(graph.nodes[place, VISITS])
        place = place + 1 if place + 1 < capacity else np.int64(0)
    return best_place


@inlined
def free_slot(slot: Int, graph: Graph) -> None:
    """Clear a slot and move displaced entries after it up."""
    slots, last = graph.slots, np.int64(graph.slots.shape[0] - 1)
    hole = slot
    slot = (slot + 1) & last
    while slots[slot] != EMPTY:
        home = spread(graph.keys[slots[slot], KEY]) & last
        if (slot - home) & last >= (slot - hole) & last:
            slots[hole] = slots[slot]
            hole = slot
        slot = (slot + 1) & last
    slots[hole] = EMPTY


@inlined
def forget(node: Int, graph: Graph, setup: Setup) -> None:
    """Remove a position from the graph: each move to it is unvisited again (see above)."""
    board, key = setup.board, graph.keys[node, KEY]
    free_slot(slot_of(key, graph), graph)
    mine, mask = split_key(key, board[HEIGHT], board[BOTTOM])
    # A position before lacks one top disc of the side that has just moved.
    discs = mask & ~(mask >> _1) & ~mine
    while discs != _0:
        disc = discs & (~discs + _1)
        discs ^= disc
        turn, before = canonical(
            mine ^ mask ^ disc, mask ^ disc, setup.settings[layout.MIRROR] != 0, board
        )
        parent = np.int64(graph.slots[slot_of(turn + before, graph)])
        if parent == EMPTY or graph.nodes[parent, EDGES] == NO_EDGES:
            continue
        first = np.int64(graph.nodes[parent, EDGES])
        for edge in range(first, first + layout.count_of(graph.nodes[parent, META])):
            target = graph.edges[edge, EDGE_TARGET]
            if edge_node(target) == node:
                results = graph.edges[edge, EDGE_VISITS] * graph.values[node, VALUE]
                graph.nodes[parent, OWN_TOTAL] += np.int64(np.floor(0.5 - results))
                graph.edges[edge, EDGE_VISITS] = 0
                graph.edges[edge, EDGE_TARGET] = edge_target(edge_column(target), layout.NO_NODE)


@inlined
def get_or_add_node(key: Word, depth: Int, graph: Graph, work: Work, setup: Setup) -> Int:
    """Node of a key, or a new node: after all others or, in a full graph, in the place of another
    that is not among the first `depth` + 1 of the path. NO_NODE without room.
    """
    state, slot = work.state, slot_of(key, graph)
    if graph.slots[slot] != EMPTY:
        return np.int64(graph.slots[slot])
    node = state[layout.USED]
    if node < graph.nodes.shape[0]:
        state[layout.USED] = node + 1
    else:
        state[layout.FULL] = 1
        node = place_of(key, graph, work.path, depth)
        if node == layout.NO_NODE:
            return node
        forget(node, graph, setup)
        slot = slot_of(key, graph)
    graph.nodes[node, VISITS] = 0
    graph.nodes[node, OWN_TOTAL] = 0
    graph.nodes[node, EDGES] = NO_EDGES
    graph.nodes[node, META] = 0
    graph.values[node, VALUE] = 0.0
    graph.keys[node, KEY] = key
    graph.slots[slot] = node
    return node


@kernel(int64(GRAPH, WORK, SETUP, uint64))
def root_of(graph: Graph, work: Work, setup: Setup, key: Word) -> Int:
    """`get_or_add_node`, for the root of a search."""
    return get_or_add_node(key, np.int64(-1), graph, work, setup)


@kernel(int64(GRAPH, uint64))
def find_place(graph: Graph, key: Word) -> Int:
    """Place of the node of a key, or NO_NODE."""
    node = graph.slots[slot_of(key, graph)]
    return np.int64(layout.NO_NODE if node == EMPTY else node)


@inlined
def best_edge(node: Int, graph: Graph, setup: Setup, formula: Formula) -> Int:
    """Edge of a node with the greatest upper bound, the first of equals. An unvisited edge or a
    proven win is taken immediately; proven losses are skipped.
    """
    first = np.int64(graph.nodes[node, EDGES])
    spread = spread_kernel(graph.nodes[node, VISITS], formula)
    best = _LOWEST
    chosen: Int = first
    for edge in range(first, first + layout.count_of(graph.nodes[node, META])):
        visits = graph.edges[edge, EDGE_VISITS]
        if visits == 0:
            return edge
        child = edge_node(graph.edges[edge, EDGE_TARGET])
        if setup.settings[layout.SOLVER] != 0:
            proof = layout.proof_of(graph.nodes[child, META])
            if proof == layout.PROVEN_WIN:
                return edge
            if proof == layout.PROVEN_LOSS:
                continue
        bound = graph.values[child, VALUE] + spread * inverse_root_kernel(visits, formula)
        if bound > best:
            best = bound
            chosen = edge
    return chosen


@inlined
def expand(node: Int, cells: Word, graph: Graph, work: Work, setup: Setup) -> None:
    """Give a node an edge for every cell, in order of the columns or shuffled."""
    first = node * np.int64(setup.board[layout.COLUMNS])
    count = np.int64(popcount(cells))
    edge = first
    while cells != _0:
        cell = np.uint64(trailing_zeros(cells))
        column = np.int64(cell // np.uint64(setup.board[HEIGHT]))
        graph.edges[edge, EDGE_VISITS] = 0
        graph.edges[edge, EDGE_TARGET] = edge_target(column, layout.NO_NODE)
        cells &= cells - _1
        edge += 1
    if setup.settings[layout.SHUFFLED] != 0:
        steps.shuffle(graph.edges, EDGE_TARGET, first, count, work.words)
    graph.nodes[node, EDGES] = first
    graph.nodes[node, META] |= count << layout.COUNT_SHIFT


@inlined
def select(
    graph: Graph, work: Work, setup: Setup, formula: Formula
) -> tuple[Int, Int, Word, Word, bool]:
    """Follow the greatest upper bound down to a leaf, or to a child with more visits than the edge
    to it, which then catches up by a visit.

    Returns the leaf, its depth, the discs there, and whether the last edge only catches up.
    `work.path` contains the nodes and edges of the path, alternating.
    """
    settings, board, state = setup.settings, setup.board, work.state
    decisive = settings[layout.DECISIVE] != 0
    node, depth = state[GRAPH_ROOT], 0
    mine, mask = work.words[layout.MINE], work.words[layout.MASK]
    while True:
        work.path[2 * depth] = node
        is_leaf = graph.nodes[node, EDGES] == NO_EDGES
        if layout.proof_of(graph.nodes[node, META]) != layout.UNPROVEN and (
            settings[layout.SOLVER] != 0 or is_leaf
        ):
            break
        if is_leaf:
            if graph.nodes[node, VISITS] == 0 and depth > 0:
                break
            cells = steps.candidate_cells(mine, mask, decisive, board)
            expand(node, cells, graph, work, setup)
        edge = best_edge(node, graph, setup, formula)
        target = graph.edges[edge, EDGE_TARGET]
        column, child = edge_column(target), edge_node(target)
        after = steps.played(mask, column, board)
        after_mine, after = canonical(mine ^ mask, after, settings[layout.MIRROR] != 0, board)
        if child == layout.NO_NODE:
            child = get_or_add_node(after_mine + after, depth, graph, work, setup)
            if child == layout.NO_NODE:
                break
            if graph.nodes[child, VISITS] == 0 and graph.nodes[child, META] == 0:  # a new node
                graph.nodes[child, META] = steps.prove_new(0, after_mine, after, decisive, board)
            graph.edges[edge, EDGE_TARGET] = edge_target(column, child)
        work.path[2 * depth + 1] = edge
        depth += 1
        node, mine, mask = child, after_mine, after
        if graph.nodes[node, VISITS] > graph.edges[edge, EDGE_VISITS]:
            return node, depth, mine, mask, True
    return node, depth, mine, mask, False


@inlined
def prove(node: Int, child: Int, graph: Graph) -> bool:
    """Prove a node from a proven child if possible; return whether it is proven."""
    nodes = graph.nodes
    meta = nodes[child, META]
    if layout.proof_of(meta) == layout.PROVEN_WIN:
        nodes[node, META] = layout.with_proof(
            nodes[node, META], layout.PROVEN_LOSS, layout.distance_of(meta) + 1
        )
        return True
    first = np.int64(nodes[node, EDGES])
    proof = layout.PROVEN_WIN
    longest = np.int64(0)
    for edge in range(first, first + layout.count_of(nodes[node, META])):
        other = edge_node(graph.edges[edge, EDGE_TARGET])
        if other == layout.NO_NODE:
            return False
        meta = nodes[other, META]
        if layout.proof_of(meta) == layout.UNPROVEN:
            return False
        proof, longest = steps.combine_proof(proof, longest, meta)
    nodes[node, META] = layout.with_proof(nodes[node, META], proof, longest + 1)
    return True


@inlined
def update_value(node: Int, graph: Graph) -> None:
    """Compute a node's value from its own results and its children's values."""
    total = np.float64(graph.nodes[node, OWN_TOTAL])
    first = np.int64(graph.nodes[node, EDGES])
    if first != NO_EDGES:
        for edge in range(first, first + layout.count_of(graph.nodes[node, META])):
            visits = graph.edges[edge, EDGE_VISITS]
            if visits > 0:
                child = edge_node(graph.edges[edge, EDGE_TARGET])
                total -= visits * graph.values[child, VALUE]
    graph.values[node, VALUE] = total / graph.nodes[node, VISITS]


@inlined
def back_up(leaf: Int, depth: Int, graph: Graph, work: Work, setup: Setup) -> None:
    """Count a visit of every edge of the path; back up values and proofs."""
    node = leaf
    proven = (
        setup.settings[layout.SOLVER] != 0
        and layout.proof_of(graph.nodes[node, META]) != layout.UNPROVEN
    )
    while depth > 0:
        depth -= 1
        child, node = node, work.path[2 * depth]
        graph.edges[work.path[2 * depth + 1], EDGE_VISITS] += 1
        graph.nodes[node, VISITS] += 1
        if proven:
            proven = prove(node, child, graph)
        if proven:
            graph.values[node, VALUE] = layout.proof_result(
                layout.proof_of(graph.nodes[node, META])
            )
        else:
            update_value(node, graph)


@kernel(int64(GRAPH, WORK, SETUP, FORMULA, int64))
def grow_graph(graph: Graph, work: Work, setup: Setup, formula: Formula, iterations: Int) -> Int:
    """Grow a graph by iterations of UCT and return their number: fewer if the root gets proven
    (with the solver).

    The root's node is `state[GRAPH_ROOT]`; `words` contains its canonical position.
    """
    nodes, solver = graph.nodes, setup.settings[layout.SOLVER] != 0
    root = work.state[GRAPH_ROOT]
    iteration = np.int64(0)
    while iteration < iterations and not (
        solver and layout.proof_of(nodes[root, META]) != layout.UNPROVEN
    ):
        iteration += 1
        # 1, 2. Select a leaf, expand one on the way.
        leaf, depth, mine, mask, caught_up = select(graph, work, setup, formula)
        work.state[layout.DEPTH] = max(work.state[layout.DEPTH], depth)
        # 3. Simulate.
        proof = layout.proof_of(nodes[leaf, META])
        if not caught_up:
            nodes[leaf, OWN_TOTAL] += steps.simulate(proof, mine, mask, work, setup)
            nodes[leaf, VISITS] += 1
            update_value(leaf, graph)
        if proof != layout.UNPROVEN:
            graph.values[leaf, VALUE] = layout.proof_result(proof)
        # 4. Back up.
        back_up(leaf, depth, graph, work, setup)
    return iteration
