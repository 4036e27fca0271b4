"""Errors of data sets."""

from claimeven.errors import ClaimevenError


class InvalidDataset(ClaimevenError):
    """A data set that cannot be made or used."""


class InvalidDatasetFile(InvalidDataset):
    """A file of a data set that cannot be written, read or resumed."""
