"""Positions with exact scores, in bulk: made, written to files, and read back as arrays."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
