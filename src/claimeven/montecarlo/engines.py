"""What the driver of a search needs of a grown tree, whichever way it is stored and grown.

An engine belongs to one thread. It is given a root, makes iterations, and shows its tree through
handles (whatever names a node inside it). Engines are compiled (`TreeEngine`, `GraphEngine`,
`SimpleEngine`) or textbook (`TextbookEngine`); both show the same trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from claimeven.compiled import load
from claimeven.game import Geometry, Position
from claimeven.montecarlo import graph_layout, layout
from claimeven.montecarlo.formula import INVERSE_ROOTS, LOG_ROOTS
from claimeven.montecarlo.graph_kernel import grow_graph, root_of
from claimeven.montecarlo.layout import NO_CHILDREN, NO_NODE, REUSE_PLIES, ROOT, UNPROVEN
from claimeven.montecarlo.options import InvalidOptions, Options
from claimeven.montecarlo.playouts import PLAYOUTS, board_vector
from claimeven.montecarlo.simple_kernels import grow_breadth, grow_flat, plant_two_plies
from claimeven.montecarlo.textbook_graph import GraphNode, TextbookGraph, standing
from claimeven.montecarlo.textbook_simple import TextbookBreadth, TextbookFlat, TextbookSimple
from claimeven.montecarlo.textbook_tree import Node, Step, TextbookTree, find_below, size_below
from claimeven.montecarlo.tree_kernel import grow_tree, keep_subtree

Handle = Any


@dataclass(frozen=True)
class Facts:
    """What a node knows: its move, visits through that move, and the sum of their results (-1, 0,
    +1, or parts of them) and its proof, both as the player sees them who made the move.
    """

    column: int
    visits: int
    total: float
    proof: int = UNPROVEN
    distance: int = 0


#: Nodes of a compiled tree that its branching factor is taken from.
SAMPLE = 1 << 17


class Engine(Protocol):
    """A tree that grows. `depth`: deepest iteration of this decision; `used`: stored nodes."""

    @property
    def depth(self) -> int: ...

    @property
    def used(self) -> int: ...

    @property
    def full(self) -> bool: ...

    def grown(self) -> tuple[int, int]:
        """Return how many nodes are expanded, and how many moves they have together.

        Of compiled trees the first `SAMPLE` nodes count, so that it takes a millisecond at most.
        """

    def start(self, position: Position, seed: int) -> None:
        """Make a position the root, of a kept tree where the options say so and it is there."""

    def run(self, iterations: int) -> int:
        """Make iterations; returns how many were made: fewer where there is nothing left."""

    def root(self) -> Handle:
        """Handle of the root."""

    def children(self, handle: Handle) -> Sequence[Handle]:
        """Handles of the children of a node, those of an unexpanded one: none."""

    def facts(self, handle: Handle) -> Facts:
        """What a node knows."""


def make_engine(geometry: Geometry, options: Options, compiled: bool) -> Engine:
    """Engine for a board and options."""
    if not compiled:
        return TextbookEngine(options)
    if options.method != "uct":
        return SimpleEngine(geometry, options)
    if options.table != "off":
        return GraphEngine(geometry, options)
    return TreeEngine(geometry, options)


def check_room(position: Position, options: Options) -> None:
    """Raise `InvalidOptions` when the bound on nodes leaves no room for the root's children."""
    least = 1 + len(position.legal_columns)
    if options.nodes < least:
        raise InvalidOptions(
            f"nodes must be at least {least} here, the position and one for each of its moves,"
            f" not {options.nodes}"
        )


def _settings(options: Options) -> np.ndarray[Any, np.dtype[np.int64]]:
    settings = np.zeros(layout.SETTINGS_FIELDS, dtype=np.int64)
    settings[layout.ALL_AT_ONCE] = options.first == "all"
    settings[layout.SHUFFLED] = options.first == "random"
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

    def __init__(self, geometry: Geometry, options: Options, state_fields: int) -> None:
        self.options = options
        self.board = board_vector(geometry)
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

    def __init__(self, geometry: Geometry, options: Options) -> None:
        super().__init__(geometry, options, layout.STATE_FIELDS)
        self.nodes = np.zeros((options.nodes, layout.FIELDS), dtype=np.int32)
        load(grow_tree, keep_subtree)

    def start(self, position: Position, seed: int) -> None:
        node = self._find(position) if self.options.reuse and self.position else NO_NODE
        if node > ROOT:
            moved = np.empty(self.used, dtype=np.int32)
            self.state[layout.USED] = keep_subtree(self.nodes, moved, self.used, node)
        elif node == NO_NODE:
            self.nodes[ROOT] = (0, 0, NO_CHILDREN, 0)
            self.state[layout.USED] = 1
        self.position = position
        self.place(position, seed)

    def run(self, iterations: int) -> int:
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
        """Node of a position at most `REUSE_PLIES` moves below the root, else NO_NODE."""
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

    def __init__(self, geometry: Geometry, options: Options) -> None:
        super().__init__(geometry, options, layout.STATE_FIELDS)
        room = options.nodes
        if options.method == "flat":
            room = min(room, 1 + geometry.columns + geometry.columns**2)
        self.nodes = np.zeros((room, layout.FIELDS), dtype=np.int32)
        self.parents = np.zeros(room, dtype=np.int32)
        if options.method == "flat":
            load(grow_flat, plant_two_plies)
        else:
            load(grow_breadth)

    def start(self, position: Position, seed: int) -> None:
        self.place(position, seed)
        self.nodes[ROOT] = (0, 0, NO_CHILDREN, 0)
        self.parents[ROOT] = NO_NODE
        self.state[layout.USED] = 1
        self.state[layout.CURSOR] = 0
        if self.options.method == "flat":
            plant_two_plies(self.nodes, self.parents, self.state, self.words, self.path, self.board)

    def run(self, iterations: int) -> int:
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


