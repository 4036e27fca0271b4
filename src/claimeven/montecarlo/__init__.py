"""Monte Carlo search: flat, breadth-first and UCT with its options, compiled and as textbook."""

from claimeven.montecarlo.inspection import Branch, Forest, OutdatedForest
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.montecarlo.options import PRESETS, InvalidOptions, MonteCarloOptions, preset
from claimeven.montecarlo.search import MonteCarloResult, MonteCarloSearch
from claimeven.montecarlo.tree_text import columns_text, tree_json, tree_svg, tree_text

__all__ = [
    "PLAYOUTS",
    "PRESETS",
    "Branch",
    "Forest",
    "InvalidOptions",
    "MonteCarloOptions",
    "MonteCarloResult",
    "MonteCarloSearch",
    "OutdatedForest",
    "columns_text",
    "preset",
    "tree_json",
    "tree_svg",
    "tree_text",
]
