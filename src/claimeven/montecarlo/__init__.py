"""Monte Carlo search: flat, breadth-first and UCT with its options, compiled and as textbook."""

from claimeven.montecarlo.drawing import tree_svg
from claimeven.montecarlo.inspection import Branch, Forest, columns_text, tree_json, tree_text
from claimeven.montecarlo.options import PRESETS, InvalidOptions, Options, preset
from claimeven.montecarlo.playouts import PLAYOUTS
from claimeven.montecarlo.search import Result, Searcher

__all__ = [
    "PLAYOUTS",
    "PRESETS",
    "Branch",
    "Forest",
    "InvalidOptions",
    "Options",
    "Result",
    "Searcher",
    "columns_text",
    "preset",
    "tree_json",
    "tree_svg",
    "tree_text",
]
