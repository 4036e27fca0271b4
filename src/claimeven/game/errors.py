"""The errors of the rules. All are `ValueError`s with a message of one sentence."""

from claimeven.errors import ClaimevenError

__all__ = ["ClaimevenError", "IllegalMove", "InvalidGeometry", "InvalidNotation", "InvalidPosition"]


class InvalidGeometry(ClaimevenError):
    """A board size or connect length out of range."""


class InvalidPosition(ClaimevenError):
    """Discs that no game reaches: floating, miscounted, or two winners."""


class IllegalMove(ClaimevenError):
    """A column that cannot be played: off the board, full, or after the end of the game."""


class InvalidNotation(ClaimevenError):
    """Text that is not a move string or a drawing of a board."""
