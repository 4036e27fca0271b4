"""Labelled positions as batches: which of them a step learns, and their targets.

The policy's target are the columns that keep the exact score, the value's is the sign of that
score; all columns' scores are learned, optionally also that of the best one by itself: the
greatest of the net's scores, which a search goes by.

The score of a column is minus the score of the position it leads to. So the score of the position
after any labelled move is known; if another disc of the same player is taken back from it, the
score of putting it there again is known too. The scores of the other columns remain unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset
from claimeven.game.batch import canonical_keys, has_line
from claimeven.game.geometry import Geometry
from claimeven.learning.net_training import Batch
from claimeven.learning.run_dir import InvalidRun
from claimeven.montecarlo.puct.policy_value import playable_columns
from claimeven.networks.net import Features
from claimeven.solver.solver import ILLEGAL

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]
_Places = npt.NDArray[np.int64]

#: What the score of a column counts where good ones are focused on, however bad it is.
_LEAST: Final = 0.15
#: What the score of the best column counts by itself, beside the mean of all columns.
_BEST: Final = 0.5
#: How likely the worst columns are to be played, compared to the best ones, and points that a
#: column is worse than the best one, by which it is e times less likely.
_ANYHOW: Final = 0.1
_FADING: Final = 2.0
#: Separates draws of neighbours from draws of positions.
_SUCCESSORS: Final = 2
_SWAPS: Final = 3


class PlyWeight(NamedTuple):
    """How often positions of `lowest` to `highest` discs are drawn, relative to other plies.

    `weight` is greater than 0; the weights may have any sum.
    """

    lowest: int
    highest: int
    weight: float


class Lessons:
    """Labelled positions as batches, in an order that a seed and the step decide.

    With `chances`, how likely each position is to be drawn, float64 (n,) of any sum, every batch is
    drawn by them, with replacement; without, each position is seen once an epoch.

    With a `focus` scores of good columns count more than those of bad ones: each 0.15 + focus *
    exp(-d / 2) times, for d points less than the best column. The part `ahead` of each batch are
    positions one move on, good moves oftener than bad ones: their score is known too, though not
    which of their columns has it, so there is more to learn from than was solved. The part `beside`
    have a disc elsewhere, so that the score of one of their columns is known. None of the
    keys `barred` are among them.
    """

    def __init__(
        self,
        data: Dataset,
        batch: int,
        seed: int,
        chances: npt.NDArray[np.float64] | None = None,
        *,
        focus: float = 0.0,
        aug_successors: float = 0.0,
        aug_swaps: float = 0.0,
        barred: Words | None = None,
    ) -> None:
        if not len(data):
            raise InvalidRun("the data sets hold no position to learn from")
        self.data, self.seed = data, seed
        self.batch: int = batch if chances is not None else min(batch, len(data))
        self.features: Features = Features(data.geometry)
        self.focus = focus
        self.successors = round(aug_successors * self.batch)
        self.swaps = round(aug_swaps * self.batch)
        self._barred = np.unique(np.zeros(0, np.uint64) if barred is None else barred)
        self._up_to = None if chances is None else np.cumsum(chances)
        self._epoch = -1
        self._order: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def steps(self) -> int:
        """Batches of an epoch; what is left over waits for the next order."""
        return max(1, len(self.data) // self.batch)

    def at(self, step: int) -> Batch:
        """Return the batch of a step, from 0."""
        chosen = self.data.select(self.chosen(step))
        batch = batch_of(chosen, self.features, self.focus)
        return self._with_neighbours(batch, chosen, step)

    def chosen(self, step: int) -> npt.NDArray[np.int64]:
        """Return the numbers of the positions of a step."""
        if self._up_to is not None:
            rng = np.random.default_rng([self.seed, step])
            places = rng.random(self.batch) * self._up_to[-1]
            found: npt.NDArray[np.int64] = np.searchsorted(self._up_to, places, "right")
            return np.minimum(found, len(self.data) - 1)
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            self._order = np.random.default_rng([self.seed, epoch]).permutation(len(self.data))
            self._epoch = epoch
        return self._order[place * self.batch : (place + 1) * self.batch]

    def _without_barred(self, found: Neighbours) -> Neighbours:
        keys = canonical_keys(found.mines + found.masks, self.data.geometry)
        return found.select(~np.isin(keys, self._barred))

    def _with_neighbours(self, batch: Batch, chosen: Dataset, step: int) -> Batch:
        """Return a batch whose last positions are one move on, and those before them have a disc
        elsewhere, where there are such.
        """
        assert batch.best is not None and batch.best_counts is not None
        end = len(chosen)  # of what is as it was labelled
        for number, count, make in (
            (_SUCCESSORS, self.successors, successors),
            (_SWAPS, self.swaps, swaps),
        ):
            if not count:
                continue
            end -= count
            rng = np.random.default_rng([self.seed, step, number])
            labelled = chosen.select(np.arange(end, end + count))
            found = self._without_barred(make(labelled, rng))
            places, scores, is_best = end + found.places, found.scores, found.columns < 0
            # Of one column it is known at most that it wins: a net told of no losses expects none.
            values = np.where(is_best, np.sign(scores), np.nan)
            planes, states = self.features.of(found.mines, found.masks)
            playable = playable_columns(found.masks, chosen.geometry)
            counts = np.where(is_best, _BEST, 0.0)
            for array, told in (
                (batch.planes, planes), (batch.states, states), (batch.policies, 0),
                (batch.values, values), (batch.scores, 0), (batch.scored, 0),
                (batch.playable, playable), (batch.best, scores), (batch.best_counts, counts),
            ):  # fmt: skip
                array[places] = told
            of_column = places[~is_best], found.columns[~is_best]
            batch.scores[of_column] = scores[~is_best]
            batch.scored[of_column] = 1.0
        return batch


def chances_of(
    parts: Sequence[Dataset],
    dataset_weights: Sequence[float] | None,
    ply_weights: Sequence[PlyWeight] | None,
) -> npt.NDArray[np.float64] | None:
    """Return how likely each position of some data sets is to be drawn, None for equally likely.

    A data set is drawn by its weight, by default its size, and then a ply by its weight: see
    `DistilConfig`. Raises `InvalidRun` if there is no position of some plies, and for a data set
    with a weight but no position.
    """
    if dataset_weights is None and ply_weights is None:
        return None
    for number, part in enumerate(parts, start=1):
        if dataset_weights is not None and not len(part):
            raise InvalidRun(
                f"data set {number} of {len(parts)} has a weight but no position that is not in an"
                " earlier one or in the held-out sets: leave it out"
            )
    each = [1.0] * len(parts)
    if dataset_weights is not None:
        greatest, pairs = max(dataset_weights), zip(parts, dataset_weights, strict=True)
        each = [weight / greatest / len(part) for part, weight in pairs]
    chances = np.concatenate(
        [np.full(len(part), chance) for part, chance in zip(parts, each, strict=True)]
    )
    if ply_weights is None:
        return chances
    plies, drawn = np.concatenate([part.plies for part in parts]), np.zeros(len(chances))
    most = max((each.weight for each in ply_weights), default=1.0)
    for lowest, highest, weight in ply_weights:
        there = (lowest <= plies) & (plies <= highest)
        if not there.any():
            raise InvalidRun(f"the data sets have no position at plies {lowest}-{highest}")
        drawn[there] = chances[there] * (weight / most / float(chances[there].sum()))
    return drawn


def batch_of(data: Dataset, features: Features, focus: float = 0.0) -> Batch:
    """Return labelled positions as a batch, with a `focus` on the scores of good columns."""
    keeps = data.optimal.astype(np.float32)
    planes, states = features.of(data.mines, data.masks)
    best = data.best.astype(np.float32)
    scores = np.where(data.known, data.scores, 0).astype(np.float32)
    counts = data.known.astype(np.float32)
    if focus:
        counts *= _LEAST + np.float32(focus) * np.exp((scores - best[:, None]) / _FADING)
    return Batch(
        planes,
        states,
        keeps / keeps.sum(axis=1, keepdims=True),
        np.sign(best),
        scores,
        counts,
        data.scores != ILLEGAL,
        best,
        np.full(len(best), _BEST if focus else 0.0, dtype=np.float32),
    )


class Neighbours(NamedTuple):
    """Positions that are one move on from labelled ones, or have a disc elsewhere.

    `places` int64 (n,), rising, are the numbers of the labelled positions; `mines` and `masks`
    uint64 (n,) the new ones, and `scores` float32 (n,), in points for their side to move, those of
    their `columns`, int64 (n,): -1 where it is the score of the best column, whichever that is.
    """

    places: _Places
    mines: Words
    masks: Words
    scores: npt.NDArray[np.float32]
    columns: _Places

    def select(self, which: npt.NDArray[Any]) -> Neighbours:
        """Return those of some numbers, or of a mask."""
        return Neighbours(*(array[which] for array in self))


def successors(data: Dataset, rng: np.random.Generator) -> Neighbours:
    """Play a move in each position, good ones oftener; those that end the game are left out."""
    board, count = data.geometry, np.arange(len(data))
    behind = (data.best[:, None] - np.where(data.known, data.scores, 0)).astype(np.float64)
    likely = np.where(data.known, np.log(_ANYHOW + np.exp(-behind / _FADING)), -np.inf)
    columns = (likely - np.log(-np.log(rng.random(likely.shape)))).argmax(axis=1)
    masks = data.masks | (data.masks + _lowest(board)[columns])
    mines = data.mines ^ data.masks
    on = np.flatnonzero(~has_line(mines ^ masks, board) & (masks != np.uint64(board.board)))
    scores = -data.scores[count, columns].astype(np.float32)
    return Neighbours(on, mines[on], masks[on], scores[on], np.full(len(on), -1, dtype=np.int64))


def swaps(data: Dataset, rng: np.random.Generator) -> Neighbours:
    """Play a move as `successors` does, and take another disc of that player back, on top of its
    column: the score of that column is known then. Where there is no such disc none is there.
    """
    on = successors(data, rng)
    movers = on.mines ^ on.masks
    moved = on.masks ^ data.masks[on.places]
    lowest = _lowest(data.geometry)
    cells = lowest * np.uint64((1 << data.geometry.rows) - 1)
    filled = on.masks[:, None] & cells
    tops = np.where(filled != 0, (filled + lowest) >> np.uint64(1), np.uint64(0))
    may = (tops & movers[:, None] & ~moved[:, None]) != 0
    columns = np.where(may, rng.random(may.shape), -1.0).argmax(axis=1)
    taken = tops[np.arange(len(tops)), columns]
    found = Neighbours(on.places, movers ^ taken, on.masks ^ taken, -on.scores, columns)
    return found.select(may.any(axis=1))


def _lowest(board: Geometry) -> Words:
    """The lowest cell of each column."""
    return np.array([1 << board.bit(column, 0) for column in range(board.columns)], dtype=np.uint64)
