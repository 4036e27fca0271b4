"""UCT on a graph of positions as an engine, compiled and textbook."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final, NamedTuple

from claimeven.compiled import for_bits
from claimeven.compiled.wide import word
from claimeven.game import Geometry, Position
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.montecarlo import layout
from claimeven.montecarlo.engine import (
    SAMPLE_SIZE,
    CompiledEngine,
    NodeStats,
    TextbookEngine,
    count_moves,
)
from claimeven.montecarlo.formula import Formula
from claimeven.montecarlo.graph import kernel
from claimeven.montecarlo.graph.textbook import Edge, GraphNode, TextbookGraph, canonical
from claimeven.montecarlo.options import MonteCarloOptions

#: Placeholder for a position of compiled arrays before it is read.
NOT_READ: Final = GraphNode(Position())


class GraphHandle(NamedTuple):
    """A node of a graph, its position, and the move into it with its visits.

    `node` is its number, or a `GraphNode` of the textbook; None before the first visit of the move.
    """

    node: Any
    position: Position
    column: int
    visits: int


class GraphView:
    """The view of a graph that can store mirror images of positions."""

    options: MonteCarloOptions

    def edges_of(self, node: Any) -> Iterator[tuple[int, Any, int]]:
        """Yield the edges of a node: column, node or None, visits."""
        raise NotImplementedError

    def children(self, handle: GraphHandle) -> list[GraphHandle]:
        if handle.node is None:
            return []
        position, last = handle.position, handle.position.geometry.columns - 1
        if canonical(position, self.options) is position:
            edges = list(self.edges_of(handle.node))
        else:
            edges = [(last - column, *edge) for column, *edge in self.edges_of(handle.node)]
        return [
            GraphHandle(node, position.play_unchecked(column), column, visits)
            for column, node, visits in edges
        ]


class GraphEngine(GraphView, CompiledEngine):
    """UCT on a graph, compiled."""

    kernels = (kernel.grow_graph, kernel.root_of, kernel.find_place)
    state_fields = kernel.STATE_FIELDS

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options)
        self.graph: kernel.Graph = kernel.graph_arrays(
            options.capacity, geometry.columns, geometry.bits
        )
        self.formula: Formula = Formula(options.weight)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        is_used_up = self.state[kernel.TOTAL_ITERATIONS] > layout.MAX_VISITS // 2
        if self.reusable and (is_used_up or not self.options.reuse):
            self.forget()
        if not self.reusable:
            self.state[:] = 0
        self.position: Position = position
        stored = canonical(position, self.options)
        self.place(stored, seed)
        self.state[kernel.GRAPH_ROOT] = for_bits(kernel.root_of, self.bits)(
            self.graph, self.work, self.setup, word(stored.key, self.bits)
        )

    def forget(self) -> None:
        self.graph.slots.fill(kernel.EMPTY)
        super().forget()

    def run(self, iterations: int) -> int:
        iterations = min(iterations, layout.MAX_VISITS - int(self.state[kernel.TOTAL_ITERATIONS]))
        grow = for_bits(kernel.grow_graph, self.bits)
        made = int(grow(self.graph, self.work, self.setup, self.formula, iterations))
        self.state[kernel.TOTAL_ITERATIONS] += made
        return made

    def textbook(self, position: Position, seed: int, keep: int | None) -> TextbookGraphEngine:
        twin = deepcopy(self)
        twin.start(position, seed, keep)
        textbook = TextbookGraphEngine(self.options)
        textbook._search = StoredGraph(position, self.options, seed, twin)
        return textbook

    def root(self) -> GraphHandle:
        assert self.position
        node = int(self.state[kernel.GRAPH_ROOT])
        visits = int(self.graph.nodes[node, kernel.VISITS])
        return GraphHandle(node, self.position, 0, visits)

    def edges_of(self, node: int) -> Iterator[tuple[int, int | None, int]]:
        nodes, edges = self.graph.nodes, self.graph.edges
        first = int(nodes[node, kernel.EDGES])
        if first != kernel.NO_EDGES:
            _, count, _, _ = layout.unpack_meta(int(nodes[node, kernel.META]))
            for target, visits in edges[first : first + count, ::-1].tolist():
                column, child = kernel.unpack_edge(target)
                yield column, None if child == layout.NO_NODE else child, visits

    def facts(self, handle: GraphHandle) -> NodeStats:
        if handle.node is None:
            return NodeStats(handle.column, 0, 0.0)
        _, _, proof, distance = layout.unpack_meta(int(self.graph.nodes[handle.node, kernel.META]))
        total = handle.visits * float(self.graph.values[handle.node, kernel.VALUE])
        seen = int(self.graph.nodes[handle.node, kernel.VISITS])
        return NodeStats(handle.column, handle.visits, total, proof, distance, seen=seen)

    def expansion_counts(self) -> tuple[int, int]:
        sample = self.graph.nodes[: min(self.used, SAMPLE_SIZE)]
        expanded = sample[:, kernel.EDGES] != kernel.NO_EDGES
        return count_moves(sample[expanded, kernel.META])


class StoredGraph(TextbookGraph):
    """The graph of a compiled engine that reads its positions on first access."""

    def __init__(
        self, position: Position, options: MonteCarloOptions, seed: int, engine: GraphEngine
    ) -> None:
        self._engine, self._graph = engine, engine.graph
        super().__init__(position, options, seed)

    def find_root(self) -> None:
        state = self._engine.state
        self.total_iterations, self.full = int(state[kernel.TOTAL_ITERATIONS]), self._engine.full
        self.nodes: list[GraphNode] = [NOT_READ] * self._engine.used
        self.root: GraphNode = self.node_at(int(state[kernel.GRAPH_ROOT]))

    def find(self, position: Position) -> GraphNode | None:
        node = self.table.get(position.key)
        if node is None:
            bits = position.geometry.bits
            place = int(for_bits(kernel.find_place, bits)(self._graph, word(position.key, bits)))
            if place != layout.NO_NODE and self.node_at(place).position == position:
                node = self.node_at(place)
        return node

    def node_at(self, place: int) -> GraphNode:
        if self.nodes[place] is NOT_READ:
            node = self.nodes[place] = StoredGraphNode(self, place)
            self.table[node.position.key] = node
        return self.nodes[place]


class StoredGraphNode(GraphNode):
    """A position of compiled arrays that reads its edges on first access."""

    def __init__(self, graph: StoredGraph, place: int) -> None:
        arrays, geometry = graph._graph, graph.position.geometry
        mine, mask = discs_of_keys(arrays.keys[place, kernel.KEY : kernel.KEY + 1], geometry)
        visits, own_total, first, meta = (int(number) for number in arrays.nodes[place, :4])
        _, count, proof, distance = layout.unpack_meta(meta)
        value = float(arrays.values[place, kernel.VALUE])
        position = Position(geometry, int(mine[0]), int(mask[0]))
        super().__init__(position, visits, own_total, value, proof, distance)
        self._source, self._stored = graph, range(first, first + count if first >= 0 else first)

    @property
    def edges(self) -> list[Edge] | None:
        if self._stored:
            source, made = self._source, []
            for target, visits in source._graph.edges[list(self._stored), ::-1].tolist():
                column, node = kernel.unpack_edge(target)
                after = None if node == layout.NO_NODE else source.node_at(node)
                made.append(Edge(column, visits, after))
            self.edges = made
        return self._edges

    @edges.setter
    def edges(self, edges: list[Edge] | None) -> None:
        self._edges, self._stored = edges, range(0)


class TextbookGraphEngine(GraphView, TextbookEngine[TextbookGraph]):
    """UCT on a graph, on positions."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        before = self.previous()
        search = self._search = TextbookGraph(position, self.options, seed)
        if before is not None and before.total_iterations <= layout.MAX_VISITS // 2:
            search.take(before)
        self.reusable = True

    def root(self) -> GraphHandle:
        root = self.search.root
        return GraphHandle(root, self.search.position, 0, root.visits)

    def edges_of(self, node: GraphNode) -> Iterator[tuple[int, GraphNode | None, int]]:
        return ((edge.column, edge.node, edge.visits) for edge in node.edges or ())

    def facts(self, handle: GraphHandle) -> NodeStats:
        node = handle.node
        if node is None:
            return NodeStats(handle.column, 0, 0.0)
        total = handle.visits * node.value
        return NodeStats(
            handle.column, handle.visits, total, node.proof, node.distance, seen=node.visits
        )

    def expansion_counts(self) -> tuple[int, int]:
        counts = [len(node.edges) for node in self.search.nodes if node.edges]
        return len(counts), sum(counts)
