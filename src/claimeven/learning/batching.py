"""Batches of labeled positions with their targets.

The targets are the columns that keep the exact score, its sign, the scores of all columns and
optionally the best score. Augmentation adds positions: a labeled move leads to a position with a
known score, and taking back another disc of its player gives one with a known score of a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset
from claimeven.game.batch import canonical_keys, has_line
from claimeven.game.geometry import Geometry
from claimeven.learning.net_training import TrainingBatch
from claimeven.learning.run_dir import InvalidRun
from claimeven.montecarlo.puct.policy_value import Words, playable_columns
from claimeven.networks.net import Features
from claimeven.solver.solver import ILLEGAL

_Places = npt.NDArray[np.int64]

#: With a focus on good columns, the least weight of the score of a column.
_MIN_SCORE_WEIGHT: Final = 0.15
#: The weight of the best score by itself, in addition to the mean over the columns.
_BEST_WEIGHT: Final = 0.5
#: Moves for augmentation: the weight of the worst columns relative to the best ones, and the points
#: of score that reduce the weight by a factor of e.
_FLOOR: Final = 0.1
_SCORE_SCALE: Final = 2.0
#: Parts of seeds, so that augmentation and sampling draw independently.
_SUCCESSORS: Final = 2
_SWAPS: Final = 3


class PlyWeight(NamedTuple):
    """How often positions of `lowest` to `highest` discs are drawn, relative to other plies.

    `weight` is greater than 0; the weights may have any sum.
    """

    lowest: int
    highest: int
    weight: float


class BatchSampler:
    """Batches of labeled positions, determined by a seed and the number of the step.

    `weights`, float64 (n,), draw the positions of each batch with replacement. Without weights,
    each position appears once in an epoch.

    With a `focus`, a score at distance d from the best one has the weight 0.15 + focus * exp(-d/2).
    The parts `aug_successors` and `aug_swaps` of each batch are replaced by positions after a move
    and by positions with one disc moved, but not by positions with the keys `excluded`.
    """

    def __init__(
        self,
        data: Dataset,
        batch: int,
        seed: int,
        weights: npt.NDArray[np.float64] | None = None,
        *,
        focus: float = 0.0,
        aug_successors: float = 0.0,
        aug_swaps: float = 0.0,
        excluded: Words | None = None,
    ) -> None:
        if not len(data):
            raise InvalidRun("the data sets contain no positions to train on")
        self.data, self.seed = data, seed
        self.batch: int = batch if weights is not None else min(batch, len(data))
        self.features: Features = Features(data.geometry)
        self.focus = focus
        self.successors = round(aug_successors * self.batch)
        self.swaps = round(aug_swaps * self.batch)
        self._excluded = np.unique(np.zeros(0, np.uint64) if excluded is None else excluded)
        self._cumulative = None if weights is None else np.cumsum(weights)
        self._epoch = -1
        self._order: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def steps_per_epoch(self) -> int:
        """The number of whole batches in an epoch."""
        return max(1, len(self.data) // self.batch)

    def batch_at(self, step: int) -> TrainingBatch:
        """Return the batch of a step, from 0."""
        labeled = self.data.select(self.indices_at(step))
        batch = make_batch(labeled, self.features, self.focus)
        return self._augmented(batch, labeled, step)

    def indices_at(self, step: int) -> npt.NDArray[np.int64]:
        """Return the indices of the positions of a step."""
        if self._cumulative is not None:
            rng = np.random.default_rng([self.seed, step])
            places = rng.random(self.batch) * self._cumulative[-1]
            found: npt.NDArray[np.int64] = np.searchsorted(self._cumulative, places, "right")
            return np.minimum(found, len(self.data) - 1)
        epoch, place = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._order = np.random.default_rng([self.seed, epoch]).permutation(len(self.data))
            self._epoch = epoch
        return self._order[place * self.batch : (place + 1) * self.batch]

    def _augmented(self, batch: TrainingBatch, labeled: Dataset, step: int) -> TrainingBatch:
        """Replace the last positions of a batch by successors and positions with a moved disc."""
        assert batch.best is not None and batch.best_weights is not None
        end = len(labeled)
        for number, count, make in (
            (_SUCCESSORS, self.successors, successors),
            (_SWAPS, self.swaps, swaps),
        ):
            if not count:
                continue
            end -= count
            rng = np.random.default_rng([self.seed, step, number])
            found = make(labeled.select(np.arange(end, end + count)), rng)
            keys = canonical_keys(found.mines + found.masks, labeled.geometry)
            found = found.select(~np.isin(keys, self._excluded))
            places, scores, is_best = end + found.places, found.scores, found.columns < 0
            # One known column can prove a win only; values without losses would bias the net.
            values = np.where(is_best, np.sign(scores), np.nan)
            planes, states = self.features.of(found.mines, found.masks)
            playable = playable_columns(found.masks, labeled.geometry)
            weights = np.where(is_best, _BEST_WEIGHT, 0.0)
            for array, content in (
                (batch.planes, planes), (batch.states, states), (batch.policies, 0),
                (batch.values, values), (batch.scores, 0), (batch.score_weights, 0),
                (batch.playable, playable), (batch.best, scores), (batch.best_weights, weights),
            ):  # fmt: skip
                array[places] = content
            of_column = places[~is_best], found.columns[~is_best]
            batch.scores[of_column] = scores[~is_best]
            batch.score_weights[of_column] = 1.0
        return batch


def sampling_weights(
    parts: Sequence[Dataset],
    dataset_weights: Sequence[float] | None,
    ply_weights: Sequence[PlyWeight] | None,
) -> npt.NDArray[np.float64] | None:
    """Return the weight of each position of some data sets in a draw, None for equal weights.

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
    weights = np.concatenate(
        [np.full(len(part), weight) for part, weight in zip(parts, each, strict=True)]
    )
    if ply_weights is None:
        return weights
    plies, drawn = np.concatenate([part.plies for part in parts]), np.zeros(len(weights))
    most = max((each.weight for each in ply_weights), default=1.0)
    for lowest, highest, weight in ply_weights:
        there = (lowest <= plies) & (plies <= highest)
        if not there.any():
            raise InvalidRun(f"the data sets have no position at plies {lowest}-{highest}")
        drawn[there] = weights[there] * (weight / most / float(weights[there].sum()))
    return drawn


