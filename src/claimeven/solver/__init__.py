"""Exact scores: the solver, and its search as a textbook and as a compiled kernel."""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.solver.errors import InvalidSolve, SearchStopped, SolverBusy
    from claimeven.solver.progress import SolveProgress, SolverStatistics
    from claimeven.solver.protocols import ExactSolver, OpeningBook
    from claimeven.solver.queries import BestMoves
    from claimeven.solver.scores import outcome_word, plies_to_end, score_in_words
    from claimeven.solver.search import ExactSearch
    from claimeven.solver.solver import ILLEGAL, Solver

__all__ = [
    "ILLEGAL",
    "BestMoves",
    "ExactSearch",
    "ExactSolver",
    "InvalidSolve",
    "OpeningBook",
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
    "queries": "BestMoves",
    "protocols": "ExactSolver OpeningBook",
    "errors": "InvalidSolve SearchStopped SolverBusy",
    "progress": "SolveProgress SolverStatistics",
    "scores": "outcome_word plies_to_end score_in_words",
    "search": "ExactSearch",
    "solver": "ILLEGAL Solver",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
