"""The named errors of the solver room, and the one that every caller may meet first."""

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import WORD_BITS, Geometry


class InvalidSolve(ClaimevenError):
    """Something that cannot be solved: a board too large, a table too small, a finished game."""


class InvalidBook(ClaimevenError):
    """A file that is not an opening book, is damaged, or is for another board."""


def check_board(geometry: Geometry) -> None:
    """Raise `InvalidSolve` for a board that the solver cannot hold."""
    if not geometry.fits_word:
        raise InvalidSolve(
            f"the solver holds boards of columns * (rows + 1) <= {WORD_BITS} bits;"
            f" {geometry} takes {geometry.bits}"
        )
