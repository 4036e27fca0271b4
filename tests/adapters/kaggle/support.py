"""Exported agents in the tests: loaded as Kaggle does, asked, and held to our agents."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from claimeven import Geometry, Position, make_agent
from claimeven.adapters.kaggle import submission
from claimeven.adapters.kaggle.template.board import Board
from claimeven.agents import Limit
from claimeven.game.encodings import to_kaggle
from tests.positions import random_position


def board_of(geometry: Geometry) -> Board:
    return Board(geometry.columns, geometry.rows, geometry.connect)


def ongoing(geometry: Geometry, count: int, seed: int = 1) -> list[Position]:
    rng = random.Random(seed)
    return [random_position(rng, geometry, ongoing=True) for _ in range(count)]


def loaded(text: str) -> dict[str, Any]:
    """The agent of a file, executed as Kaggle does."""
    left: dict[str, Any] = {}
    exec(compile(text, "main.py", "exec"), left)
    return left


def asked(left: dict[str, Any], position: Position, seconds: float = 300) -> int:
    """The column of an exported agent."""
    geometry = position.geometry
    configuration = {
        "rows": geometry.rows, "columns": geometry.columns, "inarow": geometry.connect,
        "actTimeout": seconds,
    }  # fmt: skip
    column: int = left["agent"](
        {"board": to_kaggle(position), "mark": position.turn + 1}, configuration
    )
    return column


def hold_to_agent(
    spec: str, positions: Iterable[Position], left: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Compare the columns of an exported agent with the agent's own."""
    left = left or loaded(submission(spec))
    agent, rng = make_agent(spec), np.random.default_rng(0)
    for position in positions:
        column = agent.choose(position, Limit(), rng).column
        assert asked(left, position) == column, position
    return left
