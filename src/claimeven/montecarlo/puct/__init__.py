"""Monte Carlo search with the priors and values of a model (PUCT), as textbook and compiled."""

from __future__ import annotations

from claimeven.montecarlo.puct.forest import PuctForest
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.search import PuctSearch
from claimeven.montecarlo.puct.textbook import PuctNode, PuctTree

__all__ = ["PuctForest", "PuctNode", "PuctOptions", "PuctSearch", "PuctTree"]
