"""Every position of some plies with the score of every column, backed up from one ply beyond.

Positions are those of `book.openings`: one of each pair of mirror images, none where the game is
over, ply by ply, ascending by key. Only the scores of one ply beyond have to be known: what a
column is worth is minus the score of the position it leads to, or follows from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from claimeven.book.enumerate import Keys, Scores, layers, played
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.errors import InvalidDataset
from claimeven.dataset.row_batches import Block
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.solver import ILLEGAL

#: Most positions of a data set, those of the plies before it too.
MOST = 20_000_000
#: Most moves of a ply's positions: the keys after them are in memory at once, 8 bytes each.
_MOST_MOVES = 100_000_000
#: Rows that are handed out at a time.
_BLOCK = 1 << 16


@dataclass(frozen=True)
class _Parents:
    """Moves that lead to the positions of a ply, one to each.

    From the position at place `above` of the ply before by `columns`, and where `mirrored` is true
    the mirror image of what comes of it.
    """

    above: npt.NDArray[np.int32]
    columns: npt.NDArray[np.uint8]
    mirrored: npt.NDArray[np.bool_]


def keys_by_ply(plan: DatasetPlan) -> list[Keys]:
    """Return the keys of the positions of plies 0 to one beyond the highest of a plan.

    Raises `InvalidDataset` where there are more than `MOST` in the plan.
    """
    geometry = plan.geometry
    found: list[Keys] = []
    count = 0
    for layer in layers(geometry, plan.highest + 1):
        found.append(layer.keys)
        count += len(layer.keys)
        asked = layer.ply <= plan.highest
        if asked and (count > MOST or len(layer.keys) * geometry.columns > _MOST_MOVES):
            raise InvalidDataset(
                f"there are too many positions up to ply {plan.highest} of {geometry} to take all,"
                f" and {count:,} up to ply {layer.ply}: ask for plies up to {layer.ply - 1}"
            )
    if not any(len(keys) for keys in found[plan.lowest : plan.highest + 1]):
        raise InvalidDataset(f"every game on {geometry} is over before ply {plan.lowest}")
    return found


class AllPositions:
    """The positions of the plies of a plan, labelled.

    `keys` are those of `keys_by_ply`, and `last_scores` what the last of them are worth to their
    side to move.
    """

    def __init__(self, plan: DatasetPlan, keys: Sequence[Keys], last_scores: Scores) -> None:
        self.geometry = geometry = plan.geometry
        self.lowest = plan.lowest
        self._keys = keys[:-1]
        self._scores: list[npt.NDArray[np.int8]] = []
        self._parents: list[_Parents] = []
        below = last_scores
        for ply in reversed(range(len(keys) - 1)):
            scores, parents = _labelled(keys[ply], keys[ply + 1], below, geometry)
            below = scores.max(axis=1, initial=ILLEGAL)
            self._scores.insert(0, scores)
            self._parents.insert(0, parents)

    def __len__(self) -> int:
        return sum(len(keys) for keys in self._keys[self.lowest :])

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, some at a time, by ply and key; each is a game of its own, from 0."""
        moves = np.zeros((1, 0), dtype=np.uint8)
        game = 0
        for ply, keys in enumerate(self._keys):
            if ply:
                moves = _moves_on(moves, self._parents[ply - 1], self.geometry)
            for start in range(0, len(keys) if ply >= self.lowest else 0, _BLOCK):
                part = slice(start, start + _BLOCK)
                mines, masks = discs_of_keys(keys[part], self.geometry)
                games = np.arange(game, game + len(mines))
                yield Block(games, moves[part], mines, masks, self._scores[ply][part])
                game += len(mines)


def _labelled(
    keys: Keys, below: Keys, below_scores: Scores, geometry: Geometry
) -> tuple[npt.NDArray[np.int8], _Parents]:
    """Return the scores of the columns of a ply's positions, and how the next ply is reached."""
    scores = np.full((len(keys), geometry.columns), ILLEGAL, dtype=np.int8)
    above = np.zeros(len(below), dtype=np.int32)
    columns, mirrored = np.zeros(len(below), dtype=np.uint8), np.zeros(len(below), dtype=np.bool_)
    for column, way in enumerate(played(keys, below, geometry)):
        scores[way.can, column] = way.scores(below_scores)
        # Any parent will do: of several the last stays.
        above[way.below] = way.can[way.going_on]
        columns[way.below] = column
        mirrored[way.below] = way.mirrored
    return scores, _Parents(above, columns, mirrored)


def _moves_on(
    moves: npt.NDArray[np.uint8], parents: _Parents, geometry: Geometry
) -> npt.NDArray[np.uint8]:
    """Return the moves that lead to the positions of a ply from those that lead to the last."""
    after = np.concatenate((moves[parents.above], parents.columns[:, None]), axis=1)
    after[parents.mirrored] = np.uint8(geometry.columns - 1) - after[parents.mirrored]
    return after
