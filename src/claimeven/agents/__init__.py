"""Agents: players with one interface, made from a spec."""

from claimeven import lazy

# A separate process of an agent imports the interface without the searches, so that it starts fast.
__getattr__, __dir__, __all__ = lazy.offer(__name__)
