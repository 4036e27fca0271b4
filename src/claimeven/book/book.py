"""The opening book: exact scores of every position of the first plies, in one small file.

A book has the unfinished positions of plies 0 .. `plies` from `enumerate.layers`, one of each pair
of mirror images, with their scores for the side to move. The keys of each ply ascend, so a position
is found by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book import format
from claimeven.book.enumerate import Keys, Scores
from claimeven.compiled.wide import words_of
from claimeven.game.batch import canonical_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.protocols import MISSING


@dataclass(frozen=True, eq=False)
class Book:
    """Exact scores of the first plies of a board.

    `keys[ply]` and `scores[ply]` are arrays of one length for each ply from 0: the keys (ascending
    words, as in `game.batch`) and scores (int8, for the side to move) of its unfinished positions.
    `description` states its origin: see `claimeven.provenance`.
    """

    geometry: Geometry
    keys: tuple[Keys, ...]
    scores: tuple[Scores, ...]
    description: Mapping[str, Any] = field(default_factory=dict)

    @property
    def plies(self) -> int:
        """The greatest number of discs of its positions."""
        return len(self.keys) - 1

    @property
    def positions(self) -> tuple[int, ...]:
        """The number of positions of each ply, with mirror images as one."""
        return tuple(len(keys) for keys in self.keys)

    @property
    def source(self) -> str:
        """The source of the scores, if the description has one."""
        return str(self.description.get("source", ""))

    def __len__(self) -> int:
        return sum(self.positions)

    def unpack(self) -> Book:
        """Return the book in memory: this one."""
        return self

    def look_up(self, position: Position) -> int | None:
        """Return the score of a position for its side to move, None if it is not in the book.

        The position must be on the board of the book, which has no finished games or later plies.
        """
        ply = position.ply
        if ply > self.plies:
            return None
        keys = self.keys[ply]
        key = position.canonical_key
        place = int(np.searchsorted(keys, words_of([key], self.geometry.bits))[0])
        return int(self.scores[ply][place]) if place < len(keys) and keys[place] == key else None

    def look_up_many(self, keys: Keys, plies: npt.NDArray[np.integer]) -> Scores:
        """Return the scores of positions by key and number of discs, or `MISSING`."""
        found = np.full(len(keys), MISSING, dtype=np.int8)
        for ply in range(self.plies + 1):
            there = np.flatnonzero(plies == ply)
            ply_keys = self.keys[ply]
            if len(there) and len(ply_keys):
                canonical = canonical_keys(keys[there], self.geometry)
                places = np.minimum(np.searchsorted(ply_keys, canonical), len(ply_keys) - 1)
                matches = ply_keys[places] == canonical
                found[there[matches]] = self.scores[ply][places[matches]]
        return found

    def to_bytes(self) -> bytes:
        """Return the file of this book (see `format`); equal books give the same bytes."""
        return format.pack(format.Contents(self.geometry, self.keys, self.scores, self.description))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the book") -> Book:
        """Read the bytes of a book; messages use `name`.

        Raises `InvalidBook` with the reason: not a book, another version of the format, cut
        short, corrupt, or invalid content.
        """
        return cls(*format.unpack(data, name))

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book file. Raises `InvalidBook` with its path, as `from_bytes`."""
        path = Path(path)
        return cls.from_bytes(format.read(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the book to a file, completely or not at all. Raises `CannotWrite`."""
        atomic_io.write_bytes(path, self.to_bytes())
