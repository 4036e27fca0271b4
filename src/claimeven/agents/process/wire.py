"""What goes between the two processes of an agent that has one of its own: JSON, both ways."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from claimeven.agents.base import Decision, Limit
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: The generator whose state is sent as it is.
_DEFAULT_GENERATOR = "PCG64"
#: What the numbers of its state are less than: state, increment, whether half a word is left, and
#: that half.
_STATE_BOUNDS = (1 << 128, 1 << 128, 2, 1 << 32)

_encoded = json.JSONEncoder(separators=(",", ":")).encode
#: One board for all positions of a match.
board = lru_cache(maxsize=8)(Geometry)
_DECISION_FIELDS = tuple(field.name for field in fields(Decision))


def packed(message: dict[str, Any]) -> bytes:
    """Return a message as bytes."""
    return _encoded(message).encode("ascii")


def unpacked(data: bytes) -> dict[str, Any]:
    """Read the message of `packed`. Raises `ValueError` or `RecursionError` for other bytes."""
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message


def from_geometry(geometry: Geometry) -> list[int]:
    """Return a board as plain data."""
    return [geometry.columns, geometry.rows, geometry.connect]


def from_position(position: Position) -> list[int]:
    """Return a position as plain data."""
    return [*from_geometry(position.geometry), position.mine, position.mask]


def to_position(data: list[int]) -> Position:
    """Read the data of `from_position`."""
    columns, rows, connect, mine, mask = data
    return Position(board(columns, rows, connect), mine, mask)


def from_limit(limit: Limit) -> list[float | int | None]:
    """Return a limit as plain data."""
    return [limit.seconds, limit.iterations, limit.depth, limit.nodes, limit.bank]


def to_limit(data: list[Any]) -> Limit:
    """Read the data of `from_limit`."""
    return Limit(*data)


def from_decision(decision: Decision) -> list[Any]:
    """Return a plain decision as plain data."""
    return [getattr(decision, name) for name in _DECISION_FIELDS]


def state_of(rng: np.random.Generator) -> list[int] | None:
    """Return the state of a generator as plain data, None for one of another kind."""
    state = rng.bit_generator.state
    if state["bit_generator"] != _DEFAULT_GENERATOR:
        return None
    inner = state["state"]
    return [inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]]


def from_generator(rng: np.random.Generator) -> list[int]:
    """Return the state of a generator as plain data.

    Of a kind of generator other than the default one a number is drawn, which makes a new one.
    """
    state = state_of(rng)
    return state or state_of(np.random.default_rng(int(rng.integers(1 << 63))))  # type: ignore[return-value]


def is_state(data: Any) -> bool:
    """Whether a value is one of `from_generator`."""
    return (
        type(data) is list
        and len(data) == len(_STATE_BOUNDS)
        and all(
            type(n) is int and 0 <= n < bound for n, bound in zip(data, _STATE_BOUNDS, strict=True)
        )
    )


def set_generator(rng: np.random.Generator, data: list[int]) -> None:
    """Put a generator into the state of `from_generator`, unless it is of another kind: that has
    drawn its number.
    """
    if state_of(rng) is None:
        return
    rng.bit_generator.state = {
        "bit_generator": _DEFAULT_GENERATOR,
        "state": {"state": data[0], "inc": data[1]},
        "has_uint32": data[2],
        "uinteger": data[3],
    }
