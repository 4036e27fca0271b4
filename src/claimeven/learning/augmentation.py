"""Positions whose scores follow from those that were labelled, without another search.

What a column is worth is minus the score of the position it leads to. So the score of the position
after any labelled move is known; and where another disc of the same player is taken back from it,
that of putting it there again. Which of the other columns has which score remains unknown.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset
from claimeven.game.batch import has_line
from claimeven.game.geometry import Geometry

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

#: How likely the worst columns are to be played beside the best ones, and points that a column is
#: worse than the best one, by which it is e times less likely.
_ANYHOW: Final = 0.1
FADING: Final = 2.0


class Neighbours(NamedTuple):
    """Positions that are one move on from labelled ones, or have a disc elsewhere.

    `places` int64 (n,), rising, are the numbers of the labelled positions; `mines` and `masks`
    uint64 (n,) the new ones, and `scores` float32 (n,), in points for their side to move, those of
    their `columns`, int64 (n,): -1 where it is the score of the best column, whichever that is.
    """

    places: Places
    mines: Words
    masks: Words
    scores: npt.NDArray[np.float32]
    columns: Places

    def picked(self, which: npt.NDArray[Any]) -> Neighbours:
        """Return those of some numbers, or of a mask."""
        return Neighbours(*(array[which] for array in self))


def one_move_on(data: Dataset, rng: np.random.Generator) -> Neighbours:
    """Play a move in each position, good ones oftener; those that end the game are left out."""
    board, count = data.geometry, np.arange(len(data))
    behind = (data.best[:, None] - np.where(data.known, data.scores, 0)).astype(np.float64)
    likely = np.where(data.known, np.log(_ANYHOW + np.exp(-behind / FADING)), -np.inf)
    columns = (likely - np.log(-np.log(rng.random(likely.shape)))).argmax(axis=1)
    masks = data.masks | (data.masks + _lowest(board)[columns])
    mines = data.mines ^ data.masks
    on = np.flatnonzero(~has_line(mines ^ masks, board) & (masks != np.uint64(board.board)))
    scores = -data.scores[count, columns].astype(np.float32)
    return Neighbours(on, mines[on], masks[on], scores[on], np.full(len(on), -1, dtype=np.int64))


def one_disc_elsewhere(data: Dataset, rng: np.random.Generator) -> Neighbours:
    """Play a move as `one_move_on` does, and take another disc of that player back, on top of its
    column: the score of that column is known then. Where there is no such disc none is there.
    """
    on = one_move_on(data, rng)
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
    return found.picked(may.any(axis=1))


def _lowest(board: Geometry) -> Words:
    """The lowest cell of each column."""
    return np.array([1 << board.bit(column, 0) for column in range(board.columns)], dtype=np.uint64)
