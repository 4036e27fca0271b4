"""The opening book: exact scores of every position of the first plies, in one small file.

A book has the unfinished positions of plies 0 .. `plies` from `enumerate.layers`, one of each pair
of mirror images, with their scores for the side to move. The keys of each ply ascend, so a position
is found by bisection.

The file is read completely; `mmap_book` is for larger books. Numbers are little-endian.

```text
    offset  bytes          content
         0      8          magic: 0x89 "C4BOOK" 0x0A
         8      2          version of the format: 3, or 1 without a description
        10      4          columns, rows, connect, plies: one byte each
        14      2          bytes of the description
        16      8          bytes of the packed keys, bytes of the packed scores: 4 bytes each
        24     16          BLAKE2b digest of all other bytes
        40  4 * (plies+1)  positions of each ply
         .      .          the description as JSON: see `claimeven.provenance`
         .      .          packed keys: differences to the previous key (the first to 0, modulo
                           2**64), all their lowest bytes, then all second bytes .. all eighth
                           bytes, compressed with zlib; sixteen bytes and modulo 2**128 on
                           boards of more than 64 bits
         .      .          packed scores: one signed byte each, compressed with zlib
```

A digest detects only accidental changes. For protection against malicious files, the reader limits
the bytes that it reads and unpacks. It checks that every key is a position of its ply, and that
every score is possible for that ply. `verify` checks the scores themselves.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book.enumerate import Keys, Scores
from claimeven.compiled import MAX_BITS
from claimeven.compiled.wide import joined, words_of
from claimeven.errors import path_of
from claimeven.game.batch import canonical_keys, disc_counts
from claimeven.game.errors import ClaimevenError, InvalidGeometry
from claimeven.game.geometry import Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.provenance import SCHEMAS, check_schema
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range
from claimeven.text_io import reading


class InvalidBook(ClaimevenError):
    """A file that is not an opening book, is corrupt, or is for another board."""


MAGIC = b"\x89C4BOOK\n"
PLAIN_VERSION, VERSION = 1, SCHEMAS["book"]
#: More plies could not be solved, and more positions would not fit the memory of most machines.
MAX_PLIES, MAX_POSITIONS = 14, 1 << 26

_HEADER = struct.Struct("<8sH4BHII")
DIGEST_BYTES = 16
_START = _HEADER.size + DIGEST_BYTES
_COUNT = np.dtype("<u4")


class _Header(NamedTuple):
    """The header of a file, which gives the size of the rest."""

    geometry: Geometry
    plies: int
    text_bytes: int
    key_bytes: int
    score_bytes: int

    @property
    def count_bytes(self) -> int:
        return _COUNT.itemsize * (self.plies + 1)

    @property
    def size(self) -> int:
        return _START + self.count_bytes + self.text_bytes + self.key_bytes + self.score_bytes


def check_plies(geometry: Geometry, plies: int) -> None:
    """Raise `InvalidBook` unless a book of the board can have that many plies."""
    geometry.check_fits_word("a book", InvalidBook, MAX_BITS)
    most = min(MAX_PLIES, geometry.cells - 1)
    whole_number(plies, f"the plies of a book of {geometry}", InvalidBook, low=0, high=most)


def board_of(columns: int, rows: int, connect: int, plies: int, name: str) -> Geometry:
    """Return the board of a file. Raises `InvalidBook` for an invalid board or number of plies."""
    try:
        geometry = Geometry(columns, rows, connect)
    except InvalidGeometry as error:
        raise InvalidBook(f"{name} is for an invalid board: {error}") from None
    try:
        check_plies(geometry, plies)
    except InvalidBook as error:
        raise InvalidBook(f"{name} cannot be a book: {error}") from None
    return geometry


def check_start(data: bytes, size: int, name: str) -> None:
    """Raise `InvalidBook` unless bytes start like a book, with a header of `size` bytes."""
    if data[: len(MAGIC)] != MAGIC:
        raise InvalidBook(f"{name} is not an opening book: it does not start like one")
    if len(data) < size:
        raise InvalidBook(f"{name} is cut short: it ends within its header")


def check_size(size: int, expected: int, name: str) -> None:
    """Raise `InvalidBook` unless a file has the expected size."""
    if size != expected:
        wrong = "is cut short" if size < expected else "is too long"
        raise InvalidBook(f"{name} {wrong}: it must have {expected:,} bytes, got {size:,}")


def digest_of(*parts: bytes) -> bytes:
    """Return the BLAKE2b digest of some bytes, `DIGEST_BYTES` long."""
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES).digest()


def read(path: Path) -> bytes:
    """Return the bytes of a book in a file, and one more byte if the file is longer.

    Raises `InvalidBook` for a file that cannot be read or does not start like a book.
    """
    with reading(path, InvalidBook), path.open("rb") as stream:
        start = stream.read(_START)
        return start + stream.read(_read_header(start, str(path)).size - _START + 1)


def _read_header(data: bytes, name: str) -> _Header:
    check_start(data, _START, name)
    _, version, columns, rows, connect, plies, text_bytes, key_bytes, score_bytes = _HEADER.unpack(
        data[: _HEADER.size]
    )
    check_schema("book", version, name, None, InvalidBook)
    if version not in (PLAIN_VERSION, VERSION) or bool(text_bytes) != (version == VERSION):
        raise InvalidBook(f"{name} is corrupt: version {version} of the format has no such header")
    geometry = board_of(columns, rows, connect, plies, name)
    # Incompressible data grows a little.
    if key_bytes > (_key_bytes(geometry) + 1) * MAX_POSITIONS or score_bytes > 2 * MAX_POSITIONS:
        raise InvalidBook(f"{name} is corrupt: it claims more positions than a book can have")
    return _Header(geometry, plies, text_bytes, key_bytes, score_bytes)


def text_of(description: Mapping[str, Any]) -> bytes:
    """Return a description as JSON; empty without one."""
    return json.dumps(description, sort_keys=True).encode() if description else b""


def description_of(text: bytes) -> dict[str, Any]:
    """Return the description in a text, empty for another text."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return found if isinstance(found, dict) else {}
    return {}


