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

from claimeven.game.arrays import canonical_keys, has_line, image_counts, moves
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
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
        keys = np.unique(np.concatenate(found)) if found else keys[:0]
        mine, mask = discs_of_keys(keys, geometry)
        won = has_line(mine ^ mask, geometry)
        full = ~won & (mask == np.uint64(geometry.board))
        images = image_counts(keys, geometry)
        yield Layer(
            ply, keys := keys[~(won | full)], int(images[won].sum()), int(images[full].sum())
        )


def backed_up(keys: Keys, below: Keys, below_scores: Scores, geometry: Geometry) -> Scores:
    """Return the scores of a layer from those of the next: the best of minus the children.

    `keys` are unfinished positions of one ply; `below` are the (ascending) keys of all unfinished
    positions one ply on and `below_scores` what they are worth to their side to move.
    """
    mine, mask = discs_of_keys(keys, geometry)
    best = np.full(len(keys), -128, dtype=np.int16)
    for can, theirs, mask_after in moves(mine, mask, geometry):
        scores = np.zeros(len(can), dtype=np.int16)
        moved = theirs ^ mask_after
        won = has_line(moved, geometry)
        if len(can):
            ply = int(mask[can[0]]).bit_count()
            scores[won] = win_score(geometry, ply)
        going_on = ~won & (mask_after != np.uint64(geometry.board))
        children = canonical_keys((theirs + mask_after)[going_on], geometry)
        places = np.searchsorted(below, children)
        scores[going_on] = -below_scores[places].astype(np.int16)
        best[can] = np.maximum(best[can], scores)
    return best.astype(np.int8)
