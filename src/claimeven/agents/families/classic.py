"""The classic searches as agents: minimax, alpha-beta, negamax and their published presets."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit, TreeView, one_hot
from claimeven.agents.files import load_evaluation
from claimeven.agents.options import BACKEND, DEEPENING, FULL, ORDER, AgentKind, Option, limit_in
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position, check_position
from claimeven.minimax import inspection, types
from claimeven.minimax.search import TABLE_ENTRIES, MinimaxSearch
from claimeven.minimax.transpositions import TranspositionTable
from claimeven.minimax.types import ColumnValue, Event, MinimaxResult, Trace

#: Depth of a search without any limit.
DEFAULT_DEPTH: Final = 5
#: With `start=center` a game with fewer discs is opened in the center.
OPENING_DISCS: Final = 2
#: Maximum nodes of a drawn tree, which the textbook search visits in a few seconds.
MAX_TREE_NODES = 200_000
#: A longer search is not drawn, even if its last depth might have fewer nodes.
_MAX_SEARCHED = 4 * MAX_TREE_NODES


@dataclass(eq=False)
class SearchAgent(Agent):
    """An agent around a `MinimaxSearch`.

    `own` is the limit in its spec. A `stateful` agent keeps its transposition table from game to
    game. `plays` selects the column of its best line: "first" or "last".
    """

    limits = frozenset(("seconds", "depth", "nodes"))

    search: MinimaxSearch
    own: Limit
    to_the_end: bool
    center_start: bool
    stateful: bool = False
    plays: str = "first"

    def __post_init__(self) -> None:
        self.name: str = self.search.algorithm
        self._last: tuple[Position, MinimaxResult, TranspositionTable | None] | None = None
        #: The table that the next search starts from, if a trace of it was asked for.
        self._known: TranspositionTable | None = None

    def load(self, geometry: Geometry) -> None:
        self.search.load(geometry)

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSearch`, or `InvalidNetwork`, if it cannot search a board."""
        self.search.backend_for(geometry)

    def reset(self) -> None:
        self._last = None
        if not self.stateful:
            self.search.reset()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        start = time.perf_counter()
        check_position(position)
        columns = position.geometry.columns
        self._last, known, self._known = None, self._known, None
        if self._opens(position):
            center = position.geometry.center_order[0]
            return Decision(
                center,
                0.0,
                one_hot(center, columns),
                seconds=time.perf_counter() - start,
                details={"reason": "opens in the center"},
            )
        bounds = self._bounds(limit)
        result = self.search.search(position, bounds.depth, bounds.seconds, bounds.nodes)
        self._last = (position, result, known)
        counters = result.counters
        column = result.line[-1] if self.plays == "last" else result.column
        if not position.is_legal(column):
            column = result.column
        return Decision(
            column,
            self.unit_value(result.value),
            one_hot(column, columns),
            depth=counters.depth,
            nodes=counters.nodes,
            seconds=time.perf_counter() - start,
            details={
                "values": [None if value is None else value.value for value in result.columns],
                "values_are": "eval",
                "value_words": [_column_text(value) for value in result.columns],
                "exact": [value is not None and value.exact for value in result.columns],
                "line": list(result.line),
                "evaluation": result.value,
                "plies_to_end": result.plies_to_end,
                "evaluations": counters.evaluations,
                "cutoffs": counters.cutoffs,
                "expanded": counters.expanded,
                "table_hits": counters.table_hits,
                "depth_completed": result.depth,
                "branching": counters.branching,
                "backend": result.backend,
            },
        )

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Return every step of the textbook search of the next decision, with the same initial
        table; for a deepening search the steps of its last completed depth.

        The steps are computed when they are read. Before the decision they go to the depth of the
        limits, or to the default depth, which the first line reports.
        """
        if self._opens(position):
            return iter(("opens in the center: no search",))
        self._known = self.search.known(position)
        return self._lines(position, self._bounds(limit), self._known)

    def _lines(self, position: Position, bounds: Limit, known: TranspositionTable) -> Iterator[str]:
        depth, deepening = bounds.depth, 0
        if self._last is not None and self._last[2] is known:
            result = self._last[1]
            depth = result.depth
            if result.counters.searches > 1:
                deepening = _MAX_SEARCHED
                yield f"{depth} plies, the last completed depth, decide"
            if result.counters.nodes > deepening > 0 and self.search.algorithm == "negamax":
                raise _too_many(depth)
        elif depth is None and self.to_the_end:
            depth = position.geometry.cells - position.ply
        elif depth is None:
            depth = DEFAULT_DEPTH
            yield f"{depth} plies are shown; the agent's depth depends on its time or nodes"
        place = "at each position" if self.search.algorithm == "negamax" else "at the root"
        yield f"values and windows are for the side to move {place}"
        for event in self.search.trace(position, depth, deepening, known):
            yield event_line(event, position)

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the textbook's tree of the last search, or of its last depth if it deepened.

        For negamax it starts with the table of the search if `trace` was called before it, or else
        with an empty table. Raises `AgentFault` if it would take minutes.
        """
        if self._last is None:
            return None
        position, result, known = self._last
        if result.counters.nodes > _MAX_SEARCHED:  # sum of all depths
            raise _too_many(result.depth)
        deepened = MAX_TREE_NODES if result.counters.searches > 1 else 0
        trace = self.search.trace(position, result.depth, deepened, known)
        root = inspection.build_tree(_bounded(trace), depth, nodes)
        scale = self.search.evaluation.scale
        return TreeView(
            inspection.tree_text(root, position),
            inspection.tree_json(root, position),
            inspection.tree_svg(root, position, scale),
        )

    def unit_value(self, value: float) -> float:
        """Map a value of the search to [-1, 1]: proven results to the ends, `scale` to one half."""
        return inspection.unit_value(value, self.search.evaluation.scale)

    def _opens(self, position: Position) -> bool:
        return (
            self.center_start
            and position.ply < OPENING_DISCS
            and position.geometry.center_order[0] in position.legal_columns
            and not position.is_over
        )

    def _bounds(self, limit: Limit) -> Limit:
        bounds = self.own.min_with(limit)
        free = bounds.depth is None and bounds.seconds is None and bounds.nodes is None
        return Limit(depth=DEFAULT_DEPTH) if free and not self.to_the_end else bounds


