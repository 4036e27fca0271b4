"""Flat and breadth-first search as engines, compiled and textbook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from claimeven.compiled import for_bits
from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.flat import kernel
from claimeven.montecarlo.flat.textbook import TextbookBreadth, TextbookFlat
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.tree.engine import NodesEngine, RecordsEngine
from claimeven.montecarlo.tree.kernel import CHILD, NEW_ROOT, NO_CHILDREN, ROOT


class SimpleEngine(RecordsEngine):
    """The common part of flat and breadth-first search; `grow` is the kernel of iterations."""

    state_fields = kernel.STATE_FIELDS
    grow: ClassVar[Callable[..., Any]]

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        super().__init__(geometry, options)
        self.tree: kernel.LinkedTree = kernel.linked_tree(self.room(geometry))
        self.records = self.tree.nodes

    def room(self, geometry: Geometry) -> int:
        """Return the maximal number of nodes."""
        return self.options.capacity

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        self.place(position, seed)
        self.records[ROOT] = NEW_ROOT
        self.tree.parents[ROOT] = layout.NO_NODE
        self.state[layout.USED] = 1
        self.state[kernel.CURSOR] = 0
        self.state[kernel.LEAF] = 0
        self.state[kernel.HOLDS_LEAF] = 0

    def run(self, iterations: int) -> int:
        grow = for_bits(type(self).grow, self.bits)
        return int(grow(self.tree, self.work, self.setup, min(iterations, self.visits_left())))


class FlatEngine(SimpleEngine):
    """Flat search, compiled."""

    kernels = (kernel.grow_flat, kernel.plant_two_plies)
    grow = kernel.grow_flat

    def room(self, geometry: Geometry) -> int:
        return min(self.options.capacity, 1 + geometry.columns + geometry.columns**2)

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        super().start(position, seed, keep)
        for_bits(kernel.plant_two_plies, self.bits)(self.tree, self.work, self.setup)

    def leaves(self) -> int:
        return int(np.count_nonzero(self.records[: self.used, CHILD] == NO_CHILDREN))

    def hold_leaf(self) -> None:
        self.state[kernel.HOLDS_LEAF] = 1

    def next_leaf_turn(self) -> None:
        self.state[kernel.LEAF] += 1


class BreadthEngine(SimpleEngine):
    """Breadth-first search, compiled."""

    kernels = (kernel.grow_breadth,)
    grow = kernel.grow_breadth


class TextbookBreadthEngine(NodesEngine[TextbookBreadth]):
    """Breadth-first search, on positions."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        self._search = TextbookBreadth(position, self.options, seed)


class TextbookFlatEngine(NodesEngine[TextbookFlat]):
    """Flat search, on positions."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        self._search = TextbookFlat(position, self.options, seed)

    def leaves(self) -> int:
        return sum(path[-1].children is None for path in self.search.nodes)

    def hold_leaf(self) -> None:
        self.search.holds_leaf = True

    def next_leaf_turn(self) -> None:
        self.search.leaf = (self.search.leaf + 1) % self.search.used
