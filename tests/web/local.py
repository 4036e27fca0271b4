"""The worker of a page without a server, asked without a browser; and its random numbers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from playwright._impl._driver import compute_driver_executable

import claimeven.web
from claimeven.compiled.splitmix64 import Stream
from claimeven.game import Position
from claimeven.game.encodings import to_characters
from claimeven.web.site import local_agents

FOLDER = Path(claimeven.web.__file__).parent / "static" / "local"
ROUTES = Path(__file__).with_name("local_routes.mjs")


def answers(
    requests: Sequence[tuple[str, dict[str, Any]]], folder: Path, seconds: float = 10
) -> list[Any]:
    """Return the data of each request, a path and a query, within seconds.

    `folder` is for files.
    """
    agents, data = folder / "agents.json", local_agents()
    data["caps"]["seconds"] = seconds
    agents.write_text(json.dumps(data), encoding="utf-8")
    node = str(compute_driver_executable()[0])
    done = subprocess.run(
        [node, str(ROUTES), str(FOLDER), str(agents)],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def position_query(position: Position) -> dict[str, Any]:
    """Return a position as the fields of a request."""
    geometry = position.geometry
    rows = "/".join("".join(row) for row in to_characters(position))
    board = f"{geometry.columns}x{geometry.rows}"
    return {"board": board, "connect": geometry.connect, "position": rows}


class SplitmixGenerator:
    """The draws of a NumPy generator that an agent makes, from splitmix64, as in the page."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def integers(self, low: int, high: int | None = None, dtype: Any = None) -> Any:
        """Draw from 0 to `high` - 1, or `low` - 1 without it."""
        return self.stream.word() if high == 1 << 64 else self.stream.below(low)

    def random(self) -> float:
        """Draw from [0, 1)."""
        return self.stream.share()


def generator(seed: int) -> np.random.Generator:
    """Return a generator with the draws of the page."""
    return cast(np.random.Generator, SplitmixGenerator(seed))


def differences(expected: Any, found: Any, where: str = "") -> list[str]:
    """Return the places where data differ, numbers by more than rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            text
            for key in expected.keys() | found.keys()
            for text in differences(expected.get(key), found.get(key), f"{where}.{key}")
        ]
    if isinstance(expected, list | tuple) and isinstance(found, list):
        if len(expected) == len(found):
            pairs = enumerate(zip(expected, found, strict=True))
            return [text for at, pair in pairs for text in differences(*pair, f"{where}[{at}]")]
    elif isinstance(expected, float) and isinstance(found, int | float):
        expected = pytest.approx(expected, rel=1e-12)
    return [] if expected == found else [f"{where}: expected {expected}, found {found}"]
