"""What goes between the two processes of an agent that has one of its own: JSON, both ways."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from claimeven.agents.contract import Decision, Limit
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: The generator whose state is sent as it is.
USUAL_GENERATOR = "PCG64"

_encoded = json.JSONEncoder(separators=(",", ":")).encode
#: One board for all positions of a match.
board = lru_cache(maxsize=8)(Geometry)
_DECISION_FIELDS = tuple(field.name for field in fields(Decision))


def packed(message: dict[str, Any]) -> bytes:
    """Return a message as bytes."""
    return _encoded(message).encode("ascii")


def unpacked(data: bytes) -> dict[str, Any]:
    """Read the message of `packed`. Raises `ValueError` for bytes that are none."""
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
    whole = (limit.iterations, limit.depth, limit.nodes)
    return [_float(limit.seconds), *map(_int, whole), _float(limit.bank)]


def to_limit(data: list[Any]) -> Limit:
    """Read the data of `from_limit`."""
    return Limit(*data)


def from_decision(decision: Decision) -> list[Any]:
    """Return a plain decision as plain data."""
    return [getattr(decision, name) for name in _DECISION_FIELDS]


def to_decision(data: list[Any]) -> Decision:
    """Read the data of `from_decision`; nothing is checked."""
    decision = Decision(*data)
    if decision.policy is not None:
        object.__setattr__(decision, "policy", tuple(decision.policy))
    return decision


def from_generator(rng: np.random.Generator) -> list[int]:
    """Return the state of a generator as plain data.

    Of a kind of generator other than the usual one a number is drawn, which makes a new one.
    """
    state = rng.bit_generator.state
    if state["bit_generator"] != USUAL_GENERATOR:
        return [int(rng.integers(1 << 63))]
    inner = state["state"]
    return [inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]]


def set_generator(rng: np.random.Generator, data: list[int]) -> None:
    """Put a generator into the state of `from_generator`, unless it is of another kind: that has
    drawn its number.
    """
    if rng.bit_generator.state["bit_generator"] != USUAL_GENERATOR:
        return
    if len(data) == 1:
        rng.bit_generator.state = np.random.PCG64(data[0]).state
        return
    rng.bit_generator.state = {
        "bit_generator": USUAL_GENERATOR,
        "state": {"state": data[0], "inc": data[1]},
        "has_uint32": data[2],
        "uinteger": data[3],
    }


def _int(number: int | None) -> int | None:
    return None if number is None else int(number)


def _float(number: float | None) -> float | None:
    return None if number is None else float(number)
