"""The named errors of networks."""

from claimeven.errors import ClaimevenError


class InvalidNetwork(ClaimevenError):
    """A network that cannot be, or a file that holds none; the message says why."""
