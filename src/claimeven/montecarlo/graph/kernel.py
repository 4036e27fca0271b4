"""The compiled UCT search on a graph of positions. Contract of the arrays: see `layout`.

`textbook` is the same search on positions, draw for draw and visit for visit.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel, popcount, trailing_zeros
from claimeven.game.tactics_kernel import HEIGHT, mirrored
from claimeven.montecarlo.formula_kernel import Floats, inverse_root_kernel, log_root_kernel
from claimeven.montecarlo.graph.layout import (
    EDGE_TARGET,
    EDGE_VISITS,
    EDGES,
    EMPTY,
    GRAPH_ROOT,
    KEY,
    META,
    NO_EDGES,
    OWN_TOTAL,
    USED_EDGES,
    VALUE,
    VISITS,
    edge_column,
    edge_node,
    edge_target,
)
from claimeven.montecarlo.kernel import (
    cells_to_try,
    glance,
    played,
    shuffle,
    simulate,
    worst_so_far,
)
from claimeven.montecarlo.layout import (
    COUNT_SHIFT,
    DECISIVE,
    DEPTH,
    FULL,
    MASK,
    MINE,
    MIRROR,
    PROVEN_LOSS,
    PROVEN_WIN,
    RANDOM_STATE,
    SHUFFLED,
    SOLVER,
    UNPROVEN,
    USED,
    Records,
    count_of,
    distance_of,
    proof_of,
    proof_result,
    with_proof,
)
from claimeven.montecarlo.playouts.layout import COLUMNS

_0, _1 = np.uint64(0), np.uint64(1)
_SPREAD_KEYS, _32 = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_LOWEST = -1.0e300


@inlined
def standing(mine: Word, mask: Word, mirror: bool, board: Words) -> tuple[Word, Word]:
    """Return the position, or with `mirror` the one of it and its image with the smaller key."""
    if mirror:
        mine_image = mirrored(mine, board[COLUMNS], board[HEIGHT])
        mask_image = mirrored(mask, board[COLUMNS], board[HEIGHT])
        if mine_image + mask_image < mine + mask:
            return mine_image, mask_image
    return mine, mask


@inlined
def slot_of(key: Word, keys: Words, slots: Records) -> Int:
    """Slot that holds a key's node, or the empty slot where it belongs."""
    last = np.int64(slots.shape[0] - 1)
    slot = np.int64((key * _SPREAD_KEYS) >> _32) & last
    while slots[slot] != EMPTY and keys[slots[slot], KEY] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def new_node(
    slot: Int, key: Word, used: Int, nodes: Records, values: Floats, keys: Words, slots: Records
) -> None:
    """Fill the record of node `used` and its slot."""
    nodes[used, VISITS] = 0
    nodes[used, OWN_TOTAL] = 0
    nodes[used, EDGES] = NO_EDGES
    nodes[used, META] = 0
    values[used, VALUE] = 0.0
    keys[used, KEY] = key
    slots[slot] = used


@kernel("int64(int32[:, ::1], float64[:, ::1], uint64[:, ::1], int32[::1], int64[::1], uint64)")
def root_of(
    nodes: Records, values: Floats, keys: Words, slots: Records, state: Ints, key: Word
) -> Int:
    """Node of a key, made if need be and there is room; -1 without room."""
    slot = slot_of(key, keys, slots)
    if slots[slot] != EMPTY:
        return np.int64(slots[slot])
    node = state[USED]
    if node >= nodes.shape[0]:
        return np.int64(-1)
    new_node(slot, key, node, nodes, values, keys, slots)
    state[USED] += 1
    return node


@inlined
def selected_edge(
    node: Int,
    weight: float,
    solver: bool,
    nodes: Records,
    values: Floats,
    edges: Records,
    inverse_roots: Floats,
    log_roots: Floats,
) -> Int:
    """Edge of a node with the greatest upper bound, the first of equals: an untried one at once,
    a proven win at once; proven losses are passed over.
    """
    first = np.int64(nodes[node, EDGES])
    spread = weight * log_root_kernel(nodes[node, VISITS], log_roots)
    best = _LOWEST
    chosen: Int = first
    for edge in range(first, first + count_of(nodes[node, META])):
        visits = edges[edge, EDGE_VISITS]
        if visits == 0:
            return edge
        child = edge_node(edges[edge, EDGE_TARGET])
        if solver:
            proof = proof_of(nodes[child, META])
            if proof == PROVEN_WIN:
                return edge
            if proof == PROVEN_LOSS:
                continue
        bound = values[child, VALUE] + spread * inverse_root_kernel(visits, inverse_roots)
        if bound > best:
            best = bound
            chosen = edge
    return chosen


