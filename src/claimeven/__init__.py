"""claimeven: the Connect Four workbench for Python.

What most programs need stands here by name and is imported when it is first used:

>>> import claimeven
>>> claimeven.Position.from_moves("4455").turn
0
"""

from typing import TYPE_CHECKING, Any

from claimeven import lazy
from claimeven.solver import contract as _contract

if TYPE_CHECKING:
    from pathlib import Path

    from claimeven.agents import Agent, Decision, Limit, make_agent
    from claimeven.game import (
        ClaimevenError,
        Geometry,
        IllegalMove,
        InvalidGeometry,
        InvalidNotation,
        InvalidPosition,
        Line,
        Outcome,
        Position,
    )
    from claimeven.review import analyze, explain
    from claimeven.solver import Solver

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "ClaimevenError",
    "Decision",
    "Geometry",
    "IllegalMove",
    "InvalidGeometry",
    "InvalidNotation",
    "InvalidPosition",
    "Limit",
    "Line",
    "Outcome",
    "Position",
    "Solver",
    "__version__",
    "analyze",
    "explain",
    "make_agent",
]

_HOMES = {
    "agents": ("Agent", "Decision", "Limit", "make_agent"),
    "game": (
        "ClaimevenError",
        "Geometry",
        "IllegalMove",
        "InvalidGeometry",
        "InvalidNotation",
        "InvalidPosition",
        "Line",
        "Outcome",
        "Position",
    ),
    "review": ("analyze", "explain"),
    "solver": ("Solver",),
}
__getattr__, __dir__ = lazy.offer(
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}
)


def _open_book(geometry: "Geometry", where: "str | Path") -> Any:
    from claimeven.book import open_book  # noqa: PLC0415 - brings in NumPy

    return open_book(geometry, where)


# The one place that knows both: the solver asks for books, the room above it has them.
_contract.open_book = _open_book