def make_batch(data: Dataset, features: Features, focus: float = 0.0) -> TrainingBatch:
    """Return labeled positions as a batch, with a `focus` on the scores of good columns."""
    optimal = data.optimal.astype(np.float32)
    planes, states = features.of(data.mines, data.masks)
    best = data.best.astype(np.float32)
    scores = np.where(data.known, data.scores, 0).astype(np.float32)
    weights = data.known.astype(np.float32)
    if focus:
        fading = np.exp((scores - best[:, None]) / _SCORE_SCALE)
        weights *= _MIN_SCORE_WEIGHT + np.float32(focus) * fading
    return TrainingBatch(
        planes,
        states,
        optimal / optimal.sum(axis=1, keepdims=True),
        np.sign(best),
        scores,
        weights,
        data.scores != ILLEGAL,
        best,
        np.full(len(best), _BEST_WEIGHT if focus else 0.0, dtype=np.float32),
    )


class Neighbors(NamedTuple):
    """Positions derived from labeled positions.

    `places` int64 (n,), ascending, are the indices of the labeled positions; `mines` and `masks`
    uint64 (n,) are the new positions. `scores` float32 (n,), in points for their side to move, are
    the scores of their `columns`, int64 (n,), or of their unknown best column, -1.
    """

    places: _Places
    mines: Words
    masks: Words
    scores: npt.NDArray[np.float32]
    columns: _Places

    def select(self, which: npt.NDArray[Any]) -> Neighbors:
        """Return some of the positions, by their indices or by a mask."""
        return Neighbors(*(array[which] for array in self))


def successors(data: Dataset, rng: np.random.Generator) -> Neighbors:
    """Play a move in each position, good moves more often; finished games are left out."""
    board, count = data.geometry, np.arange(len(data))
    behind = (data.best[:, None] - np.where(data.known, data.scores, 0)).astype(np.float64)
    likely = np.where(data.known, np.log(_FLOOR + np.exp(-behind / _SCORE_SCALE)), -np.inf)
    columns = (likely - np.log(-np.log(rng.random(likely.shape)))).argmax(axis=1)
    masks = data.masks | (data.masks + _lowest(board)[columns])
    mines = data.mines ^ data.masks
    on = np.flatnonzero(~has_line(mines ^ masks, board) & (masks != np.uint64(board.board)))
    scores = -data.scores[count, columns].astype(np.float32)
    return Neighbors(on, mines[on], masks[on], scores[on], np.full(len(on), -1, dtype=np.int64))


def swaps(data: Dataset, rng: np.random.Generator) -> Neighbors:
    """Play a move as `successors` does, and take back another disc of that player from the top of
    its column: the score of that column is then known. Positions without such a disc are left out.
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
    removed = tops[np.arange(len(tops)), columns]
    found = Neighbors(on.places, movers ^ removed, on.masks ^ removed, -on.scores, columns)
    return found.select(may.any(axis=1))


def _lowest(board: Geometry) -> Words:
    return np.array([1 << board.bit(column, 0) for column in range(board.columns)], dtype=np.uint64)
