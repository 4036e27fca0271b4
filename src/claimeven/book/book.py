"""The opening book: exact scores of every position of the first plies, in one small file.

A book holds the unfinished positions of plies 0 .. `plies` as `openings.layers` lists them, one
of each pair of mirror images, and the score of each for its side to move. Ply by ply the keys
ascend, so a position is found by bisection.

A file, numbers little-endian:

```text
    offset  bytes          what
         0      8          magic: 0x89 "C4BOOK" 0x0A
         8      2          version of the format, 1
        10      4          columns, rows, connect, plies: one byte each
        14      2          zero
        16      8          bytes of the packed keys, bytes of the packed scores: 4 bytes each
        24     16          BLAKE2b digest of all other bytes
        40  4 * (plies+1)  positions of each ply
         .      .          packed keys: differences to the key before (the first to 0, modulo
                           2**64), all their lowest bytes, then all second ones .. all eighth
                           ones, compressed with zlib
         .      .          packed scores: one signed byte each, compressed with zlib
```
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import outputs
from claimeven.book.errors import InvalidBook
from claimeven.book.openings import Keys, Scores
from claimeven.game.arrays import canonical_keys
from claimeven.game.errors import InvalidGeometry
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.contract import MISSING, USUAL_BOOK

MAGIC = b"\x89C4BOOK\n"
VERSION = 1
#: The folder of the books that come with the package, named by board: `7x6.book`.
SHIPPED = Path(__file__).parent / "data"

_HEADER = struct.Struct("<8sH4BHII")
_DIGEST_BYTES = 16
_COUNT = np.dtype("<u4")
_KEY_BYTES = 8


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
        """Return the file of this book; the same book gives the same bytes."""
        counts = np.array([len(keys) for keys in self.keys], dtype=_COUNT).tobytes()
        differences = np.diff(np.concatenate(self.keys), prepend=np.uint64(0))
        planes = differences.astype("<u8").view(np.uint8).reshape(-1, _KEY_BYTES).T
        keys = zlib.compress(planes.tobytes(), 9)
        scores = zlib.compress(np.concatenate(self.scores).astype(np.int8).tobytes(), 9)
        board = self.geometry
        header = _HEADER.pack(
            MAGIC, VERSION, board.columns, board.rows, board.connect, self.plies, 0,
            len(keys), len(scores),
        )  # fmt: skip
        body = counts + keys + scores
        return header + _digest(header, body) + body

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the book") -> Book:
        """Read the bytes of a book; `name` is what messages call it.

        Raises `InvalidBook` saying what is wrong: not a book, another version of the format, cut
        short, damaged, or not what this format allows.
        """
        start = _HEADER.size + _DIGEST_BYTES
        if data[: len(MAGIC)] != MAGIC:
            raise InvalidBook(f"{name} is not an opening book: it does not begin like one")
        if len(data) < start:
            raise InvalidBook(f"{name} is cut short: it ends within its header")
        header = data[: _HEADER.size]
        _, version, columns, rows, connect, plies, _, key_bytes, score_bytes = _HEADER.unpack(
            header
        )
        if version != VERSION:
            raise InvalidBook(
                f"{name} is of version {version} of the book format; this is version {VERSION}"
            )
        body = data[start:]
        count_bytes = _COUNT.itemsize * (plies + 1)
        expected = count_bytes + key_bytes + score_bytes
        if len(body) != expected:
            wrong = "is cut short" if len(body) < expected else "is too long"
            raise InvalidBook(
                f"{name} {wrong}: {len(data)} bytes where its header says {start + expected}"
            )
        if data[_HEADER.size : start] != _digest(header, body):
            raise InvalidBook(f"{name} is damaged: its checksum is wrong")
        geometry = _geometry(columns, rows, connect, plies, name)
        counts = np.frombuffer(body[:count_bytes], dtype=_COUNT)
        keys = _unpack_keys(body[count_bytes : count_bytes + key_bytes], name)
        scores = np.frombuffer(_unpacked(body[count_bytes + key_bytes :], name), dtype=np.int8)
        if not len(keys) == len(scores) == int(counts.sum()):
            raise InvalidBook(f"{name} is damaged: its numbers of keys and scores differ")
        ends = np.cumsum(counts)[:-1]
        return cls(geometry, tuple(np.split(keys, ends)), tuple(np.split(scores, ends)))

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book file. Raises `InvalidBook` naming it: unreadable, or as `from_bytes`."""
        path = Path(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidBook(f"{path} cannot be read: {error.strerror or error}") from None
        return cls.from_bytes(data, str(path))

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
    return None if path is None else Book.load(path)


def open_book(geometry: Geometry, where: str | Path) -> Book | None:
    """Return the book in a file, or for `USUAL_BOOK` the one that comes with the package.

    None if the package has none for the board. Raises `InvalidBook` for a damaged file.
    """
    return shipped(geometry) if where == USUAL_BOOK else Book.load(where)


def _digest(header: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(header + body, digest_size=_DIGEST_BYTES).digest()


def _geometry(columns: int, rows: int, connect: int, plies: int, name: str) -> Geometry:
    """Return the board a header names; the compiled code must be able to hold it."""
    try:
        geometry = Geometry(columns, rows, connect)
    except InvalidGeometry as error:
        raise InvalidBook(f"{name} is for no board: {error}") from None
    geometry.check_fits_word("a book", InvalidBook)
    if plies >= geometry.cells:
        raise InvalidBook(f"{name} goes to ply {plies}; the board {geometry} is full by then")
    return geometry


def _unpacked(packed: bytes, name: str) -> bytes:
    try:
        return zlib.decompress(packed)
    except zlib.error:
        raise InvalidBook(f"{name} is damaged: it cannot be unpacked") from None


def _unpack_keys(packed: bytes, name: str) -> Keys:
    planes = np.frombuffer(_unpacked(packed, name), dtype=np.uint8)
    if len(planes) % _KEY_BYTES:
        raise InvalidBook(f"{name} is damaged: its keys are not whole")
    differences = np.ascontiguousarray(planes.reshape(_KEY_BYTES, -1).T).view("<u8").reshape(-1)
    return np.cumsum(differences, dtype=np.uint64)
