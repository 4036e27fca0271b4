"""Positions with exact scores, in bulk: made, written to files, and read back as arrays."""

from claimeven.dataset.config import DatasetPlan, DatasetProgress
from claimeven.dataset.dataset import Dataset, joined
from claimeven.dataset.errors import InvalidDataset, InvalidDatasetFile
from claimeven.dataset.files import Made
from claimeven.dataset.generate import make_dataset
from claimeven.dataset.read import read_dataset, read_rows
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
