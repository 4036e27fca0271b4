"""The named errors of the solver room."""

from claimeven.game.errors import ClaimevenError


class InvalidSolve(ClaimevenError):
    """Something that cannot be solved: a board too large, a table too small, a finished game."""


class InvalidBook(ClaimevenError):
    """A file that is not an opening book, is damaged, or is for another board."""
