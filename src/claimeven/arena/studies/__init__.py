"""The classic studies: the figures of the originals, compared with runs here."""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