class TextbookHandle(NamedTuple):
    """The same in a textbook graph; no node before the move is tried."""

    node: GraphNode | None
    position: Position
    column: int
    visits: int


class GraphEngine(_CompiledEngine):
    """UCT on a graph of positions."""

    def __init__(self, geometry: Geometry, options: Options) -> None:
        super().__init__(geometry, options, graph_layout.GRAPH_STATE_FIELDS)
        self.columns = geometry.columns
        self.arrays = graph_layout.graph_arrays(options.nodes, geometry.columns)
        load(grow_graph, root_of)

    def start(self, position: Position, seed: int) -> None:
        if self.full or not self.options.reuse:
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
        return int(
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


class TextbookEngine:
    """Any of the textbook searches, on a board of any size."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.search: TextbookTree | TextbookGraph | TextbookSimple | None = None

    @property
    def used(self) -> int:
        return self.search.used if self.search else 0

    @property
    def depth(self) -> int:
        return self.search.depth if self.search else 0

    @property
    def full(self) -> bool:
        return bool(self.search and self.search.full)

    def start(self, position: Position, seed: int) -> None:
        before = self.search if self.options.reuse else None
        self.search = make_textbook(position, self.options, seed)
        if isinstance(before, TextbookTree) and isinstance(self.search, TextbookTree):
            node = find_below(before.root, position)
            if node is not None:
                self.search.root = node
                self.search.used = size_below(node)
        elif isinstance(before, TextbookGraph) and isinstance(self.search, TextbookGraph):
            known = self.search.standing(position).key in before.table
            if not before.full and (known or before.used < self.options.nodes):
                self.search.table = before.table
                self.search.used_edges = before.used_edges
                self.search.root = self.search.node_of(self.search.standing(position))

    def grown(self) -> tuple[int, int]:
        if isinstance(self.search, TextbookGraph):
            counts = [len(node.edges) for node in self.search.table.values() if node.edges]
            return len(counts), sum(counts)
        waiting, expanded, moves = [self.root()], 0, 0
        while waiting:
            below = self.children(waiting.pop())
            expanded += bool(below)
            moves += len(below)
            waiting += below
        return expanded, moves

    def run(self, iterations: int) -> int:
        return sum(1 for _ in self.steps(iterations))

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did."""
        assert self.search
        return self.search.steps(iterations)

    def root(self) -> Handle:
        assert self.search
        if isinstance(self.search, TextbookGraph):
            root = self.search.root
            return TextbookHandle(root, self.search.position, 0, root.visits)
        return self.search.root

    def children(self, handle: Handle) -> list[Handle]:
        if isinstance(handle, Node):
            return list(handle.children or ())
        assert isinstance(self.search, TextbookGraph)
        if handle.node is None:
            return []
        flipped = self.search.standing(handle.position) is not handle.position
        last = handle.position.geometry.columns - 1
        found: list[Handle] = []
        for edge in handle.node.edges or ():
            column = last - edge.column if flipped else edge.column
            after = handle.position.play_unchecked(column)
            found.append(TextbookHandle(edge.node, after, column, edge.visits))
        return found

    def facts(self, handle: Handle) -> Facts:
        node = handle if isinstance(handle, Node) else handle.node
        if node is None:
            return Facts(handle.column, 0, 0.0)
        if isinstance(node, Node):
            return Facts(node.column, node.visits, node.total, node.proof, node.distance)
        total = handle.visits * node.value
        return Facts(handle.column, handle.visits, total, node.proof, node.distance)


def make_textbook(
    position: Position, options: Options, seed: int
) -> TextbookTree | TextbookGraph | TextbookSimple:
    """Textbook search of a position: its `steps` tell each iteration phase by phase."""
    if options.method == "flat":
        return TextbookFlat(position, options, seed)
    if options.method == "breadth":
        return TextbookBreadth(position, options, seed)
    if options.table != "off":
        return TextbookGraph(position, options, seed)
    return TextbookTree(position, options, seed)
