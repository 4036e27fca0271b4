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

from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernels import discs_of_keys

Keys = npt.NDArray[np.uint64]
Scores = npt.NDArray[np.int8]

_BITS_OF_OCTET = np.array([octet.bit_count() for octet in range(256)], dtype=np.int64)


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


def moves(
    mine: Keys, mask: Keys, geometry: Geometry
) -> Iterator[tuple[npt.NDArray[np.intp], Keys, Keys]]:
    """Yield for each column: which positions can play it, and (mine, mask) of those afterwards."""
    for column in range(geometry.columns):
        cell = (mask + np.uint64(1 << geometry.bit(column, 0))) & np.uint64(
            geometry.column_mask(column)
        )
        can = np.flatnonzero(cell)
        yield can, (mine ^ mask)[can], (mask | cell)[can]


def mirrored_keys(keys: Keys, geometry: Geometry) -> Keys:
    """Return the keys of the mirror images. A column's part of a key never leaves its bits."""
    height = geometry.height
    part = np.uint64((1 << height) - 1)
    images = np.zeros_like(keys)
    for column in range(geometry.columns):
        there = np.uint64(column * height)
        back = np.uint64((geometry.columns - 1 - column) * height)
        images |= ((keys >> there) & part) << back
    return images


def canonical_keys(keys: Keys, geometry: Geometry) -> Keys:
    """Return the smaller key of each position and its mirror image."""
    return np.minimum(keys, mirrored_keys(keys, geometry))


def image_counts(keys: Keys, geometry: Geometry) -> npt.NDArray[np.int64]:
    """Return how many positions each key stands for: 1 if it is its own mirror image, else 2."""
    return np.where(mirrored_keys(keys, geometry) == keys, 1, 2)


def has_line(discs: Keys, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which of the words hold `connect` in a line."""
    found = np.zeros(len(discs), dtype=bool)
    for step in geometry.steps:
        starts = discs.copy()
        for i in range(1, geometry.connect):
            starts &= discs >> np.uint64(i * step) if i * step < 64 else np.uint64(0)
        found |= starts != 0
    return found


def has_win(mine: Keys, mask: Keys, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which sides, holding `mine`, could complete a line with their next disc."""
    found = np.zeros(len(mine), dtype=bool)
    for can, _, mask_after in moves(mine, mask, geometry):
        found[can] |= has_line(mine[can] | (mask_after ^ mask[can]), geometry)
    return found


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
            scores[won] = (geometry.cells + 1 - ply) // 2
        going_on = ~won & (mask_after != np.uint64(geometry.board))
        children = canonical_keys((theirs + mask_after)[going_on], geometry)
        places = np.searchsorted(below, children)
        scores[going_on] = -below_scores[places].astype(np.int16)
        best[can] = np.maximum(best[can], scores)
    return best.astype(np.int8)


def disc_counts(words: Keys) -> npt.NDArray[np.int64]:
    """Return the number of bits set in each word: its discs."""
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(-1, words.itemsize)
    counts: npt.NDArray[np.int64] = _BITS_OF_OCTET[octets].sum(axis=1)
    return counts
