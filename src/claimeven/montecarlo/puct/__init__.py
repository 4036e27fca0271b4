"""Monte Carlo search with the priors and values of a model (PUCT), as textbook and compiled."""

from __future__ import annotations

from claimeven.montecarlo.puct.forest import PuctForest as PuctForest
from claimeven.montecarlo.puct.options import PuctOptions as PuctOptions
from claimeven.montecarlo.puct.search import PuctSearch as PuctSearch
from claimeven.montecarlo.puct.textbook import PuctNode as PuctNode
from claimeven.montecarlo.puct.textbook import PuctTree as PuctTree
