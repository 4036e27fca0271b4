"""Neural nets that judge positions by static features: their features, sizes, files."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
