"""Thousands of games as one Gymnasium vector environment, stepped by one compiled call.

>>> import numpy as np
>>> envs = VectorConnectFour(4096, opponent="random", opening_plies=2)
>>> observations, infos = envs.reset(seed=1)
>>> observations["observation"].shape, observations["action_mask"].shape
((4096, 6, 7, 2), (4096, 7))
>>> for _ in range(100):
...     observations, rewards, terminated, truncated, infos = envs.step(envs.sample_actions())
>>> envs.close()

`gymnasium.make_vec("claimeven.adapters.gymnasium:claimeven/ConnectFour-v0", num_envs=4096,
vectorization_mode="vector_entry_point")` makes the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from claimeven.adapters import missing

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError:
    raise missing(__name__, "Gymnasium", "rl") from None

from claimeven.adapters import vector_kernel as kernel
from claimeven.adapters.env_base import (
    RENDER_MODES,
    SEATS,
    Beginning,
    InvalidEnvironment,
    check_options,
    rendered,
    space_of,
)
from claimeven.compiled import MAX_BITS, for_bits, load
from claimeven.compiled.wide import words
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.encodings import places_in_planes
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import one_of, whole_number
from claimeven.parallel import interrupts
from claimeven.parallel.executors import usable_cores
from claimeven.suggestions import no_such

Array = NDArray[Any]

__all__ = ["OPPONENTS", "OUT", "VectorConnectFour", "aligned"]

#: The opponents of a learner; None for self-play.
OPPONENTS: Final = {
    None: kernel.NOBODY, "random": kernel.RANDOM, "wins-and-blocks": kernel.WINS_AND_BLOCKS
}  # fmt: skip
#: The names of arrays that may be the caller's.
OUT: Final = ("observation", "action_mask", "reward", "terminated", "final_observation")

_MODES: Final = {
    AutoresetMode.NEXT_STEP: kernel.NEXT_STEP,
    AutoresetMode.SAME_STEP: kernel.SAME_STEP,
    AutoresetMode.DISABLED: kernel.DISABLED,
}
#: Games below which another thread costs more than it brings.
_GAMES_A_THREAD = 4096
#: Types whose octets 0 and 1 mean the same.
_OCTETS = (np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.bool_))
#: Octets of a line of the cache: JAX copies arrays that do not start at one.
_ALIGNED = 64


class VectorConnectFour(VectorEnv[dict[str, Array], Array, Array]):
    """`num_envs` games of a learner, or of self-play, in arrays.

    Board, `start`, `opening_plies`, `seat`, observations and rewards are as in `ConnectFourEnv`.
    `opponent` is "random", "wins-and-blocks" (takes a win, else blocks one, else any column) or
    None for self-play. In self-play every step is one move, `infos["seat"]` is the side to move,
    and the reward is for the side that moved. Boards take up to 128 bits (`columns * (rows + 1)`).

    `reset` and `step` return new arrays: observations, a dict of "observation" int8 (num_envs,
    rows, columns, 2) and "action_mask" int8 (num_envs, columns), rewards float32, terminated and
    truncated (never) bool, and infos with "action_mask" and "seat". With `out`, a dict of arrays
    under the names of `OUT`, they write into these arrays instead: a row of your buffer, the memory
    of a PyTorch tensor. An observation or a mask with None is left out, which saves its time.

    The mask in the infos is the array of the observations, not a copy. A game that is over starts
    again as `autoreset_mode` says:

    - "NextStep", Gymnasium's default: at the next step, which ignores their action and rewards
      them with 0. Until then their mask is empty.
    - "SameStep": in the same step. The observation is of the new game; the last observation of the
      old game is in `infos["final_obs"]`, arrays of all games of which the rows count that
      `infos["_final_obs"]` names.
    - "Disabled": by `reset(options={"reset_mask": ended})`.

    Each game has its own random numbers, so the seed of `reset` fixes all games with any number of
    `threads` (by default one for each 4,096 games, at most one a core).
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 - theirs

    #: Set first, so that an environment whose construction failed can be closed.
    _pool: ThreadPoolExecutor | None = None
    #: The process that has the threads of the pool: a forked one has the pool without them.
    _pool_owner = 0

    def __init__(
        self,
        num_envs: int = 1,
        columns: int = 7,
        rows: int = 6,
        connect: int = 4,
        *,
        opponent: str | None = "random",
        seat: str = "random",
        start: str | Iterable[int] | Position = "",
        opening_plies: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.geometry: Geometry = Geometry(columns, rows, connect)
        self.geometry.check_fits_word("the vectorised environment", InvalidEnvironment, MAX_BITS)
        self.num_envs: int = whole_number(num_envs, "num_envs", InvalidEnvironment, low=1)
        if opponent not in list(OPPONENTS):  # a list, for values without a hash
            names = [name or "None" for name in OPPONENTS]
            raise InvalidEnvironment(
                no_such("opponent of many games at once", str(opponent), names)
            )
        self.opponent = opponent
        self.seat: str = one_of(seat, "seat", SEATS, InvalidEnvironment)
        self.beginning: Beginning = Beginning.of(self.geometry, start, opening_plies)
        mode = one_of(
            getattr(autoreset_mode, "value", autoreset_mode), "autoreset mode",
            [each.value for each in AutoresetMode], InvalidEnvironment,
        )  # fmt: skip
        self.autoreset_mode: AutoresetMode = AutoresetMode(mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode: str | None = render_mode and one_of(
            render_mode, "render mode", RENDER_MODES, InvalidEnvironment
        )
        most = usable_cores()
        if threads is not None:
            most = whole_number(threads, "threads", InvalidEnvironment, low=1)
        self.threads: int = max(1, min(most, self.num_envs // _GAMES_A_THREAD))
        self._start_threads()

        self.single_observation_space = space_of(self.geometry)
        self.single_action_space = spaces.Discrete(self.geometry.columns)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        games = self.num_envs
        setup: Array = words(kernel.SETUP, self.geometry.bits)
        setup[kernel.COLUMNS] = self.geometry.columns
        setup[kernel.MODE] = _MODES[self.autoreset_mode]
        setup[kernel.OPPONENT] = OPPONENTS[self.opponent]
        setup[kernel.SEAT] = SEATS.index(self.seat)
        setup[kernel.OPENING_PLIES] = self.beginning.opening_plies
        setup[kernel.START_MINE] = self.beginning.start.mine
        setup[kernel.START_MASK] = self.beginning.start.mask
        self._board = (board_vector(self.geometry), setup)
        self._seen_shape = (self.geometry.rows, self.geometry.columns, 2)
        #: The bit of each cell, in the order of the planes.
        self._shifts = np.zeros(self.geometry.cells, np.uint64)
        for (column, row), place in np.ndenumerate(places_in_planes(self.geometry)):
            self._shifts[place // 2] = self.geometry.bit(column, row)
        self._mines, self._masks = words((2, games), self.geometry.bits)
        self._randoms, self._choices = np.zeros((2, games), np.uint64)
        self._seats = np.zeros(games, np.int8)
        self._over = np.ones(games, np.bool_)
        self._games = (self._mines, self._masks, self._randoms, self._seats, self._over)
        self._is_begun = False
        for each in (kernel.begin_games, kernel.step_games, kernel.random_columns):
            load(for_bits(each, self.geometry.bits))

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        out: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Start all games again, or the games of the option "reset_mask", bool (num_envs,)."""
        which = self._which(check_options(options, ("reset_mask",)))
        shown = self._shown(out)
        if seed is not None or not self._is_begun:
            super().reset(seed=seed)
            words = self.np_random.integers(0, 1 << 64, (2, self.num_envs), dtype=np.uint64)
            self._randoms[which], self._choices[which] = words[:, which]
        self._run(kernel.begin_games, which, *self._games, *self._seen(shown))
        self._is_begun = True
        return self._observed(shown)

    def step(
        self, actions: Any, *, out: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Play a column in each game, and the opponents' answers.

        Raises `InvalidEnvironment` before `reset`, for actions that are not columns of the board,
        and for games that are over and do not restart by themselves. No game is stepped then.
        """
        if not self._is_begun:
            raise InvalidEnvironment("no games have started: call reset() first")
        columns, shown = self._columns(actions), self._shown(out)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            first = int(np.flatnonzero(self._over)[0])
            raise InvalidEnvironment(
                f"game {first} is over: reset it first, options={{'reset_mask': ...}}"
            )
        rewards = self._wanted(out, "reward", (), np.float32)
        ended = self._wanted(out, "terminated", (), np.bool_)
        finals = None
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            finals = self._wanted(out, "final_observation", self._seen_shape, np.int8)
        self._run(
            kernel.step_games, columns, *self._games, *self._seen(shown),
            rewards, ended, self._pairs(finals),
        )  # fmt: skip
        observations, infos = self._observed(shown)
        if finals is not None:
            mask = np.zeros((self.num_envs, self.geometry.columns), np.int8)
            infos["final_obs"] = {"observation": finals, "action_mask": mask}
            infos["_final_obs"] = ended.copy()
        return observations, rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def sample_actions(self, out: Array | None = None) -> Array:
        """Return a random column with room for each game, int64 (num_envs,); 0 if it is over.

        The draws are fixed by the seed too, and change no game.
        """
        actions = np.empty(self.num_envs, np.int64) if out is None else out
        check_array("out", actions, (self.num_envs,), (np.dtype(np.int64),))
        self._run(kernel.random_columns, self._masks, self._over, self._choices, actions)
        return actions

    def position(self, game: int) -> Position:
        """Return one of the games as a position, also one that is over and not yet replaced."""
        own = int(self._mines[game])
        other = own ^ int(self._masks[game])
        first, second = (own, other) if self._seats[game] == 0 else (other, own)
        return Position.from_discs(self.geometry, first, second)

    def render(self) -> tuple[Any, ...] | None:
        """Return all games as texts or images, as `render_mode` says."""
        mode = self.render_mode
        if mode is None:
            return None
        return tuple(rendered(self.position(game), mode) for game in range(self.num_envs))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not self.closed:
            self._start_threads()

    def _start_threads(self) -> None:
        if self.threads > 1:
            self._pool, self._pool_owner = ThreadPoolExecutor(self.threads - 1), os.getpid()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._pool is not None and self._pool_owner == os.getpid():
            with interrupts.deferred():
                self._pool.shutdown()

    def _run(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Run a kernel on all games, a part in each thread. Raises `InvalidEnvironment`."""
        if self.closed:
            raise InvalidEnvironment("the environment is closed: make another one")
        work = for_bits(work, self.geometry.bits)
        ends = [self.num_envs * part // self.threads for part in range(self.threads + 1)]
        first, *others = pairwise(ends)
        # Ctrl-C in the middle would leave games that other threads still step, or a locked pool;
        # a step is short.
        with interrupts.deferred():
            if self._pool_owner != os.getpid():
                self._start_threads()
            later = [
                self._pool.submit(work, *self._board, *part, *arguments)
                for part in others
                if self._pool is not None
            ]
            failed = work(*self._board, *first, *arguments) or 0
            failed += sum(each.result() or 0 for each in later)
        if failed:
            self._is_begun = False
            raise InvalidEnvironment(
                "games are over before the learner moves: choose another start"
            )

    def _columns(self, actions: Any) -> Array:
        """Return actions as kernels take them. Raises `InvalidEnvironment` for invalid ones."""
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise InvalidEnvironment(
                f"actions must be whole numbers of shape ({self.num_envs},), got {array.dtype} of"
                f" shape {array.shape}"
            )
        columns = np.ascontiguousarray(array, np.int64)
        if columns.view(np.uint64).max() >= self.geometry.columns:
            game = int(np.argmax(columns.view(np.uint64)))
            raise InvalidEnvironment(
                f"an action must be a column, 0 to {self.geometry.columns - 1}, got"
                f" {array[game]} (game {game})"
            )
        return columns

    def _which(self, options: Mapping[str, Any]) -> Array:
        given = options.get("reset_mask")
        if given is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise InvalidEnvironment(
                f"reset_mask must be bool of shape ({self.num_envs},), got {mask.dtype} of"
                f" {mask.shape}"
            )
        if not self._is_begun and not mask.all():
            raise InvalidEnvironment("all games are over: reset them first")
        return mask

    def _shown(self, out: Mapping[str, Any] | None) -> dict[str, Array]:
        """Return the arrays that observations are written into, without those left out."""
        for name in out or ():
            one_of(name, "array to write", OUT, InvalidEnvironment)
        shapes = {"observation": self._seen_shape, "action_mask": (self.geometry.columns,)}
        made = {name: self._wanted(out, name, shape, np.int8) for name, shape in shapes.items()}
        return {name: array for name, array in made.items() if array is not None}

    def _wanted(
        self, out: Mapping[str, Any] | None, name: str, shape: tuple[int, ...], kind: type
    ) -> Any:
        """Return the caller's array of that name, a new array, or None if it is left out."""
        shape, dtype = (self.num_envs, *shape), np.dtype(kind)
        if out is None or name not in out:
            array = aligned(shape, dtype)
            if name.startswith("final"):
                array.fill(0)
            return array
        given = out[name]
        if given is None and name not in ("reward", "terminated"):
            return None
        array = np.asarray(given)
        owned = hasattr(given, "__dlpack__") or hasattr(given, "__array_interface__")
        kinds = _OCTETS if dtype.itemsize == 1 else (dtype,)
        check_array(f"out[{name!r}]", array if owned else None, shape, kinds)
        return array.view(np.bool_) if name == "terminated" else array

    def _pairs(self, planes: Array | None) -> Array:
        """Return planes as the kernel writes them: both octets of a cell together."""
        if planes is None:
            return np.empty((0, self.geometry.cells), np.uint16)
        return planes.reshape(self.num_envs, -1).view(np.uint16)

    def _seen(self, shown: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        mask = shown.get("action_mask")
        if mask is None:
            mask = np.empty((0, self.geometry.columns), np.int8)
        return self._shifts, self._pairs(shown.get("observation")), mask.view(np.int8)

    def _observed(self, shown: dict[str, Array]) -> tuple[dict[str, Array], dict[str, Any]]:
        masks = {name: array for name, array in shown.items() if name == "action_mask"}
        infos = {"seat": self._seats.copy(), **masks}
        valid = {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}
        return shown, {**infos, **valid}


def aligned(shape: tuple[int, ...], dtype: DTypeLike = np.int8) -> Array:
    """Return an empty array whose memory starts at a multiple of 64 bytes: JAX does not copy it.

    >>> aligned((20, 1024, 6, 7, 2)).ctypes.data % 64
    0
    """
    kind = np.dtype(dtype)
    octets = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(octets + _ALIGNED, np.uint8)
    begin = -memory.ctypes.data % _ALIGNED
    return memory[begin : begin + octets].view(kind).reshape(shape)


def check_array(
    name: str, array: Array | None, shape: tuple[int, ...], kinds: tuple[np.dtype[Any], ...]
) -> None:
    """Raise `InvalidEnvironment` unless kernels can write into an array."""
    if array is None:
        wrong = "of a kind whose memory cannot be shared"
    elif array.shape != shape or array.dtype not in kinds:
        wrong = f"{array.dtype} of shape {array.shape}"
    elif not array.flags.writeable:
        wrong = "read-only"
    elif not array.flags.carray or (array.ndim > 2 and array.ctypes.data % 2):
        wrong = "not contiguous or not aligned"
    else:
        return
    expected = f"{name} must be an array of {kinds[0]} of shape {shape} that can be written"
    raise InvalidEnvironment(f"{expected}, and is {wrong}")
