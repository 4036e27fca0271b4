"""A solver that shows its progress on stderr while it works for something larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimeven.cli.solving import StatusLine, progress_text
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:
    from claimeven.solver import SolveProgress, Solver


class WatchedSolver:
    """The calls explanations and reviews make, each told on a status line."""

    def __init__(self, solver: Solver, line: StatusLine) -> None:
        self.solver = solver
        self.line = line

    @property
    def geometry(self) -> Geometry:
        """The board that is solved."""
        return self.solver.geometry

    def score(self, position: Position) -> int:
        """Return the score of a position."""
        return self.solver.score(position, progress=self._show(position))

    def scores(self, position: Position) -> tuple[int | None, ...]:
        """Return the score of every column."""
        return self.solver.scores(position, progress=self._show(position))

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end."""
        return self.solver.principal_variation(position, progress=self._show(position))

    def _show(self, position: Position) -> _Show:
        return _Show(self.line, f"ply {position.ply}")


class _Show:
    def __init__(self, line: StatusLine, what: str) -> None:
        self.line = line
        self.what = what

    def __call__(self, at: SolveProgress) -> None:
        self.line.show(lambda: progress_text(self.what, at))
