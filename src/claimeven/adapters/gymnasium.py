"""Connect Four as a Gymnasium environment: one learner, and any of our agents against it.

`import claimeven.adapters.gymnasium` registers the id, and so does Gymnasium itself when it is
told the module (extra `rl`):

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

from claimeven.adapters.env_base import (
    SEATS,
    Beginning,
    Episode,
    InvalidEnvironment,
    check_options,
    check_seat,
    judge_of,
    space_of,
)
from claimeven.adapters.optional import missing
from claimeven.adapters.rendering import RENDER_MODES, check_render_mode, rendered
from claimeven.agents import Agent, Contestant, Limit, make_agent
from claimeven.agents.families.perfect import LEVEL_NAMES, TOP_LEVEL
from claimeven.agents.validation import checked_column, plain_decision
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

try:
    import gymnasium
    from gymnasium import logger, spaces
except ModuleNotFoundError:
    raise missing(__name__, "Gymnasium", "rl") from None

ID: Final = "claimeven/ConnectFour-v0"
#: What `reset` takes among its options.
OPTIONS: Final = ("start", "opening_plies", "opponent", "seat")

#: Beginnings in a row that the opponent ends at once after which there is taken to be no other.
_IN_VAIN = 1000
#: Opponents kept, the usual one among them: some take turns, and to start a process takes long.
_MOST_KEPT = 4

Observation = dict[str, NDArray[np.int8]]


class ConnectFourEnv(gymnasium.Env[Observation, np.int64]):
    """Games of a learner against an opponent.

    The board is `columns` x `rows`, and `connect` in a line win. Episodes begin at `start`, a
    `Position` or the moves to it ("4455"), after `opening_plies` random moves.

    `opponent` is whatever may play a match: a spec ("uct:iterations=500", "my_agent.py"), an agent,
    a function; or a level, from 0 to 10 or by name ("newcomer", "beginner", "casual", "regular",
    "strong", "expert", "perfect"), of play that knows the exact scores and errs on purpose. It
    thinks under `limit`. None is for self-play: each step is a move of the side to move, which the
    observation is seen by, and the reward is that of the side that moved. `seat` is that of the
    learner: "first" (who moves first from the empty board), "second" or, drawn for each episode,
    "random".

    An observation is a dict: "observation", int8 (rows, columns, 2), top row first, plane 0 the
    learner's discs and plane 1 the opponent's (`encodings.to_pettingzoo`); and "action_mask", int8
    (columns,), 1 where the learner can play. `info` holds the mask too, and the learner's "seat" (0
    or 1); for self-play whose turn it is.

    The reward is 1 for a win, -1 for a loss and 0 otherwise. To play a full column is to lose:
    `info["illegal_action"]` is that column. With `shaping` the reward of every move falls by that
    factor for each point of exact score it lost, and `info["loss"]` tells the points.

    `reset` takes `start`, `opening_plies`, `opponent` and `seat` among its options, for that
    episode. The opponents used last are kept, four with the usual one, and others given back: those
    made of a spec, a class or a function are closed, an agent of yours is left to you. `close`
    closes all that are kept.

    What an opponent raises comes through `step` and leaves no episode going on: no game is won by a
    fault.

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
        opponent: Contestant | int | None = "random",
        limit: Limit | None = None,
        seat: str = "random",
        start: str | Iterable[int] | Position = "",
        opening_plies: int = 0,
        shaping: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        self.geometry = Geometry(columns, rows, connect)
        self.beginning = Beginning.of(self.geometry, start, opening_plies)
        self.seat = check_seat(seat)
        self.render_mode = check_render_mode(render_mode)
        self._limit = _checked_limit(limit)
        self._judge = judge_of(shaping, self.geometry)
        self.shaping = float(shaping)
        #: Wishes, and the agents made of them; that used last is the last.
        self._kept: list[tuple[Contestant, Agent]] = []
        self._opponent = self._usual = self._made(opponent)
        self._episode = Episode(self.geometry)
        self._player = 0
        self._is_over = True
        self.observation_space: Any = space_of(self.geometry)
        self.action_space = spaces.Discrete(self.geometry.columns)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode. A seed fixes all that is random from here on."""
        super().reset(seed=seed)
        given = check_options(options, OPTIONS)
        beginning = self.beginning.changed(given)
        seat = check_seat(given.get("seat", self.seat))
        self._is_over = True
        self._opponent = self._made(given["opponent"]) if "opponent" in given else self._usual
        if self._opponent is not None:
            self._opponent.note_generator(self.np_random)
            self._opponent.reset()
        self._episode.begin(self._opened(beginning, seat))
        self._is_over = False
        self._show()
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a column, and the opponent's answer.

        Raises `IllegalMove` for what is no column of the board, and `InvalidEnvironment` before
        `reset` and after the end of the episode.
        """
        if self._is_over:
            raise InvalidEnvironment("no episode is going on: call reset() first")
        episode = self._episode
        column, told = episode.column(action), {}
        if not episode.can_play(column):
            reward, self._is_over, told["illegal_action"] = -1.0, True, column
        else:
            reward = 0.0
            if self._judge is not None:
                told["loss"] = self._judge.loss(episode.position, column)
                reward -= self.shaping * told["loss"]
            reward += self._played(column)
            if not self._is_over and self._opponent is not None:
                # So it stays where the answer is an exception, or Ctrl-C.
                self._is_over = True
                reward -= self._played(self._answer(episode.position))
        self._show()
        return self._observation(), reward, self._is_over, False, {**self._info(), **told}

    def render(self) -> Any:
        """Return the board as text or image, or print it, as `render_mode` says."""
        if self.render_mode is None:
            logger.warn("render() shows nothing without a render_mode: ansi, rgb_array or human")
            return None
        return rendered(self._episode.position, self.render_mode, self._episode.last)

    def close(self) -> None:
        """Give back what opponents hold, processes of their own among it."""
        for _, agent in self._kept:
            agent.close()
        self._kept.clear()

    @property
    def position(self) -> Position:
        """The game as it stands."""
        return self._episode.position

    def _opened(self, beginning: Beginning, seat: str) -> Position:
        """Return a position with the learner to move: the opponent begins where it is its turn.

        Raises `InvalidEnvironment` where that ends the game every time.
        """
        for _ in range(_IN_VAIN):
            if self._opponent is not None:
                drawn = seat == "random"
                self._player = int(self.np_random.integers(2)) if drawn else SEATS.index(seat)
            position = beginning.draw(self.np_random)
            if self._opponent is not None and position.turn != self._player:
                position = position.play_unchecked(self._answer(position))
            if not position.is_over:
                return position
        raise InvalidEnvironment("the game is over before the learner moves: begin elsewhere")

    def _answer(self, position: Position) -> int:
        """Return the opponent's column. Raises what it raises, and `AgentFault`."""
        assert self._opponent is not None
        decision = self._opponent.choose(position, self._limit, self.np_random)
        if not self._opponent.is_plain:
            return plain_decision(decision, position).column
        checked_column(decision.column, position)
        return decision.column

    def _played(self, column: int) -> float:
        """Play a column; return the reward of the side that did."""
        self._episode.play(column)
        self._is_over = self._episode.is_won or self._episode.is_full
        return float(self._episode.is_won)

    def _observation(self) -> Observation:
        player = self._episode.turn if self._opponent is None else self._player
        return {"observation": self._episode.observation(player), "action_mask": self._mask()}

    def _info(self) -> dict[str, Any]:
        player = self._episode.turn if self._opponent is None else self._player
        return {"action_mask": self._mask(), "seat": player}

    def _mask(self) -> NDArray[np.int8]:
        return self._episode.action_mask() * np.int8(not self._is_over)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _made(self, opponent: Contestant | int | None) -> Agent | None:
        """Return an opponent, ready to play on this board; one that is kept for the same wish."""
        if opponent is None:
            return None
        wish = spec_of(opponent)
        for place, (kept, agent) in enumerate(self._kept):
            if _is_same(wish, kept):
                self._kept.append(self._kept.pop(place))
                return agent
        agent = make_agent(wish, self.geometry, self._limit)
        agent.load(self.geometry)
        self._kept.append((wish, agent))
        if len(self._kept) > _MOST_KEPT:
            self._give_one_back()
        return agent

    def _give_one_back(self) -> None:
        """Keep the opponent no longer that was used longest ago, but for the usual one."""
        place = int(self._kept[0][1] is self._usual)
        wish, agent = self._kept.pop(place)
        if agent is not wish:
            agent.close()


