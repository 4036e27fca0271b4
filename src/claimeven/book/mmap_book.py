"""Books that are looked up in their file, never read whole: one byte a position, no keys.

A position's number (see `numbering`) is where its score stands, so a look-up touches one byte. The
file is mapped: processes share what lies in memory, and a book may be larger than that.

Version 2 of the file; numbers are little-endian:

```text
    offset  bytes          what
         0      8          magic: 0x89 "C4BOOK" 0x0A
         8      2          version of the format, 2
        10      4          columns, rows, connect, plies: one byte each
        14      2          bytes of the source
        16     16          BLAKE2b digest of all else that stands before the scores
        32  8 * (plies+1)  positions of each ply
         .      .          the source, UTF-8: where the scores come from
         .     16 each     BLAKE2b digest of each block of 2**16 scores
         .      .          zeros up to a multiple of 4096
         .      .          the scores by number, one signed byte each; -128 where none is held
```

The head is checked when a book is opened, a block of scores when it is first looked at.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book.book import Book
from claimeven.book.enumerate import Keys, Scores, layers
from claimeven.book.errors import InvalidBook
from claimeven.book.format import (
    DIGEST_BYTES,
    MAGIC,
    board_of,
    check_size,
    check_start,
    digest_of,
)
from claimeven.book.ranking import PositionRanking
from claimeven.game.batch import mirrored_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range

VERSION = 2
#: Scores that one digest guards.
BLOCK = 1 << 16
#: Bytes of the words about the source, at most.
MAX_SOURCE = 1000

_HEADER = struct.Struct("<8sH4BH")
_START = _HEADER.size + DIGEST_BYTES
_COUNT = np.dtype("<u8")
_PAGE = 4096


class _Head(NamedTuple):
    """What stands before the scores."""

    numbering: PositionRanking
    counts: tuple[int, ...]
    source: str
    digests: bytes
    size: int


class MappedBook:
    """Exact scores of the unfinished positions of plies 0 .. `plies`, looked up in a file.

    `positions[ply]` counts them, mirror images as one; `source` says where the scores come from.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a file. Raises `InvalidBook` naming it: unreadable, no such book, damaged."""
        self.path: Path = Path(path)
        name = str(path)
        try:
            self._place = self.path.absolute()  # the current folder may be another one later
            with self.path.open("rb") as stream:
                head = _read_head(stream.read(_START), stream.read, name)
                wanted = head.size + head.numbering.starts[-1]
                size = stream.seek(0, 2)
                check_size(size, wanted, name)
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InvalidBook(f"{name} cannot be read: {error.strerror or error}") from None
        self.positions: tuple[int, ...] = head.counts
        self.source: str = head.source
        self._numbering = head.numbering
        self._digests = head.digests
        self._scores: Scores = np.frombuffer(mapped, dtype=np.int8)[head.size :]
        self._is_checked = np.zeros(len(head.digests) // DIGEST_BYTES, dtype=bool)

    def __deepcopy__(self, memo: object) -> MappedBook:
        """Return itself: it only reads its file."""
        return self

    def __reduce__(self) -> tuple[type[MappedBook], tuple[Path]]:
        """In another process it is opened anew."""
        return MappedBook, (self._place,)

    @property
    def geometry(self) -> Geometry:
        """The board whose positions are held."""
        return self._numbering.geometry

    @property
    def plies(self) -> int:
        """The greatest number of discs of positions held."""
        return self._numbering.plies

    def __len__(self) -> int:
        return sum(self.positions)

    def look_up(self, position: Position) -> int | None:
        """Return the score of a position for its side to move, None if it is not held.

        The position must be of this book's board. Raises `InvalidBook` where the file is damaged.
        """
        if position.ply > self.plies:
            return None
        number = self._numbering.number(position.mine, position.mask)
        self._check(number // BLOCK)
        score = int(self._scores[number])
        return None if score == MISSING else score

    def look_up_many(self, keys: Keys, plies: npt.NDArray[np.integer]) -> Scores:
        """Return the scores of positions by key and number of discs, `MISSING` where not held."""
        found = np.full(len(keys), MISSING, dtype=np.int8)
        there = np.flatnonzero(plies <= self.plies)
        numbers = self._numbering.numbers(keys[there])
        for block in np.unique(numbers // BLOCK).tolist():
            self._check(block)
        found[there] = self._scores[numbers]
        return found

    def check(self) -> None:
        """Check every block. Raises `InvalidBook` where the file is damaged."""
        for block in range(len(self._is_checked)):
            self._check(block)

    def unpack(self) -> Book:
        """Return the same book in memory, with the keys of its positions.

        Raises `InvalidBook` if it does not hold them all.
        """
        keys, scores = [], []
        for layer in layers(self.geometry, self.plies):
            found = self.look_up_many(layer.keys, np.full(len(layer.keys), layer.ply))
            if (found == MISSING).any() or len(found) != self.positions[layer.ply]:
                raise InvalidBook(
                    f"{self.path} does not hold the positions of ply {layer.ply} that it should"
                )
            keys.append(layer.keys)
            scores.append(found)
        return Book(self.geometry, tuple(keys), tuple(scores))

    def _check(self, block: int) -> None:
        """Check a block of scores, once. Threads may check the same one at the same time."""
        if self._is_checked[block]:
            return
        scores = self._scores[block * BLOCK : (block + 1) * BLOCK]
        digest = self._digests[block * DIGEST_BYTES : (block + 1) * DIGEST_BYTES]
        if digest_of(scores.tobytes()) != digest:
            raise InvalidBook(f"{self.path} is damaged: the checksum of block {block} is wrong")
        lowest, highest = score_range(self.geometry, 0)
        held = scores[scores != MISSING]
        if len(held) and not lowest <= held.min() <= held.max() <= highest:
            raise InvalidBook(
                f"{self.path} is damaged: it holds scores beyond {lowest} to {highest}"
            )
        self._is_checked[block] = True


def write_mapped(path: str | Path, book: Book, source: str) -> None:
    """Write a book as a file to be looked up in, whole or not at all.

    Raises `InvalidBook` for a board or plies that cannot be numbered, `CannotWrite` as `outputs`.
    """
    numbering = PositionRanking(book.geometry, book.plies)
    scores = np.full(numbering.starts[-1], MISSING, dtype=np.int8)
    for keys, worth in zip(book.keys, book.scores, strict=True):
        scores[numbering.numbers(keys)] = worth
        scores[numbering.numbers(mirrored_keys(keys, book.geometry))] = worth
    blocks = range(0, len(scores), BLOCK)
    digests = b"".join(digest_of(scores[start : start + BLOCK].tobytes()) for start in blocks)
    counts = np.array([len(keys) for keys in book.keys], dtype=_COUNT).tobytes()
    words, board = _source_words(source), book.geometry
    header = _HEADER.pack(
        MAGIC, VERSION, board.columns, board.rows, board.connect, book.plies, len(words)
    )
    rest = counts + words + digests
    rest += bytes(-(_START + len(rest)) % _PAGE)
    with atomic_io.binary_file(path) as stream:
        stream.write(header + digest_of(header + rest) + rest)
        stream.write(scores.data)


def _source_words(source: str) -> bytes:
    """Return the words about a source as they are written: what can be printed, and no more than is
    read again.
    """
    told = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in source)
    return told.encode()[:MAX_SOURCE].decode(errors="ignore").encode()


def _read_head(start: bytes, read: Callable[[int], bytes], name: str) -> _Head:
    """Return what the head says, checked; `read(n)` gives its next bytes."""
    check_start(start, _START, name)
    _, version, columns, rows, connect, plies, word_bytes = _HEADER.unpack(start[: _HEADER.size])
    if version != VERSION:
        raise InvalidBook(f"{name} is of version {version} of the book format, not {VERSION}")
    geometry = board_of(columns, rows, connect, plies, name)
    if word_bytes > MAX_SOURCE:
        raise InvalidBook(f"{name} is damaged: it says that its source takes {word_bytes} bytes")
    numbering = PositionRanking(geometry, plies)
    blocks = -(-numbering.starts[-1] // BLOCK)
    count_bytes = _COUNT.itemsize * (plies + 1)
    length = count_bytes + word_bytes + DIGEST_BYTES * blocks
    size = _START + length + -(_START + length) % _PAGE
    rest = read(size - _START)
    if len(rest) < size - _START:
        raise InvalidBook(f"{name} is cut short: it ends within its head")
    if digest_of(start[: _HEADER.size] + rest) != start[_HEADER.size :]:
        raise InvalidBook(f"{name} is damaged: its checksum is wrong")
    counts = np.frombuffer(rest[:count_bytes], dtype=_COUNT).tolist()
    if sum(counts) > numbering.starts[-1]:
        raise InvalidBook(f"{name} is damaged: it says that it holds more than a book can")
    try:
        source = rest[count_bytes : count_bytes + word_bytes].decode()
    except UnicodeDecodeError:
        source = "\n"
    if not source.isprintable():
        raise InvalidBook(f"{name} is damaged: its source is no text")
    digests = rest[count_bytes + word_bytes : length]
    return _Head(numbering, tuple(counts), source, digests, size)
