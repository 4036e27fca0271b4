"""UCT on a graph of positions as an engine, compiled and textbook."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.contract import Facts
from claimeven.montecarlo.engine import SAMPLE, CompiledEngine, TextbookEngine, moves_of
from claimeven.montecarlo.formula_kernel import Formula
from claimeven.montecarlo.graph.kernel import grow_graph, root_of
from claimeven.montecarlo.graph.layout import (
    EDGE_TARGET,
    EDGE_VISITS,
    EDGES,
    EMPTY,
    GRAPH_ROOT,
    MADE,
    META,
    NO_EDGES,
    STATE_FIELDS,
    VALUE,
    VISITS,
    graph_arrays,
    unpacked_edge,
)
from claimeven.montecarlo.graph.textbook import GraphNode, TextbookGraph, standing
from claimeven.montecarlo.layout import MOST_VISITS, NO_NODE
from claimeven.montecarlo.options import MonteCarloOptions


class GraphHandle(NamedTuple):
    """A node of a graph, the position there, and the move and its visits that led to it.

    `node` is NO_NODE before the move is tried.
    """

    node: int
    position: Position
    column: int
    visits: int


class GraphEngine(CompiledEngine):
    """UCT on a graph, compiled."""

    kernels = (grow_graph, root_of)
    state_fields = STATE_FIELDS

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options)
        self.columns = geometry.columns
        self.graph = graph_arrays(options.capacity, geometry.columns)
        self.formula = Formula(options.weight)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        worn = self.state[MADE] > MOST_VISITS // 2
        if self.keeps and (worn or not self.options.reuse):
            self.forget()
        if not self.keeps:
            self.state[:] = 0
        self.position = position
        stands = self.standing(position)
        self.place(stands, seed)
        self.state[GRAPH_ROOT] = root_of(self.graph, self.work, self.rules, np.uint64(stands.key))

    def forget(self) -> None:
        self.graph.slots.fill(EMPTY)
        super().forget()

    def run(self, iterations: int) -> int:
        iterations = min(iterations, MOST_VISITS - int(self.state[MADE]))
        made = int(grow_graph(self.graph, self.work, self.rules, self.formula, iterations))
        self.state[MADE] += made
        return made

    def root(self) -> GraphHandle:
        assert self.position
        node = int(self.state[GRAPH_ROOT])
        visits = int(self.graph.nodes[node, VISITS])
        return GraphHandle(node, self.position, 0, visits)

    def children(self, handle: GraphHandle) -> list[GraphHandle]:
        nodes, edges = self.graph.nodes, self.graph.edges
        first = int(nodes[handle.node, EDGES])
        if handle.node == NO_NODE or first == NO_EDGES:
            return []
        _, count, _, _ = layout.unpacked(int(nodes[handle.node, META]))
        flipped = self.standing(handle.position) is not handle.position
        found = []
        for edge in range(first, first + count):
            column, node = unpacked_edge(int(edges[edge, EDGE_TARGET]))
            if flipped:
                column = self.columns - 1 - column
            after = handle.position.play_unchecked(column)
            visits = int(edges[edge, EDGE_VISITS])
            found.append(GraphHandle(node, after, column, visits))
        return found

    def facts(self, handle: GraphHandle) -> Facts:
        if handle.node == NO_NODE:
            return Facts(handle.column, 0, 0.0)
        _, _, proof, distance = layout.unpacked(int(self.graph.nodes[handle.node, META]))
        total = handle.visits * float(self.graph.values[handle.node, VALUE])
        seen = int(self.graph.nodes[handle.node, VISITS])
        return Facts(handle.column, handle.visits, total, proof, distance, seen=seen)

    def grown(self) -> tuple[int, int]:
        sample = self.graph.nodes[: min(self.used, SAMPLE)]
        expanded = sample[:, EDGES] != NO_EDGES
        return moves_of(sample[expanded, META])

    def standing(self, position: Position) -> Position:
        return standing(position, self.options)


class TextbookHandle(NamedTuple):
    """A `GraphHandle` of the textbook; `node` is None before the move is tried."""

    node: GraphNode | None
    position: Position
    column: int
    visits: int


class TextbookGraphEngine(TextbookEngine[TextbookGraph]):
    """UCT on a graph, on positions."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        before = self.former()
        search = self._search = TextbookGraph(position, self.options, seed)
        if before is not None and before.made <= MOST_VISITS // 2:
            search.take(before)
        self.keeps = True

    def root(self) -> TextbookHandle:
        root = self.search.root
        return TextbookHandle(root, self.search.position, 0, root.visits)

    def children(self, handle: TextbookHandle) -> list[TextbookHandle]:
        if handle.node is None:
            return []
        flipped = self.search.standing(handle.position) is not handle.position
        last = handle.position.geometry.columns - 1
        found: list[TextbookHandle] = []
        for edge in handle.node.edges or ():
            column = last - edge.column if flipped else edge.column
            after = handle.position.play_unchecked(column)
            found.append(TextbookHandle(edge.node, after, column, edge.visits))
        return found

    def facts(self, handle: TextbookHandle) -> Facts:
        node = handle.node
        if node is None:
            return Facts(handle.column, 0, 0.0)
        total = handle.visits * node.value
        return Facts(
            handle.column, handle.visits, total, node.proof, node.distance, seen=node.visits
        )

    def grown(self) -> tuple[int, int]:
        counts = [len(node.edges) for node in self.search.nodes if node.edges]
        return len(counts), sum(counts)
