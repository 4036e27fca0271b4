"""One growing tree, compiled or textbook, as the driver of a search has it and looks into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

import numpy as np

from claimeven.game.position import Position
from claimeven.montecarlo.engine import SAMPLE, Facts, Viewed
from claimeven.montecarlo.inspection import Forest
from claimeven.montecarlo.layout import MOST_VISITS
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.puct.forest import Heeded, PuctForest, at_once
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.montecarlo.puct.textbook import PuctNode, PuctTree

#: How even the noise at a root is: of many columns it is near 1 for each, of few near one alone.
CONCENTRATION: Final = 1.0


#: Visits of the root for each leaf of a batch beyond the first. Early batches decide where a search
#: goes, and with few visits several leaves at a time would be guesses.
VISITS_A_LEAF: Final = 64


class PuctEngine(Viewed, Protocol):
    """A tree that grows, batch by batch."""

    def start(self, position: Position, keep: int | None = None) -> None:
        """Make a position the root, its tree kept if the options say so and it is there; at most
        `keep` nodes of it.
        """

    def forget(self) -> None:
        """Keep no tree for the next `start`; until then the tree can be looked into."""

    def visits(self) -> int:
        """Return the visits of the root."""

    def step(self, until: int, heeded: Heeded = at_once) -> int:
        """Make a batch of iterations, to at most `until` visits of the root; returns how many were
        made, 0 where there is nothing left to do. The model is asked within `heeded` where leaves
        wait for it.
        """

    def add_noise(self, rng: np.random.Generator) -> None:
        """Mix noise into the priors at the root, which has been visited."""


class CompiledPuct(PuctEngine):
    """A forest of one tree."""

    def __init__(self, model: PolicyValue, options: PuctOptions) -> None:
        self.model = model
        self.options = options
        self.forest = PuctForest(model.geometry, 1, options.capacity, options)
        self.keeps = False

    @property
    def depth(self) -> int:
        return self.forest.depth(0)

    @property
    def used(self) -> int:
        return self.forest.used(0)

    @property
    def full(self) -> bool:
        return self.forest.is_full(0)

    def grown(self) -> tuple[int, int]:
        return self.forest.grown(0)

    def root(self) -> int:
        return self.forest.root(0)

    def children(self, handle: int) -> Sequence[int]:
        return self.forest.node(handle).children

    def facts(self, handle: int) -> Facts:
        node = self.forest.node(handle)
        return Facts(node.column, node.visits, node.total, node.proof, node.distance, node.prior)

    def start(self, position: Position, keep: int | None = None) -> None:
        is_kept, self.keeps = self.keeps and self.options.reuse, False  # this may be interrupted
        if self.forest.waiting:  # as a batch was, by other signals than Ctrl-C
            is_kept = False
            self.forest.drop()
        if is_kept:
            self.forest.move_to(0, position, keep)
        else:
            self.forest.reset(0, position)
        self.keeps = True

    def forget(self) -> None:
        self.keeps = False

    def visits(self) -> int:
        return int(self.forest.iterations()[0])

    def step(self, until: int, heeded: Heeded = at_once) -> int:
        leaves = 1 + self.visits() // VISITS_A_LEAF
        return self.forest.step(self.model, min(leaves, self.options.leaves), until, heeded)

    def add_noise(self, rng: np.random.Generator) -> None:
        self.forest.add_noise(rng, self.options.noise, CONCENTRATION)


class TextbookPuct(PuctEngine):
    """A textbook tree, which takes one leaf at a time."""

    def __init__(self, model: PolicyValue, options: PuctOptions) -> None:
        self.model = model
        self.options = options
        self.keeps = False
        self._tree: PuctTree | None = None

    @property
    def tree(self) -> PuctTree:
        """The tree of the search that was started last."""
        assert self._tree is not None
        return self._tree

    @property
    def depth(self) -> int:
        return self.tree.depth

    @property
    def used(self) -> int:
        return self.tree.used if self._tree else 0

    @property
    def full(self) -> bool:
        return self.tree.full

    def grown(self) -> tuple[int, int]:
        waiting = [self.tree.root]
        for node in waiting:  # grows meanwhile
            if len(waiting) < SAMPLE:
                waiting += node.children or ()
        counts = [len(node.children or ()) for node in waiting[:SAMPLE]]
        return sum(map(bool, counts)), sum(counts)

    def root(self) -> PuctNode:
        return self.tree.root

    def children(self, handle: PuctNode) -> Sequence[PuctNode]:
        return handle.children or ()

    def facts(self, handle: PuctNode) -> Facts:
        return Facts(
            handle.column, handle.visits, handle.total, handle.proof, handle.distance, handle.prior
        )

    def start(self, position: Position, keep: int | None = None) -> None:
        if self._tree is not None and self.keeps and self.options.reuse:
            self._tree.move_to(position, keep)
        else:
            self._tree = PuctTree(position, self.model, self.options, self.options.capacity)
        self.keeps = True

    def forget(self) -> None:
        self.keeps = False

    def visits(self) -> int:
        return self.tree.root.visits

    def step(self, until: int, heeded: Heeded = at_once) -> int:
        left = min(until, MOST_VISITS) - self.tree.root.visits
        return self.tree.run(min(1, max(0, left)))

    def add_noise(self, rng: np.random.Generator) -> None:
        self.tree.add_noise(rng, self.options.noise, CONCENTRATION)


class PuctView(Forest):
    """A tree with priors as it is looked into; what selection goes by is that of PUCT."""

    def __init__(
        self,
        position: Position,
        options: PuctOptions,
        tree: PuctEngine,
        busy: AbstractContextManager[object] | None = None,
        check: Callable[[], object] = lambda: None,
    ) -> None:
        shown = MonteCarloOptions(
            solver=options.solver, decisive="tree" if options.solver else "off"
        )
        super().__init__(position, shown, (tree,), busy, check)
        self.puct = options

    def bonus(self, parent: Facts, child: Facts) -> tuple[float, float]:
        """Return `c * P * sqrt(N) / (1 + n)` of a child, and what it is taken to be worth while it
        is not visited.
        """
        seen = max(parent.visits, 1)
        bonus = self.puct.c * (child.prior or 0.0) * float(np.sqrt(seen)) / (1 + child.visits)
        return bonus, max(-1.0, -parent.total / seen - self.puct.fpu)
