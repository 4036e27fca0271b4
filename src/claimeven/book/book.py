"""The opening book: exact scores of every position of the first plies, in one small file.

A book holds the unfinished positions of plies 0 .. `plies` as `openings.layers` lists them, one
of each pair of mirror images, and the score of each for its side to move. Ply by ply the keys
ascend, so a position is found by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book import format
from claimeven.book.enumerate import Keys, Scores
from claimeven.game.batch import canonical_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.protocols import MISSING


@dataclass(frozen=True, eq=False)
class Book:
    """Exact scores of the first plies of a board.

    `keys[ply]` and `scores[ply]` are arrays of one length for each ply from 0: the keys (uint64,
    ascending) and scores (int8, for the side to move) of its unfinished positions.
    """

    geometry: Geometry
    keys: tuple[Keys, ...]
    scores: tuple[Scores, ...]

    @property
    def plies(self) -> int:
        """The greatest number of discs of positions held."""
        return len(self.keys) - 1

    @property
    def positions(self) -> tuple[int, ...]:
        """The number of positions of each ply, mirror images as one."""
        return tuple(len(keys) for keys in self.keys)

    @property
    def source(self) -> str:
        """Where the scores come from: such a file does not tell."""
        return ""

    def __len__(self) -> int:
        return sum(self.positions)

    def unpack(self) -> Book:
        """Return the book in memory: this one."""
        return self

    def look_up(self, position: Position) -> int | None:
        """Return the score of a position for its side to move, None if it is not held.

        The position must be of this book's board. Finished games and later plies are not held.
        """
        ply = position.ply
        if ply > self.plies:
            return None
        keys = self.keys[ply]
        key = np.uint64(position.canonical_key)
        place = int(np.searchsorted(keys, key))
        return int(self.scores[ply][place]) if place < len(keys) and keys[place] == key else None

    def look_up_many(self, keys: Keys, plies: npt.NDArray[np.integer]) -> Scores:
        """Return the scores of positions by key and number of discs, `MISSING` where not held."""
        found = np.full(len(keys), MISSING, dtype=np.int8)
        for ply in range(self.plies + 1):
            there = np.flatnonzero(plies == ply)
            held = self.keys[ply]
            if len(there) and len(held):
                wanted = canonical_keys(keys[there], self.geometry)
                places = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
                known = held[places] == wanted
                found[there[known]] = self.scores[ply][places[known]]
        return found

    def to_bytes(self) -> bytes:
        """Return the file of this book (see `file`); the same book gives the same bytes."""
        return format.pack(format.Contents(self.geometry, self.keys, self.scores))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the book") -> Book:
        """Read the bytes of a book; `name` is what messages call it.

        Raises `InvalidBook` saying what is wrong: not a book, another version of the format, cut
        short, damaged, or not what this format allows.
        """
        return cls(*format.unpack(data, name))

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book file. Raises `InvalidBook` naming it: unreadable, or as `from_bytes`."""
        path = Path(path)
        return cls.from_bytes(format.read(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the book to a file, whole or not at all. Raises `CannotWrite` (see `outputs`)."""
        atomic_io.write_bytes(path, self.to_bytes())
