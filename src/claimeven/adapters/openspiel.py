"""Agents as bots of OpenSpiel, models as evaluators, positions as states (extra `openspiel`).

With the package installed, two agents play one game by OpenSpiel's own runner:

    import pyspiel
    from claimeven.adapters import openspiel

    bots = [openspiel.bot("perfect"), openspiel.bot("greedy")]
    pyspiel.evaluate_bots(openspiel.to_game().new_initial_state(), bots, 0)  # [1.0, -1.0]
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit, one_hot
from claimeven.agents.external.openspiel import pyspiel, to_game, to_geometry, to_position, to_state
from claimeven.agents.families.trained import DEFAULT, model_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import make_agent
from claimeven.agents.validation import checked_answer
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.montecarlo.puct.policy_value import PolicyValue, bind_board, evaluate_checked

__all__ = ["bot", "evaluator", "pyspiel", "to_game", "to_geometry", "to_position", "to_state"]

#: Positions that an evaluator remembers: a search asks for the value, and later for the priors.
_MAX_EVALUATED: Final = 1 << 14


def bot(agent: str | Agent, limit: Limit | None = None, seed: int = 0) -> Any:
    """Return an agent as a `pyspiel.Bot` for OpenSpiel's `connect_four` of any board.

    The bot has a policy: the policy of the agent's decision, or 1 for its column. `seed` fixes its
    random numbers. Raises `InvalidSpec` and `InvalidLimit` as `make_agent`, or without OpenSpiel.
    """
    made = make_agent(agent, limit=limit)

    class ClaimevenBot(pyspiel().Bot):  # type: ignore[misc]  # pyspiel is not typed
        def __init__(self) -> None:
            super().__init__()
            self._geometry: Geometry | None = None
            self.restart()

        def restart(self) -> None:
            """Start a new game."""
            self.rng = np.random.default_rng(seed)
            made.note_generator(self.rng)
            made.reset()

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
                made.check_board(position.geometry)
                made.load(position.geometry)
                self._geometry = position.geometry
            own = (limit or Limit()).override(made.own_limit)
            decision = made.choose(position, own, self.rng)
            return checked_answer(made, decision, position)

        def _policy(self, decision: Decision, state: Any) -> list[tuple[int, float]]:
            columns = to_geometry(state.get_game()).columns
            policy = decision.policy or one_hot(decision.column, columns)
            return [(action, policy[action]) for action in state.legal_actions()]

    return ClaimevenBot()


def evaluator(model: str | PolicyValue = DEFAULT) -> Any:
    """Return a model as an `Evaluator` of OpenSpiel's `mcts.MCTSBot`: values and priors.

    `model` is the value of `model=` in a spec of `puct` (default: the bundled net), or a
    `PolicyValue`. Raises `InvalidSpec` for another file, and if OpenSpiel is missing.
    """
    pyspiel()
    from open_spiel.python.algorithms import mcts  # noqa: PLC0415 - an extra

    known: PolicyValue = model_of(model) if isinstance(model, str) else model

    @lru_cache(_MAX_EVALUATED)
    def evaluated(position: Position) -> tuple[float, list[float]]:
        bind_board(known, position.geometry)
        if known.geometry != position.geometry:
            raise InvalidSpec(f"the model knows {known.geometry}, not {position.geometry}")
        words = np.array([[position.mine], [position.mask]], dtype=np.uint64)
        (value,), (priors,) = evaluate_checked(known, *words)
        return float(value), priors.tolist()

    class ModelEvaluator(mcts.Evaluator):  # type: ignore[misc]  # OpenSpiel is not typed
        """The values of both players and the priors of a state."""

        def evaluate(self, state: Any) -> Any:
            value, _ = evaluated(to_position(state))
            return np.array([value, -value] if state.current_player() == 0 else [-value, value])

        def prior(self, state: Any) -> list[tuple[int, float]]:
            _, priors = evaluated(to_position(state))
            return [(action, priors[action]) for action in state.legal_actions()]

    return ModelEvaluator()
