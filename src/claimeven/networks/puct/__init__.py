"""Monte Carlo search with the priors and values of a model (PUCT), as textbook and compiled."""

from __future__ import annotations

from claimeven.networks.puct.forest import PuctForest
from claimeven.networks.puct.options import PuctOptions
from claimeven.networks.puct.search import PuctSearch
from claimeven.networks.puct.textbook import PuctNode, PuctTree

__all__ = ["PuctForest", "PuctNode", "PuctOptions", "PuctSearch", "PuctTree"]
