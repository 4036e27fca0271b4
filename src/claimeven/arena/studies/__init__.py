"""The classic studies: the figures of the originals, compared with runs here."""

from claimeven.arena.studies.catalogue import STUDIES, InvalidStudy, study_of
from claimeven.arena.studies.runner import ExperimentResult, StudyResult, StudyRunner, run_study
from claimeven.arena.studies.study import (
    QUANTITIES,
    Experiment,
    Figure,
    Finding,
    Match,
    Measurement,
    Quantity,
    Source,
    Study,
)

__all__ = [
    "QUANTITIES",
    "STUDIES",
    "Experiment",
    "ExperimentResult",
    "Figure",
    "Finding",
    "InvalidStudy",
    "Match",
    "Measurement",
    "Quantity",
    "Source",
    "Study",
    "StudyResult",
    "StudyRunner",
    "run_study",
    "study_of",
]
