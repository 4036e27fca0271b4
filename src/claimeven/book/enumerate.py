"""Every position of the first plies, in arrays: what a book holds and how it is backed up.

Positions are held by their **key** (`Position.key`, mine + mask), the smaller of the two of a
position and its mirror image, so that each pair of images is held once. Finished games are left
out: their scores follow from the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import canonical_keys, has_line, image_counts, moves
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys, sort_unique
from claimeven.solver.scores import win_score

Keys = npt.NDArray[np.uint64]
Scores = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Layer:
    """All positions after a number of plies.

    `keys`: the unfinished ones, one of each pair of mirror images, ascending. `decided` and
    `drawn` count the distinct finished ones, mirror images as two: games that the last disc won,
    and full boards without a line.
    """

    ply: int
    keys: Keys
    decided: int = 0
    drawn: int = 0


def layers(geometry: Geometry, plies: int) -> Iterator[Layer]:
    """Yield the layers after 0, 1, .. `plies` plies of a board of at most 64 bits.

    >>> [len(layer.keys) for layer in layers(Geometry(), 4)]
    [1, 4, 25, 121, 568]
    """
    keys = np.zeros(1, dtype=np.uint64)
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
        full = ~won & (mask == np.uint64(geometry.board))
        images = image_counts(keys, geometry)
        yield Layer(
            ply, keys := keys[~(won | full)], int(images[won].sum()), int(images[full].sum())
        )


@dataclass(frozen=True)
class ColumnMoves:
    """What becomes of the positions of a layer when all play one column.

    `can` are the places of those that can play it; the others follow them. `won`: which win by it.
    `ongoing` are the entries of `can` whose game goes on, `below` the places of these children in
    the next layer, and `mirrored` whether it holds their mirror images there instead. A win by this
    disc is worth `win`.
    """

    can: npt.NDArray[np.intp]
    won: npt.NDArray[np.bool_]
    ongoing: npt.NDArray[np.intp]
    below: npt.NDArray[np.intp]
    mirrored: npt.NDArray[np.bool_]
    win: int

    def scores(self, below_scores: Scores) -> Scores:
        """Return what the column is worth to those of `can` by the scores of the next layer."""
        scores = np.zeros(len(self.can), dtype=np.int8)
        scores[self.won] = self.win
        scores[self.ongoing] = -below_scores[self.below]
        return scores


def moves_by_column(keys: Keys, below: Keys, geometry: Geometry) -> Iterator[ColumnMoves]:
    """Yield for each column what becomes of the positions of a layer that play it.

    `keys` are unfinished positions of one ply; `below` are the (ascending) keys of all unfinished
    positions one ply on.
    """
    mine, mask = discs_of_keys(keys, geometry)
    win = win_score(geometry, int(mask[0]).bit_count()) if len(keys) else 0
    for can, theirs, mask_after in moves(mine, mask, geometry):
        won = has_line(theirs ^ mask_after, geometry)
        ongoing = np.flatnonzero(~won & (mask_after != np.uint64(geometry.board)))
        children = (theirs + mask_after)[ongoing]
        held = canonical_keys(children, geometry)
        yield ColumnMoves(can, won, ongoing, np.searchsorted(below, held), held != children, win)


def back_up_scores(keys: Keys, below: Keys, below_scores: Scores, geometry: Geometry) -> Scores:
    """Return the scores of a layer from those of the next: the best of minus the children.

    `keys` and `below` as for `played`; `below_scores` is what those are worth to their side to
    move.
    """
    best = np.full(len(keys), -128, dtype=np.int8)
    for column in moves_by_column(keys, below, geometry):
        best[column.can] = np.maximum(best[column.can], column.scores(below_scores))
    return best
