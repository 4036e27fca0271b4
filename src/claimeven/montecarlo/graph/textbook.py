"""UCT on a graph of positions, phase by phase, on positions.

Equal positions (and optionally mirror images) share a node, so visits are counted on the moves
between nodes. `kernel` is the compiled twin and explains the computation of values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from claimeven.game import Position
from claimeven.montecarlo.formula import inverse_root, log_root
from claimeven.montecarlo.layout import (
    BUCKET,
    MAX_VISITS,
    PROOF_RESULTS,
    PROVEN_LOSS,
    PROVEN_WIN,
    SPREAD_KEYS,
    UNPROVEN,
)
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.textbook import (
    Step,
    TextbookSearch,
    candidate_columns,
    prove,
    prove_new,
    shuffle,
)


@dataclass(eq=False)
class GraphNode:
    """A position. `value`, results and proofs are from the view of the player that moved into it.

    `visits` counts the visits of its edges and its own playouts, whose results are `own_total`.
    """

    position: Position
    visits: int = 0
    own_total: int = 0
    value: float = 0.0
    proof: int = UNPROVEN
    distance: int = 0
    edges: list[Edge] | None = None


@dataclass(eq=False)
class Edge:
    """A move from a node; `node` is None before its first visit and after a replacement."""

    column: int
    visits: int = 0
    node: GraphNode | None = None


@dataclass
class TextbookGraph(TextbookSearch):
    """A UCT search on a graph that is reused from position to position, with the seed's randomness.

    `iterations` counts those of this search, `total_iterations` all since the graph was empty.

    With `transpositions=mirror` a position or its mirror image is stored, the one with the smaller
    key, and columns refer to the stored one.
    """

    total_iterations: int = 0
    table: dict[int, GraphNode] = field(default_factory=dict)
    nodes: list[GraphNode] = field(default_factory=list)
    root: GraphNode = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.find_root()

    @property
    def used(self) -> int:
        """Number of stored positions."""
        return len(self.nodes)

    def find_root(self) -> None:
        root = self.get_or_add_node(self.canonical(self.position), [])
        assert root is not None
        self.root = root

    def take(self, before: TextbookGraph) -> None:
        """Take over the positions of another search."""
        self.table, self.nodes = before.table, before.nodes
        self.total_iterations = before.total_iterations
        self.find_root()

    @property
    def is_done(self) -> bool:
        """Whether the root is proven (with `solver`) or the graph has `MAX_VISITS` iterations."""
        proven = self.options.solver and self.root.proof != UNPROVEN
        return proven or self.total_iterations >= MAX_VISITS

    def canonical(self, position: Position) -> Position:
        return canonical(position, self.options)

    def get_or_add_node(self, position: Position, path: Sequence[GraphNode]) -> GraphNode | None:
        """Return the node of a canonical position, or a new node: in a full graph in the place of
        another outside the path. None without room.
        """
        node = self.find(position)
        if node is not None:
            return node
        node = GraphNode(position)
        if self.used < self.options.capacity:
            self.nodes.append(node)
        else:
            self.full = True
            place = self.place_of(position.key, path)
            if place is None:
                return None
            self.forget(self.node_at(place))
            self.nodes[place] = node
        self.table[position.key] = node
        return node

    def place_of(self, key: int, path: Sequence[GraphNode]) -> int | None:
        """Return the place of a new position in a full graph: see `kernel`."""
        word = (1 << 64) - 1
        first = (((key ^ key >> 64) * SPREAD_KEYS & word) >> 32) * self.used >> 32
        places = [(first + step) % self.used for step in range(BUCKET)]
        free = [place for place in places if self.node_at(place) not in path]
        return min(free, key=lambda place: self.node_at(place).visits, default=None)

    def find(self, position: Position) -> GraphNode | None:
        """Return the node of a canonical position, or None."""
        return self.table.get(position.key)

    def node_at(self, place: int) -> GraphNode:
        return self.nodes[place]

    def forget(self, node: GraphNode) -> None:
        """Remove a position from the graph: each move to it is unvisited again (see `kernel`)."""
        del self.table[node.position.key]
        for before in positions_before(node.position):
            parent = self.find(self.canonical(before))
            for edge in (parent.edges if parent else None) or ():
                if parent and edge.node is node:
                    parent.own_total += math.floor(0.5 - edge.visits * node.value)
                    edge.visits, edge.node = 0, None

    def step(self) -> Step:
        """Make one iteration: select, expand, simulate, back up."""
        self.total_iterations += 1
        path, leaf, expanded, depth, is_catch_up = self.select()
        result, moves = 0, list[int]()
        if not is_catch_up:
            result, moves = self.simulate(leaf)
            leaf.own_total += result
            leaf.visits += 1
            update_value(leaf)
        if leaf.proof != UNPROVEN:
            leaf.value = PROOF_RESULTS[leaf.proof]
        proofs = self.back_up(path, leaf)
        self.iterations += 1
        self.depth: int = max(self.depth, len(path))
        columns = tuple(edge.column for _, edge in path)
        flips = self._flips(columns)
        return Step(
            self.iterations,
            tuple(map(self._flip, columns, flips)),
            tuple(sorted(self._flip(column, flips[depth]) for column in expanded)),
            tuple(self._flip(column, flips[-1]) for column in moves),
            leaf.value if is_catch_up else result,
            proofs,
            is_catch_up=is_catch_up,
        )

    def _flips(self, columns: Sequence[int]) -> list[bool]:
        """Return whether each position of a path is stored as its mirror image, from the root to
        the leaf; `columns` refer to stored positions.
        """
        position, flips = self.position, list[bool]()
        if self.options.transpositions != "mirror":
            return [False] * (len(columns) + 1)
        for column in columns:
            flips.append(self.canonical(position) is not position)
            position = position.play(self._flip(column, flips[-1]))
        return [*flips, self.canonical(position) is not position]

    def _flip(self, column: int, is_flipped: bool) -> int:
        return self.position.geometry.columns - 1 - column if is_flipped else column

    def select(self) -> tuple[list[tuple[GraphNode, Edge]], GraphNode, tuple[int, ...], int, bool]:
        """Follow the greatest upper bound down to a leaf, or to a child with more visits than the
        edge to it, which then catches up by a visit.

        Returns the (node, edge) pairs of the path, the leaf, the columns of new edges, the depth of
        their node, and whether the last edge only catches up.
        """
        node = self.root
        expanded: tuple[int, ...] = ()
        depth = 0
        path: list[tuple[GraphNode, Edge]] = []
        while node.proof == UNPROVEN or (node.edges and not self.options.solver):
            if node.edges is None:
                if node.visits == 0 and path:
                    break
                expanded, depth = self.expand(node), len(path)
            edge = self.best_edge(node)
            if edge.node is None:
                after = self.canonical(node.position.play(edge.column))
                edge.node = self.get_or_add_node(after, [*(passed for passed, _ in path), node])
                if edge.node is None:
                    break
                if edge.node.visits == 0:
                    prove_new(edge.node, self.options.decisive_moves == "tree")
            path.append((node, edge))
            node = edge.node
            if node.visits > edge.visits:
                return path, node, expanded, depth, True
        return path, node, expanded, depth, False

    def best_edge(self, node: GraphNode) -> Edge:
        """Return the edge with the greatest upper bound; unvisited edges and proven wins first."""
        assert node.edges
        spread = self.options.weight * log_root(node.visits) if node.visits else 0.0
        best, chosen = -math.inf, node.edges[0]
        for edge in node.edges:
            if edge.visits == 0:
                return edge
            assert edge.node
            if self.options.solver:
                if edge.node.proof == PROVEN_WIN:
                    return edge
                if edge.node.proof == PROVEN_LOSS:
                    continue
            bound = edge.node.value + spread * inverse_root(edge.visits)
            if bound > best:
                best, chosen = bound, edge
        return chosen

    def expand(self, node: GraphNode) -> tuple[int, ...]:
        """Give a node its edges; return their columns, left to right."""
        columns = candidate_columns(node.position, self.options)
        node.edges = [Edge(column) for column in columns]
        if self.options.first_play != "order":
            shuffle(node.edges, self.stream)
        return columns

    def back_up(self, path: list[tuple[GraphNode, Edge]], leaf: GraphNode) -> tuple[int, ...]:
        """Count a visit of every edge of the path, update the values from the leaf up, and back up
        proofs as far as possible; return the proven depths.
        """
        proven = self.options.solver and leaf.proof != UNPROVEN
        proofs = [len(path)] if proven else []
        child = leaf
        for depth in range(len(path) - 1, -1, -1):
            node, edge = path[depth]
            edge.visits += 1
            node.visits += 1
            proven = proven and prove(node, child, [other.node for other in node.edges or ()])
            if proven:
                proofs.append(depth)
                node.value = PROOF_RESULTS[node.proof]
            else:
                update_value(node)
            child = node
        return tuple(proofs)


def update_value(node: GraphNode) -> None:
    """Compute a node's value from its own results and its children's values."""
    total = float(node.own_total)
    for edge in node.edges or ():
        if edge.visits:
            assert edge.node
            total -= edge.visits * edge.node.value
    node.value = total / node.visits


def positions_before(position: Position) -> Iterator[Position]:
    """Yield the possible positions before the last move: without one top disc."""
    discs = position.theirs & ~(position.mask >> 1)
    while discs:
        disc = discs & -discs
        discs ^= disc
        mine, mask = position.theirs ^ disc, position.mask ^ disc
        yield position.unchecked(position.geometry, mine, mask)


def canonical(position: Position, options: MonteCarloOptions) -> Position:
    """Return the position or, with `transpositions=mirror`, its image if its key is smaller."""
    if options.transpositions == "mirror":
        image = position.mirror()
        if image.key < position.key:
            return image
    return position
