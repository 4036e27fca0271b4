"""The opening book: exact scores of every position of the first plies, in one small file.

A book holds the unfinished positions of plies 0 .. `plies` as `openings.layers` lists them, one
of each pair of mirror images, and the score of each for its side to move. Ply by ply the keys
ascend, so a position is found by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import outputs
from claimeven.book import file
from claimeven.book.openings import Keys, Scores
from claimeven.game.arrays import canonical_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.contract import MISSING, USUAL_BOOK

#: The folder of the books that come with the package, named by board: `7x6.book`.
SHIPPED = Path(__file__).parent / "data"


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

    def __len__(self) -> int:
        return sum(len(keys) for keys in self.keys)

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
        return file.pack(file.Contents(self.geometry, self.keys, self.scores))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the book") -> Book:
        """Read the bytes of a book; `name` is what messages call it.

        Raises `InvalidBook` saying what is wrong: not a book, another version of the format, cut
        short, damaged, or not what this format allows.
        """
        return cls(*file.unpack(data, name))

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book file. Raises `InvalidBook` naming it: unreadable, or as `from_bytes`."""
        path = Path(path)
        return cls.from_bytes(file.read(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the book to a file, whole or not at all. Raises `CannotWrite` (see `outputs`)."""
        outputs.write_bytes(path, self.to_bytes())


def shipped_path(geometry: Geometry) -> Path | None:
    """Return where the book for a board lies that comes with the package, None without one."""
    path = SHIPPED / f"{geometry.columns}x{geometry.rows}.book"
    return path if geometry.connect == Geometry.connect and path.is_file() else None


@cache
def shipped(geometry: Geometry) -> Book | None:
    """Return the book for a board that comes with the package, None if there is none.

    Raises `InvalidBook` if its file is damaged.
    """
    path = shipped_path(geometry)
    return None if path is None else Book(*file.unpack(file.read(path), str(path), is_ours=True))


def open_book(geometry: Geometry, where: str | Path) -> Book | None:
    """Return the book in a file, or for `USUAL_BOOK` the one that comes with the package.

    None if the package has none for the board. Raises `InvalidBook` for a damaged file.
    """
    return shipped(geometry) if where == USUAL_BOOK else Book.load(where)
