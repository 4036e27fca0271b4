"""UCT on a tree as an engine, compiled and textbook."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import numpy.typing as npt

from claimeven.compiled import for_bits
from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.engine import (
    SAMPLE_SIZE,
    CompiledEngine,
    NodeStats,
    Search,
    TextbookEngine,
    count_moves,
)
from claimeven.montecarlo.formula import Formula
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.tree import kernel
from claimeven.montecarlo.tree.textbook import TextbookTree, TreeNode, find_below, prune_below


class RecordsEngine(CompiledEngine):
    """A tree stored as `records` (see `kernel`); its handles are indices of records."""

    records: npt.NDArray[np.int32]

    def root(self) -> int:
        return kernel.ROOT

    def children(self, handle: int) -> range:
        _, _, first, meta = self.records[handle].tolist()
        if first == kernel.NO_CHILDREN:
            return range(0)
        _, count, _, _ = layout.unpack_meta(meta)
        return range(first, first + count)

    def facts(self, handle: int) -> NodeStats:
        visits, total, _, meta = self.records[handle].tolist()
        column, _, proof, distance = layout.unpack_meta(meta)
        return NodeStats(column, visits, total, proof, distance)

    def expansion_counts(self) -> tuple[int, int]:
        sample = self.records[: min(self.used, SAMPLE_SIZE)]
        return count_moves(sample[sample[:, kernel.CHILD] != kernel.NO_CHILDREN, kernel.META])

    def visits_left(self) -> int:
        """Return the number of iterations before the root has `MAX_VISITS`."""
        return layout.MAX_VISITS - int(self.records[kernel.ROOT, kernel.VISITS])


class TreeEngine(RecordsEngine):
    """UCT on a tree, compiled."""

    kernels = (kernel.grow_tree, kernel.keep_subtree)

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options)
        self.records = kernel.tree_records(options.capacity)
        self.formula: Formula = Formula(options.weight, min_wins=options.min_wins)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        node = self._find(position) if self.options.reuse and self.reusable else layout.NO_NODE
        self.reusable = False  # until the root is set: an interrupt can come in between
        if node > kernel.ROOT:
            # Keep the children in any case: of a proven root the search reads only them.
            last = max((node, *self.children(node)))
            count = self.used if keep is None else min(max(keep, last + 1), self.used)
            scratch = np.empty(count, dtype=np.int32)
            keep_subtree = for_bits(kernel.keep_subtree, self.bits)
            self.state[layout.USED] = keep_subtree(self.records, scratch, node)
        elif node == layout.NO_NODE:
            self.records[kernel.ROOT] = kernel.NEW_ROOT
            self.state[layout.USED] = 1
        self.position: Position = position
        self.place(position, seed)

    def run(self, iterations: int) -> int:
        iterations = min(iterations, self.visits_left())
        grow = for_bits(kernel.grow_tree, self.bits)
        return int(grow(self.records, self.work, self.setup, self.formula, iterations))

    def textbook(self, position: Position, seed: int, keep: int | None) -> TextbookTreeEngine:
        twin = deepcopy(self)
        twin.start(position, seed, keep)
        textbook = TextbookTreeEngine(self.options)
        textbook.start(position, seed)
        textbook.search.root = StoredNode(twin.records, kernel.ROOT, position)
        textbook.search.used = twin.used
        return textbook

    def _find(self, position: Position) -> int:
        """Return the node of a position up to `REUSE_PLIES` moves below the root, or NO_NODE."""
        assert self.position
        if not 0 <= position.ply - self.position.ply <= layout.REUSE_PLIES:
            return layout.NO_NODE
        waiting = [(kernel.ROOT, self.position)]
        while waiting:
            node, at = waiting.pop()
            if at == position:
                return node
            if at.ply < position.ply and at.mask & ~position.mask == 0:
                waiting += [
                    (child, at.play_unchecked(self.facts(child).column))
                    for child in self.children(node)
                ]
        return layout.NO_NODE


class StoredNode(TreeNode):
    """A node of compiled records that reads its children on first access."""

    def __init__(self, records: npt.NDArray[np.int32], place: int, position: Position) -> None:
        visits, total, child, meta = records[place].tolist()
        column, count, proof, distance = layout.unpack_meta(meta)
        super().__init__(position, column, visits, total, proof, distance)
        self._records = records
        self._places = None if child == kernel.NO_CHILDREN else range(child, child + count)

    @property
    def children(self) -> list[TreeNode] | None:
        if self._places is not None:
            columns = self._records[list(self._places), kernel.META] & layout.COLUMN_MASK
            self.children = [
                StoredNode(self._records, place, self.position.play(int(column)))
                for place, column in zip(self._places, columns, strict=True)
            ]
        return self._children

    @children.setter
    def children(self, children: list[TreeNode] | None) -> None:
        self._children, self._places = children, None


class NodesView:
    """The view of a tree of `TreeNode`; its handles are the nodes."""

    def children(self, handle: TreeNode) -> Sequence[TreeNode]:
        return handle.children or ()

    def facts(self, handle: TreeNode) -> NodeStats:
        return NodeStats(handle.column, handle.visits, handle.total, handle.proof, handle.distance)


class NodesEngine(NodesView, TextbookEngine[Search]):
    """A textbook search with a tree of `TreeNode`, from its `root`."""

    def root(self) -> TreeNode:
        root: TreeNode = self.search.root
        return root

    def expansion_counts(self) -> tuple[int, int]:
        waiting, expanded, moves = [self.root()], 0, 0
        while waiting:
            below = self.children(waiting.pop())
            expanded += bool(below)
            moves += len(below)
            waiting += below
        return expanded, moves


class TextbookTreeEngine(NodesEngine[TextbookTree]):
    """UCT on a tree, on positions."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        before = self.previous()
        self._search = TextbookTree(position, self.options, seed)
        node = find_below(before.root, position) if before else None
        if node is not None:
            self._search.root = node
            self._search.used = prune_below(node, keep)
        self.reusable = True
