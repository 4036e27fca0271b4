"""The named error of the solver, and the check that every caller may meet first."""

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry


class InvalidSolve(ClaimevenError):
    """Something that cannot be solved: a board too large, a table too small, a finished game."""


def check_board(geometry: Geometry) -> None:
    """Raise `InvalidSolve` for a board that the solver cannot hold."""
    geometry.check_fits_word("the solver", InvalidSolve)
