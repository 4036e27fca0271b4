"""Validation of agents' answers: each is checked once and converted to plain data.

A decision from `plain_decision` contains only numbers, texts, lists and dicts of Python, of bounded
size: it can be written as JSON, stored and sent.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from numbers import Integral, Real
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind
from claimeven.agents.sanitize import MAX_BITS, printable, shown
from claimeven.game.position import Position

#: Limits of one entry of `details`: its values, their depth, and the characters of its texts.
MAX_VALUES, MAX_DEPTH, MAX_CHARACTERS = 5_000, 20, 10_000
#: Maximum number of entries, and characters of the name of an entry and of a word for a column.
MAX_ENTRIES, MAX_NAME = 100, 60
#: The largest valid count, and the tolerance for the sum of a policy.
MAX_COUNT, TOLERANCE = 2**63 - 1, 1e-3
#: Fields of a decision that may be None.
_OPTIONAL = ("value", "policy", "score", "depth", "nodes", "iterations")
#: Details that are counts.
_COUNTS = (
    "stored", "iterations", "evaluations", "cutoffs", "expanded", "table_hits", "reused_visits",
)  # fmt: skip

#: Whether a plain value fits a position.
Check = Callable[[Any, Position], bool]


class _TooLarge(Exception):
    """A detail has too many values."""


def illegal(reason: str) -> AgentFault:
    """Return the fault of an invalid answer."""
    return AgentFault(reason, kind=FaultKind.ILLEGAL)


def plain_decision(decision: object, position: Position) -> Decision:
    """Return a decision with a legal column as plain data.

    Raises `AgentFault` naming the invalid part, and any exception of an attribute of an odd object.
    """
    if type(decision) is not Decision and not isinstance(decision, Decision):
        raise illegal(f"returned {shown(decision)} instead of a Decision")
    column = checked_column(decision.column, position)
    if _is_plain_column(decision):
        return decision
    details = decision.details
    if not isinstance(details, Mapping):
        raise illegal(f"returned a Decision whose details must be a mapping, got {shown(details)}")
    return Decision(
        column,
        None if decision.value is None else _number("value", decision.value, -1.0, 1.0),
        None if decision.policy is None else _policy(decision.policy, position),
        None if decision.score is None else _whole("score", decision.score, -MAX_COUNT),
        None if decision.depth is None else _whole("depth", decision.depth),
        None if decision.nodes is None else _whole("nodes", decision.nodes),
        _number("seconds", decision.seconds, 0.0),
        _details(details, position) if details else {},
        None if decision.iterations is None else _whole("iterations", decision.iterations),
    )


def checked_answer(agent: Agent, answer: Any, position: Position) -> Decision:
    """Return an answer as a `plain_decision`; of a `trusted` agent only the column is checked."""
    if not agent.trusted:
        return plain_decision(answer, position)
    if type(answer.column) is not int or not position.is_legal(answer.column):
        checked_column(answer.column, position)
    decision: Decision = answer
    return decision


def _is_plain_column(decision: Decision) -> bool:
    """Whether a decision has only a column and its seconds, as plain data; most do."""
    seconds, details = decision.seconds, decision.details
    return (
        type(decision) is Decision
        and type(decision.column) is int
        and all(getattr(decision, name) is None for name in _OPTIONAL)
        and type(details) is dict
        and not details
        and type(seconds) is float
        and 0.0 <= seconds < math.inf
    )


def as_column(answer: Any) -> int:
    """Return an answer as a column number. Raises `AgentFault` unless it is a whole number."""
    if type(answer) is int:
        return answer
    if not isinstance(answer, (bool, np.bool_)):
        try:
            return operator.index(answer)
        except TypeError:
            pass
    raise illegal(f"returned {shown(answer)} instead of a column number")


def checked_column(answer: Any, position: Position) -> int:
    """Return an answer as a legal column. Raises `AgentFault` for any other answer."""
    column = as_column(answer)
    if position.is_legal(column):
        return column
    choices = ", ".join(str(c) for c in position.legal_columns)
    full = 0 <= column < position.geometry.columns
    why = "which is full" if full else "which is not on the board"
    what = f"column {column}" if column.bit_length() <= MAX_BITS else shown(column)
    raise illegal(f"returned {what} (counted from 0), {why}: legal were {choices}")


def plain(value: Any, limit: int = MAX_VALUES, depth: int = MAX_DEPTH) -> Any:
    """Return a value as data for JSON: numbers that are not finite become None, keys texts, and
    objects other than numbers, texts, lists and mappings their `repr`.

    Raises `AgentFault` for more than `limit` values, or values nested deeper than `depth`.
    """
    try:
        return _plain(value, iter(range(limit)), depth)
    except _TooLarge:
        raise illegal(f"returned more than {limit:,} values in one answer") from None


def _plain(value: Any, left: Iterator[int], depth: int) -> Any:
    """Return the plain form of a value; `left` ends with the number of values."""
    if next(left, None) is None or depth < 0:
        raise _TooLarge
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is int:
        return value if value.bit_length() <= MAX_BITS else shown(value)
    if isinstance(value, Mapping):
        return {_name(key): _plain(part, left, depth - 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part, left, depth - 1) for part in value]
    if isinstance(value, str):
        return str.__str__(value)[:MAX_CHARACTERS]
    return _plain_other(value, left, depth)


def _plain_other(value: Any, left: Iterator[int], depth: int) -> Any:
    """Return the plain form of a number or array of NumPy, or of any other object."""
    if isinstance(value, np.ndarray):
        if value.size > operator.length_hint(left):
            raise _TooLarge
        return _plain(value.tolist(), left, depth)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Real):
        return _plain(int(value) if isinstance(value, Integral) else float(value), left, depth)
    return shown(value)


def _details(details: Mapping[Any, Any], position: Position) -> dict[str, Any]:
    """Return the details as plain data, the known ones checked."""
    checked: dict[str, Any] = {}
    for given, value in details.items():
        key = _name(given)
        if len(checked) == MAX_ENTRIES:
            break
        try:
            detail = _plain(value, iter(range(MAX_VALUES)), MAX_DEPTH)
        except _TooLarge:
            detail = f"left out: it has more than {MAX_VALUES:,} values"
        if detail is not None and key in _CHECKS:
            wanted, fits = _CHECKS[key]
            if not fits(detail, position):
                reason = f"{key} in details must be {wanted}, got {shown(detail)}"
                raise illegal(f"returned a Decision whose {reason}")
        checked[key] = detail
    if "full" in checked and checked.get("stored") is None:
        del checked["full"]  # it has no meaning without `stored`
    return checked


def _name(key: Any) -> str:
    return printable(str.__str__(key) if isinstance(key, str) else shown(key), MAX_NAME)


def _whole(name: str, amount: Any, low: int = 0) -> int:
    """Return a whole number from `low`. Raises `AgentFault` naming the field."""
    number = int(_finite(name, amount))
    if amount != number:
        raise _wrong(name, amount, "not a whole number")
    if not low <= number <= MAX_COUNT:
        raise _wrong(name, amount, "out of range")
    return number


def _number(name: str, amount: Any, low: float, high: float = math.inf) -> float:
    """Return a finite number in a range. Raises `AgentFault` naming the field."""
    number = float(_finite(name, amount))
    if not low - TOLERANCE <= number <= high + TOLERANCE:
        raise _wrong(name, amount, "out of range")
    return min(max(number, low), high)


def _finite(name: str, amount: Any) -> int | float:
    """Return a number as an int or float. Raises `AgentFault` naming the field."""
    if not isinstance(amount, Real) or isinstance(amount, bool):
        raise _wrong(name, amount, "not a number")
    number = int(amount) if isinstance(amount, Integral) else float(amount)
    if isinstance(number, int) and number.bit_length() > MAX_BITS:
        raise _wrong(name, amount, "out of range")
    if not math.isfinite(number):
        raise _wrong(name, amount, "not a number")
    return number


def _wrong(name: str, amount: Any, why: str) -> AgentFault:
    return illegal(f"returned a Decision whose {name} is {shown(amount)}, {why}")


def _policy(policy: Any, position: Position) -> tuple[float, ...]:
    """Return one probability a column. Raises `AgentFault` unless it is a distribution."""
    columns = position.geometry.columns
    shares: tuple[Any, ...] = ()
    if isinstance(policy, (Iterable, np.ndarray)) and not isinstance(policy, (str, Mapping)):
        shares = tuple(islice(policy, columns + 1))
    if len(shares) != columns:
        raise illegal(
            f"returned a Decision whose policy must be one number a column, got {shown(policy)}"
        )
    chances = tuple(_number("policy", share, 0.0, 1.0) for share in shares)
    if sum(c for column, c in enumerate(chances) if not position.is_legal(column)) > TOLERANCE:
        raise illegal("returned a Decision whose policy must be 0 for a full column")
    if abs(sum(chances) - 1.0) > TOLERANCE:
        raise illegal(f"returned a Decision whose policy must sum to 1, got {sum(chances):g}")
    return chances


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= MAX_NAME


def _each_column(fits: Callable[[Any], bool]) -> Check:
    def check(value: Any, position: Position) -> bool:
        whole = isinstance(value, list) and len(value) == position.geometry.columns
        return whole and all(map(fits, value))

    return check


def _is_line(value: Any, position: Position) -> bool:
    for column in value if isinstance(value, list) else ():
        if type(column) is not int or column not in position.legal_columns:
            return False
        position = position.play_unchecked(column)
    return isinstance(value, list)


_TEXT: tuple[str, Check] = ("a short text", lambda value, position: _is_text(value))
_NUMBERS = ("one number a column", _each_column(_is_number))
_COUNT: tuple[str, Check] = (
    "a whole number from 0",
    lambda value, position: type(value) is int and 0 <= value <= MAX_COUNT,
)
#: Known details: their description, and the test of a plain value.
_CHECKS: dict[str, tuple[str, Check]] = {
    "values": (
        "one number or None a column",
        _each_column(lambda value: value is None or _is_number(value)),
    ),
    "visits": _NUMBERS,
    "priors": _NUMBERS,
    "value_words": ("one short text a column", _each_column(_is_text)),
    "values_are": _TEXT,
    "backend": _TEXT,
    "line": ("columns that can be played one after another", _is_line),
    "branching": ("a number", lambda value, position: _is_number(value)),
    **dict.fromkeys(_COUNTS, _COUNT),
}
