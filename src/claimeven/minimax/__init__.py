"""Minimax, alpha-beta and negamax: textbook versions and their compiled twin."""

from claimeven.minimax.search import MinimaxSearch
from claimeven.minimax.types import (
    PROVEN,
    WIN,
    ColumnValue,
    Counters,
    Event,
    InvalidSearch,
    MinimaxResult,
    Trace,
    Variation,
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