def spec_of(opponent: Contestant | int) -> Contestant:
    """Return an opponent for `make_agent`: a level becomes the spec it stands for.

    Raises `InvalidEnvironment` for a number that is no level.

    >>> spec_of(3), spec_of("beginner"), spec_of("uct")
    ('perfect:level=3,pick=random', 'perfect:level=2,pick=random', 'uct')
    """
    level = LEVEL_NAMES.get(opponent, opponent) if isinstance(opponent, str) else opponent
    if opponent == "perfect" or isinstance(level, bool) or not isinstance(level, Integral):
        return opponent  # type: ignore[return-value]  # or a bool, which make_agent refuses
    if not 0 <= level <= TOP_LEVEL:
        raise InvalidEnvironment(f"a level is a number from 0 to {TOP_LEVEL}, not {level}")
    return f"perfect:level={int(level)},pick=random"


def _is_same(wish: Contestant, other: Contestant) -> bool:
    """Whether two wishes are for one agent: the same spec, or the very same object."""
    # Objects of users need no hash, and two that are equal are two all the same.
    return wish is other or (isinstance(wish, str) and isinstance(other, str) and wish == other)


def _checked_limit(limit: object) -> Limit:
    """Return a limit, none for None. Raises `InvalidEnvironment` for anything else."""
    if not isinstance(limit, Limit | None):
        raise InvalidEnvironment(f"a limit is a Limit, as Limit(seconds=0.1), not {limit!r}")
    return limit or Limit()


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point=f"{__name__}:ConnectFourEnv",
        vector_entry_point="claimeven.adapters.vector:VectorConnectFour",
    )
