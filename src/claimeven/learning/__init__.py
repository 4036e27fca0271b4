"""Agents that learn: training runs in folders, measured against exact play they never see."""

from __future__ import annotations

from claimeven.learning.batching import PlyShare
from claimeven.learning.distil import DistilRecipe, train_distil
from claimeven.learning.evaluation import Measured, measure_learner, score_against_perfect
from claimeven.learning.extras import MissingPackage
from claimeven.learning.held_out import (
    HELD_OUT,
    AnswerShare,
    PolicyAccuracy,
    held_out,
    policy_accuracy,
    sign_accuracy,
)
from claimeven.learning.ntuple_training import NTupleLearner, NTupleRecipe, train_ntuple
from claimeven.learning.progress import TrainingProgress
from claimeven.learning.run_dir import InvalidRun, RunFolder
from claimeven.learning.selfplay import SelfPlayProgress, train_selfplay
from claimeven.learning.selfplay_config import SelfPlayRecipe
from claimeven.learning.weight_averaging import average_nets

__all__ = [
    "HELD_OUT",
    "AnswerShare",
    "DistilRecipe",
    "InvalidRun",
    "Measured",
    "MissingPackage",
    "NTupleLearner",
    "NTupleRecipe",
    "PlyShare",
    "PolicyAccuracy",
    "RunFolder",
    "SelfPlayProgress",
    "SelfPlayRecipe",
    "TrainingProgress",
    "average_nets",
    "held_out",
    "measure_learner",
    "policy_accuracy",
    "score_against_perfect",
    "sign_accuracy",
    "train_distil",
    "train_ntuple",
    "train_selfplay",
]
