"""Arrays of all positions of the first plies: the positions of a book, and backing up scores.

Each pair of mirror images is one **key** (`Position.key`, mine + mask), the smaller of the two.
Finished games are omitted: their scores follow from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from claimeven.compiled.wide import words
from claimeven.game.batch import canonical_keys, has_line, image_counts, moves
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys, sort_unique
from claimeven.solver.scores import win_score

Keys = npt.NDArray[np.uint64]
Scores = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Layer:
    """All positions after a number of plies.

    `keys` are the unfinished positions, one of each pair of mirror images, ascending. `decided` and
    `drawn` count the distinct finished positions, with mirror images as two: games won by the last
    disc, and full boards without a line.
    """

    ply: int
    keys: Keys
    decided: int = 0
    drawn: int = 0


def layers(geometry: Geometry, plies: int) -> Iterator[Layer]:
    """Yield the layers after 0, 1, .. `plies` plies of a board of at most 128 bits.

    >>> [len(layer.keys) for layer in layers(Geometry(), 4)]
    [1, 4, 25, 121, 568]
    """
    keys = words(1, geometry.bits)
    yield Layer(0, keys)
    for ply in range(1, plies + 1):
        mine, mask = discs_of_keys(keys, geometry)
        found = [
            canonical_keys(theirs + mask_after, geometry)
            for _, theirs, mask_after in moves(mine, mask, geometry)
        ]
        keys = sort_unique(np.concatenate(found)) if found else keys[:0]
        mine, mask = discs_of_keys(keys, geometry)
        won = has_line(mine ^ mask, geometry)
        full = ~won & (mask == geometry.board)
        images = image_counts(keys, geometry)
        yield Layer(
            ply, keys := keys[~(won | full)], int(images[won].sum()), int(images[full].sum())
        )


@dataclass(frozen=True)
class ColumnMoves:
    """The moves of the positions of a layer in one column.

    `can` are the indices of the positions that can play it, and `won` whether they win by it.
    `ongoing` are the entries of `can` whose game continues, `below` the indices of these children
    in the next layer, and `mirrored` whether that layer has their mirror images instead. A win by
    this disc is worth `win`.
    """

    can: npt.NDArray[np.intp]
    won: npt.NDArray[np.bool_]
    ongoing: npt.NDArray[np.intp]
    below: npt.NDArray[np.intp]
    mirrored: npt.NDArray[np.bool_]
    win: int

    def scores(self, below_scores: Scores) -> Scores:
        """Return the scores of the column for the positions `can`, from the next layer."""
        scores = np.zeros(len(self.can), dtype=np.int8)
        scores[self.won] = self.win
        scores[self.ongoing] = -below_scores[self.below]
        return scores


def moves_by_column(keys: Keys, below: Keys, geometry: Geometry) -> Iterator[ColumnMoves]:
    """Yield the moves of the positions of a layer for each column.

    `keys` are unfinished positions of one ply; `below` are the ascending keys of all unfinished
    positions of the next ply.
    """
    mine, mask = discs_of_keys(keys, geometry)
    win = win_score(geometry, int(mask[0]).bit_count()) if len(keys) else 0
    for can, theirs, mask_after in moves(mine, mask, geometry):
        won = has_line(theirs ^ mask_after, geometry)
        ongoing = np.flatnonzero(~won & (mask_after != geometry.board))
        children = (theirs + mask_after)[ongoing]
        keys_below = canonical_keys(children, geometry)
        places = np.searchsorted(below, keys_below)
        yield ColumnMoves(can, won, ongoing, places, keys_below != children, win)


def back_up_scores(keys: Keys, below: Keys, below_scores: Scores, geometry: Geometry) -> Scores:
    """Return the scores of a layer from the next layer: the greatest of minus the children.

    `keys` and `below` as for `moves_by_column`; `below_scores` are for the side to move there.
    """
    best = np.full(len(keys), -128, dtype=np.int8)
    for column in moves_by_column(keys, below, geometry):
        best[column.can] = np.maximum(best[column.can], column.scores(below_scores))
    return best
