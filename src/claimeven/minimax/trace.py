"""What the textbook searches tell while they run: one event for each step a viewer can show."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, Literal

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


def watched(trace: Trace, look: Callable[[Event], object]) -> Trace:
    """The same trace, of which `look` sees every event before it is passed on."""
    while True:
        try:
            event = next(trace)
        except StopIteration as ended:
            root: Variation = ended.value
            return root
        look(event)
        yield event
