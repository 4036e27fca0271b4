"""Agents that learn: training runs in folders, measured against exact play they never see."""

from __future__ import annotations

from claimeven.learning.ntuple_training import NTupleLearner, NTupleRecipe, Progress, train_ntuple
from claimeven.learning.oracle import Measured, measure, score_against_perfect
from claimeven.learning.run_folder import InvalidRun, RunFolder

__all__ = [
    "InvalidRun",
    "Measured",
    "NTupleLearner",
    "NTupleRecipe",
    "Progress",
    "RunFolder",
    "measure",
    "score_against_perfect",
    "train_ntuple",
]
