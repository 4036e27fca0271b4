"""Messages in JSON between processes: positions, limits, decisions and seeds as plain data.

The answers of an agent's process are validated: an agent may write any bytes instead of them. An
answer is a JSON object: `value`, or `fault` with a `traceback` and a `kind`, or `invalid` with a
`traceback` for an invalid spec or file. Values are bounded, without control characters in texts.
"""

from __future__ import annotations

import math
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from claimeven.agents.base import LIMITS, AgentFault, Decision, FaultKind, Limit, TreeView
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import printable, printable_lines
from claimeven.agents.validation import plain, plain_decision
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.connection import InvalidMessage, unpack

#: Lines of a trace, characters of a line, values in the data of a tree, bytes of an answer.
MAX_LINES, MAX_LINE, MAX_TREE, MAX_ANSWER = 10_000, 1_000, 1_000_000, 1 << 24
#: Cached, so that all positions of a match share one board.
board = lru_cache(maxsize=8)(Geometry)
_DECISION_FIELDS = tuple(field.name for field in fields(Decision))


def from_geometry(geometry: Geometry) -> list[int]:
    return [geometry.columns, geometry.rows, geometry.connect]


def from_position(position: Position) -> list[int]:
    return [*from_geometry(position.geometry), position.mine, position.mask]


def to_position(data: list[int]) -> Position:
    columns, rows, connect, mine, mask = data
    return Position(board(columns, rows, connect), mine, mask)


def from_limit(limit: Limit) -> list[float | int | None]:
    return [limit.seconds, limit.iterations, limit.depth, limit.nodes, limit.time_bank]


def from_decision(decision: Decision) -> list[Any]:
    return [getattr(decision, name) for name in _DECISION_FIELDS]


def from_generator(rng: np.random.Generator) -> list[list[int]]:
    """Return the seed of a generator as plain data; without a seed a number is drawn from it."""
    seed = rng.bit_generator.seed_seq
    if not isinstance(seed, np.random.SeedSequence):
        return [[int(rng.integers(1 << 63))], []]
    entropy = np.ravel(np.asarray(seed.entropy, dtype=object))
    return [[int(n) for n in entropy], [int(n) for n in seed.spawn_key]]


def to_generator(data: list[list[int]]) -> np.random.Generator:
    """Return a new generator from the data of `from_generator`."""
    entropy, spawn_key = data
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=spawn_key))


def read_value(message: bytes, may_refuse: bool = False) -> Any:
    """Return the value of an answer, not validated yet.

    Raises `InvalidMessage`, the reported `AgentFault`, and `InvalidSpec` if `may_refuse`.
    """
    try:
        answer = unpack(message)
        if "value" in answer:
            return answer["value"]
        key = "invalid" if may_refuse and "invalid" in answer else "fault"
        reason = printable(_checked(answer[key], str))
        traceback = printable_lines(_checked(answer["traceback"], str))
        kind = FaultKind(answer.get("kind", FaultKind.CRASH))
    except (ValueError, KeyError, RecursionError):
        raise InvalidMessage from None
    if key == "invalid":
        raise InvalidSpec(reason, traceback)
    raise AgentFault(reason, traceback, kind)


def nothing(value: Any) -> None:
    """Check an answer without a value."""
    _checked(value, type(None))


def facts(value: Any) -> tuple[frozenset[str], bool, str, bool]:
    """Return the limits that an agent supports, and its `stateful`, `plays` and `is_guess`."""
    limits, stateful, plays, is_guess = _parts(
        value, limits=list, stateful=bool, plays=str, is_guess=bool
    )
    return frozenset(n for n in LIMITS if n in limits), stateful, printable(plays), is_guess


def decision(value: Any, position: Position) -> Decision:
    """Return a decision for a position. Raises `AgentFault` for an invalid one."""
    if len(_checked(value, list)) != len(_DECISION_FIELDS):
        raise InvalidMessage
    return plain_decision(Decision(*value), position)


def trace(value: Any) -> tuple[list[str], str | None]:
    """Return the lines of a trace, and the fault that stopped it early."""
    lines, fault = _parts(value, lines=list, fault=(str, type(None)))
    if len(lines) > MAX_LINES:
        raise InvalidMessage
    checked = [printable(_checked(line, str), MAX_LINE) for line in lines]
    return checked, None if fault is None else printable(fault)


def tree(value: Any) -> TreeView | None:
    if value is None:
        return None
    text, data, svg = _parts(value, text=str, data=dict, svg=str)
    return TreeView(text, plain(data, MAX_TREE, 1000), svg)


def megabytes(value: Any) -> float | None:
    """Return an amount of memory, None if it is not known."""
    if value is not None and not 0.0 <= _checked(value, float) < math.inf:
        raise InvalidMessage
    amount: float | None = value
    return amount


def _parts(value: Any, **types: Any) -> list[Any]:
    """Return the parts of an object that has exactly these keys, each of its type."""
    if _checked(value, dict).keys() != types.keys():
        raise InvalidMessage
    return [
        _checked(value[name], *(t if isinstance(t, tuple) else (t,))) for name, t in types.items()
    ]


def _checked(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise InvalidMessage
    return value
