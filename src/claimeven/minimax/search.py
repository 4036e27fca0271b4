"""Running a search within limits, compiled or as the textbook, with one type of result.

With only a depth limit, that depth is searched once. Within seconds or nodes the depth grows from
1 (iterative deepening), and the last depth searched completely decides. Negamax tries the best
column of one depth first at the next, from its table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from claimeven.compiled import MAX_BITS, for_bits, load
from claimeven.evaluation.registry import OWN, Evaluation, EvaluationFunction, get_evaluation
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.minimax import textbook
from claimeven.minimax.kernel import SearchState, search_slice, start_search
from claimeven.minimax.textbook import LimitReached, SearchContext
from claimeven.minimax.transpositions import CompiledTranspositionTable, TranspositionTable
from claimeven.minimax.types import (
    ALGORITHMS,
    PROVEN,
    VIEWS,
    ColumnValue,
    Counters,
    Event,
    InvalidSearch,
    MinimaxResult,
    Trace,
    column_order,
    run_trace,
)
from claimeven.parallel.interrupts import Lock

#: Nodes between two checks of the clock.
SLICE = 8192
BACKENDS = ("auto", "compiled", "python")
TABLE_ENTRIES = 1 << 18


@dataclass(frozen=True)
class _Limits:
    """When to stop: a time of `time.perf_counter` and a number of nodes; None means never."""

    deadline: float | None
    nodes: int | None

    def reached(self, nodes: int) -> bool:
        if self.nodes is not None and nodes >= self.nodes:
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def next_pause(self, nodes: int) -> int:
        pause = nodes + SLICE
        return pause if self.nodes is None else min(pause, self.nodes)


class MinimaxSearch:
    """A search with its options; negamax also keeps its table from call to call.

    `algorithm` is minimax, alphabeta or negamax; `evaluation` is a name, an `Evaluation` or a
    function of a position; `order` is "center" or "left". `backend` is "auto" (compiled if the
    board and the evaluation allow it), "compiled" or "python". `table` is the number of entries of
    negamax's table, a power of two; `view` is "mover" or "root", the view of the evaluation (see
    `types.VIEWS`). `prune` turns the cutoffs of negamax on or off. Raises `InvalidSearch` or
    `InvalidEvaluation` for other values. Calls of threads run in turn.

    >>> position = Position.from_moves("112233")
    >>> result = MinimaxSearch("alphabeta", "windows").search(position, depth=3)
    >>> result.column, result.plies_to_end
    (3, 1)
    """

    def __init__(
        self,
        algorithm: str = "alphabeta",
        evaluation: str | Evaluation | EvaluationFunction = "windows",
        order: str = "center",
        backend: str = "auto",
        table: int = TABLE_ENTRIES,
        view: str = "mover",
        prune: bool = True,
    ) -> None:
        for what, given, choices in (
            ("algorithm", algorithm, ALGORITHMS),
            ("backend", backend, BACKENDS),
            ("view", view, VIEWS),
        ):
            one_of(given, what, choices, InvalidSearch)
        column_order(Position().geometry, order)
        TranspositionTable(table)
        self.algorithm = algorithm
        self.evaluation: Evaluation = get_evaluation(evaluation)
        self.order = order
        self.backend = backend
        self.table_entries = table
        self.view = view
        self.prune: bool = prune and algorithm != "minimax"
        self._tables: dict[tuple[str, bool], TranspositionTable | CompiledTranspositionTable] = {}
        self._table_scope: tuple[Geometry, int] | None = None
        #: Held by the running search, because searches share the tables.
        self._busy = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return the options: a copy starts with an empty table."""
        options = {name: value for name, value in vars(self).items() if name != "_busy"}
        return {**options, "_tables": {}, "_table_scope": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._busy = Lock()

    def load(self, geometry: Geometry = STANDARD) -> None:
        """Compile the search on a board, or load it from the cache, before a clock starts."""
        check_geometry(geometry, InvalidSearch)
        if self.backend != "python" and geometry.bits <= MAX_BITS:
            load(*(for_bits(each, geometry.bits) for each in (start_search, search_slice)))

    def reset(self) -> None:
        """Clear the table."""
        with self._busy:
            for table in self._tables.values():
                table.clear()

    def backend_for(self, geometry: Geometry) -> str:
        """Return the backend used for a board. Raises `InvalidSearch` if no backend can be."""
        check_geometry(geometry, InvalidSearch)
        own = self.evaluation.kernel == OWN
        if self.backend == "compiled":
            if own:
                raise InvalidSearch(
                    f"the evaluation {self.evaluation.name} is not compiled: choose backend=auto or"
                    " backend=python"
                )
            geometry.check_fits_word("backend=compiled", InvalidSearch, MAX_BITS)
        python = self.backend == "python" or own or geometry.bits > MAX_BITS
        return "python" if python else "compiled"

    def search(
        self,
        position: Position,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> MinimaxResult:
        """Search a position to a depth in plies, within seconds or nodes, or to the end.

        Without a limit every line is played to the end of the game. Depth 1 is always searched
        completely. Raises `InvalidSearch` for a finished game, for limits of 0 or less, and for a
        depth or node limit that is not a whole number.
        """
        depth, seconds, nodes = _check_limits(position, depth, seconds, nodes)
        with self._busy:
            return self._search(position, depth, seconds, nodes)

    def _search(
        self, position: Position, depth: int | None, seconds: float | None, nodes: int | None
    ) -> MinimaxResult:
        # Keys are valid for one board, and evaluations for one side at the root.
        scope = self._table_scope_of(position)
        if scope != self._table_scope:
            self.reset()
            self._table_scope = scope
        deepest = _empty_cells(position) if depth is None else min(depth, _empty_cells(position))
        deadline = None if seconds is None else time.perf_counter() + seconds
        limits = _Limits(deadline, nodes)
        run = self._compiled if self.backend_for(position.geometry) == "compiled" else self._python
        total = Counters()
        is_deepening = seconds is not None or nodes is not None
        best = run(position, 1 if is_deepening else deepest, _Limits(None, None), total)
        assert best is not None
        while is_deepening and best.depth < deepest and abs(best.value) <= PROVEN:
            if limits.reached(total.nodes):
                break
            left = _Limits(deadline, None if nodes is None else nodes - total.nodes)
            deeper = run(position, best.depth + 1, left, total)
            if deeper is None:
                break
            best = deeper
        return replace(best, counters=total)

    def known(self, position: Position) -> TranspositionTable:
        """Return a copy of the table with which the next search of a position would start."""
        with self._busy:
            geometry = position.geometry
            table = self._tables.get((self.backend_for(geometry), geometry.fits_word))
            is_valid = table is not None and self._table_scope_of(position) == self._table_scope
            return table.copy() if table and is_valid else TranspositionTable(self.table_entries)

    def trace(
        self,
        position: Position,
        depth: int,
        deepening: int = 0,
        known: TranspositionTable | None = None,
    ) -> Trace:
        """Return the textbook search of a position as a generator of its events.

        Negamax starts with a copy of `known`, or with an empty table, so that a trace does not
        change later searches. With `deepening`, lower depths first fill the table, without events
        and within that many positions, as in a search within seconds or nodes. Raises
        `InvalidSearch` as `search` does.
        """
        _check_limits(position, depth, None, None)
        table = None
        if self.algorithm == "negamax":
            table = known.copy() if known else TranspositionTable(self.table_entries)
        if table is None or not deepening:
            return self._textbook_run(position, depth, self._textbook(position, table))
        return self._deepening_trace(position, min(depth, _empty_cells(position)), table, deepening)

    def _table_scope_of(self, position: Position) -> tuple[Geometry, int]:
        """Return the board and the side at the root for which the table is valid."""
        return position.geometry, position.turn if self.view == "root" else 0

    def _deepening_trace(
        self, position: Position, depth: int, table: TranspositionTable, left: int
    ) -> Trace:
        """Trace a depth after lower depths, which visit at most `left` positions."""
        for lesser in range(1, depth):
            context = self._textbook(position, table)
            context.stop = _Limits(None, left).reached
            with suppress(LimitReached):
                run_trace(self._textbook_run(position, lesser, context), lambda event: None)
            left -= context.counters.nodes
        node = yield from self._textbook_run(position, depth, self._textbook(position, table))
        return node

    def _table(
        self, backend: str, geometry: Geometry
    ) -> TranspositionTable | CompiledTranspositionTable | None:
        if self.algorithm != "negamax":
            return None
        key = backend, geometry.fits_word
        if key not in self._tables:
            self._tables[key] = (
                CompiledTranspositionTable(self.table_entries, geometry.bits)
                if backend == "compiled"
                else TranspositionTable(self.table_entries)
            )
        return self._tables[key]

    def _textbook(self, position: Position, table: TranspositionTable | None) -> SearchContext:
        order = column_order(position.geometry, self.order)
        return SearchContext(self.evaluation, order, Counters(), table, self.view, self.prune)

    def compiled_state(self, position: Position, depth: int) -> SearchState:
        """Return the compiled search of a position, ready to run."""
        table = self._table("compiled", position.geometry)
        assert not isinstance(table, TranspositionTable)
        return SearchState(
            position, depth, self.prune, self.evaluation, self.order, table, self.view
        )

    def _textbook_run(self, position: Position, depth: int, context: SearchContext) -> Trace:
        algorithm: Callable[[Position, int, SearchContext], Trace]
        algorithm = getattr(textbook, self.algorithm)
        return algorithm(position, min(depth, _empty_cells(position)), context)

    def _compiled(
        self, position: Position, depth: int, limits: _Limits, total: Counters
    ) -> MinimaxResult | None:
        """Search one depth compiled; None if a limit ended it. Add its counts to `total`."""
        state = self.compiled_state(position, depth)
        done = False
        while not done and not limits.reached(state.nodes):
            done = state.run(limits.next_pause(state.nodes))
        total.add(state.counters)
        if not done:
            return None
        line = state.line
        return MinimaxResult(
            line[0], state.value, line, state.columns, state.counters, depth, "compiled"
        )

    def _python(
        self, position: Position, depth: int, limits: _Limits, total: Counters
    ) -> MinimaxResult | None:
        """Search one depth with the textbook; None if a limit ended it."""
        table = self._table("python", position.geometry)
        assert not isinstance(table, CompiledTranspositionTable)
        context = self._textbook(position, table)
        context.stop = limits.reached
        columns: list[ColumnValue | None] = [None] * position.geometry.columns
        root = None
        with suppress(LimitReached):
            root = run_trace(
                self._textbook_run(position, depth, context),
                lambda event: _record_root_column(event, columns),
            )
        total.add(context.counters)
        if root is None:
            return None
        line, value = root.line, root.value
        return MinimaxResult(
            line[0], value, line, tuple(columns), context.counters, depth, "python"
        )


def _empty_cells(position: Position) -> int:
    return position.geometry.cells - position.ply


def _record_root_column(event: Event, columns: list[ColumnValue | None]) -> None:
    """Store the value of a root column when the search returns from it."""
    if event.kind != "return" or len(event.columns) != 1 or event.value is None:
        return
    if event.view == "root":
        known = ColumnValue(event.value, event.value > event.alpha)
    else:
        known = ColumnValue(-event.value, event.value < event.beta)
    columns[event.columns[0]] = known


def _check_limits(
    position: Position, depth: int | None, seconds: float | None, nodes: int | None
) -> tuple[int | None, float | None, int | None]:
    """Return the limits as numbers of Python. Raises `InvalidSearch` as `search` does."""
    check_position(position, InvalidSearch, ongoing=True)
    if seconds is not None:
        seconds = real_number(seconds, "seconds", InvalidSearch, above=0, finite=False)
    depth, nodes = (
        None if limit is None else whole_number(limit, name, InvalidSearch, low=1)
        for name, limit in (("depth", depth), ("nodes", nodes))
    )
    return depth, seconds, nodes
