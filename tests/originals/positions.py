"""The random positions that the originals are run on."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests import naive

RECORDED = Path(__file__).parent / "recorded"


def random_lists(seed: int, count: int) -> dict[str, list[str]]:
    """Return `count` games cut at a random ply and `count` finished ones, as 1-based columns."""
    rng = random.Random(seed)
    going_on: list[str] = []
    finished: list[str] = []
    while len(going_on) < count or len(finished) < count:
        game, moves = naive.random_moves(rng, 7, 6, 4, 42)
        assert game.over()
        if len(finished) < count:
            finished.append(written(moves))
        if len(going_on) < count:
            going_on.append(written(moves[: rng.randrange(len(moves))]))
    return {"going_on": going_on, "finished": finished}


def written(columns: list[int]) -> str:
    return "".join(str(column + 1) for column in columns)


def columns_of(moves: str) -> list[int]:
    return [int(digit) - 1 for digit in moves]


def leftmost(position: Any, stream: Any = None) -> int:
    """Return the leftmost column with room: the playout that the originals are made to take."""
    column: int = position.legal_columns[0]
    return column


def load(name: str) -> dict[str, Any]:
    """Return a recording by name."""
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
