"""What agents put into a result becomes JSON, whatever it is."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from claimeven import __version__
from claimeven.cli.common.json_lines import plain, write_json


class Mute:
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Shy(Mapping[str, int]):
    """Says that it is a mapping, and then is none."""

    def __getitem__(self, key: str) -> int:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("lost")

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "shy"


class Loud(str):
    """A text that is another one when it is written."""

    def __str__(self) -> str:
        return "LOUD"


class Count(int):
    """A number that does not say how much."""

    def __repr__(self) -> str:
        return "many"


class Real(float):
    """Another such one."""

    def __repr__(self) -> str:
        return "much"


def test_whatever_there_is_can_be_written() -> None:
    given = {
        "array": np.array([[1.5, math.inf], [2, math.nan]]),
        "number": np.int64(3),
        "flags": [True, None, np.bool_(False)],
        "longest": [2**4096 - 1, -(2**4096), 2**64],
        "own": [Count(3), Real(0.5), Loud("quiet")],
        "sets": [{4}, frozenset(), (5,), range(2)],
        "odd": [Mute(), Shy(), -math.inf],
        Mute(): {None: 1, 2: {True: 3}},
    }
    stream = io.StringIO()
    write_json(given, stream)
    assert stream.getvalue().endswith("}\n")
    assert stream.getvalue().count("\n") == 1
    assert '"flags": [true, null, false]' in stream.getvalue()
    told = json.loads(stream.getvalue())
    assert told == {
        "claimeven": __version__,
        "array": [[1.5, None], [2.0, None]],
        "number": 3,
        "flags": [True, None, False],
        "longest": [2**4096 - 1, None, 2**64],
        "own": [3, 0.5, "LOUD"],
        "sets": [[4], [], [5], "range(0, 2)"],
        "odd": ["<Mute>", "shy", None],
        "<Mute>": {"None": 1, "2": {"True": 3}},
    }


def test_what_holds_itself_comes_to_an_end() -> None:
    endless: dict[str, Any] = {}
    endless["in"] = endless
    depth, at = 0, plain(endless)
    while at != "...":
        depth, at = depth + 1, at["in"]
    assert depth == 65
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    assert plain(deep) == deep
