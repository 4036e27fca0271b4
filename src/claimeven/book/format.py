"""The file of a small book: its layout, writing it, and reading one that is not to be trusted.

It is read whole; `mapped` is the other version, for books too large for that.

Numbers are little-endian.

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

A digest guards against accidents only. So that a file made to do harm does none, no more is read
and unpacked than a book can hold, and every key must be that of a position of its ply, every
score one that such a position can have. Whether the scores are right `verify` tells.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.book.enumerate import Keys, Scores
from claimeven.book.errors import InvalidBook
from claimeven.game.errors import InvalidGeometry
from claimeven.game.geometry import Geometry
from claimeven.solver.scores import score_range

MAGIC = b"\x89C4BOOK\n"
VERSION = 1
#: More plies make more positions than anybody could solve, and more positions than this do not
#: fit the memory of most machines.
MAX_PLIES, MAX_POSITIONS = 14, 1 << 26

_HEADER = struct.Struct("<8sH4BHII")
DIGEST_BYTES = 16
_START = _HEADER.size + DIGEST_BYTES
_COUNT = np.dtype("<u4")
_KEY_BYTES = 8


class Contents(NamedTuple):
    """What a book is made of (see `Book`)."""

    geometry: Geometry
    keys: tuple[Keys, ...]
    scores: tuple[Scores, ...]


class _Header(NamedTuple):
    """What the first bytes of a file say of the rest."""

    geometry: Geometry
    plies: int
    key_bytes: int
    score_bytes: int

    @property
    def count_bytes(self) -> int:
        return _COUNT.itemsize * (self.plies + 1)

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return _START + self.count_bytes + self.key_bytes + self.score_bytes


def check_plies(geometry: Geometry, plies: int) -> None:
    """Raise `InvalidBook` unless there can be a book of that many plies for the board."""
    geometry.check_fits_word("a book", InvalidBook)
    most = min(MAX_PLIES, geometry.cells - 1)
    if not 0 <= plies <= most:
        raise InvalidBook(f"a book of {geometry} goes to ply 0 to {most}, not {plies}")


def board_of(columns: int, rows: int, connect: int, plies: int, name: str) -> Geometry:
    """Return the board that a file says it is for; `InvalidBook` for one that cannot have it."""
    try:
        geometry = Geometry(columns, rows, connect)
    except InvalidGeometry as error:
        raise InvalidBook(f"{name} is for no board: {error}") from None
    try:
        check_plies(geometry, plies)
    except InvalidBook as error:
        raise InvalidBook(f"{name} cannot be a book: {error}") from None
    return geometry


def check_start(data: bytes, size: int, name: str) -> None:
    """Raise `InvalidBook` unless bytes start as a book does, with a header of `size` bytes."""
    if data[: len(MAGIC)] != MAGIC:
        raise InvalidBook(f"{name} is not an opening book: it does not begin like one")
    if len(data) < size:
        raise InvalidBook(f"{name} is cut short: it ends within its header")


def check_size(size: int, wanted: int, name: str) -> None:
    """Raise `InvalidBook` unless a file has the size it should have."""
    if size != wanted:
        wrong = "is cut short" if size < wanted else "is too long"
        raise InvalidBook(f"{name} {wrong}: it should have {wanted:,} bytes")


def digest_of(*parts: bytes) -> bytes:
    """Return the BLAKE2b digest of some bytes, `DIGEST_BYTES` long."""
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES).digest()


def pack(contents: Contents) -> bytes:
    """Return the bytes of a file; the same contents give the same bytes."""
    board = contents.geometry
    counts = np.array([len(keys) for keys in contents.keys], dtype=_COUNT).tobytes()
    differences = np.diff(np.concatenate(contents.keys), prepend=np.uint64(0))
    planes = differences.astype("<u8").view(np.uint8).reshape(-1, _KEY_BYTES).T
    keys = zlib.compress(planes.tobytes(), 9)
    scores = zlib.compress(np.concatenate(contents.scores).astype(np.int8).tobytes(), 9)
    header = _HEADER.pack(
        MAGIC, VERSION, board.columns, board.rows, board.connect, len(contents.keys) - 1, 0,
        len(keys), len(scores),
    )  # fmt: skip
    body = counts + keys + scores
    return header + digest_of(header, body) + body


def read(path: Path) -> bytes:
    """Return the bytes of a file as far as a book goes, and one more if there are more.

    Raises `InvalidBook` for a file that cannot be read or does not begin as a book does.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(_START)
            return start + stream.read(_read_header(start, str(path)).size - _START + 1)
    except OSError as error:
        raise InvalidBook(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(data: bytes, name: str, is_ours: bool = False) -> Contents:
    """Return what the bytes of a file hold; `name` is what messages call it.

    The keys and scores of a file that `is_ours`, one of the package, are taken as they are.

    Raises `InvalidBook` saying what is wrong: not a book, another version of the format, cut
    short, damaged, or not what this format allows.
    """
    header = _read_header(data, name)
    check_size(len(data), header.size, name)
    body = data[_START:]
    if data[_HEADER.size : _START] != digest_of(data[: _HEADER.size], body):
        raise InvalidBook(f"{name} is damaged: its checksum is wrong")
    keys_start, scores_start = header.count_bytes, header.count_bytes + header.key_bytes
    counts = np.frombuffer(body[:keys_start], dtype=_COUNT).tolist()
    _check_counts(counts, header.geometry, name)
    keys = _unpack_keys(body[keys_start:scores_start], sum(counts), name)
    scores = np.frombuffer(_unpacked(body[scores_start:], sum(counts), name), dtype=np.int8)
    ends = np.cumsum(counts)[:-1]
    contents = Contents(header.geometry, tuple(np.split(keys, ends)), tuple(np.split(scores, ends)))
    if not is_ours:
        _check_contents(contents, name)
    return contents


def _read_header(data: bytes, name: str) -> _Header:
    check_start(data, _START, name)
    _, version, columns, rows, connect, plies, zero, key_bytes, score_bytes = _HEADER.unpack(
        data[: _HEADER.size]
    )
    if version != VERSION or zero:
        raise InvalidBook(
            f"{name} is of version {version} of the book format; this is version {VERSION}"
        )
    geometry = board_of(columns, rows, connect, plies, name)
    # What does not shrink when it is packed takes a little more room.
    if key_bytes > (_KEY_BYTES + 1) * MAX_POSITIONS or score_bytes > 2 * MAX_POSITIONS:
        raise InvalidBook(f"{name} is damaged: it says that it holds more than a book can")
    return _Header(geometry, plies, key_bytes, score_bytes)


def _check_counts(counts: list[int], geometry: Geometry, name: str) -> None:
    """Raise `InvalidBook` for numbers of positions that cannot be."""
    most = 1
    for ply, count in enumerate(counts):
        if count > most or (ply == 0 and count != 1):
            raise InvalidBook(f"{name} is damaged: it says it holds {count} positions of ply {ply}")
        most = count * geometry.columns
    if sum(counts) > MAX_POSITIONS:
        raise InvalidBook(
            f"{name} holds {sum(counts)} positions; a book holds {MAX_POSITIONS} at most"
        )


def _unpacked(packed: bytes, size: int, name: str) -> bytes:
    """Unpack to the size it must have, and never to more."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, size + 1)
    except zlib.error:
        raise InvalidBook(f"{name} is damaged: it cannot be unpacked") from None
    if len(data) != size or not unpacking.eof or unpacking.unused_data:
        raise InvalidBook(f"{name} is damaged: it unpacks to another size than it should")
    return data


def _unpack_keys(packed: bytes, count: int, name: str) -> Keys:
    planes = np.frombuffer(_unpacked(packed, _KEY_BYTES * count, name), dtype=np.uint8)
    differences = np.ascontiguousarray(planes.reshape(_KEY_BYTES, -1).T).view("<u8").reshape(-1)
    return np.cumsum(differences, dtype=np.uint64)


def _check_contents(contents: Contents, name: str) -> None:
    """Raise `InvalidBook` for keys that are no positions of their ply, or not in order, and for
    scores that no position of the ply can have.
    """
    geometry = contents.geometry
    for ply, (keys, scores) in enumerate(zip(contents.keys, contents.scores, strict=True)):
        if not (keys[:-1] < keys[1:]).all():
            raise InvalidBook(f"{name} is damaged: its keys of ply {ply} do not ascend")
        if not (_discs(keys, geometry) == _discs_wanted(ply)).all():
            raise InvalidBook(f"{name} is damaged: a key of ply {ply} is that of no such position")
        lowest, highest = score_range(geometry, ply)
        wrong = np.flatnonzero((scores < lowest) | (scores > highest))
        if len(wrong):
            raise InvalidBook(
                f"{name} is damaged: it says {scores[wrong[0]]} is the score of a position of ply"
                f" {ply}; scores there are {lowest} to {highest}"
            )


def _discs(keys: Keys, geometry: Geometry) -> npt.NDArray[np.int32]:
    """Return for each key its discs and those of the side to move, as `_discs_wanted` does.

    Another number for anything that is not stacked discs on the board.
    """
    known, part = _discs_of_parts(geometry.height), np.uint64((1 << geometry.height) - 1)
    found = np.zeros(len(keys), dtype=np.int32)
    for column in range(geometry.columns):
        found += known[(keys >> np.uint64(column * geometry.height)) & part]
    if len(keys) and int(keys[-1]) >> geometry.bits:
        found[-1] = -1
    return found


def _discs_wanted(ply: int) -> int:
    """Return the discs of a ply and those of its side to move in one number."""
    return 256 * ply + ply // 2


@lru_cache(maxsize=8)
def _discs_of_parts(height: int) -> npt.NDArray[np.int32]:
    """Return the discs and own discs for each value that a column's part of a key can have.

    `perft_kernel` tells how: the value plus one has its highest bit above the discs, and own ones
    below it. The greatest value would be a disc on the sentinel.
    """
    parts = range(1, (1 << height) + 1)
    known = [256 * (part.bit_length() - 1) + part.bit_count() - 1 for part in parts]
    known[-1] = -(1 << 24)
    return np.array(known, dtype=np.int32)
