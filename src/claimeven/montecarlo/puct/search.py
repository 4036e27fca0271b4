"""The driver: from a model, options, a position and a budget to a result; and its tree."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.montecarlo.dispatch import branching
from claimeven.montecarlo.engine import SAMPLE_SIZE, NodeStats, ReadableTree, TextbookView
from claimeven.montecarlo.inspection import Branch, Forest
from claimeven.montecarlo.layout import DISTANCE_SHIFT, MAX_VISITS, PROOF_RESULTS, PROOF_SHIFT
from claimeven.montecarlo.options import MonteCarloOptions, check_budget
from claimeven.montecarlo.playouts.textbook import blocking_columns
from claimeven.montecarlo.puct.forest import ModelCaller, PuctForest, call_directly
from claimeven.montecarlo.puct.inspection import policies
from claimeven.montecarlo.puct.options import DEFAULT, PuctOptions
from claimeven.montecarlo.puct.policy_value import InvalidNetwork, PolicyValue, bind_board
from claimeven.montecarlo.puct.textbook import PuctNode, PuctTree
from claimeven.montecarlo.search import MonteCarloResult, TreeSearch
from claimeven.montecarlo.textbook import Step
from claimeven.parallel import interrupts

#: Nodes of a stored tree to read for each second of a timed search, and the minimum.
_REUSE_RATE: Final = {"compiled": 10_000_000, "python": 100_000}
_MIN_REUSE: Final = 1_000
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
        return self.forest.node(handle)

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


class PuctSearch(TreeSearch):
    """A search with priors and values, and the tree that it reuses in the next decision.

    Threads may share it: a search holds the lock `busy`, and the next one waits for it. With the
    backend `python` the textbook searches, always one leaf at a time.

    >>> from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
    >>> search = PuctSearch(UniformPolicyValue())
    >>> position = Position.from_moves("121212")
    >>> search.search(position, np.random.default_rng(1), iterations=100).column
    0
    """

    def __init__(
        self, model: PolicyValue, options: PuctOptions = DEFAULT, backend: str = "auto"
    ) -> None:
        """Raises `InvalidOptions` for an unknown backend."""
        super().__init__(backend)
        self.model = model
        self.options = options
        self.backend = "python" if backend == "python" else "compiled"
        self._engine: PuctEngine | None = None
        self._noisy: Position | None = None  # the last root with noise

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the same model and options but no tree."""
        return PuctSearch, (self.model, self.options, self.backend)

    def load(self, geometry: Geometry | None = None) -> None:
        """Compile the search and its model, or load them from the cache, before a clock starts. For
        a given board also allocate the memory.
        """
        with self.busy:
            self.model.load()
            if self.backend == "python":
                return
            PuctForest.load()
            if geometry is not None and self._engine is None:
                # Numba prepares a kernel in its first call.
                with interrupts.deferred() as safe_moment:
                    engine, position = self._engine_of(geometry), Position(geometry)
                    engine.start(position)
                    engine.step(1, safe_moment.interruptible)
                    if geometry.cells > 1:
                        engine.start(position.play(geometry.center_order[0]))
                    engine.forget()

    def reset(self) -> None:
        """Drop the stored tree; its memory is reused."""
        with self.busy:
            if self._engine is not None:
                self._engine.forget()

    def backend_for(self, geometry: Geometry) -> str:
        """Return which backend serves a board. Raises `InvalidNetwork` for another board."""
        bind_board(self.model, geometry)
        if geometry != self.model.geometry:
            raise InvalidNetwork(f"the model knows {self.model.geometry}, not {geometry}")
        return self.backend

    def _search(
        self,
        position: Position,
        rng: np.random.Generator,
        iterations: int | None,
        seconds: float | None,
    ) -> MonteCarloResult:
        started = time.perf_counter()
        self._searches += 1
        engine = self._engine_of(position.geometry)
        deadline = keep = None
        if seconds is not None:
            deadline = started + seconds - min(self._report_seconds, seconds / 4)
            keep = max(int(min(seconds, 1e6) * _REUSE_RATE[self.backend]), _MIN_REUSE)
        engine.start(position, keep)
        reused_visits = engine.visits()
        until = MAX_VISITS
        if iterations is not None:
            until = min(reused_visits + iterations, MAX_VISITS)
        if not reused_visits or position != self._noisy:
            self._noisy = None
        self._grow(engine, position, until, deadline, rng)
        end = time.perf_counter()
        check = partial(self._check_unchanged, self._searches)
        view = PuctView(position, self.options, engine, self.busy, check)
        root = view.branch(depth=1)
        chosen = self._choose(root, position, rng)
        plain = chosen.plain_mean if chosen.visits else root.plain_mean
        proof = chosen.proof or root.proof
        result = MonteCarloResult(
            column=chosen.column,
            value=float(PROOF_RESULTS[proof]) if proof else plain,
            policy=tuple(self._shares(root, position, 1.0).tolist()),
            root=root,
            iterations=engine.visits() - reused_visits,
            reused_visits=reused_visits,
            depth=engine.depth,
            stored=engine.used,
            full=engine.full,
            branching=branching((engine,)),
            backend=self.backend,
            line=view.line(chosen.column),
            forest=view,
            seconds=time.perf_counter() - started,
        )
        self._note_report_time(started + result.seconds - end)
        return result

    def _grow(
        self,
        engine: PuctEngine,
        position: Position,
        until: int,
        deadline: float | None,
        rng: np.random.Generator,
    ) -> None:
        """Make batches until the root has enough visits, or the next would take too long."""
        with interrupts.deferred() as safe_moment:
            if self.options.noise and self._noisy is None:
                if not engine.visits():
                    engine.step(1, safe_moment.interruptible)
                engine.add_noise(rng)
                self._noisy = position
            now = time.perf_counter()
            longest = 0.0
            while engine.step(until, safe_moment.interruptible):
                safe_moment()  # within a batch, leaves that wait would block later searches
                if deadline is not None:
                    before, now = now, time.perf_counter()
                    # The longest of the last batches, which vary; an outlier fades slowly.
                    longest = max(now - before, 0.9 * longest)
                    if now + longest > deadline:
                        break

    def _choose(self, root: Branch, position: Position, rng: np.random.Generator) -> Branch:
        """Return the child to play; ties go to the better mean, a block, the prior, the center."""
        shares = self._shares(root, position, self.options.temperature)
        if self.options.temperature:
            column = int(rng.choice(len(shares), p=shares))
            return next(child for child in root.children if child.column == column)
        order = position.geometry.center_order
        blocks = blocking_columns(position)

        def rank(child: Branch) -> tuple[float, ...]:
            blocking = float(child.column in blocks)
            likely = child.prior or 0.0
            return child.plain_mean, blocking, likely, -order.index(child.column)

        return max((child for child in root.children if shares[child.column]), key=rank)

    def _shares(self, root: Branch, position: Position, temperature: float) -> Any:
        """Return the probability of each column: see `policies`."""
        visits, metas = (np.zeros((1, position.geometry.columns), dtype=np.int32) for _ in "ab")
        priors = np.zeros(visits.shape, dtype=np.float32)
        exists = np.zeros(visits.shape, dtype=np.bool_)
        for child in root.children:
            at = 0, child.column
            visits[at], priors[at], exists[at] = child.visits, child.prior, True
            metas[at] = child.proof << PROOF_SHIFT | child.distance << DISTANCE_SHIFT
        return policies(visits, priors, metas, exists, temperature, self.options.solver)[0]

    def follow(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Iterator[Step], Forest]:
        """Return the steps of `trace` one by one: after each, the forest shows the current tree. It
        is the search of `search` without a stored tree, by the textbook, one leaf a batch.
        """
        check_budget(iterations, None)
        self._check(position, rng)
        engine = TextbookPuct(self.model, self.options)
        engine.start(position)
        return self._steps(engine, rng, iterations), PuctView(position, self.options, engine)

    def _steps(
        self, engine: TextbookPuct, rng: np.random.Generator, iterations: int
    ) -> Iterator[Step]:
        for number, step in enumerate(engine.search.steps(iterations)):
            if number == 0 and self.options.noise:
                engine.add_noise(rng)
            yield step

    def _check(self, position: Position, rng: object) -> None:
        super()._check(position, rng)
        self.backend_for(position.geometry)

    def _engine_of(self, geometry: Geometry) -> PuctEngine:
        backend = self.backend_for(geometry)
        if self._engine is None or self._engine.geometry != geometry:
            kind = TextbookPuct if backend == "python" else CompiledPuct
            self._engine = kind(self.model, self.options)
        return self._engine
