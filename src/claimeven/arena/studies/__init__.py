"""The classic studies: what the originals reported, compared with runs here."""

from claimeven.arena.studies.catalogue import STUDIES, InvalidStudy, study_of
from claimeven.arena.studies.runner import ExperimentResult, Laboratory, StudyResult, run_study
from claimeven.arena.studies.study import (
    QUANTITIES,
    Experiment,
    Figure,
    Found,
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
    "Found",
    "InvalidStudy",
    "Laboratory",
    "Match",
    "Measurement",
    "Quantity",
    "Source",
    "Study",
    "StudyResult",
    "run_study",
    "study_of",
]
