"""The error of opening books."""

from claimeven.game.errors import ClaimevenError


class InvalidBook(ClaimevenError):
    """A file that is not an opening book, is corrupt, or is for another board."""
