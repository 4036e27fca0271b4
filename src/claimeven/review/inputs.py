"""What `explain` and `analyze` take for granted where nothing else is said."""

from __future__ import annotations

from collections.abc import Iterable

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.solver.protocols import ExactSolver

#: A position, or the moves that lead to it from the empty board: a move string or 0-based columns.
Asked = Position | str | Iterable[int]


#: Characters a line of text takes at most.
WIDTH = 80


def position_of(asked: Asked, solver: ExactSolver | None) -> Position:
    """Return the position asked about; moves are played on the solver's board, or the usual one.

    Raises `InvalidNotation` or `IllegalMove` for moves that cannot be played.
    """
    if isinstance(asked, Position):
        return asked
    return Position.from_moves(asked, board_of(solver))


def board_of(solver: ExactSolver | None) -> Geometry:
    """Return a solver's board, the usual one where there is no solver.

    Raises `ClaimevenError` for what is no solver.
    """
    if solver is None:
        return STANDARD
    if not callable(getattr(solver, "scores", None)):
        raise ClaimevenError(f"a solver is one such as Solver(Geometry(4, 4)), not {solver!r}")
    return solver.geometry


def solver_for(geometry: Geometry, solver: ExactSolver | None) -> ExactSolver:
    """Return the solver given, or else a new one, with the usual book of its board."""
    if solver is not None:
        board_of(solver)  # refuses what is none
        return solver
    from claimeven.solver.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    return Solver(geometry)
