"""The named errors of the arena."""

from claimeven.game.errors import ClaimevenError


class InvalidMatch(ClaimevenError):
    """A match that cannot be played as asked."""
