"""The classic searches as agents: minimax, alpha-beta, negamax and their published presets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit, TreeView, one_hot
from claimeven.agents.files import load_evaluation
from claimeven.agents.options import FULL, AgentKind, Option
from claimeven.evaluation.registry import EVALUATIONS, Evaluation
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.minimax.inspection import (
    build_tree,
    number_text,
    tree_json,
    tree_svg,
    tree_text,
    value_text,
    window_text,
)
from claimeven.minimax.search import BACKENDS, TABLE_ENTRIES, MinimaxSearch
from claimeven.minimax.transpositions import TranspositionTable
from claimeven.minimax.types import (
    PROVEN,
    VIEWS,
    ColumnValue,
    Event,
    MinimaxResult,
    Trace,
    plies_to_end,
    watched,
)

#: Depth of a search that is given no limit at all.
USUAL_DEPTH = 5
#: A game with fewer discs than this is opened in the centre under `start=centre`.
OPENING_DISCS = 2
#: A tree is shown by the textbook, which looks at this many positions in a few seconds.
MOST_TREE_NODES = 200_000
#: A search of more positions is not looked through for whether its last depth has so few.
_MOST_SEARCHED = 4 * MOST_TREE_NODES


class SearchAgent(Agent):
    """An agent around a `MinimaxSearch`.

    `own` is the limit its spec names. One that `remembers` keeps its transposition table from
    game to game. `plays` says which column of its best line it plays, "first" or "last".
    """

    limits = frozenset(("seconds", "depth", "nodes"))

    def __init__(
        self,
        search: MinimaxSearch,
        own: Limit,
        to_the_end: bool,
        centre_start: bool,
        remembers: bool = False,
        plays: str = "first",
    ) -> None:
        self.name = search.algorithm
        self.search = search
        self.own = own
        self.to_the_end = to_the_end
        self.centre_start = centre_start
        self.remembers = remembers
        self.plays = plays
        self._last: tuple[Position, MinimaxResult, TranspositionTable | None] | None = None
        #: The table that the next search starts from, if a trace of it was asked for.
        self._known: TranspositionTable | None = None

    def load(self, geometry: Geometry) -> None:
        """Compile the search, or load it."""
        self.search.load()

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSearch` if its backend cannot search a board."""
        self.search.backend_for(geometry)

    def reset(self) -> None:
        """Forget the transposition table, unless it is kept for the agent's life."""
        self._last = None
        if not self.remembers:
            self.search.reset()

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Search the position under the tighter of its own limits and those given."""
        start = time.perf_counter()
        columns = position.geometry.columns
        self._last, known, self._known = None, self._known, None
        if self._opens(position):
            centre = position.geometry.centre_order[0]
            return Decision(
                centre,
                0.0,
                one_hot(centre, columns),
                seconds=time.perf_counter() - start,
                details={"reason": "opens in the centre"},
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
                "values": [None if known is None else known.value for known in result.columns],
                "values_are": "eval",
                "value_words": [_column_words(known) for known in result.columns],
                "exact": [known is not None and known.exact for known in result.columns],
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
        """Return every step of the textbook search of the next decision, from the table it starts
        from; of one that deepens the last depth that was searched to its end.

        They are told when they are read. Before the decision they go to the depth of the limits;
        where these tell none, to the usual one, which is said.
        """
        if self._opens(position):
            return iter(("opens in the centre: no search",))
        self._known = self.search.known(position)
        return self._lines(position, self._bounds(limit), self._known)

    def _lines(self, position: Position, bounds: Limit, known: TranspositionTable) -> Iterator[str]:
        depth, deepening = bounds.depth, 0
        if self._last is not None and self._last[2] is known:
            result = self._last[1]
            depth = result.depth
            if result.counters.searches > 1:
                deepening = _MOST_SEARCHED
                yield f"{depth} plies, the last depth that was searched to its end, decide"
            if result.counters.nodes > deepening > 0 and self.search.algorithm == "negamax":
                raise _too_many(depth)
        elif depth is None and self.to_the_end:
            depth = position.geometry.cells - position.ply
        elif depth is None:
            depth = USUAL_DEPTH
            yield f"{depth} plies are told; how deep the agent looks, its time or nodes decide"
        where = "at each position" if self.search.algorithm == "negamax" else "at the root"
        yield f"values and windows as the side to move {where} sees them"
        for event in self.search.trace(position, depth, deepening, known):
            yield event_line(event, position)

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree of the last search, its last depth if it deepened, by the textbook.

        Negamax begins it with the table of the search if `trace` was asked for it before, else as a
        new agent would: its table knows no earlier moves. Raises `AgentFault` when that would take
        minutes.
        """
        last = self._last
        if last is None:
            return None
        position, result, known = last
        # A search that deepens step by step has looked at more than its last depth alone.
        if result.counters.nodes > _MOST_SEARCHED:
            raise _too_many(result.depth)
        deepened = MOST_TREE_NODES if result.counters.searches > 1 else 0
        trace = self.search.trace(position, result.depth, deepened, known)
        root = build_tree(_bounded(trace), depth, nodes)
        return TreeView(
            tree_text(root, position),
            tree_json(root, position),
            tree_svg(root, position, self.search.evaluation.scale),
        )

    def unit_value(self, value: float) -> float:
        """Return a value of the search as one in [-1, 1]."""
        return unit_value(value, self.search.evaluation)

    def _opens(self, position: Position) -> bool:
        """Whether the centre is played without a search."""
        return (
            self.centre_start
            and position.ply < OPENING_DISCS
            and position.geometry.centre_order[0] in position.legal_columns
            and not position.is_over
        )

    def _bounds(self, limit: Limit) -> Limit:
        bounds = self.own.tighter(limit)
        free = bounds.depth is None and bounds.seconds is None and bounds.nodes is None
        return Limit(depth=USUAL_DEPTH) if free and not self.to_the_end else bounds


