"""Connect Four as a PettingZoo environment: two agents that take turns (extra `rl`).

`env()` makes it; `parallel_env()` the same by PettingZoo's parallel contract: both agents pass an
action, and the action of the agent to move counts. The import registers both under one id:
`pettingzoo.make("aec", "claimeven/connect_four_v0")`, or "parallel". The contract is the contract
of PettingZoo's `connect_four_v3`: agents "player_0" (moves first) and "player_1", observations of
two planes with an action mask, rewards of 1, -1 and 0. Added are boards of any size, start
positions, random openings, text, images without a window, and rewards less the cost of a move.

>>> env = env(columns=4, rows=3, connect=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from claimeven.adapters import missing

try:
    import pettingzoo
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
    from pettingzoo.utils.env import ParallelEnv
except ModuleNotFoundError:
    raise missing(__name__, "PettingZoo", "rl") from None

from claimeven.adapters.env_base import (
    RENDER_MODES,
    BoardEnvironment,
    InvalidEnvironment,
    check_options,
    space_of,
)
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: The id in PettingZoo's registries, as these write it.
ID: Final = "claimeven/connect_four-v0"
AGENTS: Final = ("player_0", "player_1")
#: The options of `reset`.
OPTIONS: Final = ("start", "opening_plies")

Observation = dict[str, NDArray[np.int8]]


class ConnectFour(BoardEnvironment, AECEnv[str, Observation, int]):  # type: ignore[misc]  # not typed
    """The environment of `env()`.

    The board is `columns` x `rows`, and `connect` in a line win. Episodes start at `start`, a
    `Position` or the moves to it ("4455"), after `opening_plies` random moves, drawn for each
    episode by the seed of `reset`; both may be given to a single `reset` as options too.

    An observation is a dict: "observation", int8 (rows, columns, 2), top row first, plane 0 the
    discs of the agent that observes and plane 1 the other's (`encodings.to_pettingzoo`); and
    "action_mask", int8 (columns,), 1 for each column that the agent can play now.
    `infos[agent]["action_mask"]` is the same mask.

    The winner's reward is 1 and the loser's -1, a draw's 0. An agent that plays a full column has
    lost: it gets -1 and the other 0, and the game is terminated and truncated, as PettingZoo's
    `TerminateIllegalWrapper` has it; `infos[agent]["illegal_action"]` is the column. With `shaping`
    the reward of the agent that moved falls by that factor for each point of exact score that the
    move lost; `infos[agent]["loss"]` is these points, 0 for the best moves.

    `render_mode` is "ansi" (`render` returns text), "rgb_array" (an image, uint8) or "human" (the
    board is printed after each move).
    """

    metadata: dict[str, object] = {  # noqa: RUF012 - as PettingZoo has it
        "render_modes": list(RENDER_MODES),
        "name": "claimeven_connect_four_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        columns: int = 7,
        rows: int = 6,
        connect: int = 4,
        *,
        start: str | Iterable[int] | Position = "",
        opening_plies: int = 0,
        shaping: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        AECEnv.__init__(self)
        BoardEnvironment.__init__(
            self, Geometry(columns, rows, connect), start, opening_plies, shaping, render_mode
        )
        self._is_begun = False
        self._rng, _ = seeding.np_random()
        self.possible_agents: list[str] = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: space_of(self.geometry) for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(self.geometry.columns) for agent in AGENTS}
        self.state_space = space_of(self.geometry)["observation"]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode. A seed fixes all openings from here on."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        beginning = self.beginning.changed(check_options(options, OPTIONS))
        self._episode.begin(beginning.draw(self._rng))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._is_begun = True
        self._next_agent(self._episode.turn)
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent: the last board after the end of its game.

        Raises `InvalidEnvironment` before the first `reset`.
        """
        if not self._is_begun:
            raise InvalidEnvironment("no episode has started: call reset() first")
        return {
            "observation": self._episode.observation(AGENTS.index(agent)),
            "action_mask": self._mask(agent),
        }

    def state(self) -> NDArray[np.int8]:
        """Return the board from the first player's view, for either side to move."""
        return self._episode.observation(0)

    def step(self, action: int | None) -> None:
        """Play a column for `agent_selection`, None after the end of its game.

        Raises `IllegalMove` for a column that is not on the board, and `InvalidEnvironment` before
        `reset` and after the end of the episode.
        """
        if not self.agents:
            raise InvalidEnvironment("no episode has started: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(cast(int, action))
            return
        episode, player = self._episode, self._episode.turn
        own, facts = self._move(episode.column(action))
        is_illegal = "illegal_action" in facts
        self.terminations = dict.fromkeys(AGENTS, is_illegal or episode.is_over)
        self.truncations = dict.fromkeys(AGENTS, is_illegal)
        other, waiting = -1.0 if episode.is_won else 0.0, AGENTS[1 - player]
        self.rewards = {agent: own, waiting: other}
        self._cumulative_rewards[agent] = own
        self._cumulative_rewards[waiting] += other
        self._next_agent(1 - player)
        self.infos[agent] |= facts
        self._show()

    def close(self) -> None:
        """Do nothing: the environment has no window."""

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def _next_agent(self, player: int) -> None:
        """Let a player observe next, and set the masks."""
        self.agent_selection = AGENTS[player]
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._mask(agent)} for agent in AGENTS
        }

    def _mask(self, agent: str) -> NDArray[np.int8]:
        # An agent that has left is not in the dicts. An agent that lost by a full column is done,
        # though its board is not.
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            return self._episode.action_mask()
        return np.zeros(self.geometry.columns, dtype=np.int8)


def env(**options: Any) -> ConnectFour:
    """Return the environment with turns: with the options of `ConnectFour`."""
    return ConnectFour(**options)


#: PettingZoo's name of an environment without wrappers. This environment checks its input itself.
raw_env = env


def parallel_env(**options: Any) -> ParallelEnv[str, Observation, int | None]:
    """Return the environment by the parallel contract: with the options of `ConnectFour`.

    `step` takes an action of each agent and plays the action of the agent to move, which
    `infos[agent]["active_agent"]` names.
    """
    made: Any = turn_based_aec_to_parallel(env(**options))
    return cast("ParallelEnv[str, Observation, int | None]", made)


if hasattr(pettingzoo, "register") and ID not in pettingzoo.aec_registry:
    pettingzoo.register("aec", ID, entry_point=f"{__name__}:env")
    pettingzoo.register("parallel", ID, entry_point=f"{__name__}:parallel_env")
