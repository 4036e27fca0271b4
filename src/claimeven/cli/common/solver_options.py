"""The solver of a command: its options and its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from claimeven.cli.common.progress import StatusLine
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.cores import usable_cores
from claimeven.solver.errors import MAX_THREADS, check_table_mb, check_threads
from claimeven.solver.protocols import DEFAULT_BOOK, SHIPPED_BOOK

if TYPE_CHECKING:
    from claimeven.solver import SolveProgress, Solver


def default_threads() -> int:
    """Return the default number of threads: one per core, up to the maximum."""
    return min(usable_cores(), MAX_THREADS)


@dataclass(frozen=True)
class SolverChoice:
    """The options of the solver, None for a default; `book` is a file or "shipped"."""

    threads: int
    table_mb: float | None
    book: str | None = None
    no_book: bool = False

    def __post_init__(self) -> None:
        if self.book is not None and self.no_book:
            raise ClaimevenError("give --book FILE or --no-book, not both")
        if self.book == "":
            raise ClaimevenError("--book must be a file or shipped, got ''")
        # The solver may be made only after minutes of other work.
        check_threads(self.threads)
        if self.table_mb is not None:
            check_table_mb(self.table_mb)

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver for a board. Raises `ClaimevenError`."""
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        return Solver(geometry, self.table_mb, self.threads, self._opening_book())

    def _opening_book(self) -> Path | str | None:
        if self.no_book:
            return None
        if self.book is None:
            return DEFAULT_BOOK
        return SHIPPED_BOOK if self.book == SHIPPED_BOOK else Path(self.book)


#: The defaults of the solver.
DEFAULT_SOLVER_CHOICE = SolverChoice(1, None)


class ProgressSolver:
    """A solver that shows its progress on a status line."""

    def __init__(self, solver: Solver, line: StatusLine) -> None:
        self.solver = solver
        self.line = line

    @property
    def geometry(self) -> Geometry:
        return self.solver.geometry

    def score(self, position: Position) -> int:
        return self.solver.score(position, on_progress=self._show(position))

    def scores(self, position: Position) -> tuple[int | None, ...]:
        return self.solver.scores(position, on_progress=self._show(position))

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        return self.solver.principal_variation(position, on_progress=self._show(position))

    def _show(self, position: Position) -> Callable[[SolveProgress], None]:
        return lambda at: self.line.show(lambda: progress_text(f"ply {position.ply}", at))


def progress_text(name: str, at: SolveProgress) -> str:
    """Return the progress of a search: nodes, rate, bounds, solved columns."""
    text = f"{name or 'empty board'}: {at.nodes:,} nodes, {at.rate / 1e6:.1f} million a second"
    text += f", score {at.low} to {at.high}"
    solved = [score_text(score) for score in at.scores]
    return f"{text}, columns {' '.join(solved)}" if solved else text


def score_text(score: int | None) -> str:
    """Return the score of a column as text, `.` without a score."""
    return "." if score is None else str(score)
