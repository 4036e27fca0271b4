"""Puzzles: positions with one right column, made by the solver, with ratings and hints.

>>> from claimeven import daily_puzzle
>>> print(daily_puzzle("2026-01-05").task)
Yellow to move: one column wins, no other does.

- bundled puzzles: `select_puzzles`, `bundled_puzzles`, `daily_puzzle`;
- your own sets: `make_puzzles`, `read_puzzles`;
- solving: `Puzzle.solution`, `try_column`, `hints_for`.
"""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.puzzles.generate import make_puzzles
    from claimeven.puzzles.hints import Attempt, Hint, hints_for, try_column
    from claimeven.puzzles.puzzle import DIFFICULTIES, KINDS, InvalidPuzzles, Puzzle
    from claimeven.puzzles.sets import (
        PuzzleSet,
        bundled_puzzles,
        daily_puzzle,
        read_puzzles,
        select_puzzles,
    )

__all__ = [
    "DIFFICULTIES",
    "KINDS",
    "Attempt",
    "Hint",
    "InvalidPuzzles",
    "Puzzle",
    "PuzzleSet",
    "bundled_puzzles",
    "daily_puzzle",
    "hints_for",
    "make_puzzles",
    "read_puzzles",
    "select_puzzles",
    "try_column",
]

_HOMES = {
    "hints": "Attempt Hint hints_for try_column",
    "generate": "make_puzzles",
    "sets": "PuzzleSet bundled_puzzles daily_puzzle read_puzzles select_puzzles",
    "puzzle": "DIFFICULTIES KINDS InvalidPuzzles Puzzle",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
