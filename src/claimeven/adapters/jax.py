"""Connect Four for JAX, on any accelerator: the interface of pgx, for any board (extra `learn`).

`init` and `step` are pure functions for `jax.jit` and `jax.vmap`. On 7x6 the fields of a state are
equal to the fields in pgx. A board is words of 32 bits, lowest first, as in `game.geometry`.

>>> env = JaxConnectFour(columns=5, rows=4, connect=3)
>>> state = jax.jit(env.init)(jax.random.key(1))
>>> for column in (0, 1, 0, 1, 0):
...     state = jax.jit(env.step)(state, column)
>>> bool(state.terminated), state.observation.shape, float(state.rewards.sum())
(True, (4, 5, 2), 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import and_, or_, xor
from pathlib import Path
from typing import Any, Final

import numpy as np

from claimeven.adapters import missing

try:
    import jax
    from jax import numpy as jnp
except ModuleNotFoundError:
    raise missing(__name__, "JAX", "learn") from None

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg

_BITS: Final = 32
#: The words of a board, uint32 each.
Words = tuple[Any, ...]


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class JaxState:
    """A game, or many in the first dimensions of all arrays.

    `current_player` int32 is the player to move, 0 or 1 by chance at the start. `observation` bool
    (rows, columns, 2), top row first, has the discs of that player and of the other. `rewards`
    float32 (2,) are the rewards of both players for the last step: 1 and -1 for a win. After the
    end all columns are legal in `legal_action_mask` bool (columns,), and a step changes nothing.
    """

    current_player: Any
    observation: Any
    rewards: Any
    terminated: Any
    truncated: Any
    legal_action_mask: Any
    _step_count: Any
    _mine: Words
    _mask: Words

    #: The id of the game in pgx.
    env_id = "connect_four"

    def replace(self, **fields: Any) -> JaxState:
        """Return the state with other values of some fields."""
        return replace(self, **fields)

    def save_svg(self, filename: str | Path) -> None:
        """Draw the game, or the first of many, as a file."""
        rows, columns, _ = self.observation.shape[-3:]
        mine, mask = (
            sum(int(np.ravel(word)[0]) << _BITS * place for place, word in enumerate(words))
            for words in (self._mine, self._mask)
        )
        position = Position(Geometry(columns, rows, min(8, max(columns, rows))), mine, mask)
        Path(filename).write_text(draw_svg(position), encoding="utf-8")


class JaxConnectFour:
    """The environment: a board of `columns` x `rows`, `connect` in a line win.

    A move in a full column loses the game. After the end `step` returns the state and rewards of 0.
    """

    id, version, num_players = JaxState.env_id, "v0", 2

    def __init__(self, columns: int = 7, rows: int = 6, connect: int = 4) -> None:
        self.geometry: Geometry = Geometry(columns, rows, connect)
        self.num_actions: int = columns
        self.observation_shape = (rows, columns, 2)
        bit = self.geometry.bit
        places = [[bit(column, row) for column in range(columns)] for row in range(rows)[::-1]]
        self._word, self._shift = np.divmod(np.array(places, dtype=np.uint32), _BITS)
        cells = [self._words(((1 << rows) - 1) << bit(column, 0)) for column in range(columns)]
        #: The cells of each column: a word of each column, for each word of a board.
        self._columns = tuple(np.array(words) for words in zip(*cells, strict=True))
        self._bottom = self._words(sum(1 << place for place in places[-1]))

    def init(self, key: Any) -> JaxState:
        """Return a new game; the key draws the player that moves first."""
        no, empty = jnp.bool_(False), tuple(jnp.uint32(0) for _ in self._bottom)
        player = jnp.int32(jax.random.bernoulli(key))
        seen, rewards = jnp.zeros(self.observation_shape, bool), jnp.zeros(2, jnp.float32)
        legal = jnp.ones(self.num_actions, bool)
        return JaxState(player, seen, rewards, no, no, legal, jnp.int32(0), empty, empty)

    def step(self, state: JaxState, action: Any, key: Any = None) -> JaxState:
        """Play a column, counted from 0; `key` is not used."""
        player = state.current_player
        disc = [cells[action] for cells in self._playable(state._mask)]
        is_legal = _is_any(disc)
        is_won = self._has_line(list(map(or_, state._mine, disc)))
        mine, mask = tuple(map(xor, state._mask, state._mine)), tuple(map(or_, state._mask, disc))
        legal = _is_any(self._playable(mask))
        terminated = is_won | ~legal.any() | ~is_legal
        reward = is_won.astype(jnp.float32) - ~is_legal
        planes = [self._cells(mine), self._cells(tuple(map(xor, mine, mask)))]
        played = JaxState(
            1 - player,
            jnp.stack(planes, axis=-1),
            jnp.where(jnp.arange(2) == player, reward, -reward),
            terminated,
            state.truncated,
            legal | terminated,
            state._step_count + 1,
            mine,
            mask,
        )
        same = state.replace(rewards=jnp.zeros_like(state.rewards))
        is_over = state.terminated | state.truncated
        found: JaxState = jax.tree.map(lambda new, old: jnp.where(is_over, old, new), played, same)
        return found

    def _words(self, bits: int) -> tuple[np.uint32, ...]:
        places = range(0, self.geometry.columns * (self.geometry.rows + 1), _BITS)
        return tuple(np.uint32(bits >> place & 0xFFFF_FFFF) for place in places)

    def _playable(self, mask: Words) -> list[Any]:
        """Return the lowest empty cell of each column, (columns,) for each word of a board."""
        above = [word << 1 | low >> _BITS - 1 for low, word in pairwise((np.uint32(0), *mask))]
        free = [
            (up | low) & ~discs for up, low, discs in zip(above, self._bottom, mask, strict=True)
        ]
        return list(map(and_, free, self._columns))

    def _has_line(self, discs: list[Any]) -> Any:
        found: Any = False
        rows, connect = self.geometry.rows, self.geometry.connect
        for step in (1, rows, rows + 1, rows + 2):
            runs, length = discs, 1
            while length < connect:
                more = min(length, connect - length)
                runs = list(map(and_, runs, _moved_down(runs, more * step)))
                length += more
            found |= _is_any(runs)
        return found

    def _cells(self, words: Words) -> Any:
        """Return whether each cell's bit is set, (rows, columns) from the top."""
        return jnp.stack(words)[self._word] >> self._shift & 1 == 1


def _is_any(words: list[Any]) -> Any:
    return reduce(or_, words) != 0


def _moved_down(words: list[Any], places: int) -> list[Any]:
    """Return words whose bits are moved to lower places."""
    whole, part = divmod(places, _BITS)
    kept = [*words[whole:], *[np.uint32(0)] * (whole + 1)][: len(words) + 1]
    return [low >> part | (high << _BITS - part if part else 0) for low, high in pairwise(kept)]
