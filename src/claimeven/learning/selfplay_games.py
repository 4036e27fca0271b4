"""Games of a net against itself, many side by side, and the window of their positions to learn.

A task is a number of games that share a forest of searches: every round each game that waits for a
move makes an iteration, and the net judges the leaves of all of them together. Games move when
their search is done, each at its own pace, so the batches stay full. A position is judged once: it
is remembered, and so is its mirror image.

When a search proves what a position is worth, that is learnt as a fact, and the rest of the game is
played as the proof says, which asks the net nothing any more.

Nothing here knows exact scores, books or other agents. The same net, config, seed and task give the
same positions.

Sources: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement
learning algorithm" (2017); Wu, "Accelerating self-play learning in Go" (2019) for searches of two
lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import disc_counts, has_line, mirrored_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.learning.net_training import Batch
from claimeven.learning.selfplay_config import SelfPlayConfig
from claimeven.montecarlo.puct import PuctForest
from claimeven.montecarlo.puct.policy_value import PolicyValue, playable_columns
from claimeven.networks.net import Features

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

#: Positions that are remembered, a power of 2, and the multiplier that scatters their keys.
_PLACES_BITS: Final = 17
_SCATTER: Final = np.uint64(0x9E3779B97F4A7C15)
#: Games move when one in so many of those that are going on can.
_PATIENCE: Final = 6


class Positions(NamedTuple):
    """Positions to learn from, row by row.

    `mines` and `masks` uint64 (n,); `policies` float32 (n, columns), which sum to 1; `values`
    float32 (n,) for the side to move, -1 to 1; `scores` float32 (n,), how its game ended, in
    points of score for the side to move.
    """

    mines: Words
    masks: Words
    policies: Floats
    values: Floats
    scores: Floats


class Tally(NamedTuple):
    """What happened in some games: how many, discs in all, results, moves chosen by a search, and
    positions judged by the net.
    """

    games: int = 0
    plies: int = 0
    first_wins: int = 0
    draws: int = 0
    moves: int = 0
    evaluated: int = 0


class Remembering:
    """Judges one of a position and its mirror image by a net, and remembers what that said.

    A `PolicyValue` that asks the net only what is new to it.
    """

    def __init__(self, net: PolicyValue) -> None:
        self.net, self.geometry = net, net.geometry
        self.evaluated = 0
        places = 1 << _PLACES_BITS
        self._keys = np.zeros(places, dtype=np.uint64)
        self._values = np.zeros(places, dtype=np.float32)
        self._priors = np.zeros((places, net.geometry.columns), dtype=np.float32)

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache."""
        self.net.load()

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`."""
        keys = mines + masks
        images = mirrored_keys(keys, self.geometry)
        turned = images < keys
        # No key has all bits set, so none is 0 here: an empty place.
        names = ~np.minimum(keys, images)
        places = (names * _SCATTER) >> np.uint64(64 - _PLACES_BITS)
        values, priors = self._values[places], self._priors[places]
        new = np.flatnonzero(self._keys[places] != names)
        if len(new):
            _, first, which = np.unique(names[new], return_index=True, return_inverse=True)
            ask = new[first]
            self.evaluated += len(ask)
            boards = [np.where(turned[ask], mirrored_keys(b[ask], self.geometry), b[ask])
                      for b in (mines, masks)]  # fmt: skip
            found, known = self.net.evaluate(*boards)
            values[new], priors[new] = found[which], known[which]
            kept = places[ask]
            self._keys[kept], self._values[kept], self._priors[kept] = names[ask], found, known
        priors[turned] = priors[turned, ::-1]
        return values, priors


class _Moment(NamedTuple):
    """Positions of several games to learn from, and what was thought of each.

    `games` says of which game each is; policies are float64 (n, columns), `thought` float64 (n,);
    `proven` says where the search knows the result.
    """

    games: Indices
    mines: Words
    masks: Words
    policies: npt.NDArray[np.float64]
    thought: npt.NDArray[np.float64]
    proven: npt.NDArray[np.bool_]


def _learnt(
    moments: list[_Moment], ends: npt.NDArray[np.int64], config: SelfPlayConfig
) -> Positions:
    """Return the positions of games that are over, game by game, each from its beginning on.

    `ends` int64 (games, 2) has the plies after which each game ended, and whether who made the last
    move has won it, 1, or it is drawn, 0.
    """
    parts: list[Any] = [np.concatenate(arrays) for arrays in zip(*moments, strict=True)]
    order = np.argsort(parts[0], kind="stable")
    games, mines, masks, policies, thought, proven = (array[order] for array in parts)
    plies, won = ends[games].T
    sides = np.where((plies - disc_counts(masks)) % 2 == 1, won, -won)
    results = sides * (1.0 - config.draw_length_penalty * plies / config.geometry.cells)
    mix = np.where(proven, 0.0, config.search_value_weight)
    values = (1.0 - mix) * results + mix * thought
    scores = sides * ((config.geometry.cells + 2 - plies) // 2)
    floats: list[Any] = [array.astype(np.float32) for array in (policies, values, scores)]
    return Positions(mines, masks, *floats)


class SelfPlay:
    """The games of a task, judged by `net`; see the module."""

    def __init__(
        self, net: PolicyValue, config: SelfPlayConfig, games: int, seed: tuple[int, ...]
    ) -> None:
        self.config = config
        self.rng = np.random.default_rng(seed)
        self.model: Remembering = Remembering(net)
        self.forest: PuctForest = PuctForest(
            config.geometry, games, config.nodes_per_tree, config.search
        )
        self.tally = Tally(games)
        self._moments: list[_Moment] = []
        self._ends = np.zeros((games, 2), dtype=np.int64)
        self._live = np.ones(games, dtype=bool)
        self._full = np.zeros(games, dtype=bool)
        self._quiet = np.zeros(games, dtype=bool)  # a full search that waits for its noise
        self._targets = np.zeros(games, dtype=np.int64)
        self._begin(np.flatnonzero(self.rng.random(games) < config.random_start_fraction))
        self._think(np.arange(games))

    def play(self) -> Positions:
        """Play all games to their ends; return what is to be learnt of them, game by game."""
        for _ in self.rounds():
            pass
        return self.learnt()

    def learnt(self) -> Positions:
        """Return what is to be learnt of the games, which are over, game by game."""
        return _learnt(self._moments, self._ends, self.config)

    def rounds(self) -> Iterator[None]:
        """Play all games to their ends, a leaf of each search at a time."""
        config, forest = self.config, self.forest
        while self._live.any():
            visits = forest.iterations()
            due = np.flatnonzero(self._quiet & (visits > 0))
            if len(due):
                forest.add_noise(self.rng, config.dirichlet_fraction, config.dirichlet_alpha, due)
                self._quiet[due] = False
            forest.step(self.model, 1, np.where(forest.is_decided(), 0, self._targets))
            done = forest.is_decided() | (forest.iterations() >= self._targets)
            ready = np.flatnonzero(self._live & done)
            if len(ready) * _PATIENCE >= self._live.sum():
                self._move(ready)
            yield
        self.tally = self.tally._replace(evaluated=self.model.evaluated)

    def _begin(self, trees: Indices) -> None:
        """Begin some games with random moves, if the config has any."""
        config = self.config
        if not config.most_random_plies:
            return
        starts = random_positions(self.rng, len(trees), config.most_random_plies, config.geometry)
        boards = zip(*(words.tolist() for words in starts), strict=True)
        for tree, discs in zip(trees.tolist(), boards, strict=True):
            self.forest.reset(tree, Position(config.geometry, *discs))

    def _move(self, ready: Indices) -> None:
        """Make a move in each of these games, and keep what is to be learnt of the position."""
        forest, config = self.forest, self.config
        mines, masks = (words[ready] for words in forest.roots())
        plies, proven = disc_counts(masks), forest.is_decided()[ready]
        shares, best = forest.policies(1.0, ready), forest.policies(0.0, ready)
        hot = shares if config.temperature == 1.0 else forest.policies(config.temperature, ready)
        moment = _Moment(ready, mines, masks, shares, forest.values()[ready], proven)
        kept = self._full[ready] | proven
        parts: list[Any] = [array[kept] for array in moment]
        self._moments.append(_Moment(*parts))
        chances = np.where((plies < config.temperature_plies)[:, None], hot, best)
        forest.advance_all(ready, _drawn(self.rng, chances))
        over, won = forest.is_over()[ready], forest.results()[ready] < 0
        ended = ready[over]
        self._ends[ended] = np.stack([plies + 1, won], axis=1)[over]
        self._live[ended] = self._quiet[ended] = False
        self._targets[ended] = 0
        self._think(ready[~over])
        tally = self.tally
        self.tally = tally._replace(
            moves=tally.moves + len(ready),
            plies=tally.plies + int((plies + 1)[over].sum()),
            first_wins=tally.first_wins + int((over & won & (plies % 2 == 0)).sum()),
            draws=tally.draws + int((over & ~won).sum()),
        )

    def _think(self, trees: Indices) -> None:
        """Decide how long the next move of some games is thought about."""
        config = self.config
        full = self.rng.random(len(trees)) < config.full_search_fraction
        self._full[trees] = self._quiet[trees] = full
        self._targets[trees] = np.where(full, config.simulations, config.fast_simulations)


def random_positions(
    rng: np.random.Generator, count: int, most: int, geometry: Geometry
) -> tuple[Words, Words]:
    """Return positions after 1 to `most` random moves, of which none ends the game: the discs of
    the side to move, and all discs.
    """
    mines, masks = np.zeros((2, count), dtype=np.uint64)
    left = rng.integers(1, most + 1, count)
    bottoms = np.array(
        [1 << geometry.bit(column, 0) for column in range(geometry.columns)], np.uint64
    )
    while len(on := np.flatnonzero(left)):
        playable = playable_columns(masks[on], geometry)
        columns = (rng.random(playable.shape) * playable).argmax(axis=1)
        movers = mines[on] ^ masks[on]
        masks[on] |= masks[on] + bottoms[columns]
        mines[on] = movers
        left[on] -= 1
        over = on[has_line(movers ^ masks[on], geometry) | (masks[on] == np.uint64(geometry.board))]
        mines[over] = masks[over] = 0
        left[over] = rng.integers(1, most + 1, len(over))
    return mines, masks


def concatenate(parts: list[Positions]) -> Positions:
    """Return the rows of several lots, one after the other; there is one at least."""
    return Positions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _drawn(rng: np.random.Generator, chances: npt.NDArray[np.float64]) -> Indices:
    """Return a column for each row, by its chances."""
    sums = np.cumsum(chances, axis=1)
    drawn = rng.random(len(chances)) * sums[:, -1]
    columns: Indices = (sums <= drawn[:, None]).sum(axis=1)
    return columns


class Replay:
    """A window of the `most` last positions, the oldest first."""

    def __init__(self, most: int, geometry: Geometry) -> None:
        self.most, self.geometry = most, geometry
        self.features: Features = Features(geometry)
        none, columns = np.zeros(0, dtype=np.uint64), geometry.columns
        shares = np.zeros((0, columns), dtype=np.float32)
        nothing = np.zeros(0, dtype=np.float32)
        self.positions = Positions(none, none, shares, nothing, nothing)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions.mines)

    def add(self, positions: Positions) -> None:
        """Take positions in; the oldest ones leave."""
        both = concatenate([self.positions, positions])
        self.positions = _picked(both, slice(-self.most, None))

    def batch(self, size: int, rng: np.random.Generator) -> Batch:
        """Return positions drawn evenly, with replacement.

        No exact score is known of any: `scored` is False everywhere.
        """
        mines, masks, policies, values, scores = _picked(
            self.positions, rng.integers(0, len(self), size)
        )
        playable = playable_columns(masks, self.geometry)
        nothing = np.zeros(playable.shape, dtype=np.float32)
        planes, states = self.features.of(mines, masks)
        unknown = np.zeros_like(playable)
        counts = np.ones(size, dtype=np.float32)
        return Batch(planes, states, policies, values, nothing, unknown, playable, scores, counts)

    def as_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return it for a checkpoint."""
        return {f"replay_{name}": array for name, array in self.positions._asdict().items()}

    def take_up(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take a checkpoint's."""
        self.positions = Positions(*(arrays[f"replay_{name}"] for name in Positions._fields))


def _picked(positions: Positions, which: slice | npt.NDArray[np.int64]) -> Positions:
    """Return some of the rows."""
    rows: list[Any] = [array[which] for array in positions]
    return Positions(*rows)
