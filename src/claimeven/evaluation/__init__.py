"""Heuristic evaluations: estimates of a position for the side to move, without search."""

from claimeven.evaluation.counting import COUNTERS as COUNTERS
from claimeven.evaluation.counting import Sequence as Sequence
from claimeven.evaluation.counting import count_by_length as count_by_length
from claimeven.evaluation.counting import sequence_list as sequence_list
from claimeven.evaluation.registry import EVALUATIONS as EVALUATIONS
from claimeven.evaluation.registry import Evaluation as Evaluation
from claimeven.evaluation.registry import EvaluationFunction as EvaluationFunction
from claimeven.evaluation.registry import InvalidEvaluation as InvalidEvaluation
from claimeven.evaluation.registry import get_evaluation as get_evaluation
from claimeven.evaluation.registry import weighted_windows as weighted_windows
from claimeven.evaluation.sequences import SEQUENCE_WIN as SEQUENCE_WIN
from claimeven.evaluation.sequences import sequences as sequences
from claimeven.evaluation.streaks import streaks as streaks
from claimeven.evaluation.streaks import triples as triples
from claimeven.evaluation.windows import SYMMETRIC as SYMMETRIC
from claimeven.evaluation.windows import WindowWeights as WindowWeights
from claimeven.evaluation.windows import windows as windows
