"""Shared by the tests of the minimax family."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from claimeven.minimax import MinimaxResult

ALGORITHMS = ("minimax", "alphabeta", "negamax")
ORDERS = ("center", "left")
BACKENDS = ("compiled", "python")


def facts_of(result: MinimaxResult) -> tuple[Any, ...]:
    """Everything of a result that both backends must agree in."""
    counters = astuple(result.counters)
    return result.column, result.value, result.line, result.columns, result.depth, counters
