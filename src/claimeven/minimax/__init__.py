"""Minimax, alpha-beta and negamax: textbook versions and their compiled twin."""

from claimeven.minimax.search import MinimaxSearch as MinimaxSearch
from claimeven.minimax.types import PROVEN as PROVEN
from claimeven.minimax.types import WIN as WIN
from claimeven.minimax.types import ColumnValue as ColumnValue
from claimeven.minimax.types import Counters as Counters
from claimeven.minimax.types import Event as Event
from claimeven.minimax.types import InvalidSearch as InvalidSearch
from claimeven.minimax.types import MinimaxResult as MinimaxResult
from claimeven.minimax.types import Trace as Trace
from claimeven.minimax.types import Variation as Variation