def _bounded(trace: Trace) -> Trace:
    """The same trace. Raises `AgentFault` where it has too many nodes for a tree to be shown."""
    entered = depth = 0

    def count(event: Event) -> None:
        nonlocal entered, depth
        entered += event.kind == "enter"
        depth = max(depth, event.depth)
        if entered > MOST_TREE_NODES:
            raise _too_many(depth)

    return watched(trace, count)


def _too_many(depth: int) -> AgentFault:
    return AgentFault(
        f"shows no tree of more than {MOST_TREE_NODES:,} positions: choose a depth below {depth}"
    )


def unit_value(value: float, evaluation: Evaluation) -> float:
    """Map a search value to [-1, 1]: proven results to the ends, `scale` to one half."""
    if abs(value) > PROVEN:
        return 1.0 if value > 0 else -1.0
    return value / (abs(value) + evaluation.scale)


def event_line(event: Event, position: Position) -> str:
    """Say a trace event in one line, indented by its ply."""
    geometry = position.geometry
    indent = "  " * len(event.columns)
    name = format_moves(event.columns, geometry) or "root"
    if event.kind == "enter":
        window = window_text(event.alpha, event.beta)
        return f"{indent}{name} depth {event.depth} window {window}"
    assert event.value is not None
    return f"{indent}{name} {event.kind}: {value_text(event.value)}, {event.reason}"


def _column_words(known: ColumnValue | None) -> str:
    """Write what is known of a root column: W3 a win in 3 plies, L4 a loss, <= an upper bound."""
    if known is None:
        return "."
    plies = plies_to_end(known.value)
    if plies is None:
        number = number_text(known.value)
    else:
        number = f"{'W' if known.value > 0 else 'L'}{plies}"
    return number if known.exact else f"<={number}"


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
    full = options["depth"] == FULL
    own = Limit(options["seconds"], None, None if full else options["depth"], options["nodes"])
    centre_start = options["start"] == "centre"
    keep, plays = options.get("keep", False), options.get("plays", "first")
    return SearchAgent(search, own, full, centre_start, keep, plays)


def _builder(algorithm: str) -> Callable[[Mapping[str, Any]], Agent]:
    return partial(_build, algorithm)


_OPTIONS = (
    Option(
        "depth",
        "depth",
        None,
        f"plies to look ahead; {USUAL_DEPTH} where nothing else limits the search",
        1,
        256,
    ),
    Option(
        "eval",
        "text",
        "windows",
        f"heuristic: {', '.join(EVALUATIONS)}, or my_file.py:function",
    ),
    Option(
        "view", "choice", "mover",
        "whose view the heuristic takes: the side to move where the search stops, or at the root",
        choices=VIEWS,
    ),
    Option("seconds", "float", None, "wall-clock time for a move, deepening from 1", 0.001, 1e6),
    Option("nodes", "int", None, "positions for a move, deepening from 1", 1),
    Option(
        "order", "choice", "centre", "columns tried from there; ties go to the first",
        choices=("centre", "left"),
    ),
    Option(
        "start", "choice", "search", "centre: play the centre at once in the first two plies",
        choices=("search", "centre"),
    ),
    Option("backend", "choice", "auto", "auto picks by board size", choices=BACKENDS),
)  # fmt: skip

_MINIMAX = AgentKind("minimax", "looks at every line to a depth", _OPTIONS, _builder("minimax"))
_ALPHABETA = AgentKind(
    "alphabeta", "minimax without what cannot matter", _OPTIONS, _builder("alphabeta")
)
_NEGAMAX = AgentKind(
    "negamax",
    "alpha-beta with a table of the positions it met, kept from move to move",
    (
        *_OPTIONS,
        Option("table", "int", 18, "entries of the table, as a power of two", 0, 28),
        Option("keep", "flag", False, "keep the table from game to game too"),
        Option("prune", "flag", True, "cut off what cannot matter"),
        Option(
            "plays",
            "choice",
            "first",
            "which column of its best line it plays",
            choices=("first", "last"),
        ),
    ),
    _builder("negamax"),
)

KINDS = (
    _MINIMAX,
    _ALPHABETA,
    _NEGAMAX,
    _MINIMAX.preset(
        "minimax-polito", "minimax of Politecnico di Torino, 2021",
        depth=3, eval="sequences", order="left", start="centre",
    ),
    _ALPHABETA.preset(
        "alphabeta-polito", "alpha-beta of Politecnico di Torino, 2021",
        depth=3, eval="sequences", order="left", start="centre",
    ),
    _ALPHABETA.preset(
        "alphabeta-lund", "alpha-beta of a Lund student report", depth=5, order="left", view="root"
    ),
    _NEGAMAX.preset(
        "negamax-aifour", "negamax of the AIFour notebook, which looks at every line",
        depth=4, eval="streaks", order="left", keep=True, prune=False,
    ),
    _NEGAMAX.preset(
        "negamax-aifour-code", "the same as printed: finds nothing again, plays its last column",
        depth=4, eval="streaks", order="left", prune=False, table=0, plays="last",
    ),
)  # fmt: skip
