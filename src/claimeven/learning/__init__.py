"""Agents that learn: training runs in folders, measured against exact play they never see."""

from __future__ import annotations

from claimeven.dataset.scored_sets import HELD_OUT, held_out
from claimeven.learning.batching import PlyWeight
from claimeven.learning.distil import DistilConfig, train_distil
from claimeven.learning.jax_functions import MissingPackage
from claimeven.learning.metrics import (
    AnswerShare,
    Measured,
    PolicyAccuracy,
    measure_learner,
    policy_accuracy,
    score_against_perfect,
    sign_accuracy,
)
from claimeven.learning.net_weights import average_nets
from claimeven.learning.ntuple_training import NTupleConfig, NTupleLearner, train_ntuple
from claimeven.learning.run_dir import InvalidRun, RunFolder, TrainingProgress
from claimeven.learning.selfplay import SelfPlayProgress, train_selfplay
from claimeven.learning.selfplay_config import SelfPlayConfig

__all__ = [
    "HELD_OUT",
    "AnswerShare",
    "DistilConfig",
    "InvalidRun",
    "Measured",
    "MissingPackage",
    "NTupleConfig",
    "NTupleLearner",
    "PlyWeight",
    "PolicyAccuracy",
    "RunFolder",
    "SelfPlayConfig",
    "SelfPlayProgress",
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
