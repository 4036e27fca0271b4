"""Agents that learn: training runs in folders, measured against exact play they never see."""

from __future__ import annotations

from claimeven.learning.ntuple_training import (
    NTupleLearner,
    NTupleRecipe,
    TrainingProgress,
    train_ntuple,
)
from claimeven.learning.oracle import Measured, measure_learner, score_against_perfect
from claimeven.learning.run_folder import InvalidRun, RunFolder

__all__ = [
    "InvalidRun",
    "Measured",
    "NTupleLearner",
    "NTupleRecipe",
    "RunFolder",
    "TrainingProgress",
    "measure_learner",
    "score_against_perfect",
    "train_ntuple",
]
