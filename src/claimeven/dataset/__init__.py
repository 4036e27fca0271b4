"""Positions with exact scores, in bulk: made, written to files, and read back as arrays."""

from claimeven.dataset.dataset import make_dataset
from claimeven.dataset.errors import InvalidDataset, InvalidDatasetFile
from claimeven.dataset.labelled import Dataset, joined
from claimeven.dataset.made import DatasetProgress, Made
from claimeven.dataset.plan import DatasetPlan
from claimeven.dataset.reading import read_dataset, read_rows
from claimeven.dataset.rows import WORSE, Row

__all__ = [
    "WORSE",
    "Dataset",
    "DatasetPlan",
    "DatasetProgress",
    "InvalidDataset",
    "InvalidDatasetFile",
    "Made",
    "Row",
    "joined",
    "make_dataset",
    "read_dataset",
    "read_rows",
]
