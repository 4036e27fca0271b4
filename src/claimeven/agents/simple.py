"""Agents that do not search: random and greedy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from claimeven.agents.contract import Agent, Decision, Limit, one_hot
from claimeven.agents.options import AgentKind, Option
from claimeven.game import tactics
from claimeven.game.position import Position


class RandomAgent(Agent):
    """Plays any legal column with equal chance."""

    name = "random"

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Draw a column."""
        start = time.perf_counter()
        legal = position.legal_columns
        column = legal[int(rng.integers(len(legal)))]
        policy = tuple(
            1 / len(legal) if c in legal else 0.0 for c in range(position.geometry.columns)
        )
        return Decision(column, policy=policy, seconds=time.perf_counter() - start)


class GreedyAgent(Agent):
    """Plays the column after which its longest run through the new disc is longest.

    The leftmost of equal columns. With `win` an immediate win comes first, with `block` then the
    opponent's immediate win.
    """

    def __init__(self, win: bool = False, block: bool = False) -> None:
        self.name = "greedy"
        self.win = win
        self.block = block

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Look one disc ahead."""
        start = time.perf_counter()
        legal = position.legal_columns
        runs = [
            _longest_run(position, c) if c in legal else None
            for c in range(position.geometry.columns)
        ]
        column = max(legal, key=lambda c: (runs[c] or 0, -c))
        for wanted, discs in ((self.block, position.theirs), (self.win, position.mine)):
            wins = _winning_columns(position, discs) if wanted else ()
            if wins:
                column = wins[0]
        return Decision(
            column,
            policy=one_hot(column, position.geometry.columns),
            depth=1,
            nodes=len(legal),
            seconds=time.perf_counter() - start,
            details={"values": runs, "values_are": "run"},
        )


def _longest_run(position: Position, column: int) -> int:
    """Return the longest own run through the disc that the side to move would drop in a column."""
    geometry = position.geometry
    cell = 1 << geometry.bit(column, position.height_of(column))
    return tactics.longest_run(position.mine, cell, geometry)


def _winning_columns(position: Position, discs: int) -> tuple[int, ...]:
    geometry = position.geometry
    wins = tactics.winning_cells(discs, position.mask, geometry)
    cells = wins & tactics.playable_cells(position.mask, geometry)
    return tuple(column for column, _ in geometry.cells_of(cells))


def _random(options: Mapping[str, Any]) -> Agent:
    return RandomAgent()


def _greedy(options: Mapping[str, Any]) -> Agent:
    return GreedyAgent(options["win"], options["block"])


KINDS = (
    AgentKind("random", "plays any legal column with equal chance", (), _random),
    AgentKind(
        "greedy",
        "plays for its longest run of discs, one move ahead",
        (
            Option("win", "flag", False, "take an immediate win first"),
            Option("block", "flag", False, "then block the opponent's immediate win"),
        ),
        _greedy,
    ),
)
