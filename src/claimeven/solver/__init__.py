"""Exact scores: the compiled search, its readable twin, and the engine that runs it."""

from claimeven.solver.drive import Engine, Progress, SearchStopped

__all__ = ["Engine", "Progress", "SearchStopped"]
