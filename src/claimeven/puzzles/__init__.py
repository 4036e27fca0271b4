"""Puzzles: positions with one right column, made by the solver, with ratings and hints.

>>> from claimeven import daily_puzzle
>>> print(daily_puzzle("2026-01-12").task)
Yellow to move: one column wins, no other does.

- bundled puzzles: `select_puzzles`, `bundled_puzzles`, `daily_puzzle`;
- your own sets: `make_puzzles`, `read_puzzles`;
- solving: `Puzzle.solution`, `try_column`, `hints_for`.
"""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
