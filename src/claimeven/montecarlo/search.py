"""The driver: from options, a position and a budget to a result, on one thread or several.

Several threads grow a tree each from a seed of its own, and the trees are added up. That makes
the same decision from the same seed and iterations, which threads in one tree cannot promise,
and no thread ever waits for another.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from claimeven.game import Geometry, InvalidPosition, Position
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
from claimeven.montecarlo.final_move import choose, choose_immediate, policy
from claimeven.montecarlo.immediate import ImmediateTree, immediate_tree
from claimeven.montecarlo.inspection import Branch, Forest, OutdatedForest
from claimeven.montecarlo.layout import PROOF_RESULTS
from claimeven.montecarlo.options import InvalidOptions, MonteCarloOptions, check_budget
from claimeven.montecarlo.textbook import Step
from claimeven.parallel.interrupts import Lock

BACKENDS: Final = ("auto", "compiled", "python")

#: Nodes of a kept tree looked at for each second of a timed search, compiled or not: that takes
#: about a quarter of its time where there are so many.
_REUSED_NODES_PER_SECOND: Final = {"compiled": 20_000_000, "python": 200_000}
#: Nodes that are looked at in any case.
_MIN_REUSED_NODES: Final = 1_000

#: Seconds kept back of a timed search for telling what the grown tree holds: at first, and the most
#: that one search can teach the next.
_REPORT_SECONDS: Final = 0.001
_MAX_REPORT_SECONDS: Final = 0.02

#: Iterations before the first look at the clock.
_FIRST_SLICE: Final = {"compiled": 8, "python": 1}


@dataclass(frozen=True)
class MonteCarloResult:
    """What a search found.

    Attributes:
        column: the chosen 0-based column.
        value: expected result of it for the side to move, -1..1; exact where proven.
        policy: share of the visits for each column, shape (columns,); zero where illegal or
            proven lost (unless all are), and one at the choice where it is proven won.
        root: the root with its children, as `Branch`.
        iterations: iterations of this search; `reused_visits` those found in a kept tree.
        seconds: time taken.
        depth: depth of the deepest iteration, in moves.
        stored: nodes (with a table: positions) in memory, of all threads together.
        full: whether a tree (or table) had no room for more nodes during this search.
        branching: mean number of moves of the expanded nodes, None without any.
        backend: `compiled` or `python`.
        line: principal variation: the choice, then the likeliest moves, 0-based columns.
        forest: the trees behind, to look into until the next search; `OutdatedForest` afterwards,
            and in a copy of the result, as one from another process is: that has none.

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
    """A search to be made once more, by the textbook: `forest` shows its tree as it grows.

    `number` counts the searches before it. There is no engine where none is needed.
    """

    number: int
    forest: Forest
    engine: TextbookEngine[Any] | None = None

    def steps(self, stretches: Sequence[int]) -> Iterator[Step]:
        """Make iterations, stretch by stretch: flat search under a clock has one for each leaf."""
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

    Threads may share it: a search waits for the one before it to end, which holds `busy`.
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
        """Search a position within a budget: the given one, or else that of the options.

        The randomness is drawn from `rng`. Raises `InvalidOptions` without a budget or with a
        budget of nothing, and `InvalidPosition` for a finished position. The clock starts when no
        other search is running any more; what `load` has not done is done while it runs.
        """
        self._check(position)
        check_budget(iterations, seconds)
        if iterations is None and seconds is None:
            iterations, seconds = self._budget()
        if iterations is None and seconds is None:
            raise InvalidOptions("a search needs a budget: give iterations or seconds, or both")
        with self.busy:
            return self._search(position, rng, iterations, seconds)

    def trace(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Sequence[Step], Branch]:
        """Each iteration of a search from scratch, phase by phase, and the root afterwards.

        It is the search that `search` makes with the same generator on one thread without a kept
        tree, made by the textbook. There are no steps for a position that is decided without a
        search, and fewer than `iterations` if a search ends before.
        """
        steps, forest = self.follow(position, rng, iterations)
        return list(steps), forest.branch(depth=1)

    @abstractmethod
    def follow(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Iterator[Step], Forest]:
        """`trace` while it is made: after each step the forest shows the current tree."""

    @abstractmethod
    def _search(
        self,
        position: Position,
        rng: np.random.Generator,
        iterations: int | None,
        seconds: float | None,
    ) -> MonteCarloResult: ...

    def _budget(self) -> tuple[int | None, float | None]:
        """Return the iterations and seconds of a search that is not given any."""
        return None, None

    def _check(self, position: Position) -> None:
        """Raise unless a position can be searched."""
        if position.is_over:
            raise InvalidPosition("the game is over here, so there is no move to search for")

    def _check_unchanged(self, searches: int) -> None:
        """Raise `OutdatedForest` if there has been another search since the one of that number."""
        if self._searches != searches:
            raise OutdatedForest("these trees are gone: there has been another search since")

    def _note_report_time(self, seconds: float) -> None:
        """Learn how long it takes to report a tree, which a timed search keeps back."""
        self._report_seconds += (min(seconds, _MAX_REPORT_SECONDS) - self._report_seconds) / 4


