"""What explanations, reviews and data sets ask of a solver; `Solver` is the one that ships."""

from __future__ import annotations

from typing import Protocol

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


class ExactSolver(Protocol):
    """Anything that knows the exact score of every position of one board.

    Scores are seen from the side to move: 0 is a draw; a win is (cells + 1 - n) // 2 with n discs
    on the board before the winning disc; a loss is minus what the other side wins.
    """

    @property
    def geometry(self) -> Geometry:
        """The board that is solved."""

    def score(self, position: Position) -> int:
        """Return the score of a position, finished or not."""

    def scores(self, position: Position) -> tuple[int | None, ...]:
        """Return what each column is worth to the side to move, None where none can be played."""

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end of the game: quickest wins, slowest losses."""
