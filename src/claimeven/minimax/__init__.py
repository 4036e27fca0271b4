"""Minimax, alpha-beta and negamax: textbook versions and their compiled twin."""

from claimeven.minimax.search import MinimaxSearch
from claimeven.minimax.trace import Event, Trace, Variation
from claimeven.minimax.types import (
    PROVEN,
    WIN,
    ColumnValue,
    Counters,
    InvalidSearch,
    MinimaxResult,
)

__all__ = [
    "PROVEN",
    "WIN",
    "ColumnValue",
    "Counters",
    "Event",
    "InvalidSearch",
    "MinimaxResult",
    "MinimaxSearch",
    "Trace",
    "Variation",
]
