"""The compiled UCT search on a graph of positions. Contract of the arrays: see `layout`.

`textbook` is the same search on positions, draw for draw and visit for visit.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import (
    Int,
    Ints,
    Word,
    Words,
    inlined,
    int64,
    kernel,
    popcount,
    trailing_zeros,
    uint64,
)
from claimeven.game.tactics_kernel import HEIGHT, mirrored
from claimeven.montecarlo.formula_kernel import (
    FORMULA,
    Formula,
    inverse_root_kernel,
    spread_kernel,
)
from claimeven.montecarlo.graph.layout import (
    EDGE_TARGET,
    EDGE_VISITS,
    EDGES,
    EMPTY,
    GRAPH,
    GRAPH_ROOT,
    KEY,
    META,
    NO_EDGES,
    OWN_TOTAL,
    USED_EDGES,
    VALUE,
    VISITS,
    Graph,
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
    NO_NODE,
    PROVEN_LOSS,
    PROVEN_WIN,
    RULES,
    SHUFFLED,
    SOLVER,
    UNPROVEN,
    USED,
    WORK,
    Rules,
    Work,
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
def slot_of(key: Word, graph: Graph) -> Int:
    """Slot that holds a key's node, or the empty slot where it belongs."""
    last = np.int64(graph.slots.shape[0] - 1)
    slot = np.int64((key * _SPREAD_KEYS) >> _32) & last
    while graph.slots[slot] != EMPTY and graph.keys[graph.slots[slot], KEY] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def node_of(key: Word, graph: Graph, state: Ints) -> Int:
    """Node of a key, a new one (behind all others) if need be; NO_NODE where there is no room."""
    slot = slot_of(key, graph)
    if graph.slots[slot] != EMPTY:
        return np.int64(graph.slots[slot])
    node = state[USED]
    if node >= graph.nodes.shape[0]:
        state[FULL] = 1
        return np.int64(NO_NODE)
    graph.nodes[node, VISITS] = 0
    graph.nodes[node, OWN_TOTAL] = 0
    graph.nodes[node, EDGES] = NO_EDGES
    graph.nodes[node, META] = 0
    graph.values[node, VALUE] = 0.0
    graph.keys[node, KEY] = key
    graph.slots[slot] = node
    state[USED] = node + 1
    return node


@kernel(int64(GRAPH, int64[::1], uint64))
def root_of(graph: Graph, state: Ints, key: Word) -> Int:
    """`node_of`, for the root of a search."""
    return node_of(key, graph, state)


@inlined
def best_edge(node: Int, graph: Graph, rules: Rules, formula: Formula) -> Int:
    """Edge of a node with the greatest upper bound, the first of equals: an untried one at once,
    a proven win at once; proven losses are passed over.
    """
    first = np.int64(graph.nodes[node, EDGES])
    spread = spread_kernel(graph.nodes[node, VISITS], formula)
    best = _LOWEST
    chosen: Int = first
    for edge in range(first, first + count_of(graph.nodes[node, META])):
        visits = graph.edges[edge, EDGE_VISITS]
        if visits == 0:
            return edge
        child = edge_node(graph.edges[edge, EDGE_TARGET])
        if rules.settings[SOLVER] != 0:
            proof = proof_of(graph.nodes[child, META])
            if proof == PROVEN_WIN:
                return edge
            if proof == PROVEN_LOSS:
                continue
        bound = graph.values[child, VALUE] + spread * inverse_root_kernel(visits, formula)
        if bound > best:
            best = bound
            chosen = edge
    return chosen


