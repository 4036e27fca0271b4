"""The answers of an agent's process, checked: an agent can write whatever it likes in their place.

An answer is an object of JSON: `value`, or `fault` with a `traceback` and a `kind` (the agent's
doing), or `invalid` with a `traceback` (a spec or a file that makes no agent). All of it comes
out as plain data of bounded size, and its texts hold nothing that a terminal obeys.
"""

from __future__ import annotations

import math
from typing import Any

from claimeven.agents.base import (
    LIMITS,
    AgentFault,
    Decision,
    FaultKind,
    TreeView,
)
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import printable, printable_lines
from claimeven.agents.validation import plain, plain_decision
from claimeven.game.position import Position
from claimeven.parallel.connection import unpack

#: Lines of a trace, characters of a line, and values in the data of a tree.
MAX_LINES, MAX_LINE, MAX_TREE = 10_000, 1_000, 1_000_000
#: Bytes of the longest answer.
MAX_ANSWER = 1 << 24
#: Numbers of a decision: its fields, in their order.
_FIELDS = 9


class Malformed(Exception):
    """An answer that the process of an agent never gives by itself."""


def read_value(message: bytes, may_refuse: bool = False) -> Any:
    """Return the value of an answer, not checked yet. Raises `Malformed`; the `AgentFault` that the
    answer reports; and `InvalidSpec` where it refuses the agent, if it may.
    """
    try:
        answer = unpack(message)
        if "value" in answer:
            return answer["value"]
        key = "invalid" if may_refuse and "invalid" in answer else "fault"
        reason = printable(_text(answer[key]))
        traceback = printable_lines(_text(answer["traceback"]))
        kind = FaultKind(answer.get("kind", FaultKind.CRASH))
    except (ValueError, KeyError, RecursionError):
        raise Malformed from None
    if key == "invalid":
        raise InvalidSpec(reason, traceback)
    raise AgentFault(reason, traceback, kind)


def nothing(value: Any) -> None:
    """Check the answer to what is only done."""
    if value is not None:
        raise Malformed


def facts(value: Any) -> tuple[frozenset[str], bool, str, bool]:
    """Return the limits that an agent knows, whether it remembers games, what plays, and whether
    that is a guess.
    """
    limits, remembers, plays, is_guess = _parts(value, "limits", "remembers", "plays", "is_guess")
    if type(limits) is not list or (type(remembers), type(is_guess)) != (bool, bool):
        raise Malformed
    known = frozenset(name for name in LIMITS if name in limits)
    return known, remembers, printable(_text(plays)), is_guess


def decision(value: Any, position: Position) -> Decision:
    """Return a decision for a position.

    Raises `AgentFault` for a decision that is not as it must be, as for an agent of this process.
    """
    if type(value) is not list or len(value) != _FIELDS:
        raise Malformed
    return plain_decision(Decision(*value), position)


def trace(value: Any) -> tuple[list[str], str | None]:
    """Return the lines of a trace, and what ended it early."""
    lines, fault = _parts(value, "lines", "fault")
    if type(lines) is not list or len(lines) > MAX_LINES:
        raise Malformed
    return [printable(_text(line), MAX_LINE) for line in lines], (
        None if fault is None else printable(_text(fault))
    )


def tree(value: Any) -> TreeView | None:
    """Return a tree."""
    if value is None:
        return None
    text, data, svg = _parts(value, "text", "data", "svg")
    if type(data) is not dict:
        raise Malformed
    return TreeView(_text(text), plain(data, MAX_TREE, 1000), _text(svg))


def megabytes(value: Any) -> float:
    """Return an amount of memory."""
    if type(value) is not float or not 0.0 <= value < math.inf:
        raise Malformed
    return value


def _parts(value: Any, *names: str) -> list[Any]:
    """Return the parts of an object that has these and no others."""
    if type(value) is not dict or value.keys() != set(names):
        raise Malformed
    return [value[name] for name in names]


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Malformed
    return value
