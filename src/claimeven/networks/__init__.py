"""Trained models: n-tuple networks, neural nets, their files, and search with them."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
