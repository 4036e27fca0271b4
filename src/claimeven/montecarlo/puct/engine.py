"""One tree, compiled or textbook, for the driver of a search and for inspection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from claimeven.game.position import Position
from claimeven.montecarlo.engine import SAMPLE_SIZE, NodeStats, ReadableTree, TextbookView
from claimeven.montecarlo.inspection import Forest
from claimeven.montecarlo.layout import MAX_VISITS
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.puct.forest import ModelCaller, PuctForest, call_directly
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.montecarlo.puct.textbook import PuctNode, PuctTree

#: The parameter of the Dirichlet noise at a root: larger values make it more even.
DIRICHLET_ALPHA: Final = 1.0
#: Visits of the root for each further leaf of a batch. Early batches decide the direction of a
#: search, and with few visits a selection of several leaves is a guess.
VISITS_PER_LEAF: Final = 64


class PuctEngine(ReadableTree, ABC):
    """A tree that grows in batches."""

    def __init__(self, model: PolicyValue, options: PuctOptions) -> None:
        self.model = model
        self.geometry = model.geometry
        self.options = options
        self.reusable = False

    @abstractmethod
    def start(self, position: Position, keep: int | None = None) -> None:
        """Make a position the root, with up to `keep` nodes of a reusable tree."""

    def forget(self) -> None:
        """Drop the tree at the next `start`; until then it stays readable."""
        self.reusable = False

    @abstractmethod
    def visits(self) -> int:
        """Return the visits of the root."""

    @abstractmethod
    def step(self, until: int, call_model: ModelCaller = call_directly) -> int:
        """Make a batch of iterations up to `until` visits of the root; return their number.

        The number is 0 if no work is left. `call_model` calls the model if leaves wait for it.
        """

    @abstractmethod
    def add_noise(self, rng: np.random.Generator) -> None:
        """Mix noise into the priors at the root, which must have a visit."""


class CompiledPuct(PuctEngine):
    """A forest of one tree."""

    def __init__(self, model: PolicyValue, options: PuctOptions) -> None:
        super().__init__(model, options)
        self.forest: PuctForest = PuctForest(model.geometry, 1, options.capacity, options)

    @property
    def depth(self) -> int:
        return self.forest.depth(0)

    @property
    def used(self) -> int:
        return self.forest.used(0)

    @property
    def full(self) -> bool:
        return self.forest.is_full(0)

    def expansion_counts(self) -> tuple[int, int]:
        return self.forest.expansion_counts(0)

    def root(self) -> int:
        return self.forest.root(0)

    def children(self, handle: int) -> Sequence[int]:
        return self.forest.node(handle).children

    def facts(self, handle: int) -> NodeStats:
        n = self.forest.node(handle)
        return NodeStats(n.column, n.visits, n.total, n.proof, n.distance, n.prior)

    def start(self, position: Position, keep: int | None = None) -> None:
        is_reused = self.reusable and self.options.reuse
        self.reusable = False  # until the root is set: an interrupt can come in between
        if self.forest.waiting:  # a batch was interrupted, by other signals than Ctrl-C
            is_reused = False
            self.forest.drop()
        if is_reused:
            self.forest.move_to(0, position, keep)
        else:
            self.forest.reset(0, position)
        self.reusable: bool = True

    def visits(self) -> int:
        return int(self.forest.iterations()[0])

    def step(self, until: int, call_model: ModelCaller = call_directly) -> int:
        leaves = 1 + self.visits() // VISITS_PER_LEAF
        return self.forest.step(self.model, min(leaves, self.options.leaves), until, call_model)

    def add_noise(self, rng: np.random.Generator) -> None:
        self.forest.add_noise(rng, self.options.noise, DIRICHLET_ALPHA)


class TextbookPuct(TextbookView[PuctTree], PuctEngine):
    """A textbook tree, one leaf at a time."""

    def expansion_counts(self) -> tuple[int, int]:
        waiting = [self.root()]
        for node in waiting:  # the list grows in the loop
            if len(waiting) < SAMPLE_SIZE:
                waiting += node.children or ()
        counts = [len(node.children or ()) for node in waiting[:SAMPLE_SIZE]]
        return sum(map(bool, counts)), sum(counts)

    def root(self) -> PuctNode:
        return self.search.root

    def children(self, handle: PuctNode) -> Sequence[PuctNode]:
        return handle.children or ()

    def facts(self, handle: PuctNode) -> NodeStats:
        proof = handle.proof, handle.distance
        return NodeStats(handle.column, handle.visits, handle.total, *proof, handle.prior)

    def start(self, position: Position, keep: int | None = None) -> None:
        if self.reusable and self.options.reuse:
            self.search.move_to(position, keep)
        else:
            self._search = PuctTree(position, self.model, self.options, self.options.capacity)
        self.reusable = True

    def visits(self) -> int:
        return self.root().visits

    def step(self, until: int, call_model: ModelCaller = call_directly) -> int:
        remaining = min(until, MAX_VISITS) - self.visits()
        return self.search.run(min(1, max(0, remaining)))

    def add_noise(self, rng: np.random.Generator) -> None:
        self.search.add_noise(rng, self.options.noise, DIRICHLET_ALPHA)


class PuctView(Forest):
    """A tree with priors for inspection, with the bonus of PUCT."""

    def __init__(
        self, position: Position, options: PuctOptions, tree: PuctEngine, *guards: Any
    ) -> None:
        """`guards` are `busy` and `check` of `Forest`."""
        decisive = "tree" if options.solver else "off"
        view_options = MonteCarloOptions(solver=options.solver, decisive_moves=decisive)
        super().__init__(position, view_options, (tree,), *guards)
        self.puct = options

    def bonus(self, parent: NodeStats, child: NodeStats) -> tuple[float, float]:
        """Return `c * P * sqrt(N) / (1 + n)` of a child, and its value without visits."""
        seen = max(parent.visits, 1)
        bonus = self.puct.c * (child.prior or 0.0) * float(np.sqrt(seen)) / (1 + child.visits)
        return bonus, max(-1.0, -parent.total / seen - self.puct.fpu)
