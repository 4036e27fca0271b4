"""Positions, limits, decisions and seeds as plain data, for messages in JSON between processes."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from claimeven.agents.base import Decision, Limit
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Cached, so that all positions of a match share one board.
board = lru_cache(maxsize=8)(Geometry)
_DECISION_FIELDS = tuple(field.name for field in fields(Decision))


def from_geometry(geometry: Geometry) -> list[int]:
    """Return a board as plain data."""
    return [geometry.columns, geometry.rows, geometry.connect]


def from_position(position: Position) -> list[int]:
    """Return a position as plain data."""
    return [*from_geometry(position.geometry), position.mine, position.mask]


def to_position(data: list[int]) -> Position:
    """Return the position of the data of `from_position`."""
    columns, rows, connect, mine, mask = data
    return Position(board(columns, rows, connect), mine, mask)


def from_limit(limit: Limit) -> list[float | int | None]:
    """Return a limit as plain data."""
    return [limit.seconds, limit.iterations, limit.depth, limit.nodes, limit.time_bank]


def to_limit(data: list[Any]) -> Limit:
    """Return the limit of the data of `from_limit`."""
    return Limit(*data)


def from_decision(decision: Decision) -> list[Any]:
    """Return a plain decision as plain data."""
    return [getattr(decision, name) for name in _DECISION_FIELDS]


def from_generator(rng: np.random.Generator) -> list[list[int]]:
    """Return the seed of a generator as plain data; in a match it contains the game number.

    For a generator that was not made from a seed, a number is drawn from it.
    """
    seed = rng.bit_generator.seed_seq
    if not isinstance(seed, np.random.SeedSequence):
        return [[int(rng.integers(1 << 63))], []]
    entropy = np.ravel(np.asarray(seed.entropy, dtype=object))
    return [[int(n) for n in entropy], [int(n) for n in seed.spawn_key]]


def to_generator(data: list[list[int]]) -> np.random.Generator:
    """Return a new generator from the data of `from_generator`."""
    entropy, spawn_key = data
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=spawn_key))
