"""The compiled searches as engines: trees in arrays, grown by the kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from claimeven.compiled import load
from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.contract import Engine, Facts
from claimeven.montecarlo.formula import INVERSE_ROOTS, LOG_ROOTS
from claimeven.montecarlo.graph import layout as graph_layout
from claimeven.montecarlo.graph.kernel import grow_graph, root_of
from claimeven.montecarlo.graph.textbook import standing
from claimeven.montecarlo.layout import MOST_VISITS, NO_CHILDREN, NO_NODE, REUSE_PLIES, ROOT
from claimeven.montecarlo.options import InvalidOptions, MonteCarloOptions
from claimeven.montecarlo.playouts.kernel import PLAYOUTS, playout_vector
from claimeven.montecarlo.simple.kernel import grow_breadth, grow_flat, plant_two_plies
from claimeven.montecarlo.textbook_engine import TextbookEngine
from claimeven.montecarlo.tree.kernel import grow_tree, keep_subtree

#: Nodes of a compiled tree that its branching factor is taken from.
SAMPLE = 1 << 17


def make_engine(geometry: Geometry, options: MonteCarloOptions, compiled: bool) -> Engine:
    """Engine for a board and options."""
    if not compiled:
        return TextbookEngine(options)
    load_kernels(options)
    if options.method != "uct":
        return SimpleEngine(geometry, options)
    if options.table != "off":
        return GraphEngine(geometry, options)
    return TreeEngine(geometry, options)


def load_kernels(options: MonteCarloOptions) -> None:
    """Compile what a search with these options calls, or load it from the cache."""
    if options.method == "flat":
        load(grow_flat, plant_two_plies)
    elif options.method == "breadth":
        load(grow_breadth)
    elif options.table != "off":
        load(grow_graph, root_of)
    else:
        load(grow_tree, keep_subtree)


def check_room(position: Position, options: MonteCarloOptions) -> None:
    """Raise `InvalidOptions` when the bound on nodes leaves no room for the root's children."""
    least = 1 + len(position.legal_columns)
    if options.nodes < least:
        raise InvalidOptions(
            f"nodes must be at least {least} here, the position and one for each of its moves,"
            f" not {options.nodes}"
        )


def _settings(options: MonteCarloOptions) -> np.ndarray[Any, np.dtype[np.int64]]:
    settings = np.zeros(layout.SETTINGS_FIELDS, dtype=np.int64)
    settings[layout.ALL_AT_ONCE] = options.first == "all"
    settings[layout.SHUFFLED] = options.first != "order"
    settings[layout.PLAYOUT] = PLAYOUTS.index(options.playout)
    settings[layout.CUT] = options.cut or -1
    settings[layout.SOLVER] = options.solver
    settings[layout.DECISIVE] = options.decisive == "tree"
    settings[layout.MIRROR] = options.table == "mirror"
    return settings


def _moves_of(metas: np.ndarray[Any, np.dtype[np.int32]]) -> tuple[int, int]:
    """Return the number of nodes with these META fields and the sum of their move counts."""
    counts = (metas >> layout.COUNT_SHIFT) & layout.COUNT_MASK
    return len(counts), int(counts.sum())


class _CompiledEngine:
    """What the compiled engines share: vectors, counters, and the root's position."""

    def __init__(self, geometry: Geometry, options: MonteCarloOptions, state_fields: int) -> None:
        self.options = options
        self.board = playout_vector(geometry)
        self.settings = _settings(options)
        self.state = np.zeros(state_fields, dtype=np.int64)
        self.words = np.zeros(layout.WORDS_FIELDS, dtype=np.uint64)
        self.path = np.zeros(2 * geometry.cells + 2, dtype=np.int64)
        self.position: Position | None = None

    @property
    def used(self) -> int:
        return int(self.state[layout.USED])

    @property
    def depth(self) -> int:
        return int(self.state[layout.DEPTH])

    @property
    def full(self) -> bool:
        return bool(self.state[layout.FULL])

    def place(self, position: Position, seed: int) -> None:
        """Write the root's position and the random state."""
        self.words[layout.MINE] = position.mine
        self.words[layout.MASK] = position.mask
        self.words[layout.RANDOM_STATE] = seed
        self.words[layout.REPLIES :] = 0
        self.state[layout.DEPTH] = 0
        self.state[layout.FULL] = 0


class TreeEngine(_CompiledEngine):
    """UCT on a tree."""

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options, layout.STATE_FIELDS)
        self.nodes = np.zeros((options.nodes, layout.FIELDS), dtype=np.int32)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        node = self._find(position) if self.options.reuse and self.position else NO_NODE
        if node > ROOT:
            looked = self.used if keep is None else min(max(keep, node + 1), self.used)
            moved = np.empty(looked, dtype=np.int32)
            self.state[layout.USED] = keep_subtree(self.nodes, moved, node)
        elif node == NO_NODE:
            self.nodes[ROOT] = (0, 0, NO_CHILDREN, 0)
            self.state[layout.USED] = 1
        self.position = position
        self.place(position, seed)

    def run(self, iterations: int) -> int:
        iterations = min(iterations, MOST_VISITS - int(self.nodes[ROOT, layout.VISITS]))
        return int(
            grow_tree(
                self.nodes,
                self.state,
                self.words,
                self.path,
                self.settings,
                self.board,
                self.options.weight,
                INVERSE_ROOTS,
                LOG_ROOTS,
                iterations,
            )
        )

    def root(self) -> int:
        return ROOT

    def children(self, handle: int) -> range:
        first = int(self.nodes[handle, layout.CHILD])
        if first == NO_CHILDREN:
            return range(0)
        _, count, _, _ = layout.unpacked(int(self.nodes[handle, layout.META]))
        return range(first, first + count)

    def facts(self, handle: int) -> Facts:
        visits, total, _, meta = (int(number) for number in self.nodes[handle])
        column, _, proof, distance = layout.unpacked(meta)
        return Facts(column, visits, total, proof, distance)

    def grown(self) -> tuple[int, int]:
        sample = self.nodes[: min(self.used, SAMPLE)]
        return _moves_of(sample[sample[:, layout.CHILD] != NO_CHILDREN, layout.META])

    def _find(self, position: Position) -> int:
        """TreeNode of a position at most `REUSE_PLIES` moves below the root, else NO_NODE."""
        assert self.position
        if not 0 <= position.ply - self.position.ply <= REUSE_PLIES:
            return NO_NODE
        waiting = [(ROOT, self.position)]
        while waiting:
            node, at = waiting.pop()
            if at == position:
                return node
            if at.ply < position.ply and at.mask & ~position.mask == 0:
                waiting += [
                    (child, at.play_unchecked(self.facts(child).column))
                    for child in self.children(node)
                ]
        return NO_NODE


