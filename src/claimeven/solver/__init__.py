"""Exact scores: the solver, its compiled search with a readable twin, and the opening book."""

from claimeven.solver.book import Book
from claimeven.solver.drive import Engine, Progress, SearchStopped
from claimeven.solver.errors import InvalidBook, InvalidSolve
from claimeven.solver.solver import ILLEGAL, SolveProgress, Solver, SolverStatistics
from claimeven.solver.words import outcome_word, plies_to_end, score_in_words

__all__ = [
    "ILLEGAL",
    "Book",
    "Engine",
    "InvalidBook",
    "InvalidSolve",
    "Progress",
    "SearchStopped",
    "SolveProgress",
    "Solver",
    "SolverStatistics",
    "outcome_word",
    "plies_to_end",
    "score_in_words",
]
