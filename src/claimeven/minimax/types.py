"""Types shared by the searches: values of won games, counters, options, results."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, Literal

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import one_of
from claimeven.markup import shown_by

#: The value of a win at the root; each ply to the winning disc subtracts 1.
WIN: Final = 10**9
#: Values above this are proven wins, values below its negative proven losses.
PROVEN: Final = WIN - 10**4
#: Evaluations are clipped to this, so that a proven result outweighs any heuristic.
MAX_HEURISTIC: Final = PROVEN - 1

ALGORITHMS: Final = ("minimax", "alphabeta", "negamax")
ORDERS: Final = ("center", "left")
#: The view of an evaluation: the side to move at the leaf, or the side to move at the root. The
#: two differ if an evaluation is not symmetric between the players.
VIEWS: Final = ("mover", "root")


class InvalidSearch(ClaimevenError):
    """A search with invalid options, limits or position."""


@dataclass
class Counters:
    """The counts of a search.

    `nodes` counts positions visited, including the root; `evaluations` calls of the heuristic;
    `cutoffs` positions whose remaining columns were skipped; `expanded` positions with at least
    one column tried; `table_hits` values taken from the table. `depth` is the deepest ply reached
    below the root; `searches` counts entries of the root: one for each depth of a deepening search.
    """

    nodes: int = 0
    evaluations: int = 0
    cutoffs: int = 0
    expanded: int = 0
    table_hits: int = 0
    depth: int = 0
    searches: int = 0

    def enter(self, ply: int) -> None:
        """Count a position `ply` below the root."""
        self.nodes += 1
        self.searches += ply == 0
        self.depth = max(self.depth, ply)

    def add(self, other: Counters) -> None:
        """Add the counts of another search of the same position."""
        self.nodes += other.nodes
        self.evaluations += other.evaluations
        self.cutoffs += other.cutoffs
        self.expanded += other.expanded
        self.table_hits += other.table_hits
        self.depth = max(self.depth, other.depth)
        self.searches += other.searches

    @property
    def branching(self) -> float | None:
        """Mean number of columns tried in an expanded position; None before the first."""
        return (self.nodes - self.searches) / self.expanded if self.expanded else None


@dataclass(frozen=True)
class ColumnValue:
    """The value of one root column, for the side to move.

    `exact` is False if the value is only an upper bound, because pruning stopped there.
    """

    value: float
    exact: bool


@dataclass(frozen=True)
class MinimaxResult:
    """The result of a search.

    `value` is for the side to move. Above `PROVEN` or below its negative it is a proven result:
    `WIN` minus the plies to the winning disc. A win that negamax found in its table, from a deeper
    search, may not be the soonest. `line` is the principal variation as 0-based columns, and
    `column` its first. `columns` has a `ColumnValue` for each column of the board, or None if the
    column was not searched. `depth` is the last complete one; `backend` is "compiled" or "python".
    """

    column: int
    value: float
    line: tuple[int, ...]
    columns: tuple[ColumnValue | None, ...]
    counters: Counters
    depth: int
    backend: str

    _repr_html_ = shown_by("claimeven.minimax.inspection", "result_html")

    @property
    def plies_to_end(self) -> int | None:
        """Plies to the winning disc of a proven win or loss, None otherwise."""
        return plies_to_end(self.value)


def plies_to_end(value: float) -> int | None:
    """Return the plies from the root to the winning disc of a proven value, None otherwise."""
    return WIN - int(abs(value)) if abs(value) > PROVEN else None


def column_order(geometry: Geometry, order: str) -> tuple[int, ...]:
    """Return the columns in the order they are tried: from the center outwards, or left to right.

    Of equally good columns the search chooses the first in this order. Raises `InvalidSearch`.
    """
    if one_of(order, "order", ORDERS, InvalidSearch) == "left":
        return tuple(range(geometry.columns))
    return geometry.center_order


def clip(value: float) -> float:
    """Clip an evaluation to the range of heuristic values."""
    return max(-MAX_HEURISTIC, min(MAX_HEURISTIC, value))


#: Reasons of values that come from the heuristic and from the transposition table.
EVALUATED: Final = "evaluated"
FROM_TABLE: Final = "found in the transposition table"


@dataclass(frozen=True)
class Event:
    """One step of a search.

    `kind` is "enter" (the search visits a position), "return" (its value is known) or "cut" (the
    other columns are skipped). `columns` are the 0-based columns played from the root, so their
    number is the ply below the root. `view` names the side that `alpha`, `beta` and `value` refer
    to: "root" in minimax and alpha-beta, "mover" (the side to move there) in negamax. `value` is
    None on entering, `reason` explains a value or a cut, and `skipped` counts skipped columns.
    """

    kind: Literal["enter", "return", "cut"]
    columns: tuple[int, ...]
    depth: int
    alpha: float
    beta: float
    value: float | None = None
    reason: str = ""
    view: Literal["root", "mover"] = "root"
    skipped: int = 0


@dataclass(frozen=True)
class Variation:
    """The result of a textbook search of a position: its value and the line that leads to it."""

    value: float
    line: tuple[int, ...] = ()


#: A textbook search: yields events and returns the `Variation` of its position.
Trace = Generator[Event, None, Variation]


def report_events(trace: Trace, on_event: Callable[[Event], object]) -> Trace:
    """Return the same trace, with each event passed to `on_event` first."""
    while True:
        try:
            event = next(trace)
        except StopIteration as ended:
            root: Variation = ended.value
            return root
        on_event(event)
        yield event


def run_trace(trace: Trace, on_event: Callable[[Event], object]) -> Variation:
    """Run a trace to its end, passing each event to `on_event`. Return its `Variation`."""
    while True:
        try:
            on_event(next(trace))
        except StopIteration as ended:
            root: Variation = ended.value
            return root