@inlined
def expanded_edges(
    node: Int,
    used: Int,
    cells: Word,
    shuffled: bool,
    rng: Word,
    board: Words,
    nodes: Records,
    edges: Records,
) -> tuple[Int, Word]:
    """Give a node an edge for every cell. Returns the new number of used edges, the same when
    there is no room, and the random state.
    """
    count = np.int64(popcount(cells))
    if used + count > edges.shape[0]:
        return used, rng
    edge = used
    while cells != _0:
        edges[edge, EDGE_VISITS] = 0
        edges[edge, EDGE_TARGET] = edge_target(trailing_zeros(cells) // board[HEIGHT], -1)
        cells &= cells - _1
        edge += 1
    if shuffled:
        rng = shuffle(edges, EDGE_TARGET, used, count, rng)
    nodes[node, EDGES] = used
    nodes[node, META] |= count << COUNT_SHIFT
    return used + count, rng


@inlined
def prove(node: Int, child: Int, nodes: Records, edges: Records) -> bool:
    """Prove a node from a proven child, where possible; returns whether it is proven."""
    meta = nodes[child, META]
    if proof_of(meta) == PROVEN_WIN:
        nodes[node, META] = with_proof(nodes[node, META], PROVEN_LOSS, distance_of(meta) + 1)
        return True
    first = np.int64(nodes[node, EDGES])
    proof = PROVEN_WIN
    longest = np.int64(0)
    for edge in range(first, first + count_of(nodes[node, META])):
        other = edge_node(edges[edge, EDGE_TARGET])
        if other < 0:
            return False
        meta = nodes[other, META]
        if proof_of(meta) == UNPROVEN:
            return False
        proof, longest = worst_so_far(proof, longest, meta)
    nodes[node, META] = with_proof(nodes[node, META], proof, longest + 1)
    return True


@inlined
def revalued(node: Int, nodes: Records, values: Floats, edges: Records) -> float:
    """Value of a node from its own results and its children's values."""
    total = np.float64(nodes[node, OWN_TOTAL])
    first = np.int64(nodes[node, EDGES])
    if first != NO_EDGES:
        for edge in range(first, first + count_of(nodes[node, META])):
            visits = edges[edge, EDGE_VISITS]
            if visits > 0:
                total -= visits * values[edge_node(edges[edge, EDGE_TARGET]), VALUE]
    value: float = total / nodes[node, VISITS]
    return value


@kernel(
    "int64(int32[:, ::1], float64[:, ::1], uint64[:, ::1], int32[:, ::1], int32[::1], int64[::1],"
    " uint64[::1], int64[::1], int64[::1], uint64[::1], float64, float64[::1], float64[::1], int64)"
)
def grow_graph(
    nodes: Records,
    values: Floats,
    keys: Words,
    edges: Records,
    slots: Records,
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
    """Grow a graph by iterations of UCT. Returns how many: fewer once the root is proven.

    The root stands in `state[GRAPH_ROOT]`, its position (as `standing` turns it) in `words`.
    `path`: room for 2 * cells + 2 numbers.
    """
    rng = words[RANDOM_STATE]
    used, used_edges = state[USED], state[USED_EDGES]
    root = state[GRAPH_ROOT]
    solver, decisive = settings[SOLVER] != 0, settings[DECISIVE] != 0
    mirror = settings[MIRROR] != 0
    made = np.int64(0)
    while made < iterations:
        if solver and proof_of(nodes[root, META]) != UNPROVEN:
            break
        made += 1
        # 1. Select: follow the greatest upper bound down to a leaf, or to a child that has been
        #    visited more often than the edge to it, which then catches up by a visit.
        node, depth = root, 0
        mine, mask = words[MINE], words[MASK]
        caught_up = False
        while True:
            meta = nodes[node, META]
            if proof_of(meta) != UNPROVEN and (solver or nodes[node, EDGES] == NO_EDGES):
                break
            if nodes[node, EDGES] == NO_EDGES:
                if nodes[node, VISITS] == 0 and depth > 0:
                    break
                # 2. Expand: a leaf met again gets its edges.
                cells = cells_to_try(mine, mask, decisive, board)
                before = used_edges
                used_edges, rng = expanded_edges(
                    node, used_edges, cells, settings[SHUFFLED] != 0, rng, board, nodes, edges
                )
                if used_edges == before:
                    state[FULL] = 1
                    break
            edge = np.int64(
                selected_edge(node, weight, solver, nodes, values, edges, inverse_roots, log_roots)
            )
            target = edges[edge, EDGE_TARGET]
            child = edge_node(target)
            after = played(mask, edge_column(target), board)
            moved, after = standing(mine ^ mask, after, mirror, board)
            if child < 0:
                slot = slot_of(moved + after, keys, slots)
                if slots[slot] == EMPTY:
                    if used >= nodes.shape[0]:
                        state[FULL] = 1
                        break
                    new_node(slot, moved + after, used, nodes, values, keys, slots)
                    nodes[used, META] = glance(0, moved, after, decisive, board)
                    used += 1
                child = np.int64(slots[slot])
                edges[edge, EDGE_TARGET] = edge_target(edge_column(target), child)
            path[2 * depth] = node
            path[2 * depth + 1] = edge
            depth += 1
            node, mine, mask = child, moved, after
            if nodes[node, VISITS] > edges[edge, EDGE_VISITS]:
                caught_up = True
                break
        state[DEPTH] = max(state[DEPTH], depth)
        # 3. Simulate: the proof, or a playout, as the player sees it who moved into the leaf.
        proof = proof_of(nodes[node, META])
        if not caught_up:
            result, rng = simulate(proof, mine, mask, rng, settings, board, words)
            nodes[node, OWN_TOTAL] += result
            nodes[node, VISITS] += 1
            values[node, VALUE] = revalued(node, nodes, values, edges)
        if proof != UNPROVEN:
            values[node, VALUE] = proof_result(proof)
        # 4. Back up: edge visits, values worked out anew, and proofs as far as they reach.
        proven = solver and proof != UNPROVEN
        while depth > 0:
            depth -= 1
            child, node = node, path[2 * depth]
            edges[path[2 * depth + 1], EDGE_VISITS] += 1
            nodes[node, VISITS] += 1
            if proven:
                proven = prove(node, child, nodes, edges)
            if proven:
                values[node, VALUE] = proof_result(proof_of(nodes[node, META]))
            else:
                values[node, VALUE] = revalued(node, nodes, values, edges)
    words[RANDOM_STATE] = rng
    state[USED], state[USED_EDGES] = used, used_edges
    return made
