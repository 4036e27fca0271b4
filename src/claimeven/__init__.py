"""claimeven: the Connect Four workbench for Python.

The names that most programs need, each imported at its first use:

>>> import claimeven
>>> position = claimeven.Position.from_moves("4455")
>>> claimeven.Solver(table_mb=16).score(position)
18
>>> print(claimeven.explain("4455").text(60).splitlines()[0])
Yellow wins in 2 moves. Columns 3 and 6 are equally good.

- the rules: `Geometry`, `Position`, `GameLine`, `Outcome`, `FIRST`, `SECOND`, `perft`;
- reading and writing: `parse_moves`, `format_moves`, `draw`, `draw_svg`, `parse_drawing`,
  `encodings` (boards as other programs write them);
- exact scores: `Solver`, `explain`, `analyze`;
- agents: `make_agent`, `Agent`, `Decision`, `Limit`, `check_agent`;
- agents compared: `play_match`, `play_tournament`, `run_sprt`, `place_on_ladder`,
  `measure_accuracy`, `run_study`, `write_report` (all of it in `claimeven.arena`);
- puzzles: `select_puzzles`, `daily_puzzle`, `make_puzzles` (more in `claimeven.puzzles`);
- what goes wrong with input, all of it `ClaimevenError`: `IllegalMove`, `InvalidBook`,
  `InvalidGeometry`, `InvalidLimit`, `InvalidNotation`, `InvalidPosition`, `InvalidSolve`,
  `InvalidSpec`; and `SearchStopped`, if a limit or `Solver.stop` ended a search.
"""

import claimeven.starting  # noqa: F401  # isort: skip - Ctrl-C may come already
from typing import TYPE_CHECKING, Any

from claimeven import lazy
from claimeven.solver import protocols as _contract

if TYPE_CHECKING:
    from pathlib import Path

    from claimeven.agents import Agent, Decision, InvalidLimit, InvalidSpec, Limit, make_agent
    from claimeven.arena import (
        check_agent,
        measure_accuracy,
        place_on_ladder,
        play_match,
        play_tournament,
        run_sprt,
        run_study,
        write_report,
    )
    from claimeven.book import InvalidBook
    from claimeven.game import (
        FIRST,
        SECOND,
        ClaimevenError,
        GameLine,
        Geometry,
        IllegalMove,
        InvalidGeometry,
        InvalidNotation,
        InvalidPosition,
        Outcome,
        Position,
        encodings,
        format_moves,
        parse_moves,
    )
    from claimeven.game.drawing import draw, parse_drawing
    from claimeven.game.perft import perft
    from claimeven.game.svg import draw_svg
    from claimeven.puzzles import daily_puzzle, make_puzzles, select_puzzles
    from claimeven.review.analysis import analyze
    from claimeven.review.explain import explain
    from claimeven.solver import InvalidSolve, SearchStopped, Solver

__version__ = "0.2.0"

__all__ = [
    "FIRST",
    "SECOND",
    "Agent",
    "ClaimevenError",
    "Decision",
    "GameLine",
    "Geometry",
    "IllegalMove",
    "InvalidBook",
    "InvalidGeometry",
    "InvalidLimit",
    "InvalidNotation",
    "InvalidPosition",
    "InvalidSolve",
    "InvalidSpec",
    "Limit",
    "Outcome",
    "Position",
    "SearchStopped",
    "Solver",
    "__version__",
    "analyze",
    "check_agent",
    "daily_puzzle",
    "draw",
    "draw_svg",
    "encodings",
    "explain",
    "format_moves",
    "make_agent",
    "make_puzzles",
    "measure_accuracy",
    "parse_drawing",
    "parse_moves",
    "perft",
    "place_on_ladder",
    "play_match",
    "play_tournament",
    "run_sprt",
    "run_study",
    "select_puzzles",
    "write_report",
]

#: The module of each name.
_HOMES = {
    "agents": "Agent Decision InvalidLimit InvalidSpec Limit make_agent",
    "arena": (
        "check_agent measure_accuracy place_on_ladder play_match play_tournament run_sprt "
        "run_study write_report"
    ),
    "book": "InvalidBook",
    "game": (
        "FIRST SECOND ClaimevenError Geometry IllegalMove InvalidGeometry InvalidNotation "
        "InvalidPosition GameLine Outcome Position encodings format_moves parse_moves"
    ),
    "game.drawing": "draw parse_drawing",
    "game.perft": "perft",
    "game.svg": "draw_svg",
    "puzzles": "daily_puzzle make_puzzles select_puzzles",
    "review.analysis": "analyze",
    "review.explain": "explain",
    "solver": "InvalidSolve SearchStopped Solver",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)


def _open_book(geometry: "Geometry", where: "str | Path") -> Any:
    from claimeven.book import open_book  # noqa: PLC0415 - brings in NumPy

    return open_book(geometry, where)


# The one place that knows both: the solver asks for books, the room above it has them.
_contract.open_book = _open_book
