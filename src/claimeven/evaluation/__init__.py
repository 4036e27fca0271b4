"""Heuristic evaluations: estimates of a position for the side to move, without search."""

from claimeven.evaluation.counting import COUNTERS, Sequence, count_by_length, sequence_list
from claimeven.evaluation.registry import (
    EVALUATIONS,
    Evaluation,
    EvaluationFunction,
    InvalidEvaluation,
    get_evaluation,
    weighted_windows,
)
from claimeven.evaluation.sequences import SEQUENCE_WIN, sequences
from claimeven.evaluation.streaks import streaks, triples
from claimeven.evaluation.windows import SYMMETRIC, WindowWeights, windows

__all__ = [
    "COUNTERS",
    "EVALUATIONS",
    "SEQUENCE_WIN",
    "SYMMETRIC",
    "Evaluation",
    "EvaluationFunction",
    "InvalidEvaluation",
    "Sequence",
    "WindowWeights",
    "count_by_length",
    "get_evaluation",
    "sequence_list",
    "sequences",
    "streaks",
    "triples",
    "weighted_windows",
    "windows",
]
