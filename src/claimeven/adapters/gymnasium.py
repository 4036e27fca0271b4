"""Connect Four as a Gymnasium environment: one learner, and any of our agents against it.

`import claimeven.adapters.gymnasium` registers the id, and so does Gymnasium itself by the name of
the module (extra `rl`):

>>> import gymnasium
>>> env = gymnasium.make("claimeven.adapters.gymnasium:claimeven/ConnectFour-v0", opponent="greedy")
>>> observation, info = env.reset(seed=1)
>>> observation["observation"].shape, observation["action_mask"].tolist()
((6, 7, 2), [1, 1, 1, 1, 1, 1, 1])

`gymnasium.make_vec` of the same id is `claimeven.adapters.vector`: thousands of games at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from claimeven.adapters import missing
from claimeven.agents.base import check_is_limit

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError:
    raise missing(__name__, "Gymnasium", "rl") from None

from claimeven.adapters.env_base import (
    RENDER_MODES,
    SEATS,
    Beginning,
    BoardEnvironment,
    InvalidEnvironment,
    check_options,
    space_of,
)
from claimeven.agents import Agent, AgentLike, Limit, make_agent
from claimeven.agents.families.perfect import LEVELS, TOP_LEVEL
from claimeven.agents.validation import checked_answer
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import one_of

ID: Final = "claimeven/ConnectFour-v0"
#: The options of `reset`.
OPTIONS: Final = ("start", "opening_plies", "opponent", "seat")

#: Tries to start a game that the opponent does not end at once.
_IN_VAIN = 1000
#: Opponents that stay loaded, the default one included: starting a process takes long.
_MAX_KEPT = 4

Observation = dict[str, NDArray[np.int8]]


class ConnectFourEnv(BoardEnvironment, gymnasium.Env[Observation, np.int64]):
    """Games of a learner against an opponent.

    The board is `columns` x `rows`, and `connect` in a line win. Episodes start at `start`, a
    `Position` or the moves to it ("4455"), after `opening_plies` random moves.

    `opponent` may be anything that plays a match: a spec ("uct:iterations=500", "my_agent.py"), an
    agent, a function; or a level, from 0 to 10 or by name ("newcomer", "beginner", "casual",
    "regular", "strong", "expert", "perfect"), of play that knows the exact scores and errs on
    purpose. It thinks under `limit`. With None, for self-play, each step is a move of the side to
    move: the observation is from its view, and the reward is for the side that moved. `seat` is the
    seat of the learner: "first" (moving first from the empty board), "second" or, drawn for each
    episode, "random".

    An observation is a dict: "observation", int8 (rows, columns, 2), top row first, plane 0 the
    learner's discs and plane 1 the opponent's (`encodings.to_pettingzoo`); and "action_mask", int8
    (columns,), 1 for each column that can be played. `info` has the mask too, and the learner's
    "seat" (0 or 1), for self-play the side to move.

    The reward is 1 for a win, -1 for a loss and 0 otherwise. To play a full column is to lose:
    `info["illegal_action"]` is that column. With `shaping` the reward of every move falls by that
    factor for each point of exact score it lost; `info["loss"]` is these points.

    `reset` takes `start`, `opening_plies`, `opponent` and `seat` as options for that episode. The
    last opponents stay loaded, four with the default one. Others are closed if they were made of a
    spec, a class or a function; close your own `Agent` yourself. `close` closes all opponents.

    `step` raises the error of an opponent, and ends the episode: a fault does not win a game.

    `render_mode` is "ansi" (`render` returns text), "rgb_array" (an image, uint8) or "human" (the
    board is printed whenever the learner is to move).
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - theirs

    def __init__(
        self,
        columns: int = 7,
        rows: int = 6,
        connect: int = 4,
        *,
        opponent: AgentLike | int | None = "random",
        limit: Limit | None = None,
        seat: str = "random",
        start: str | Iterable[int] | Position = "",
        opening_plies: int = 0,
        shaping: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            Geometry(columns, rows, connect), start, opening_plies, shaping, render_mode
        )
        self.seat: str = one_of(seat, "seat", SEATS, InvalidEnvironment)
        if limit is not None:
            check_is_limit(limit, InvalidEnvironment)
        self._limit = limit or Limit()
        #: Opponents as they were asked for, and the agents made of them; the last used is the last.
        self._kept: list[tuple[AgentLike, Agent]] = []
        self._opponent = self._default = self._made(opponent)
        self._player = 0
        self._is_over = True
        self.observation_space: Any = space_of(self.geometry)
        self.action_space = spaces.Discrete(self.geometry.columns)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode. A seed fixes all that is random from here on."""
        super().reset(seed=seed)
        given = check_options(options, OPTIONS)
        beginning = self.beginning.changed(given)
        seat = one_of(given.get("seat", self.seat), "seat", SEATS, InvalidEnvironment)
        self._is_over = True
        self._opponent = self._made(given["opponent"]) if "opponent" in given else self._default
        if self._opponent is not None:
            self._opponent.note_generator(self.np_random)
            self._opponent.reset()
        self._episode.begin(self._opened(beginning, seat))
        self._is_over = False
        self._show()
        return self._seen()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a column, and the opponent's answer.

        Raises `IllegalMove` for a column that is not on the board, and `InvalidEnvironment` before
        `reset` and after the end of the episode.
        """
        if self._is_over:
            raise InvalidEnvironment("no episode has started: call reset() first")
        reward, facts = self._move(self._episode.column(action))
        self._is_over = "illegal_action" in facts or self._episode.is_over
        if not self._is_over and self._opponent is not None:
            # So it stays if the answer is an exception, or Ctrl-C.
            self._is_over = True
            self._episode.play(self._answer(self._episode.position))
            self._is_over = self._episode.is_over
            reward -= self._episode.is_won
        self._show()
        observation, info = self._seen()
        return observation, reward, self._is_over, False, {**info, **facts}

    def close(self) -> None:
        """Close the opponents, and with them their processes."""
        for _, agent in self._kept:
            agent.close()
        self._kept.clear()

    def _opened(self, beginning: Beginning, seat: str) -> Position:
        """Return a position with the learner to move, or raise if every start ends the game."""
        for _ in range(_IN_VAIN):
            if self._opponent is not None:
                drawn = seat == "random"
                self._player = int(self.np_random.integers(2)) if drawn else SEATS.index(seat)
            position = beginning.draw(self.np_random)
            if self._opponent is not None and position.turn != self._player:
                position = position.play_unchecked(self._answer(position))
            if not position.is_over:
                return position
        raise InvalidEnvironment("the game is over before the learner moves: choose another start")

    def _answer(self, position: Position) -> int:
        """Return the opponent's column. Raises its errors, and `AgentFault`."""
        assert self._opponent is not None
        limit = self._limit.override(self._opponent.own_limit)
        decision = self._opponent.choose(position, limit, self.np_random)
        return checked_answer(self._opponent, decision, position).column

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        player = self._episode.turn if self._opponent is None else self._player
        masks = [self._episode.action_mask() * np.int8(not self._is_over) for _ in range(2)]
        seen: Observation = {"observation": self._episode.observation(player)}
        return {**seen, "action_mask": masks[0]}, {"action_mask": masks[1], "seat": player}

    def _made(self, opponent: AgentLike | int | None) -> Agent | None:
        """Return a loaded opponent; the one used longest ago is closed if there are too many."""
        if opponent is None:
            return None
        asked = spec_of(opponent)
        for place, (kept, agent) in enumerate(self._kept):
            # Objects of users need no hash, and two that are equal are two all the same.
            if asked is kept or (type(asked) is type(kept) is str and asked == kept):
                self._kept.append(self._kept.pop(place))
                return agent
        agent = make_agent(asked, self.geometry, self._limit)
        agent.load(self.geometry)
        self._kept.append((asked, agent))
        if len(self._kept) > _MAX_KEPT:
            kept, oldest = self._kept.pop(int(self._kept[0][1] is self._default))
            if oldest is not kept:
                oldest.close()
        return agent


def spec_of(opponent: AgentLike | int) -> AgentLike:
    """Return an opponent for `make_agent`: a level becomes its spec.

    Raises `InvalidEnvironment` for a number that is not a level.

    >>> spec_of(3), spec_of("beginner"), spec_of("uct")
    ('perfect:level=3,pick=random', 'perfect:level=2,pick=random', 'uct')
    """
    named = LEVELS.get(opponent) if isinstance(opponent, str) else None
    level = opponent if named is None else named.level
    if opponent == "perfect" or isinstance(level, bool) or not isinstance(level, Integral):
        return opponent  # type: ignore[return-value]  # or a bool, which make_agent refuses
    if not 0 <= level <= TOP_LEVEL:
        raise InvalidEnvironment(f"a level must be 0 to {TOP_LEVEL}, got {level}")
    return f"perfect:level={int(level)},pick=random"


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point=f"{__name__}:ConnectFourEnv",
        vector_entry_point="claimeven.adapters.vector:VectorConnectFour",
    )