class MonteCarloSearch(TreeSearch):
    """A search with its options, and the trees it keeps from one decision to the next.

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
        """A copy has the same options, and no trees."""
        return MonteCarloSearch, (self.options, self.backend)

    def load(self, geometry: Geometry | None = None) -> None:
        """Compile the search, or load it from the cache, before a clock starts; for a board it is
        known to be used on, set the memory aside as well. Raises `InvalidOptions` if no backend can
        search the board.
        """
        with self.busy:
            if geometry is not None and self.backend_for(geometry) == "python":
                return
            if self.backend != "python" and not callable(self.options.playout):
                load_kernels(self.options)
            if geometry is None or self._engines_for == self._engine_key(geometry):
                return
            for engine in self._engines_of(geometry):
                # Numba prepares the call of a kernel when it is first made.
                engine.start(Position(geometry), 0)
                engine.run(1)
                engine.forget()

    def reset(self) -> None:
        """Forget the trees kept; their memory is used again."""
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
        evident = immediate_tree(position, self.options)
        shown: tuple[ReadableTree, ...] = (ImmediateTree(evident),) if evident else tuple(engines)
        forest = Forest(
            position, self.options, shown, self.busy, partial(self._check_unchanged, self._searches)
        )
        kept = forest.root_visits()
        self._stretches, made = (), 0
        if not evident:
            if seconds is not None:
                seconds -= min(self._report_seconds, seconds / 4)
            all_made = run_all(engines, iterations, started, seconds, _FIRST_SLICE[backend])
            self._stretches, made = all_made[0], sum(map(sum, all_made))
        grown = time.perf_counter()
        root = forest.branch(depth=1)
        chosen = (choose_immediate if evident else choose)(root, position, self.options, rng)
        value = float(PROOF_RESULTS[chosen.proof]) if chosen.proof else chosen.plain_mean
        result = MonteCarloResult(
            column=chosen.column,
            value=value,
            policy=policy(root, chosen, position.geometry.columns),
            root=root,
            iterations=made,
            reused_visits=kept,
            depth=0 if evident else max(engine.depth for engine in engines),
            stored=sum(engine.used for engine in engines),
            full=any(engine.full for engine in engines),
            branching=branching(shown),
            backend=backend,
            line=forest.line(chosen.column),
            forest=forest,
            seconds=time.perf_counter() - started,
        )
        self._note_report_time(started + result.seconds - grown)
        return result

    def follow(
        self, position: Position, rng: np.random.Generator, iterations: int
    ) -> tuple[Iterator[Step], Forest]:
        """`trace` while it is made: after each step that is taken the forest shows the tree as it
        is then.
        """
        check_budget(iterations, None)
        replay = self._replay(position, rng, None)
        return replay.steps((iterations,)), replay.forest

    def replay(
        self, position: Position, rng: np.random.Generator, seconds: float | None = None
    ) -> Replay:
        """The search that `search` makes next with the same generator and seconds, on its first
        thread, from the tree or table kept until now; it changes neither. `made` tells, once that
        search was made, of how many iterations it was.
        """
        with self.busy:
            engines = (
                self._engines if self._engines_for == self._engine_key(position.geometry) else ()
            )
            kept = engines[0] if engines and self.options.reuse else None
            return self._replay(position, rng, kept, seconds)

    def made(self, replay: Replay) -> Sequence[int] | None:
        """Return the stretches of iterations of a search, if it has just been made; else None."""
        return self._stretches if self._searches == replay.number + 1 else None

    def _replay(
        self,
        position: Position,
        rng: np.random.Generator,
        kept: Engine | None,
        seconds: float | None = None,
    ) -> Replay:
        self._check(position)
        evident = immediate_tree(position, self.options)
        if evident:
            shown = Forest(position, self.options, (ImmediateTree(evident),))
            return Replay(self._searches, shown)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        if kept is not None:
            backend = self.backend_for(position.geometry)
            keep = None if seconds is None else self._keep(seconds, backend)
            engine = kept.textbook(position, seed, keep)
        else:
            engine = textbook_engine(self.options)
            engine.start(position, seed)
        return Replay(self._searches, Forest(position, self.options, (engine,)), engine)

    def backend_for(self, geometry: Geometry) -> str:
        """Return which backend serves a board. Raises `InvalidOptions` if none can."""
        own = callable(self.options.playout)
        if self.backend == "compiled":
            if own:
                raise InvalidOptions(
                    "a playout of one's own is Python: choose backend=auto or backend=python"
                )
            geometry.check_fits_word("backend=compiled", InvalidOptions)
        python = self.backend == "python" or own or not geometry.fits_word
        return "python" if python else "compiled"

    def _check(self, position: Position) -> None:
        super()._check(position)
        least = 1 + len(position.legal_columns)
        if self.options.capacity < least:
            raise InvalidOptions(
                f"capacity must be at least {least} here, for the position and each of its moves,"
                f" not {self.options.capacity}"
            )
        self.backend_for(position.geometry)

    def _engines_of(self, geometry: Geometry) -> list[Engine]:
        wanted = self._engine_key(geometry)
        if self._engines_for != wanted:
            self._engines, self._engines_for = [], ()  # gives the memory back first
            if wanted[-1] == "compiled":
                load_kernels(self.options)
                make: Callable[[MonteCarloOptions], Engine] = partial(compiled_engine, geometry)
            else:
                make = textbook_engine
            self._engines = [make(self.options) for _ in range(self.options.threads)]
            self._engines_for = wanted
        return self._engines

    def _engine_key(self, geometry: Geometry) -> tuple[Any, ...]:
        """What engines are made for."""
        return geometry, self.options, self.backend_for(geometry)

    def _keep(self, seconds: float, backend: str) -> int:
        """Nodes of each kept tree that a search of so many seconds has the time to look at."""
        share = int(min(seconds, 1e6) * _REUSED_NODES_PER_SECOND[backend]) // self.options.threads
        return max(share, _MIN_REUSED_NODES)
