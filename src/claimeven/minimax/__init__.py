"""Minimax, alpha-beta and negamax: textbook versions and their compiled twin."""

from claimeven.minimax.rules import (
    PROVEN,
    WIN,
    ColumnValue,
    Counters,
    InvalidSearch,
    SearchResult,
)
from claimeven.minimax.search import Searcher
from claimeven.minimax.trace import Event, Node, Trace

__all__ = [
    "PROVEN",
    "WIN",
    "ColumnValue",
    "Counters",
    "Event",
    "InvalidSearch",
    "Node",
    "SearchResult",
    "Searcher",
    "Trace",
]
