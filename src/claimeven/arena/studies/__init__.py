"""The classic studies: the figures of the originals, compared with runs here."""

from claimeven.arena.studies.catalogue import STUDIES, InvalidStudy, study_of
from claimeven.arena.studies.runner import ExperimentResult, StudyResult, StudyRunner, run_study
from claimeven.arena.studies.study import (
    QUANTITIES,
    Experiment,
    Figure,
    Match,
    MeasuredValue,
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
    "InvalidStudy",
    "Match",
    "MeasuredValue",
    "Measurement",
    "Quantity",
    "Source",
    "Study",
    "StudyResult",
    "StudyRunner",
    "run_study",
    "study_of",
]
