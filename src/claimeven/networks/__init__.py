"""Trained models: n-tuple networks, their files, and search with them and with priors and
values.
"""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
