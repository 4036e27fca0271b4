"""Decisions of agents, asked for in one line."""

from __future__ import annotations

import numpy as np

from claimeven import Position
from claimeven.agents import Agent, Decision, Limit, make_agent


def decided(
    agent: str | Agent, position: str | Position = "", limit: Limit | None = None, seed: int = 0
) -> Decision:
    """The decision of an agent, or of a new one of a spec, in a position or after some moves."""
    if isinstance(position, str):
        position = Position.from_moves(position)
    made = make_agent(agent)
    try:
        return made.choose(position, limit or Limit(), np.random.default_rng(seed))
    finally:
        if isinstance(agent, str):
            made.close()