class SimpleEngine(_CompiledEngine):
    """Flat and breadth-first search."""

    children = TreeEngine.children
    facts = TreeEngine.facts
    root = TreeEngine.root
    grown = TreeEngine.grown

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options, layout.STATE_FIELDS)
        room = options.nodes
        if options.method == "flat":
            room = min(room, 1 + geometry.columns + geometry.columns**2)
        self.nodes = np.zeros((room, layout.FIELDS), dtype=np.int32)
        self.parents = np.zeros(room, dtype=np.int32)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        self.place(position, seed)
        self.nodes[ROOT] = (0, 0, NO_CHILDREN, 0)
        self.parents[ROOT] = NO_NODE
        self.state[layout.USED] = 1
        self.state[layout.CURSOR] = 0
        self.state[layout.LEAF] = 0
        if self.options.method == "flat":
            plant_two_plies(self.nodes, self.parents, self.state, self.words, self.path, self.board)

    def run(self, iterations: int) -> int:
        iterations = min(iterations, MOST_VISITS - int(self.nodes[ROOT, layout.VISITS]))
        grow = grow_flat if self.options.method == "flat" else grow_breadth
        return int(
            grow(
                self.nodes,
                self.parents,
                self.state,
                self.words,
                self.path,
                self.settings,
                self.board,
                iterations,
            )
        )


class GraphHandle(NamedTuple):
    """A node of a graph, the position there, and the move and its visits that led to it."""

    node: int
    position: Position
    column: int
    visits: int


class GraphEngine(_CompiledEngine):
    """UCT on a graph of positions."""

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options, graph_layout.GRAPH_STATE_FIELDS)
        self.columns = geometry.columns
        self.arrays = graph_layout.graph_arrays(options.nodes, geometry.columns)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        worn = self.state[graph_layout.MADE] > MOST_VISITS // 2
        if self.full or worn or not self.options.reuse:
            self.state[:] = 0
            self.arrays.slots.fill(graph_layout.EMPTY)
        self.position = position
        stands = self._standing(position)
        self.place(stands, seed)
        a = self.arrays
        node = root_of(a.nodes, a.values, a.keys, a.slots, self.state, np.uint64(stands.key))
        if node < 0:
            self.state[graph_layout.FULL] = 1
            self.start(position, seed)
        else:
            self.state[graph_layout.GRAPH_ROOT] = node

    def run(self, iterations: int) -> int:
        iterations = min(iterations, MOST_VISITS - int(self.state[graph_layout.MADE]))
        made = int(
            grow_graph(
                *self.arrays,
                self.state,
                self.words,
                self.path,
                self.settings,
                self.board,
                self.options.weight,
                INVERSE_ROOTS,
                LOG_ROOTS,
                iterations,
            )
        )
        self.state[graph_layout.MADE] += made
        return made

    def root(self) -> GraphHandle:
        assert self.position
        node = int(self.state[graph_layout.GRAPH_ROOT])
        visits = int(self.arrays.nodes[node, graph_layout.VISITS])
        return GraphHandle(node, self.position, 0, visits)

    def children(self, handle: GraphHandle) -> list[GraphHandle]:
        nodes, edges = self.arrays.nodes, self.arrays.edges
        first = int(nodes[handle.node, graph_layout.EDGES])
        if handle.node == NO_NODE or first == graph_layout.NO_EDGES:
            return []
        _, count, _, _ = layout.unpacked(int(nodes[handle.node, graph_layout.META]))
        flipped = self._standing(handle.position) is not handle.position
        found = []
        for edge in range(first, first + count):
            column, node = graph_layout.unpacked_edge(int(edges[edge, graph_layout.EDGE_TARGET]))
            if flipped:
                column = self.columns - 1 - column
            after = handle.position.play_unchecked(column)
            visits = int(edges[edge, graph_layout.EDGE_VISITS])
            found.append(GraphHandle(node, after, column, visits))
        return found

    def facts(self, handle: GraphHandle) -> Facts:
        if handle.node == NO_NODE:
            return Facts(handle.column, 0, 0.0)
        _, _, proof, distance = layout.unpacked(
            int(self.arrays.nodes[handle.node, graph_layout.META])
        )
        value = float(self.arrays.values[handle.node, graph_layout.VALUE])
        return Facts(handle.column, handle.visits, handle.visits * value, proof, distance)

    def grown(self) -> tuple[int, int]:
        sample = self.arrays.nodes[: min(self.used, SAMPLE)]
        expanded = sample[:, graph_layout.EDGES] != graph_layout.NO_EDGES
        return _moves_of(sample[expanded, graph_layout.META])

    def _standing(self, position: Position) -> Position:
        return standing(position, self.options)
