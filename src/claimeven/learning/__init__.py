"""Agents that learn: training runs in folders, measured against exact play they never see."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