def _key_bytes(geometry: Geometry) -> int:
    return 8 if geometry.fits_word else 16


def _check_counts(counts: list[int], geometry: Geometry, name: str) -> None:
    most = 1
    for ply, count in enumerate(counts):
        if count > most or (ply == 0 and count != 1):
            raise InvalidBook(f"{name} is corrupt: it claims {count} positions of ply {ply}")
        most = count * geometry.columns
    if sum(counts) > MAX_POSITIONS:
        raise InvalidBook(f"{name} has {sum(counts)} positions; a book has {MAX_POSITIONS} at most")


def _decompress(packed: bytes, size: int, name: str) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, size + 1)
    except zlib.error:
        raise InvalidBook(f"{name} is corrupt: it cannot be unpacked") from None
    if len(data) != size or not unpacking.eof or unpacking.unused_data:
        raise InvalidBook(f"{name} is corrupt: it does not unpack to the expected size")
    return data


def _unpack_keys(packed: bytes, geometry: Geometry) -> Keys:
    planes = np.frombuffer(packed, dtype=np.uint8).reshape(_key_bytes(geometry), -1)
    low, *high = np.ascontiguousarray(planes.T).view("<u8").T
    sums = np.cumsum(low, dtype=np.uint64)
    if high:
        sums = joined(sums, np.cumsum(high[0] + (sums < low), dtype=np.uint64))
    keys: Keys = words_of(sums, geometry.bits)
    return keys


def _check_contents(book: Book, name: str) -> None:
    """Raise `InvalidBook` for keys that are invalid or not in order, and for impossible scores."""
    geometry = book.geometry
    for ply, (keys, scores) in enumerate(zip(book.keys, book.scores, strict=True)):
        if not (keys[:-1] < keys[1:]).all():
            raise InvalidBook(f"{name} is corrupt: its keys of ply {ply} do not ascend")
        mine, mask = discs_of_keys(keys, geometry)
        mask &= geometry.board
        wrong = (mine + mask != keys) | (disc_counts(mask) != ply) | (disc_counts(mine) != ply // 2)
        if wrong.any():
            raise InvalidBook(f"{name} is corrupt: a key of ply {ply} is not of that ply")
        lowest, highest = score_range(geometry, ply)
        impossible = np.flatnonzero((scores < lowest) | (scores > highest))
        if len(impossible):
            raise InvalidBook(
                f"{name} is corrupt: scores of ply {ply} must be {lowest} to {highest}, got"
                f" {scores[impossible[0]]}"
            )


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
        """Return the file of this book; equal books give the same bytes."""
        board = self.geometry
        counts = np.array([len(keys) for keys in self.keys], dtype=_COUNT).tobytes()
        all_keys = np.concatenate(self.keys)
        differences = all_keys.copy()
        differences[1:] -= all_keys[:-1]
        octets = differences.view(np.ndarray).view(np.uint8).reshape(-1, differences.itemsize)
        keys = zlib.compress(octets.T[: _key_bytes(board)].tobytes(), 9)
        scores = zlib.compress(np.concatenate(self.scores).astype(np.int8).tobytes(), 9)
        text = text_of(self.description)
        header = _HEADER.pack(
            MAGIC, VERSION if text else PLAIN_VERSION, board.columns, board.rows, board.connect,
            self.plies, len(text), len(keys), len(scores),
        )  # fmt: skip
        body = counts + text + keys + scores
        return header + digest_of(header, body) + body

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the book", trusted: bool = False) -> Book:
        """Read the bytes of a book; messages use `name`.

        The keys and scores of a `trusted` file, such as a file of the package, are not checked.
        Raises `InvalidBook` with the reason: not a book, another version of the format, cut
        short, corrupt, or invalid content.
        """
        header = _read_header(data, name)
        check_size(len(data), header.size, name)
        body = data[_START:]
        if data[_HEADER.size : _START] != digest_of(data[: _HEADER.size], body):
            raise InvalidBook(f"{name} is corrupt: its checksum is wrong")
        keys_start = header.count_bytes + header.text_bytes
        scores_start = keys_start + header.key_bytes
        counts = np.frombuffer(body[: header.count_bytes], dtype=_COUNT).tolist()
        _check_counts(counts, header.geometry, name)
        size = _key_bytes(header.geometry) * sum(counts)
        keys = _unpack_keys(_decompress(body[keys_start:scores_start], size, name), header.geometry)
        scores = np.frombuffer(_decompress(body[scores_start:], sum(counts), name), dtype=np.int8)
        ends = np.cumsum(counts)[:-1]
        about = description_of(body[header.count_bytes : keys_start])
        parts = tuple(np.split(keys, ends)), tuple(np.split(scores, ends))
        book = cls(header.geometry, *parts, about)
        if not trusted:
            _check_contents(book, name)
        return book

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book file. Raises `InvalidBook` with its path, as `from_bytes`."""
        path = path_of(path, InvalidBook)
        return cls.from_bytes(read(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the book to a file, completely or not at all. Raises `CannotWrite`."""
        atomic_io.write_bytes(path, self.to_bytes())
