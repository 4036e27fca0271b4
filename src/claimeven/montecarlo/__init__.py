"""Monte Carlo search: flat, breadth-first and UCT with its options, compiled and as textbook."""

from claimeven.montecarlo.inspection import Branch as Branch
from claimeven.montecarlo.inspection import Forest as Forest
from claimeven.montecarlo.inspection import OutdatedForest as OutdatedForest
from claimeven.montecarlo.layout import PLAYOUTS as PLAYOUTS
from claimeven.montecarlo.options import PRESETS as PRESETS
from claimeven.montecarlo.options import InvalidOptions as InvalidOptions
from claimeven.montecarlo.options import MonteCarloOptions as MonteCarloOptions
from claimeven.montecarlo.options import preset as preset
from claimeven.montecarlo.search import MonteCarloResult as MonteCarloResult
from claimeven.montecarlo.search import MonteCarloSearch as MonteCarloSearch
from claimeven.montecarlo.tree_text import columns_text as columns_text
from claimeven.montecarlo.tree_text import tree_json as tree_json
from claimeven.montecarlo.tree_text import tree_svg as tree_svg
from claimeven.montecarlo.tree_text import tree_text as tree_text
