"""Results as JSON: one object on a line, whatever an agent put into it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from typing import Any, TextIO

from claimeven import __version__

#: Deeper than this nothing is followed: data that holds itself has no end.
_DEEPEST = 64
#: Whole numbers of more bits than this are written as null; other programs could not read them.
_MOST_BITS = 4096


def write_json(value: Any, stream: TextIO) -> None:
    """Write one JSON object on a line of its own; its last key is the version of claimeven."""
    write_row({**value, "claimeven": __version__} if isinstance(value, dict) else value, stream)


def write_row(value: Any, stream: TextIO) -> None:
    """Write a value as JSON on a line of its own, as it is."""
    stream.write(json.dumps(plain(value), allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Return a value as data that JSON can hold.

    NumPy's numbers and arrays become numbers and lists, a number that JSON cannot write (not a
    number, infinite, endlessly long) None, keys text, and whatever else there is its words.

    >>> plain({1: float("nan"), "own": (1, {2})})
    {'1': None, 'own': [1, [2]]}
    """
    return _plain(value, 0)


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    try:
        if isinstance(value, (int, float)):
            return _number(value)
        if depth > _DEEPEST:
            return "..."
        if isinstance(value, Mapping):
            return {_words(key): _plain(held, depth + 1) for key, held in value.items()}
        if isinstance(value, (list, tuple, Set)):
            return [_plain(held, depth + 1) for held in value]
        if hasattr(value, "tolist"):
            return _plain(value.tolist(), depth + 1)
    except Exception:  # an object that is not what it says it is
        return _words(value)
    return _words(value)


def _number(value: int | float) -> int | float | None:
    """Return a number without the class an agent may have given it; None if JSON has none such."""
    if isinstance(value, int):
        whole = int.__index__(value)
        return whole if whole.bit_length() <= _MOST_BITS else None
    number = float.__float__(value)
    return number if math.isfinite(number) else None


def _words(value: Any) -> str:
    """Return a value as text, the name of its type where it cannot even say what it is."""
    try:
        return str.__str__(str(value))
    except Exception:
        return f"<{type(value).__name__}>"
