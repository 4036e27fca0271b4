"""Results as JSON, one object per line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from typing import Any, TextIO

from claimeven import __version__


def write_json(value: Any, stream: TextIO) -> None:
    """Write one JSON object on a separate line; its last key is the version of claimeven."""
    write_row({**value, "claimeven": __version__} if isinstance(value, dict) else value, stream)


def write_row(value: Any, stream: TextIO) -> None:
    """Write a value as JSON on a separate line."""
    stream.write(json.dumps(json_data(value), allow_nan=False) + "\n")


def json_data(value: Any) -> Any:
    """Return a result as data for JSON; the answers of agents were checked before.

    NumPy's numbers and arrays become numbers and lists, numbers that are not finite None, keys and
    other objects text.

    >>> json_data({1: float("nan"), "own": (1, {2})})
    {'1': None, 'own': [1, [2]]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_data(part) for key, part in value.items()}
    if isinstance(value, list | tuple | Set):
        return [json_data(part) for part in value]
    return json_data(value.tolist()) if hasattr(value, "tolist") else str(value)