def _bounded(trace: Trace) -> Trace:
    """Return the same trace; it raises `AgentFault` if it has too many nodes for a drawing."""
    entered = depth = 0

    def count(event: Event) -> None:
        nonlocal entered, depth
        entered += event.kind == "enter"
        depth = max(depth, event.depth)
        if entered > MAX_TREE_NODES:
            raise _too_many(depth)

    return types.report_events(trace, count)


def _too_many(depth: int) -> AgentFault:
    return AgentFault(
        f"shows no tree of more than {MAX_TREE_NODES:,} positions: choose a depth below {depth}"
    )


def event_line(event: Event, position: Position) -> str:
    """Return a trace event as one line, indented by its ply."""
    indent = "  " * len(event.columns)
    name = format_moves(event.columns, position.geometry) or "root"
    if event.kind == "enter":
        window = inspection.window_text(event.alpha, event.beta)
        return f"{indent}{name} depth {event.depth} window {window}"
    assert event.value is not None
    return f"{indent}{name} {event.kind}: {inspection.value_text(event.value)}, {event.reason}"


def _column_text(known: ColumnValue | None) -> str:
    """Return the value of a root column: W3 a win in 3 plies, L4 a loss, <= an upper bound."""
    if known is None:
        return "."
    return f"{'' if known.exact else '<='}{inspection.short_text(known.value)}"


def _build(algorithm: str, options: Mapping[str, Any]) -> Agent:
    search = MinimaxSearch(
        algorithm,
        load_evaluation(options["eval"]),
        options["order"],
        options["backend"],
        1 << options["table"] if "table" in options else TABLE_ENTRIES,
        options["view"],
        options.get("prune", True),
    )
    return SearchAgent(
        search,
        limit_in(options),
        options["depth"] == FULL,
        options["start"] == "center",
        options.get("keep", False),
        options.get("plays", "first"),
    )


def _kind(name: str, summary: str, *more: Option) -> AgentKind:
    return AgentKind(name, summary, (*_OPTIONS, *more), partial(_build, name))


_OPTIONS = (
    Option(
        "depth", "depth", None,
        f"plies to look ahead; {DEFAULT_DEPTH} without another limit", 1, 256,
    ),
    Option(
        "eval", "text", "windows", f"heuristic: {', '.join(EVALUATIONS)}, or my_file.py:function"
    ),
    Option(
        "view", "choice", "mover",
        "the heuristic is for the side to move at the leaf (mover) or at the root",
        choices=types.VIEWS,
    ),
    *DEEPENING,
    ORDER,
    Option(
        "start", "choice", "search", "center: open in the center without a search",
        choices=("search", "center"),
    ),
    BACKEND,
)  # fmt: skip

_MINIMAX = _kind("minimax", "looks at every line to a depth")
_ALPHABETA = _kind("alphabeta", "minimax without branches that cannot matter")
_NEGAMAX = _kind(
    "negamax", "alpha-beta with a transposition table that it keeps from move to move",
    Option("table", "int", 18, "entries of the table, as a power of two", 0, 28),
    Option("keep", "flag", False, "keep the table from game to game too"),
    Option("prune", "flag", True, "cut off branches that cannot matter"),
    Option(
        "plays", "choice", "first", "which column of its best line it plays",
        choices=("first", "last"),
    ),
)  # fmt: skip
_POLITO: Final[dict[str, Any]] = {
    "depth": 3, "eval": "sequences", "order": "left", "start": "center"
}  # fmt: skip
_AIFOUR: Final[dict[str, Any]] = {"depth": 4, "eval": "streaks", "order": "left", "prune": False}

KINDS = (
    _MINIMAX,
    _ALPHABETA,
    _NEGAMAX,
    _MINIMAX.preset("minimax-polito", "minimax of Politecnico di Torino, 2021", **_POLITO),
    _ALPHABETA.preset("alphabeta-polito", "alpha-beta of Politecnico di Torino, 2021", **_POLITO),
    _ALPHABETA.preset(
        "alphabeta-lund", "alpha-beta of a Lund student report", depth=5, order="left", view="root"
    ),
    _NEGAMAX.preset(
        "negamax-aifour", "negamax of the AIFour notebook, which looks at every line",
        keep=True, **_AIFOUR,
    ),
    _NEGAMAX.preset(
        "negamax-aifour-code", "the same as printed: without a table, plays its last column",
        table=0, plays="last", **_AIFOUR,
    ),
)  # fmt: skip