@inlined
def expand(node: Int, cells: Word, graph: Graph, work: Work, rules: Rules) -> bool:
    """Give a node an edge for every cell, in order of the columns or shuffled; False, and nothing
    done, where there is no room.
    """
    first = work.state[USED_EDGES]
    count = np.int64(popcount(cells))
    if first + count > graph.edges.shape[0]:
        work.state[FULL] = 1
        return False
    edge = first
    while cells != _0:
        column = np.int64(trailing_zeros(cells) // rules.board[HEIGHT])
        graph.edges[edge, EDGE_VISITS] = 0
        graph.edges[edge, EDGE_TARGET] = edge_target(column, NO_NODE)
        cells &= cells - _1
        edge += 1
    if rules.settings[SHUFFLED] != 0:
        shuffle(graph.edges, EDGE_TARGET, first, count, work.words)
    graph.nodes[node, EDGES] = first
    graph.nodes[node, META] |= count << COUNT_SHIFT
    work.state[USED_EDGES] = first + count
    return True


@inlined
def select(
    graph: Graph, work: Work, rules: Rules, formula: Formula
) -> tuple[Int, Int, Word, Word, bool]:
    """Follow the greatest upper bound down to a leaf, or to a child that has been visited more
    often than the edge to it, which then catches up by a visit.

    Returns the leaf, its depth, the discs there, and whether the last edge only catches up. The
    nodes and edges passed stand in `work.path`, in turns.
    """
    settings, board, state = rules.settings, rules.board, work.state
    decisive = settings[DECISIVE] != 0
    node, depth = state[GRAPH_ROOT], 0
    mine, mask = work.words[MINE], work.words[MASK]
    while True:
        is_leaf = graph.nodes[node, EDGES] == NO_EDGES
        if proof_of(graph.nodes[node, META]) != UNPROVEN and (settings[SOLVER] != 0 or is_leaf):
            break
        if is_leaf:
            if graph.nodes[node, VISITS] == 0 and depth > 0:
                break
            cells = cells_to_try(mine, mask, decisive, board)
            if not expand(node, cells, graph, work, rules):
                break
        edge = best_edge(node, graph, rules, formula)
        target = graph.edges[edge, EDGE_TARGET]
        column, child = edge_column(target), edge_node(target)
        after = played(mask, column, board)
        moved, after = standing(mine ^ mask, after, settings[MIRROR] != 0, board)
        if child == NO_NODE:
            known = state[USED]
            child = node_of(moved + after, graph, state)
            if child == NO_NODE:
                break
            if child == known:  # a new one
                graph.nodes[child, META] = glance(0, moved, after, decisive, board)
            graph.edges[edge, EDGE_TARGET] = edge_target(column, child)
        work.path[2 * depth] = node
        work.path[2 * depth + 1] = edge
        depth += 1
        node, mine, mask = child, moved, after
        if graph.nodes[node, VISITS] > graph.edges[edge, EDGE_VISITS]:
            return node, depth, mine, mask, True
    return node, depth, mine, mask, False


@inlined
def prove(node: Int, child: Int, graph: Graph) -> bool:
    """Prove a node from a proven child, where possible; returns whether it is proven."""
    nodes = graph.nodes
    meta = nodes[child, META]
    if proof_of(meta) == PROVEN_WIN:
        nodes[node, META] = with_proof(nodes[node, META], PROVEN_LOSS, distance_of(meta) + 1)
        return True
    first = np.int64(nodes[node, EDGES])
    proof = PROVEN_WIN
    longest = np.int64(0)
    for edge in range(first, first + count_of(nodes[node, META])):
        other = edge_node(graph.edges[edge, EDGE_TARGET])
        if other == NO_NODE:
            return False
        meta = nodes[other, META]
        if proof_of(meta) == UNPROVEN:
            return False
        proof, longest = worst_so_far(proof, longest, meta)
    nodes[node, META] = with_proof(nodes[node, META], proof, longest + 1)
    return True


@inlined
def revalue(node: Int, graph: Graph) -> None:
    """Work out a node's value from its own results and its children's values."""
    total = np.float64(graph.nodes[node, OWN_TOTAL])
    first = np.int64(graph.nodes[node, EDGES])
    if first != NO_EDGES:
        for edge in range(first, first + count_of(graph.nodes[node, META])):
            visits = graph.edges[edge, EDGE_VISITS]
            if visits > 0:
                child = edge_node(graph.edges[edge, EDGE_TARGET])
                total -= visits * graph.values[child, VALUE]
    graph.values[node, VALUE] = total / graph.nodes[node, VISITS]


@inlined
def back_up(leaf: Int, depth: Int, graph: Graph, work: Work, rules: Rules) -> None:
    """Count a visit of every edge passed, work out the values anew from the leaf up, and carry
    proofs up as far as they reach.
    """
    node = leaf
    proven = rules.settings[SOLVER] != 0 and proof_of(graph.nodes[node, META]) != UNPROVEN
    while depth > 0:
        depth -= 1
        child, node = node, work.path[2 * depth]
        graph.edges[work.path[2 * depth + 1], EDGE_VISITS] += 1
        graph.nodes[node, VISITS] += 1
        if proven:
            proven = prove(node, child, graph)
        if proven:
            graph.values[node, VALUE] = proof_result(proof_of(graph.nodes[node, META]))
        else:
            revalue(node, graph)


@kernel(int64(GRAPH, WORK, RULES, FORMULA, int64))
def grow_graph(graph: Graph, work: Work, rules: Rules, formula: Formula, iterations: Int) -> Int:
    """Grow a graph by iterations of UCT. Returns how many were made: fewer once the root is proven
    (with the solver).

    The root's node is `state[GRAPH_ROOT]`; `words` hold its position as `standing` turns it.
    """
    nodes, solver = graph.nodes, rules.settings[SOLVER] != 0
    root = work.state[GRAPH_ROOT]
    made = np.int64(0)
    while made < iterations and not (solver and proof_of(nodes[root, META]) != UNPROVEN):
        made += 1
        # 1, 2. Select a leaf, expand one on the way.
        leaf, depth, mine, mask, caught_up = select(graph, work, rules, formula)
        work.state[DEPTH] = max(work.state[DEPTH], depth)
        # 3. Simulate.
        proof = proof_of(nodes[leaf, META])
        if not caught_up:
            nodes[leaf, OWN_TOTAL] += simulate(proof, mine, mask, work, rules)
            nodes[leaf, VISITS] += 1
            revalue(leaf, graph)
        if proof != UNPROVEN:
            graph.values[leaf, VALUE] = proof_result(proof)
        # 4. Back up.
        back_up(leaf, depth, graph, work, rules)
    return made
