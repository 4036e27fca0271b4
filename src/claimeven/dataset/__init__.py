"""Positions with exact scores, in bulk: made, written to files, and read back as arrays."""

from claimeven.dataset.config import DatasetPlan, DatasetProgress
from claimeven.dataset.dataset import Dataset, join_datasets
from claimeven.dataset.errors import InvalidDataset, InvalidDatasetFile
from claimeven.dataset.files import DatasetResult
from claimeven.dataset.generate import make_dataset
from claimeven.dataset.read import read_dataset, read_rows
from claimeven.dataset.rows import WORSE, Row

__all__ = [
    "WORSE",
    "Dataset",
    "DatasetPlan",
    "DatasetProgress",
    "DatasetResult",
    "InvalidDataset",
    "InvalidDatasetFile",
    "Row",
    "join_datasets",
    "make_dataset",
    "read_dataset",
    "read_rows",
]
