"""Validation of the answers of an agent's process: an agent may write any bytes instead of them.

An answer is a JSON object: `value`, or `fault` with a `traceback` and a `kind`, or `invalid` with a
`traceback` for an invalid spec or file. The result is plain data of bounded size, and its texts
contain no control characters.
"""

from __future__ import annotations

import math
from typing import Any

from claimeven.agents.base import LIMITS, AgentFault, Decision, FaultKind, TreeView
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import printable, printable_lines
from claimeven.agents.validation import plain, plain_decision
from claimeven.game.position import Position
from claimeven.parallel.connection import unpack

#: Lines of a trace, characters of a line, and values in the data of a tree.
MAX_LINES, MAX_LINE, MAX_TREE = 10_000, 1_000, 1_000_000
#: Bytes of the longest answer.
MAX_ANSWER = 1 << 24
#: The number of fields of a decision.
_FIELDS = 9


class Malformed(Exception):
    """An answer that is not a message of our worker."""


def read_value(message: bytes, may_refuse: bool = False) -> Any:
    """Return the value of an answer, not validated yet.

    Raises `Malformed`, the reported `AgentFault`, and `InvalidSpec` for a rejected agent if
    `may_refuse`.
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
        raise Malformed from None
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
    """Return a decision for a position.

    Raises `AgentFault` for an invalid decision.
    """
    if len(_checked(value, list)) != _FIELDS:
        raise Malformed
    return plain_decision(Decision(*value), position)


def trace(value: Any) -> tuple[list[str], str | None]:
    """Return the lines of a trace, and the fault that stopped it early."""
    lines, fault = _parts(value, lines=list, fault=(str, type(None)))
    if len(lines) > MAX_LINES:
        raise Malformed
    checked = [printable(_checked(line, str), MAX_LINE) for line in lines]
    return checked, None if fault is None else printable(fault)


def tree(value: Any) -> TreeView | None:
    """Return a tree."""
    if value is None:
        return None
    text, data, svg = _parts(value, text=str, data=dict, svg=str)
    return TreeView(text, plain(data, MAX_TREE, 1000), svg)


def megabytes(value: Any) -> float | None:
    """Return an amount of memory, None if it is not known."""
    if value is not None and not 0.0 <= _checked(value, float) < math.inf:
        raise Malformed
    amount: float | None = value
    return amount


def _parts(value: Any, **types: Any) -> list[Any]:
    """Return the parts of an object that has exactly these keys, each of its type."""
    if _checked(value, dict).keys() != types.keys():
        raise Malformed
    return [
        _checked(value[name], *(t if isinstance(t, tuple) else (t,))) for name, t in types.items()
    ]


def _checked(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise Malformed
    return value
