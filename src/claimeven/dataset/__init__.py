"""Positions with exact scores, in bulk and into files."""

from claimeven.dataset.dataset import (
    DatasetPlan,
    DatasetProgress,
    InvalidDataset,
    Row,
    make_dataset,
)
from claimeven.dataset.files import InvalidDatasetFile

__all__ = [
    "DatasetPlan",
    "DatasetProgress",
    "InvalidDataset",
    "InvalidDatasetFile",
    "Row",
    "make_dataset",
]
