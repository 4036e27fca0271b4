"""The textbook searches as engines: any of them, on a board of any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from claimeven.game import Position
from claimeven.montecarlo.contract import Facts, Handle
from claimeven.montecarlo.graph.textbook import GraphNode, TextbookGraph
from claimeven.montecarlo.layout import MOST_VISITS
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.simple.textbook import TextbookBreadth, TextbookFlat, TextbookSimple
from claimeven.montecarlo.tree.textbook import Step, TextbookTree, TreeNode, find_below, keep_below


class TextbookHandle(NamedTuple):
    """A node of a graph, the position there, and the move and its visits that led to it.

    There is no node before the move is tried.
    """

    node: GraphNode | None
    position: Position
    column: int
    visits: int


class TextbookEngine:
    """Any of the textbook searches, on a board of any size."""

    def __init__(self, options: MonteCarloOptions) -> None:
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

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        before = self.search if self.options.reuse else None
        self.search = make_textbook(position, self.options, seed)
        if isinstance(before, TextbookTree) and isinstance(self.search, TextbookTree):
            node = find_below(before.root, position)
            if node is not None:
                self.search.root = node
                self.search.used = keep_below(node, keep)
        elif isinstance(before, TextbookGraph) and isinstance(self.search, TextbookGraph):
            known = self.search.standing(position).key in before.table
            fresh = not before.full and before.made <= MOST_VISITS // 2
            if fresh and (known or before.used < self.options.nodes):
                self.search.table = before.table
                self.search.made = before.made
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
        if isinstance(handle, TreeNode):
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
        node = handle if isinstance(handle, TreeNode) else handle.node
        if node is None:
            return Facts(handle.column, 0, 0.0)
        if isinstance(node, TreeNode):
            return Facts(node.column, node.visits, node.total, node.proof, node.distance)
        total = handle.visits * node.value
        return Facts(handle.column, handle.visits, total, node.proof, node.distance)


def make_textbook(
    position: Position, options: MonteCarloOptions, seed: int
) -> TextbookTree | TextbookGraph | TextbookSimple:
    """Textbook search of a position: its `steps` tell each iteration phase by phase."""
    if options.method == "flat":
        return TextbookFlat(position, options, seed)
    if options.method == "breadth":
        return TextbookBreadth(position, options, seed)
    if options.table != "off":
        return TextbookGraph(position, options, seed)
    return TextbookTree(position, options, seed)
