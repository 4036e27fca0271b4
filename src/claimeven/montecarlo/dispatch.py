"""Which engine serves which options."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from claimeven.compiled import load
from claimeven.game import Geometry, Position
from claimeven.montecarlo.flat.engine import (
    BreadthEngine,
    FlatEngine,
    TextbookBreadthEngine,
    TextbookFlatEngine,
)
from claimeven.montecarlo.graph.engine import GraphEngine, TextbookGraphEngine
from claimeven.montecarlo.options import InvalidOptions, MonteCarloOptions
from claimeven.montecarlo.protocols import Engine
from claimeven.montecarlo.tree.engine import TextbookTreeEngine, TreeEngine

AnyTextbookEngine = (
    TextbookTreeEngine | TextbookGraphEngine | TextbookFlatEngine | TextbookBreadthEngine
)


@runtime_checkable
class Rereadable(Protocol):
    """An engine that keeps a tree, which the textbook can go on with instead."""

    def textbook(self, position: Position, seed: int, keep: int | None) -> AnyTextbookEngine:
        """An engine of the textbook that starts as this one would; this one stays as it is."""


def compiled_engine(geometry: Geometry, options: MonteCarloOptions) -> Engine:
    """Engine on arrays, for a board of one word."""
    return _compiled_kind(options)(geometry, options)


def textbook_engine(options: MonteCarloOptions) -> AnyTextbookEngine:
    """Engine on positions, for any board."""
    if options.method == "flat":
        return TextbookFlatEngine(options)
    if options.method == "breadth":
        return TextbookBreadthEngine(options)
    if options.table != "off":
        return TextbookGraphEngine(options)
    return TextbookTreeEngine(options)


def load_kernels(options: MonteCarloOptions) -> None:
    """Compile what a search with these options calls, or load it from the cache."""
    load(*_compiled_kind(options).kernels)


def _compiled_kind(
    options: MonteCarloOptions,
) -> type[TreeEngine | GraphEngine | FlatEngine | BreadthEngine]:
    if options.method == "flat":
        return FlatEngine
    if options.method == "breadth":
        return BreadthEngine
    return GraphEngine if options.table != "off" else TreeEngine


def check_capacity(position: Position, options: MonteCarloOptions) -> None:
    """Raise `InvalidOptions` when there is no room for a position and each of its moves."""
    least = 1 + len(position.legal_columns)
    if options.capacity < least:
        raise InvalidOptions(
            f"capacity must be at least {least} here, for the position and each of its moves,"
            f" not {options.capacity}"
        )
