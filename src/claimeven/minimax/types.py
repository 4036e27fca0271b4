"""What the searches of this room share: values of won games, counters, options, results."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, Literal

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import one_of
from claimeven.markup import shown_by

#: A win at the root is worth this; each ply to the winning disc takes 1 off.
WIN: Final = 10**9
#: Any value beyond this, either way, is a proven win or loss.
PROVEN: Final = WIN - 10**4
#: Evaluations are cut to this, so that no heuristic outweighs a proven result.
MOST: Final = PROVEN - 1

ALGORITHMS: Final = ("minimax", "alphabeta", "negamax")
ORDERS: Final = ("centre", "left")
#: Whose view an evaluation takes: that of the side to move where the search stops, or that of the
#: side to move at the root. They differ where an evaluation is not the same from both sides.
VIEWS: Final = ("mover", "root")


class InvalidSearch(ClaimevenError):
    """A search that cannot be run as asked."""


@dataclass
class Counters:
    """What a search counts.

    `nodes` counts positions looked at, the root included; `evaluations` calls of the heuristic;
    `cutoffs` positions whose remaining columns were skipped; `expanded` positions of which at
    least one column was tried; `table_hits` values taken from the table; `depth` is the
    deepest ply reached below the root; `searches` the times the root was entered, once a depth
    where a search deepens.
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
        """Mean number of columns tried in a position that was expanded; None without any."""
        return (self.nodes - self.searches) / self.expanded if self.expanded else None


@dataclass(frozen=True)
class ColumnValue:
    """What the search learnt of one root column, from the side to move.

    `exact` is False when the value is only an upper bound: pruning stopped there.
    """

    value: float
    exact: bool


@dataclass(frozen=True)
class MinimaxResult:
    """The answer of a search.

    `value` is from the side to move: beyond `PROVEN` either way it is a proven result, `WIN`
    less the plies to the winning disc; otherwise the heuristic's. A win that negamax's table knew
    from a deeper search may not be the soonest. `line` is the principal
    variation as 0-based columns, `column` its first. `columns` holds one `ColumnValue` for each
    column of the board, None where none was searched. `depth` is the last depth searched to its
    end, `backend` "compiled" or "python".
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
    """Return the columns in the order they are tried: from the centre outwards, or left to right.

    Among equally good columns the first in this order is chosen. Raises `InvalidSearch`.
    """
    if one_of(order, "order", ORDERS, InvalidSearch) == "left":
        return tuple(range(geometry.columns))
    return geometry.center_order


def clip(value: float) -> float:
    """Keep an evaluation inside the range of heuristic values."""
    return max(-MOST, min(MOST, value))


#: The reason of a value that the heuristic gave, and of one that the transposition table knew.
EVALUATED: Final = "evaluated"
FROM_TABLE: Final = "found in the transposition table"


@dataclass(frozen=True)
class Event:
    """One step of a search.

    `kind` is "enter" (a position is looked at), "return" (its value is known) or "cut" (the rest
    of its columns is skipped). `columns` are the 0-based columns played from the root, so its
    length is the ply below the root. `alpha`, `beta` and `value` are from the view `view` tells:
    "root" in minimax and alpha-beta, "mover" (the side to move there) in negamax. `value` is None
    on entering, `reason` says why a value or a cut came about; `skipped` counts the columns that a
    cut skips.
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
    """What a textbook search returns of a position: its value and the line that gives it."""

    value: float
    line: tuple[int, ...] = ()


#: A textbook search: yields events, returns the node of the position it was called on.
Trace = Generator[Event, None, Variation]


def watched(trace: Trace, on_event: Callable[[Event], object]) -> Trace:
    """The same trace; `on_event` gets every event before it is passed on."""
    while True:
        try:
            event = next(trace)
        except StopIteration as ended:
            root: Variation = ended.value
            return root
        on_event(event)
        yield event


def run_trace(trace: Trace, on_event: Callable[[Event], object]) -> Variation:
    """Run a trace to its end; `on_event` gets every event. Return the node of its root."""
    while True:
        try:
            on_event(next(trace))
        except StopIteration as ended:
            root: Variation = ended.value
            return root
