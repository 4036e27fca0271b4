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
from typing import Any

from claimeven import lazy
from claimeven.solver import protocols as _contract

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = lazy.offer(__name__)
__all__ += ("__version__",)


def _open_book(*given: Any) -> Any:
    from claimeven.book import open_book  # noqa: PLC0415 - brings in NumPy

    return open_book(*given)


def _open_guide(*given: Any) -> Any:
    from claimeven.networks.guide import open_guide  # noqa: PLC0415 - brings in NumPy

    return open_guide(*given)


# The solver asks for books and guides; packages above it have them. This module knows both.
_contract.open_book, _contract.open_guide = _open_book, _open_guide
