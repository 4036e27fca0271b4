"""Batches of positions as arrays of words: moves, keys, lines, mirror images.

A position is two words, `mine` (discs of the side to move) and `mask` (all discs), or one: its key,
`mine + mask` (`Position.key`). Arrays have the shape (n,) and the type uint64, or are `WideWords`
on boards of 65 to 128 bits (see `compiled.wide`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from claimeven.compiled.wide import word
from claimeven.game import bitboard
from claimeven.game.geometry import Geometry

Boards = npt.NDArray[np.uint64]


def moves(
    mine: Boards, mask: Boards, geometry: Geometry
) -> Iterator[tuple[npt.NDArray[np.intp], Boards, Boards]]:
    """Yield for each column: which positions can play it, and their (mine, mask) afterwards."""
    for column in range(geometry.columns):
        lowest, cells = (1 << geometry.bit(column, 0)), geometry.column_mask(column)
        cell = (mask + word(lowest, geometry.bits)) & word(cells, geometry.bits)
        can = np.flatnonzero(cell != 0)
        yield can, (mine ^ mask)[can], (mask | cell)[can]


def mirrored_keys(keys: Boards, geometry: Geometry) -> Boards:
    """Return the keys of the mirror images. Each column has its own bits of a key."""
    height, images = geometry.height, np.zeros_like(keys)
    # NumPy works in place only with NumPy numbers.
    part = word((1 << height) - 1, geometry.bits)
    for column in range(geometry.columns):
        there = word(column * height, geometry.bits)
        back = word((geometry.columns - 1 - column) * height, geometry.bits)
        images |= ((keys >> there) & part) << back
    return images


def canonical_keys(keys: Boards, geometry: Geometry) -> Boards:
    """Return the smaller key of each position and its mirror image."""
    return np.minimum(keys, mirrored_keys(keys, geometry))


def image_counts(keys: Boards, geometry: Geometry) -> npt.NDArray[np.int64]:
    """Return the number of positions of each key: 1 if it is its own mirror image, else 2."""
    return np.where(mirrored_keys(keys, geometry) == keys, 1, 2)


def has_line(discs: Boards, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which words contain a line of `connect` discs."""
    found, words = np.zeros(len(discs), dtype=bool), cast(Any, discs)
    for step in geometry.steps:
        found |= bitboard.run_starts(words, step, geometry.connect) != 0
    return found


def has_win(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which sides, with the discs `mine`, could complete a line with their next disc."""
    found = np.zeros(len(mine), dtype=bool)
    for can, _, mask_after in moves(mine, mask, geometry):
        found[can] |= has_line(mine[can] | (mask_after ^ mask[can]), geometry)
    return found


def disc_counts(words: Boards) -> npt.NDArray[np.int64]:
    """Return the number of bits set in each word: its discs."""
    return np.bitwise_count(words).astype(np.int64)
