"""What can be wrong with a data set."""

from claimeven.errors import ClaimevenError


class InvalidDataset(ClaimevenError):
    """A data set that cannot be made or used as asked."""


class InvalidDatasetFile(InvalidDataset):
    """A file of a data set that cannot be written, read, or gone on with."""
