"""Books that are looked up in their file: one byte per position, without keys.

The number of a position (see `ranking`) is the place of its score, so a look-up reads one byte. The
file is mapped into memory: processes share it, and it may be larger than memory.

Version 2 of the file; numbers are little-endian:

```text
    offset  bytes          content
         0      8          magic: 0x89 "C4BOOK" 0x0A
         8      2          version of the format, 2
        10      4          columns, rows, connect, plies: one byte each
        14      2          bytes of the description
        16     16          BLAKE2b digest of everything else before the scores
        32  8 * (plies+1)  positions of each ply
         .      .          the description as JSON, with the source; books of 0.2: the source
         .     16 each     BLAKE2b digest of each block of 2**16 scores
         .      .          zeros up to a multiple of 4096
         .      .          the scores by number, one signed byte each; -128 if missing
```

The head is checked when a book is opened, a block of scores when it is first read.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven import atomic_io
from claimeven.book.book import (
    DIGEST_BYTES,
    MAGIC,
    Book,
    InvalidBook,
    board_of,
    check_size,
    check_start,
    description_of,
    digest_of,
    text_of,
)
from claimeven.book.enumerate import Keys, Scores, layers
from claimeven.book.ranking import PositionRanking
from claimeven.errors import path_of
from claimeven.game.batch import mirrored_keys
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.provenance import describe
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range
from claimeven.text_io import reading

VERSION = 2
#: Scores per digest.
BLOCK = 1 << 16
#: The greatest number of bytes of the source.
MAX_SOURCE = 1000

_HEADER = struct.Struct("<8sH4BH")
_START = _HEADER.size + DIGEST_BYTES
_COUNT = np.dtype("<u8")
_PAGE = 4096


class MappedBook:
    """Exact scores of the unfinished positions of plies 0 .. `plies`, looked up in a file.

    `positions[ply]` counts them, with mirror images as one; `source` is the source of the scores.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a file. Raises `InvalidBook` with its path: unreadable, not a book, corrupt."""
        self.path: Path = path_of(path, InvalidBook)
        name = str(path)
        with reading(path, InvalidBook):
            self._place = self.path.absolute()  # the current folder may change later
            with self.path.open("rb") as stream:
                start = stream.read(_START)
                ranking, counts, text, digests, size = _read_head(start, stream.read, name)
                check_size(stream.seek(0, 2), size + ranking.starts[-1], name)
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self.positions: tuple[int, ...] = counts
        self.description: dict[str, Any] = description_of(text.encode())
        about = self.description or {"source": text}  # of 0.2
        self.source: str = str(about.get("source", ""))
        self._ranking = ranking
        self._digests = digests
        self._scores: Scores = np.frombuffer(mapped, dtype=np.int8)[size:]
        self._is_checked = np.zeros(len(digests) // DIGEST_BYTES, dtype=bool)

    def __deepcopy__(self, memo: object) -> MappedBook:
        """Return itself, because it only reads its file."""
        return self

    def __reduce__(self) -> tuple[type[MappedBook], tuple[Path]]:
        """Support pickling: the other process opens the file again."""
        return MappedBook, (self._place,)

    @property
    def geometry(self) -> Geometry:
        """The board of its positions."""
        return self._ranking.geometry

    @property
    def plies(self) -> int:
        """The greatest number of discs of its positions."""
        return self._ranking.plies

    def __len__(self) -> int:
        return sum(self.positions)

    def look_up(self, position: Position) -> int | None:
        """Return the score of a position for its side to move, None if it is not in the book.

        The position must be on the board of the book. Raises `InvalidBook` if the file is corrupt.
        """
        if position.ply > self.plies:
            return None
        number = self._ranking.number(position.mine, position.mask)
        self._check(number // BLOCK)
        score = int(self._scores[number])
        return None if score == MISSING else score

    def look_up_many(self, keys: Keys, plies: npt.NDArray[np.integer]) -> Scores:
        """Return the scores of positions by key and number of discs, or `MISSING`."""
        found = np.full(len(keys), MISSING, dtype=np.int8)
        there = np.flatnonzero(plies <= self.plies)
        numbers = self._ranking.numbers(keys[there])
        for block in np.unique(numbers // BLOCK).tolist():
            self._check(block)
        found[there] = self._scores[numbers]
        return found

    def check(self) -> None:
        """Check every block. Raises `InvalidBook` if the file is corrupt."""
        for block in range(len(self._is_checked)):
            self._check(block)

    def unpack(self) -> Book:
        """Return the same book in memory, with the keys of its positions.

        Raises `InvalidBook` if positions are missing.
        """
        keys, scores = [], []
        for layer in layers(self.geometry, self.plies):
            found = self.look_up_many(layer.keys, np.full(len(layer.keys), layer.ply))
            if (found == MISSING).any() or len(found) != self.positions[layer.ply]:
                raise InvalidBook(f"{self.path} does not have all positions of ply {layer.ply}")
            keys.append(layer.keys)
            scores.append(found)
        return Book(self.geometry, tuple(keys), tuple(scores))

    def _check(self, block: int) -> None:
        """Check a block of scores once. Threads may check the same block at the same time."""
        if self._is_checked[block]:
            return
        scores = self._scores[block * BLOCK : (block + 1) * BLOCK]
        digest = self._digests[block * DIGEST_BYTES : (block + 1) * DIGEST_BYTES]
        if digest_of(scores.tobytes()) != digest:
            raise InvalidBook(f"{self.path} is corrupt: the checksum of block {block} is wrong")
        lowest, highest = score_range(self.geometry, 0)
        present = scores[scores != MISSING]
        if len(present) and not lowest <= present.min() <= present.max() <= highest:
            raise InvalidBook(f"{self.path} is corrupt: its scores must be {lowest} to {highest}")
        self._is_checked[block] = True


def write_mapped(path: str | Path, book: Book, source: str) -> None:
    """Write a book as a file for a `MappedBook`, completely or not at all.

    Raises `InvalidBook` if its board or plies are too large, and `CannotWrite`.
    """
    ranking = PositionRanking(book.geometry, book.plies)
    scores = np.full(ranking.starts[-1], MISSING, dtype=np.int8)
    for keys, worth in zip(book.keys, book.scores, strict=True):
        scores[ranking.numbers(keys)] = worth
        scores[ranking.numbers(mirrored_keys(keys, book.geometry))] = worth
    blocks = range(0, len(scores), BLOCK)
    digests = b"".join(digest_of(scores[start : start + BLOCK].tobytes()) for start in blocks)
    counts = np.array([len(keys) for keys in book.keys], dtype=_COUNT).tobytes()
    board = book.geometry
    about = describe("book", board=board.as_dict()) | {"source": _shown(source)}
    words = text_of(about)
    header = _HEADER.pack(
        MAGIC, VERSION, board.columns, board.rows, board.connect, book.plies, len(words)
    )
    rest = counts + words + digests
    rest += bytes(-(_START + len(rest)) % _PAGE)
    with atomic_io.binary_file(path) as stream:
        stream.write(header + digest_of(header + rest) + rest)
        stream.write(scores.data)


def _shown(source: str) -> str:
    """Return a source with only printable characters and at most `MAX_SOURCE` bytes."""
    printable = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in source)
    return printable.encode()[:MAX_SOURCE].decode(errors="ignore")


def _read_head(
    start: bytes, read: Callable[[int], bytes], name: str
) -> tuple[PositionRanking, tuple[int, ...], str, bytes, int]:
    """Return ranking, positions by ply, text, digests and size of the head; `read(n)` reads on."""
    check_start(start, _START, name)
    _, version, columns, rows, connect, plies, word_bytes = _HEADER.unpack(start[: _HEADER.size])
    if version != VERSION:
        raise InvalidBook(f"{name} must have version {VERSION} of the book format, got {version}")
    geometry = board_of(columns, rows, connect, plies, name)
    ranking = PositionRanking(geometry, plies)
    blocks = -(-ranking.starts[-1] // BLOCK)
    count_bytes = _COUNT.itemsize * (plies + 1)
    length = count_bytes + word_bytes + DIGEST_BYTES * blocks
    size = _START + length + -(_START + length) % _PAGE
    rest = read(size - _START)
    if len(rest) < size - _START:
        raise InvalidBook(f"{name} is cut short: it ends within its head")
    if digest_of(start[: _HEADER.size] + rest) != start[_HEADER.size :]:
        raise InvalidBook(f"{name} is corrupt: its checksum is wrong")
    counts = np.frombuffer(rest[:count_bytes], dtype=_COUNT).tolist()
    if sum(counts) > ranking.starts[-1]:
        raise InvalidBook(f"{name} is corrupt: it claims more positions than a book can have")
    try:
        text = rest[count_bytes : count_bytes + word_bytes].decode()
    except UnicodeDecodeError:
        text = "\n"
    if not text.isprintable():
        raise InvalidBook(f"{name} is corrupt: its source is not text")
    digests = rest[count_bytes + word_bytes : length]
    return ranking, tuple(counts), text, digests, size
