"""Games of a net against itself, in lockstep, and the replay buffer of their positions.

The games of a task share a forest of searches: in each round, every search makes an iteration, and
the net evaluates all their leaves together. Each position and its mirror image are evaluated once.
If a search proves a result, it is the target, and the game follows the proof without evaluations.

The same net, configuration, seed and task give the same positions. No exact scores, books or other
agents are used.

Sources: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement
learning algorithm" (2017); Wu, "Accelerating self-play learning in Go" (2019), for searches of two
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
from claimeven.learning.net_training import TrainingBatch
from claimeven.learning.selfplay_config import SelfPlayConfig
from claimeven.montecarlo.puct import PuctForest
from claimeven.montecarlo.puct.policy_value import Floats, PolicyValue, Words, playable_columns
from claimeven.networks.net import Features

Indices = npt.NDArray[np.int64]

#: The cache has 2 to this power positions; the multiplier scatters their keys.
_CACHE_BITS: Final = 17
_SCATTER: Final = np.uint64(0x9E3779B97F4A7C15)
#: Games move when at least one unfinished game in this number is ready.
_READY_RATIO: Final = 6


class Positions(NamedTuple):
    """Positions to train on.

    `mines` and `masks` uint64 (n,); `policies` float32 (n, columns), which sum to 1; `values`
    float32 (n,) for the side to move, -1 to 1; `scores` float32 (n,), the final score of the game
    for the side to move.
    """

    mines: Words
    masks: Words
    policies: Floats
    values: Floats
    scores: Floats


class SelfPlayTotals(NamedTuple):
    """Totals of games; `moves` counts searches, `evaluated` the positions of the net."""

    games: int = 0
    plies: int = 0
    first_wins: int = 0
    draws: int = 0
    moves: int = 0
    evaluated: int = 0


class CachedNet:
    """A `PolicyValue` that evaluates each position, or its mirror image, only once by a net."""

    def __init__(self, net: PolicyValue) -> None:
        self.net, self.geometry = net, net.geometry
        self.evaluated = 0
        places = 1 << _CACHE_BITS
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
        mirrored = images < keys
        # No key has all bits set, so the complement is never 0, which marks an empty place.
        names = ~np.minimum(keys, images)
        places = (names * _SCATTER) >> np.uint64(64 - _CACHE_BITS)
        values, priors = self._values[places], self._priors[places]
        new = np.flatnonzero(self._keys[places] != names)
        if len(new):
            _, first, which = np.unique(names[new], return_index=True, return_inverse=True)
            once = new[first]
            self.evaluated += len(once)
            boards = [np.where(mirrored[once], mirrored_keys(b[once], self.geometry), b[once])
                      for b in (mines, masks)]  # fmt: skip
            new_values, new_priors = self.net.evaluate(*boards)
            values[new], priors[new] = new_values[which], new_priors[which]
            slots = places[once]
            self._keys[slots], self._values[slots] = names[once], new_values
            self._priors[slots] = new_priors
        priors[mirrored] = priors[mirrored, ::-1]
        return values, priors


#: Positions of several games to train on, with the results of their searches: arrays of the games,
#: `mines`, `masks`, policies, values, and whether the values are proven.
_Moment = tuple[npt.NDArray[Any], ...]


def _targets(moments: list[_Moment], ends: Indices, config: SelfPlayConfig) -> Positions:
    """Return the positions of finished games in order; `ends` has their plies and results."""
    parts: list[Any] = [np.concatenate(arrays) for arrays in zip(*moments, strict=True)]
    order = np.argsort(parts[0], kind="stable")
    games, mines, masks, policies, search_values, proven = (array[order] for array in parts)
    plies, won = ends[games].T
    sides = np.where((plies - disc_counts(masks)) % 2 == 1, won, -won)
    results = sides * (1.0 - config.draw_length_penalty * plies / config.geometry.cells)
    weight = np.where(proven, 0.0, config.search_value_weight)
    values = (1.0 - weight) * results + weight * search_values
    scores = sides * ((config.geometry.cells + 2 - plies) // 2)
    floats: list[Any] = [array.astype(np.float32) for array in (policies, values, scores)]
    return Positions(mines, masks, *floats)


class SelfPlay:
    """The games of a task; see the module."""

    def __init__(
        self, net: PolicyValue, config: SelfPlayConfig, games: int, seed: tuple[int, ...]
    ) -> None:
        self.config = config
        self.rng = np.random.default_rng(seed)
        self.model: CachedNet = CachedNet(net)
        nodes = config.nodes_per_tree
        self.forest: PuctForest = PuctForest(config.geometry, games, nodes, config.search)
        self.tally = SelfPlayTotals(games)
        self._moments: list[_Moment] = []
        self._ends = np.zeros((games, 2), dtype=np.int64)
        self._live = np.ones(games, dtype=bool)
        self._full = np.zeros(games, dtype=bool)
        self._needs_noise = np.zeros(games, dtype=bool)
        self._simulations = np.zeros(games, dtype=np.int64)
        trees = np.flatnonzero(self.rng.random(games) < config.random_start_fraction)
        if most := config.max_random_plies:
            starts = random_positions(self.rng, len(trees), most, config.geometry)
            for tree, *discs in zip(trees.tolist(), *np.array(starts).tolist(), strict=True):
                self.forest.reset(tree, Position(config.geometry, *discs))
        self._plan_searches(np.arange(games))

    def positions(self) -> Positions:
        """Return the positions of the finished games to train on, game by game."""
        return _targets(self._moments, self._ends, self.config)

    def rounds(self) -> Iterator[None]:
        """Play all games to their ends, one leaf of each search in a round."""
        config, forest = self.config, self.forest
        while self._live.any():
            visits = forest.iterations()
            due = np.flatnonzero(self._needs_noise & (visits > 0))
            if len(due):
                forest.add_noise(self.rng, config.dirichlet_fraction, config.dirichlet_alpha, due)
                self._needs_noise[due] = False
            forest.step(self.model, 1, np.where(forest.is_decided(), 0, self._simulations))
            done = forest.is_decided() | (forest.iterations() >= self._simulations)
            ready = np.flatnonzero(self._live & done)
            if len(ready) * _READY_RATIO >= self._live.sum():
                self._move(ready)
            yield
        self.tally = self.tally._replace(evaluated=self.model.evaluated)

    def _move(self, ready: Indices) -> None:
        """Make a move in each of these games, and store the positions to train on."""
        forest, config = self.forest, self.config
        mines, masks = (words[ready] for words in forest.roots())
        plies, proven = disc_counts(masks), forest.is_decided()[ready]
        shares, best = forest.policies(1.0, ready), forest.policies(0.0, ready)
        hot = config.temperature
        sampled = shares if hot == 1.0 else forest.policies(hot, ready)
        moment: _Moment = (ready, mines, masks, shares, forest.values()[ready], proven)
        is_target = self._full[ready] | proven
        self._moments.append(tuple(array[is_target] for array in moment))
        chances = np.where((plies < config.temperature_plies)[:, None], sampled, best)
        forest.advance_all(ready, _drawn(self.rng, chances))
        over, won = forest.is_over()[ready], forest.results()[ready] < 0
        finished = ready[over]
        self._ends[finished] = np.stack([plies + 1, won], axis=1)[over]
        self._live[finished] = self._needs_noise[finished] = False
        self._simulations[finished] = 0
        self._plan_searches(ready[~over])
        tally = self.tally
        self.tally = tally._replace(
            moves=tally.moves + len(ready),
            plies=tally.plies + int((plies + 1)[over].sum()),
            first_wins=tally.first_wins + int((over & won & (plies % 2 == 0)).sum()),
            draws=tally.draws + int((over & ~won).sum()),
        )

    def _plan_searches(self, trees: Indices) -> None:
        """Draw the number of simulations for the next move of some games."""
        config = self.config
        full = self.rng.random(len(trees)) < config.full_search_fraction
        self._full[trees] = self._needs_noise[trees] = full
        self._simulations[trees] = np.where(full, config.simulations, config.fast_simulations)


def random_positions(
    rng: np.random.Generator, count: int, most: int, geometry: Geometry
) -> tuple[Words, Words]:
    """Return `mines` and `masks` of unfinished positions after 1 to `most` random moves."""
    mines, masks = np.zeros((2, count), dtype=np.uint64)
    left = rng.integers(1, most + 1, count)
    bottoms = np.array([1 << geometry.bit(c, 0) for c in range(geometry.columns)], np.uint64)
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
    """Return the rows of one or more parts, one after the other."""
    return Positions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _drawn(rng: np.random.Generator, chances: npt.NDArray[np.float64]) -> Indices:
    """Return a column for each row, drawn by its probabilities."""
    sums = np.cumsum(chances, axis=1)
    drawn = rng.random(len(chances)) * sums[:, -1]
    columns: Indices = (sums <= drawn[:, None]).sum(axis=1)
    return columns


class ReplayBuffer:
    """The last `size` positions, the oldest first."""

    def __init__(self, size: int, geometry: Geometry) -> None:
        self.size, self.geometry = size, geometry
        self.features: Features = Features(geometry)
        words, floats = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.float32)
        policies = np.zeros((0, geometry.columns), dtype=np.float32)
        self.positions = Positions(words, words, policies, floats, floats)

    def __len__(self) -> int:
        return len(self.positions.mines)

    def add(self, positions: Positions) -> None:
        """Add positions and drop the oldest ones."""
        both = concatenate([self.positions, positions])
        self.positions = _select(both, slice(-self.size, None))

    def batch(self, size: int, rng: np.random.Generator) -> TrainingBatch:
        """Return positions drawn with replacement; no exact scores are known."""
        drawn = _select(self.positions, rng.integers(0, len(self), size))
        mines, masks, policies, values, scores = drawn
        playable = playable_columns(masks, self.geometry)
        zeros = np.zeros(playable.shape, dtype=np.float32)
        inputs = self.features.of(mines, masks)
        unknown, ones = np.zeros_like(playable), np.ones(size, dtype=np.float32)
        return TrainingBatch(*inputs, policies, values, zeros, unknown, playable, scores, ones)

    def as_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {f"replay_{name}": array for name, array in self.positions._asdict().items()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.positions = Positions(*(arrays[f"replay_{name}"] for name in Positions._fields))


def _select(positions: Positions, which: slice | npt.NDArray[np.int64]) -> Positions:
    rows: list[Any] = [array[which] for array in positions]
    return Positions(*rows)
