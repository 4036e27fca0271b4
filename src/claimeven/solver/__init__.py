"""Exact scores: the solver, and its search as a textbook and as a compiled kernel."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
