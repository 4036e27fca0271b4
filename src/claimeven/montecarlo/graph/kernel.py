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
from claimeven.game.bitboard_kernel import BOTTOM, HEIGHT, mirrored
from claimeven.game.perft_kernel import split_key
from claimeven.montecarlo.formula_kernel import (
    FORMULA,
    Formula,
    inverse_root_kernel,
    spread_kernel,
)
from claimeven.montecarlo.graph.layout import (
    BUCKET,
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
    SPREAD_KEYS,
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
    MOST_VISITS,
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
_SPREAD_KEYS, _32 = np.uint64(SPREAD_KEYS), np.uint64(32)
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
def spread(key: Word) -> Int:
    """Spread a key over the numbers below 2^32."""
    return np.int64((key * _SPREAD_KEYS) >> _32)


@inlined
def slot_of(key: Word, graph: Graph) -> Int:
    """Slot that holds a key's node, or the empty slot where it belongs."""
    last = np.int64(graph.slots.shape[0] - 1)
    slot = spread(key) & last
    while graph.slots[slot] != EMPTY and graph.keys[graph.slots[slot], KEY] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def place_of(key: Word, graph: Graph, path: Ints, depth: Int) -> Int:
    """Place of a new position in a full graph (see `layout`); the first `depth` + 1 nodes of a path
    keep theirs. NO_NODE where no place is left.
    """
    capacity = np.int64(graph.nodes.shape[0])
    place = spread(key) * capacity >> 32
    found, fewest = np.int64(NO_NODE), np.int64(MOST_VISITS) + 1
    for _ in range(BUCKET):
        passed = False
        for step in range(depth + 1):
            passed = passed or path[2 * step] == place
        if not passed and graph.nodes[place, VISITS] < fewest:
            found, fewest = place, np.int64(graph.nodes[place, VISITS])
        place = place + 1 if place + 1 < capacity else np.int64(0)
    return found


@inlined
def free_slot(slot: Int, graph: Graph) -> None:
    """Empty a slot; what was put behind it for want of it moves up."""
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
def forget(node: Int, graph: Graph, rules: Rules) -> None:
    """Take a position out of the graph: each move to it is untried again (see `layout`)."""
    board, key = rules.board, graph.keys[node, KEY]
    free_slot(slot_of(key, graph), graph)
    mine, mask = split_key(key, board[HEIGHT], board[BOTTOM])
    # The positions before are those without a top disc of the side that has just moved.
    discs = mask & ~(mask >> _1) & ~mine
    while discs != _0:
        disc = discs & (~discs + _1)
        discs ^= disc
        turn, before = standing(mine ^ mask ^ disc, mask ^ disc, rules.settings[MIRROR] != 0, board)
        parent = np.int64(graph.slots[slot_of(turn + before, graph)])
        if parent == EMPTY or graph.nodes[parent, EDGES] == NO_EDGES:
            continue
        first = np.int64(graph.nodes[parent, EDGES])
        for edge in range(first, first + count_of(graph.nodes[parent, META])):
            target = graph.edges[edge, EDGE_TARGET]
            if edge_node(target) == node:
                results = graph.edges[edge, EDGE_VISITS] * graph.values[node, VALUE]
                graph.nodes[parent, OWN_TOTAL] += np.int64(np.floor(0.5 - results))
                graph.edges[edge, EDGE_VISITS] = 0
                graph.edges[edge, EDGE_TARGET] = edge_target(edge_column(target), NO_NODE)


@inlined
def node_of(key: Word, depth: Int, graph: Graph, work: Work, rules: Rules) -> Int:
    """Node of a key, a new one if need be: behind all others, or in a full graph in the place of
    another, but not of one of the first `depth` + 1 on the path; NO_NODE where there is no room.
    """
    state, slot = work.state, slot_of(key, graph)
    if graph.slots[slot] != EMPTY:
        return np.int64(graph.slots[slot])
    node = state[USED]
    if node < graph.nodes.shape[0]:
        state[USED] = node + 1
    else:
        state[FULL] = 1
        node = place_of(key, graph, work.path, depth)
        if node == NO_NODE:
            return node
        forget(node, graph, rules)
        slot = slot_of(key, graph)
    graph.nodes[node, VISITS] = 0
    graph.nodes[node, OWN_TOTAL] = 0
    graph.nodes[node, EDGES] = NO_EDGES
    graph.nodes[node, META] = 0
    graph.values[node, VALUE] = 0.0
    graph.keys[node, KEY] = key
    graph.slots[slot] = node
    return node


@kernel(int64(GRAPH, WORK, RULES, uint64))
def root_of(graph: Graph, work: Work, rules: Rules, key: Word) -> Int:
    """`node_of`, for the root of a search."""
    return node_of(key, np.int64(-1), graph, work, rules)


@kernel(int64(GRAPH, uint64))
def find_place(graph: Graph, key: Word) -> Int:
    """Place of the node of a key, NO_NODE where it has none."""
    node = graph.slots[slot_of(key, graph)]
    return np.int64(NO_NODE if node == EMPTY else node)


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
def expand(node: Int, cells: Word, graph: Graph, work: Work, rules: Rules) -> None:
    """Give a node an edge for every cell, in order of the columns or shuffled."""
    first = node * np.int64(rules.board[COLUMNS])
    count = np.int64(popcount(cells))
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
        work.path[2 * depth] = node
        is_leaf = graph.nodes[node, EDGES] == NO_EDGES
        if proof_of(graph.nodes[node, META]) != UNPROVEN and (settings[SOLVER] != 0 or is_leaf):
            break
        if is_leaf:
            if graph.nodes[node, VISITS] == 0 and depth > 0:
                break
            cells = cells_to_try(mine, mask, decisive, board)
            expand(node, cells, graph, work, rules)
        edge = best_edge(node, graph, rules, formula)
        target = graph.edges[edge, EDGE_TARGET]
        column, child = edge_column(target), edge_node(target)
        after = played(mask, column, board)
        moved, after = standing(mine ^ mask, after, settings[MIRROR] != 0, board)
        if child == NO_NODE:
            child = node_of(moved + after, depth, graph, work, rules)
            if child == NO_NODE:
                break
            if graph.nodes[child, VISITS] == 0 and graph.nodes[child, META] == 0:  # a new one
                graph.nodes[child, META] = glance(0, moved, after, decisive, board)
            graph.edges[edge, EDGE_TARGET] = edge_target(column, child)
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
