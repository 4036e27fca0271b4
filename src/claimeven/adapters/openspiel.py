"""Our agents as bots of OpenSpiel, and positions as its states (extra `openspiel`).

With the package installed, two agents play one game by OpenSpiel's own runner:

    import pyspiel
    from claimeven.adapters import openspiel

    bots = [openspiel.bot("perfect"), openspiel.bot("greedy")]
    pyspiel.evaluate_bots(openspiel.to_game().new_initial_state(), bots, 0)  # [1.0, -1.0]
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.external.openspiel import pyspiel, to_game, to_geometry, to_position, to_state
from claimeven.agents.registry import make_agent
from claimeven.agents.validation import checked_answer
from claimeven.game.geometry import Geometry

__all__ = ["bot", "pyspiel", "to_game", "to_geometry", "to_position", "to_state"]


def bot(agent: str | Agent, limit: Limit | None = None, seed: int = 0) -> Any:
    """Return an agent as a `pyspiel.Bot` for OpenSpiel's `connect_four` of any board.

    The bot has a policy: the policy of the agent's decision, or 1 for its column. `seed` fixes its
    random numbers. Raises `InvalidSpec` and `InvalidLimit` as `make_agent` does, and if OpenSpiel
    is missing.
    """
    made = make_agent(agent, limit=limit)
    return _bot_class()(made, limit or Limit(), seed)


@cache
def _bot_class() -> Any:
    """Return the class of bots, whose base needs OpenSpiel."""

    class ClaimevenBot(pyspiel().Bot):  # type: ignore[misc]  # pyspiel is not typed
        """An agent as a bot."""

        def __init__(self, agent: Agent, limit: Limit, seed: int) -> None:
            super().__init__()
            self.agent = agent
            self.limit = limit
            self.seed = seed
            self._geometry: Geometry | None = None
            self.restart()

        def restart(self) -> None:
            """Start a new game."""
            self.rng = np.random.default_rng(self.seed)
            self.agent.note_generator(self.rng)
            self.agent.reset()

        def restart_at(self, state: Any) -> None:
            self.restart()

        def inform_action(self, state: Any, player: int, action: int) -> None:
            """Do not record the action: a state has all its actions."""

        def inform_actions(self, state: Any, actions: list[int]) -> None:
            """Do not record the actions."""

        def step(self, state: Any) -> int:
            """Return the action for a state. Raises `AgentFault` for an agent that fails."""
            return self._decide(state).column

        def provides_policy(self) -> bool:
            return True

        def get_policy(self, state: Any) -> list[tuple[int, float]]:
            return self._policy(self._decide(state), state)

        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            """Return the chance of every legal action, and the action."""
            decision = self._decide(state)
            return self._policy(decision, state), decision.column

        def _decide(self, state: Any) -> Decision:
            position = to_position(state)
            if self._geometry != position.geometry:
                self.agent.check_board(position.geometry)
                self.agent.load(position.geometry)
                self._geometry = position.geometry
            limit = self.limit.override(self.agent.own_limit)
            decision = self.agent.choose(position, limit, self.rng)
            return checked_answer(self.agent, decision, position)

        def _policy(self, decision: Decision, state: Any) -> list[tuple[int, float]]:
            columns = to_geometry(state.get_game()).columns
            policy = decision.policy or one_hot(decision.column, columns)
            return [(action, policy[action]) for action in state.legal_actions()]

    return ClaimevenBot
