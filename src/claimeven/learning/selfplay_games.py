"""Games of a net against itself, many side by side, and what is to be learnt of them.

A task is a number of games that share a forest of searches: every round each game that waits for a
move makes an iteration, and the net judges the leaves of all of them together. Games move when
their search is done, each at its own pace, so the batches stay full. A position is judged once: it
is remembered, and so is its mirror image.

When a search proves what a position is worth, that is learnt as a fact, and the rest of the game is
played as the proof says, which asks the net nothing any more.

Nothing here knows exact scores, books or other agents. The same net, recipe, seed and task give the
same positions.

Sources: Silver et al., "Mastering chess and shogi by self-play with a general reinforcement
learning algorithm" (2017); Wu, "Accelerating self-play learning in Go" (2019) for searches of two
lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.game.arrays import disc_counts, mirrored_keys
from claimeven.game.position import Position
from claimeven.learning.selfplay_recipe import SelfPlayRecipe
from claimeven.networks.net import Net
from claimeven.networks.puct import PuctForest

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]

#: Positions that are remembered, a power of 2, and the multiplier that scatters their keys.
_PLACES_BITS: Final = 17
_SCATTER: Final = np.uint64(0x9E3779B97F4A7C15)
#: Games move when one in so many of those that are going on can.
_PATIENCE: Final = 6


class Positions(NamedTuple):
    """Positions to learn from, row by row.

    `mines` and `masks` uint64 (n,); `policies` float32 (n, columns), which sum to 1; `values`
    float32 (n,) for the side to move, -1 to 1.
    """

    mines: Words
    masks: Words
    policies: Floats
    values: Floats


class Tally(NamedTuple):
    """What happened in some games: how many, discs in all, results, moves chosen by a search, and
    positions judged by the net.
    """

    games: int = 0
    plies: int = 0
    first_wins: int = 0
    draws: int = 0
    moves: int = 0
    judged: int = 0

    def plus(self, other: Tally) -> Tally:
        """Return the sums."""
        return Tally(*(one + two for one, two in zip(self, other, strict=True)))


class Remembering:
    """A net that judges one of a position and its mirror image, and remembers what it said.

    A `PolicyValue` of the net's ungraded values, which asks the net only what is new to it.
    """

    def __init__(self, net: Net) -> None:
        self.net, self.geometry = net, net.geometry
        self.judged = 0
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
            self.judged += len(ask)
            boards = [np.where(turned[ask], mirrored_keys(b[ask], self.geometry), b[ask])
                      for b in (mines, masks)]  # fmt: skip
            found = self.net.judge(*boards)
            values[new], priors[new] = found.values[which], found.priors[which]
            kept = places[ask]
            self._keys[kept], self._values[kept] = names[ask], found.values
            self._priors[kept] = found.priors
        priors[turned] = priors[turned, ::-1]
        return values, priors


class _Game:
    """A game that is going on: the positions to learn from, and what was thought of each."""

    def __init__(self) -> None:
        self.mines: list[int] = []
        self.masks: list[int] = []
        self.policies: list[npt.NDArray[np.float64]] = []
        self.thought: list[float] = []
        self.proven: list[bool] = []

    def learnt(self, plies: int, last_won: bool, recipe: SelfPlayRecipe) -> Positions:
        """Return the positions of the game, which ended after so many plies; who made the last move
        has won it, or it is drawn.
        """
        masks = np.array(self.masks, dtype=np.uint64)
        at = disc_counts(masks) if len(masks) else np.zeros(0, dtype=np.int64)
        worth = (1.0 - recipe.fade * plies / recipe.geometry.cells) if last_won else 0.0
        results = np.where((plies - at) % 2 == 1, worth, -worth)
        mix = np.where(self.proven, 0.0, recipe.mix)
        values = (1.0 - mix) * results + mix * np.array(self.thought)
        return Positions(
            np.array(self.mines, dtype=np.uint64),
            masks,
            np.array(self.policies, dtype=np.float32).reshape(-1, recipe.geometry.columns),
            values.astype(np.float32),
        )


class SelfPlay:
    """The games of a task; see the module."""

    def __init__(self, net: Net, recipe: SelfPlayRecipe, games: int, seed: tuple[int, ...]) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng(seed)
        self.model = Remembering(net)
        self.forest = PuctForest(recipe.geometry, games, recipe.nodes_each, recipe.search)
        self.games = [_Game() for _ in range(games)]
        self.tally = Tally(games)
        self._live = np.ones(games, dtype=bool)
        self._full = np.zeros(games, dtype=bool)
        self._quiet = np.zeros(games, dtype=bool)  # a full search that waits for its noise
        self._targets = np.zeros(games, dtype=np.int64)
        self._ended: dict[int, Positions] = {}
        for tree in range(games):
            if recipe.most_random_plies and self.rng.random() < recipe.random_share:
                self.forest.reset(tree, self._random_position())
            self._think(tree)

    def play(self) -> Positions:
        """Play all games to their ends; return what is to be learnt of them, game by game."""
        for _ in self.rounds():
            pass
        return self.learnt()

    def learnt(self) -> Positions:
        """Return what is to be learnt of the games, which are over, game by game."""
        return joined([self._ended[tree] for tree in range(len(self.games))])

    def rounds(self) -> Iterator[None]:
        """Play all games to their ends, a leaf of each search at a time."""
        recipe, forest = self.recipe, self.forest
        while self._live.any():
            visits = forest.iterations()
            due = np.flatnonzero(self._quiet & (visits > 0))
            if len(due):
                forest.add_noise(self.rng, recipe.noise, recipe.concentration, due)
                self._quiet[due] = False
            forest.step(self.model, 1, np.where(forest.is_decided(), 0, self._targets))
            done = forest.is_decided() | (forest.iterations() >= self._targets)
            ready = np.flatnonzero(self._live & done)
            if len(ready) * _PATIENCE >= self._live.sum():
                self._move(ready)
            yield
        self.tally = self.tally._replace(judged=self.model.judged)

    def _move(self, ready: npt.NDArray[np.intp]) -> None:
        """Make a move in each of these games, and keep what is to be learnt of the position."""
        forest, recipe = self.forest, self.recipe
        mines, masks = forest.roots()
        plies, proven, values = disc_counts(masks), forest.is_decided(), forest.values()
        shares, best = forest.policies(1.0), forest.policies(0.0)
        hot = shares if recipe.temperature == 1.0 else forest.policies(recipe.temperature)
        for tree in ready.tolist():
            game = self.games[tree]
            if self._full[tree] or proven[tree]:
                game.mines.append(int(mines[tree]))
                game.masks.append(int(masks[tree]))
                game.policies.append(shares[tree])
                game.thought.append(float(values[tree]))
                game.proven.append(bool(proven[tree]))
            chances = hot[tree] if plies[tree] < recipe.hot_plies else best[tree]
            forest.advance(tree, _drawn(self.rng, chances))
        self.tally = self.tally._replace(moves=self.tally.moves + len(ready))
        over, lost = forest.is_over(), forest.results() < 0
        for tree in ready.tolist():
            if over[tree]:
                self._end(tree, int(plies[tree]) + 1, bool(lost[tree]))
            else:
                self._think(tree)

    def _think(self, tree: int) -> None:
        """Decide how long the next move of a game is thought about."""
        self._full[tree] = self._quiet[tree] = self.rng.random() < self.recipe.full_share
        searches = self.recipe.searches if self._full[tree] else self.recipe.quick_searches
        self._targets[tree] = searches

    def _end(self, tree: int, plies: int, won: bool) -> None:
        """Take a game that is over out of the round; `won` by who made the last move, or drawn."""
        self._live[tree] = self._quiet[tree] = False
        self._targets[tree] = 0
        self._ended[tree] = self.games[tree].learnt(plies, won, self.recipe)
        tally = self.tally
        self.tally = tally._replace(
            plies=tally.plies + plies,
            first_wins=tally.first_wins + (won and plies % 2 == 1),
            draws=tally.draws + (not won),
        )

    def _random_position(self) -> Position:
        """Return where a game begins: after random moves, of which none ends it."""
        while True:
            position = Position(self.recipe.geometry)
            for _ in range(int(self.rng.integers(1, self.recipe.most_random_plies + 1))):
                columns = position.legal_columns
                position = position.play(columns[int(self.rng.integers(len(columns)))])
                if position.is_over:
                    break
            else:
                return position


def joined(parts: list[Positions]) -> Positions:
    """Return the rows of several lots, one after the other; there is one at least."""
    return Positions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _drawn(rng: np.random.Generator, chances: npt.NDArray[np.float64]) -> int:
    """Return a column by its chance."""
    sums = np.cumsum(chances)
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
