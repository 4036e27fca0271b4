"""A person at the terminal as an agent."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit
from claimeven.agents.options import AgentKind
from claimeven.game.errors import ClaimevenError
from claimeven.game.notation import column_choices, parse_column
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position


class HumanAgent(Agent):
    """Asks for a column until one can be played. The board and the question go to stderr."""

    name = "human"
    timed = False

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask on the terminal. Raises `AgentFault` when the input ends."""
        start = time.perf_counter()
        print(position, file=sys.stderr)
        while True:
            choices = column_choices(position.geometry)
            print(
                f"{PLAYER_NAMES[position.turn]}, column {choices}: ",
                end="", file=sys.stderr, flush=True,
            )  # fmt: skip
            line = sys.stdin.readline()
            if not line:
                raise AgentFault("found no column: the input ended")
            try:
                column = parse_column(line, position.geometry)
                position.check_move(column)
            except ClaimevenError as error:
                print(error, file=sys.stderr)
                continue
            return Decision(column, seconds=time.perf_counter() - start)


def _human(options: Mapping[str, Any]) -> Agent:
    return HumanAgent()


KINDS = (AgentKind("human", "you, at the terminal", (), _human),)
