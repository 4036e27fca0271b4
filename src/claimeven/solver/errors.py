"""The named error of the solver, and the check that every caller may meet first."""

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import WORD_BITS, Geometry


class InvalidSolve(ClaimevenError):
    """Something that cannot be solved: a board too large, a table too small, a finished game."""


def check_board(geometry: Geometry) -> None:
    """Raise `InvalidSolve` for a board that the solver cannot hold."""
    if not geometry.fits_word:
        raise InvalidSolve(
            f"the solver holds boards of columns * (rows + 1) <= {WORD_BITS} bits;"
            f" {geometry} takes {geometry.bits}"
        )
