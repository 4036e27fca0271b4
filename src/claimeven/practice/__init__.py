"""Positions to practise on: puzzles made by the solver, rated by what must be seen, with hints.

>>> from claimeven import daily_puzzle
>>> print(daily_puzzle("2026-01-05").task)
First player to move: one column wins, no other does.

- puzzles that come along: `puzzles`, `shipped_puzzles`, `daily_puzzle`;
- sets of one's own: `make_puzzles`, `read_puzzles`;
- solving: `Puzzle.solution`, `verdict_on` a column, `hints_for` the next one.
"""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.practice.generate import make_puzzles
    from claimeven.practice.hints import Hint, Verdict, hints_for, verdict_on
    from claimeven.practice.puzzle import BANDS, KINDS, InvalidPuzzles, Puzzle
    from claimeven.practice.sets import (
        PuzzleSet,
        daily_puzzle,
        puzzles,
        read_puzzles,
        shipped_puzzles,
    )

__all__ = [
    "BANDS",
    "KINDS",
    "Hint",
    "InvalidPuzzles",
    "Puzzle",
    "PuzzleSet",
    "Verdict",
    "daily_puzzle",
    "hints_for",
    "make_puzzles",
    "puzzles",
    "read_puzzles",
    "shipped_puzzles",
    "verdict_on",
]

_HOMES = {
    "hints": "Hint Verdict hints_for verdict_on",
    "generate": "make_puzzles",
    "sets": "PuzzleSet daily_puzzle puzzles read_puzzles shipped_puzzles",
    "puzzle": "BANDS KINDS InvalidPuzzles Puzzle",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
