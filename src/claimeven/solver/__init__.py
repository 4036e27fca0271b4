"""Exact scores: the solver, and its search as a textbook and as a compiled kernel."""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.solver.answers import Best
    from claimeven.solver.contract import ExactSolver, OpeningBook
    from claimeven.solver.errors import InvalidSolve, SearchStopped, SolverBusy
    from claimeven.solver.reports import SolveProgress, SolverStatistics
    from claimeven.solver.scores import outcome_word, plies_to_end, score_in_words
    from claimeven.solver.search import ExactSearch
    from claimeven.solver.solver import ILLEGAL, Solver
    from claimeven.solver.turn import Progress

__all__ = [
    "ILLEGAL",
    "Best",
    "ExactSearch",
    "ExactSolver",
    "InvalidSolve",
    "OpeningBook",
    "Progress",
    "SearchStopped",
    "SolveProgress",
    "Solver",
    "SolverBusy",
    "SolverStatistics",
    "outcome_word",
    "plies_to_end",
    "score_in_words",
]

_HOMES = {
    "answers": "Best",
    "contract": "ExactSolver OpeningBook",
    "errors": "InvalidSolve SearchStopped SolverBusy",
    "reports": "SolveProgress SolverStatistics",
    "scores": "outcome_word plies_to_end score_in_words",
    "search": "ExactSearch",
    "solver": "ILLEGAL Solver",
    "turn": "Progress",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
