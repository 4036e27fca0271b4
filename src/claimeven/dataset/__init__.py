"""Positions with exact scores, in bulk and into files."""

from claimeven.dataset.dataset import DatasetProgress, make_dataset
from claimeven.dataset.files import InvalidDatasetFile
from claimeven.dataset.plan import DatasetPlan, InvalidDataset
from claimeven.dataset.rows import Row

__all__ = [
    "DatasetPlan",
    "DatasetProgress",
    "InvalidDataset",
    "InvalidDatasetFile",
    "Row",
    "make_dataset",
]
