"""The driver: from options, a position and a budget to a result, on one thread or several.

Each thread grows a separate tree from a separate seed, and the trees are added up. The same seed
and iterations therefore make the same decision, which threads in one tree cannot guarantee. The
threads never wait for each other.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from claimeven.compiled import MAX_BITS
from claimeven.game import Geometry, Position
from claimeven.game.geometry import check_geometry
from claimeven.game.position import check_position
from claimeven.game.validation import one_of
from claimeven.markup import shown_by
from claimeven.montecarlo.dispatch import (
    branching,
    compiled_engine,
    load_kernels,
    run_all,
    textbook_engine,
)
from claimeven.montecarlo.engine import Engine, LeafTurns, ReadableTree, TextbookEngine
from claimeven.montecarlo.final_move import (
    ImmediateTree,
    choose,
    choose_immediate,
    immediate_tree,
    policy,
)
from claimeven.montecarlo.inspection import Branch, Forest, OutdatedForest
from claimeven.montecarlo.layout import PROOF_RESULTS
from claimeven.montecarlo.options import InvalidOptions, MonteCarloOptions, check_budget
from claimeven.montecarlo.textbook import Step
from claimeven.parallel.interrupts import Lock

BACKENDS: Final = ("auto", "compiled", "python")

#: Nodes of a stored tree to read for each second of a timed search: a quarter of its time.
_REUSE_RATE: Final = {"compiled": 20_000_000, "python": 200_000}
#: The minimum of nodes to read.
_MIN_REUSE: Final = 1_000

#: Seconds that a timed search reserves for reporting its tree: the initial value, and the maximum
#: that one search can contribute to the estimate.
_REPORT_SECONDS: Final = 0.001
_MAX_REPORT_SECONDS: Final = 0.02

#: Iterations before the first check of the clock.
_FIRST_SLICE: Final = {"compiled": 8, "python": 1}


@dataclass(frozen=True)
class MonteCarloResult:
    """The result of a search.

    Attributes:
        column: the chosen 0-based column.
        value: its expected result for the side to move, -1..1; exact if proven.
        policy: share of the visits for each column, shape (columns,); 0 for illegal and proven lost
            columns (unless all are lost), 1 for a choice that is proven won.
        root: the root with its children, as `Branch`.
        iterations: iterations of this search.
        reused_visits: visits of the root from earlier searches.
        seconds: time taken.
        depth: depth of the deepest iteration, in moves.
        stored: nodes (on a graph: positions) in memory, of all threads together.
        full: whether a tree had no room for more nodes, or a graph replaced some.
        branching: mean number of moves of the expanded nodes, None without any.
        backend: `compiled` or `python`.
        line: principal variation: the choice, then the likeliest moves, 0-based columns.
        forest: the trees of the search, readable until the next search. After it, and in a copy of
            the result (as from another process), they raise `OutdatedForest`.

    """

    column: int
    value: float
    policy: tuple[float, ...]
    root: Branch
    iterations: int
    reused_visits: int
    seconds: float
    depth: int
    stored: int
    full: bool
    branching: float | None
    backend: str
    line: tuple[int, ...]
    forest: Forest

    _repr_html_ = shown_by("claimeven.montecarlo.tree_text", "result_html")


@dataclass(frozen=True)
class Replay:
    """A repetition of a search by the textbook: `forest` shows its tree as it grows.

    `number` counts the searches before it. `engine` is None if the position needs no search.
    """

    number: int
    forest: Forest
    engine: TextbookEngine[Any] | None = None

    def steps(self, stretches: Sequence[int]) -> Iterator[Step]:
        """Make iterations by stretches; a timed flat search has one stretch for each leaf."""
        engine, is_by_leaf = self.engine, len(stretches) > 1
        if engine is None:
            return
        if is_by_leaf and isinstance(engine, LeafTurns):
            engine.hold_leaf()
        for iterations in stretches:
            yield from engine.steps(iterations)
            if is_by_leaf and isinstance(engine, LeafTurns):
                engine.next_leaf_turn()


class TreeSearch(ABC):
    """The part of a search that does not depend on its trees.

    Threads may share it: a search holds the lock `busy`, and the next one waits for it.
    """

    def __init__(self, backend: str) -> None:
        """Raises `InvalidOptions` for an unknown backend."""
        one_of(backend, "backend", BACKENDS, InvalidOptions)
        self.backend = backend
        self.busy: Lock = Lock()
        self._searches = 0
        self._report_seconds = _REPORT_SECONDS

    def search(
        self,
        position: Position,
        rng: np.random.Generator,
        iterations: int | None = None,
        seconds: float | None = None,
    ) -> MonteCarloResult:
        """Search a position within a budget; without one, the budget of the options applies.

        `rng` is the source of randomness. Raises `InvalidOptions` for a missing or empty budget and
        `InvalidPosition` for a finished position. The clock starts after the end of other searches.
        Without a prior `load`, loading takes part of the time.
        """
        self._check(position, rng)
        check_budget(iterations, seconds)
        if iterations is None and seconds is None:
            iterations, seconds = self._budget()
        if iterations is None and seconds is None:
            raise InvalidOptions("a search needs a budget: pass iterations or seconds, or both")
        with self.busy:
            return self._search(position, rng, iterations, seconds)

    def trace(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Sequence[Step], Branch]:
        """Return the iterations of a search from scratch, phase by phase, and the final root.

        The textbook repeats the search that `search` makes with the same generator on one thread
        without a stored tree. A position that needs no search has no steps. A search that is
        complete before has fewer than `iterations`.
        """
        steps, forest = self.follow(position, rng, iterations)
        return list(steps), forest.branch(depth=1)

    @abstractmethod
    def follow(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Iterator[Step], Forest]:
        """Return the steps of `trace` one by one: after each, the forest shows the current tree."""

    @abstractmethod
    def _search(
        self,
        position: Position,
        rng: np.random.Generator,
        iterations: int | None,
        seconds: float | None,
    ) -> MonteCarloResult: ...

    def _budget(self) -> tuple[int | None, float | None]:
        return None, None

    def _check(self, position: Position, rng: object) -> None:
        check_position(position, ongoing=True)
        if not callable(getattr(rng, "integers", None)):
            generator = "a generator such as numpy.random.default_rng(0)"
            raise InvalidOptions(f"rng must be {generator}, got {rng!r:.60}")

    def _check_unchanged(self, searches: int) -> None:
        """Raise `OutdatedForest` after the search with this number was followed by another."""
        if self._searches != searches:
            raise OutdatedForest("these trees are gone: another search has replaced them")

    def _note_report_time(self, seconds: float) -> None:
        """Update the estimate of the time to report a tree, which a timed search reserves."""
        self._report_seconds += (min(seconds, _MAX_REPORT_SECONDS) - self._report_seconds) / 4


class MonteCarloSearch(TreeSearch):
    """A search with its options and the trees that it reuses in the next decision.

    >>> from claimeven.montecarlo import preset
    >>> search = MonteCarloSearch(preset("uct", seconds=None))
    >>> position = Position.from_moves("121212")
    >>> search.search(position, np.random.default_rng(1), iterations=100).column
    0
    """

    def __init__(self, options: MonteCarloOptions, backend: str = "auto") -> None:
        """Raises `InvalidOptions` for an unknown backend."""
        super().__init__(backend)
        self.options = options
        self._engines: list[Engine] = []
        self._engines_for: tuple[Any, ...] = ()
        self._stretches: Sequence[int] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has the same options but no trees."""
        return MonteCarloSearch, (self.options, self.backend)

    def load(self, geometry: Geometry | None = None) -> None:
        """Compile the search, or load it from the cache, before a clock starts. For a given board
        also allocate the memory. Raises `InvalidOptions` if no backend supports the board.
        """
        with self.busy:
            if geometry is None:
                if self.backend != "python" and not callable(self.options.playout):
                    load_kernels(self.options, 0)
                return
            key = self._engine_key(geometry)
            if key[-1] == "python" or self._engines_for == key:
                return
            for engine in self._engines_of(geometry):
                # Numba prepares a kernel in its first call.
                engine.start(Position(geometry), 0)
                engine.run(1)
                engine.forget()

    def reset(self) -> None:
        """Drop the stored trees; their memory is reused."""
        with self.busy:
            for engine in self._engines:
                engine.forget()

    def _budget(self) -> tuple[int | None, float | None]:
        return self.options.iterations, self.options.seconds

    def _search(
        self,
        position: Position,
        rng: np.random.Generator,
        iterations: int | None,
        seconds: float | None,
    ) -> MonteCarloResult:
        started = time.perf_counter()
        self._searches += 1
        backend = self.backend_for(position.geometry)
        engines = self._engines_of(position.geometry)
        keep = None if seconds is None else self._keep(seconds, backend)
        for engine in engines:
            engine.start(position, int(rng.integers(0, 2**64, dtype=np.uint64)), keep)
        immediate = immediate_tree(position, self.options)
        shown: tuple[ReadableTree, ...] = (
            (ImmediateTree(immediate),) if immediate else tuple(engines)
        )
        check = partial(self._check_unchanged, self._searches)
        forest = Forest(position, self.options, shown, self.busy, check)
        reused_visits = forest.root_visits()
        self._stretches, iteration_count = (), 0
        if not immediate:
            if seconds is not None:
                seconds -= min(self._report_seconds, seconds / 4)
            totals = run_all(engines, iterations, started, seconds, _FIRST_SLICE[backend])
            self._stretches, iteration_count = totals[0], sum(map(sum, totals))
        end = time.perf_counter()
        root = forest.branch(depth=1)
        chosen = (choose_immediate if immediate else choose)(root, position, self.options, rng)
        value = float(PROOF_RESULTS[chosen.proof]) if chosen.proof else chosen.plain_mean
        result = MonteCarloResult(
            column=chosen.column,
            value=value,
            policy=policy(root, chosen, position.geometry.columns),
            root=root,
            iterations=iteration_count,
            reused_visits=reused_visits,
            depth=0 if immediate else max(engine.depth for engine in engines),
            stored=sum(engine.used for engine in engines),
            full=any(engine.full for engine in engines),
            branching=branching(shown),
            backend=backend,
            line=forest.line(chosen.column),
            forest=forest,
            seconds=time.perf_counter() - started,
        )
        self._note_report_time(started + result.seconds - end)
        return result

    def follow(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Iterator[Step], Forest]:
        check_budget(iterations, None)
        replay = self._replay(position, rng, None)
        return replay.steps((iterations,)), replay.forest

    def replay(
        self, position: Position, rng: np.random.Generator, seconds: float | None = None
    ) -> Replay:
        """Return the search that `search` makes next with the same generator and seconds, on its
        first thread, from the stored tree. The generator and the tree stay unchanged. After that
        search, `iterations_of` returns its iterations.
        """
        with self.busy:
            key = self._engine_key(position.geometry)
            engines = self._engines if self._engines_for == key else ()
            stored = engines[0] if engines and self.options.reuse else None
            return self._replay(position, rng, stored, seconds)

    def iterations_of(self, replay: Replay) -> Sequence[int] | None:
        """Return the stretches of iterations of a search if it was the last one, else None."""
        return self._stretches if self._searches == replay.number + 1 else None

    def _replay(
        self,
        position: Position,
        rng: np.random.Generator,
        stored: Engine | None,
        seconds: float | None = None,
    ) -> Replay:
        self._check(position, rng)
        immediate = immediate_tree(position, self.options)
        if immediate:
            shown = Forest(position, self.options, (ImmediateTree(immediate),))
            return Replay(self._searches, shown)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        if stored is not None:
            backend = self.backend_for(position.geometry)
            keep = None if seconds is None else self._keep(seconds, backend)
            engine = stored.textbook(position, seed, keep)
        else:
            engine = textbook_engine(self.options)
            engine.start(position, seed)
        return Replay(self._searches, Forest(position, self.options, (engine,)), engine)

    def backend_for(self, geometry: Geometry) -> str:
        """Return which backend serves a board. Raises `InvalidOptions` if none can."""
        check_geometry(geometry, InvalidOptions)
        is_custom = callable(self.options.playout)
        if self.backend == "compiled":
            if is_custom:
                raise InvalidOptions(
                    "a custom playout runs in Python: choose backend=auto or backend=python"
                )
            geometry.check_fits_word("backend=compiled", InvalidOptions, MAX_BITS)
        python = self.backend == "python" or is_custom or geometry.bits > MAX_BITS
        return "python" if python else "compiled"

    def _check(self, position: Position, rng: object) -> None:
        super()._check(position, rng)
        minimum = 1 + len(position.legal_columns)
        if self.options.capacity < minimum:
            raise InvalidOptions(
                f"capacity must be at least {minimum} here, for the position and each of its moves,"
                f" got {self.options.capacity}"
            )
        self.backend_for(position.geometry)

    def _engines_of(self, geometry: Geometry) -> list[Engine]:
        key = self._engine_key(geometry)
        if self._engines_for != key:
            self._engines, self._engines_for = [], ()  # frees the memory first
            if key[-1] == "compiled":
                load_kernels(self.options, geometry.bits)
                make: Callable[[MonteCarloOptions], Engine] = partial(compiled_engine, geometry)
            else:
                make = textbook_engine
            self._engines = [make(self.options) for _ in range(self.options.threads)]
            self._engines_for = key
        return self._engines

    def _engine_key(self, geometry: Geometry) -> tuple[Any, ...]:
        return geometry, self.options, self.backend_for(geometry)

    def _keep(self, seconds: float, backend: str) -> int:
        """Return the number of nodes of each stored tree that a timed search can read."""
        share = int(min(seconds, 1e6) * _REUSE_RATE[backend]) // self.options.threads
        return max(share, _MIN_REUSE)
