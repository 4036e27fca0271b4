"""A tournament's store as one self-contained HTML page."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
