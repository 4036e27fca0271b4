"""The table of searched positions: keys, packing of entries, buckets.

The **key** of a position is `mine + mask`: a column with k discs gives a number in
[2**k - 1, 2**(k + 1) - 2], so keys of different positions differ, and columns do not carry into
each other. The key is multiplied by an odd number modulo 2**bits, which is reversible. The upper
part of the product is the bucket, and the rest is stored in the entry. So entries of different
positions are never confused.

An entry is one word of 8 bytes, read and written in one piece, so threads share a table without
locks:

```text
    rest of the key | low bound + 32 | 32 - high bound | work
      (46 bits)          6 bits            6 bits        6 bits
```

Bounds are scores for the side to move. 0 in the field of a bound means that the bound is unknown,
so the word 0 is an empty entry. `work` is the bit length of the number of nodes of the result. A
bucket has two entries: a result with at least as much work as the first entry becomes the first,
and the old one the second. Otherwise the result becomes the second entry.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, Word, Words, inlined
from claimeven.compiled.intrinsics import leading_zeros
from claimeven.game.geometry import Geometry

if TYPE_CHECKING:
    from claimeven.solver.protocols import OpeningBook

FIELD_BITS = 6
BOUND_OFFSET = 1 << (FIELD_BITS - 1)
PAYLOAD_BITS = 3 * FIELD_BITS
REST_BITS = 64 - PAYLOAD_BITS
#: Entries of a bucket, as a power of two.
BUCKET_BITS = 1
ENTRY_BYTES = 8

#: MB of the default table, and of the table with a book of at least `DEEP_BOOK_PLIES` plies that
#: leaves at most `DEEP_BOOK_EMPTIES` empty cells.
DEFAULT_MB, DEEP_BOOK_MB = 128.0, 8.0
DEEP_BOOK_PLIES, DEEP_BOOK_EMPTIES = 12, 30

_HUGE_PAGE = 1 << 21
#: A table larger than this part of the memory limit of the process does not count towards it.
_LIMIT_PART = 4
GOLDEN = 0x9E3779B97F4A7C15

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIELD = np.uint64((1 << FIELD_BITS) - 1)
_HIGH_SHIFT = np.uint64(FIELD_BITS)
_LOW_SHIFT = np.uint64(2 * FIELD_BITS)
_REST_SHIFT = np.uint64(PAYLOAD_BITS)
_WORD = np.uint64(64)


def multiplier(bits: int) -> int:
    """Return the odd number below 2**bits that keys of that many bits are multiplied by."""
    return (GOLDEN >> (64 - bits)) | 1


def smallest_bucket_bits(geometry: Geometry) -> int:
    """Return the fewest bucket bits with which this board's keys fit into entries."""
    return max(1, geometry.bits - REST_BITS)


def bucket_bits_for(geometry: Geometry, table_mb: float) -> int:
    """Return the bucket bits of the greatest table that takes at most `table_mb` MB (2**20).

    Never fewer than `smallest_bucket_bits`, never more than there are keys.
    """
    entries = max(1, int(table_mb * (1 << 20)) // ENTRY_BYTES)
    bucket_bits = entries.bit_length() - 1 - BUCKET_BITS
    return min(max(bucket_bits, smallest_bucket_bits(geometry)), geometry.bits - 1)


def default_table_mb(geometry: Geometry, book: OpeningBook | None) -> float:
    """Return the default size of the table of a solver, in MB.

    Positions beyond a deep book are solved quickly: there a small table, which fits the processor
    cache, is faster.
    """
    if (
        book is not None
        and book.plies >= DEEP_BOOK_PLIES
        and geometry.cells - book.plies <= DEEP_BOOK_EMPTIES
    ):
        return DEEP_BOOK_MB
    return DEFAULT_MB


def new_entries(bucket_bits: int) -> npt.NDArray[np.uint64]:
    """Return the empty entries of 2**bucket_bits buckets, on huge pages if available.

    A forked process gets a separate copy, unless a memory limit is near: see `_is_private`. Raises
    `MemoryError` without enough memory.
    """
    count = 1 << (bucket_bits + BUCKET_BITS)
    size = count * ENTRY_BYTES
    if size < _HUGE_PAGE:
        return np.zeros(count, dtype=np.uint64)
    flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if _is_private(size) else {}
    try:
        memory = mmap.mmap(-1, size + _HUGE_PAGE, **flags)
    except (OSError, OverflowError):
        raise MemoryError(f"{size} bytes do not fit in memory") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # not supported by the system
            memory.madvise(mmap.MADV_HUGEPAGE)
    words = np.frombuffer(memory, dtype=np.uint64)
    skipped = -words.ctypes.data % _HUGE_PAGE // ENTRY_BYTES
    return words[skipped : skipped + count]


def _is_private(size: int) -> bool:
    """Whether a table of `size` bytes is private memory of this process.

    By default memory is shared with processes forked later, and Linux does not use huge pages for
    it. Private memory counts towards the limit of the process (`Sandbox.memory_limit_mb`), which is
    meant for the other data of an agent: a table that would take much of it stays shared.
    """
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return False
    bound, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return bound == resource.RLIM_INFINITY or size <= bound // _LIMIT_PART


def pack(rest: int, low: int | None, high: int | None, work: int) -> int:
    """Return the entry of a position: the rest of its key, its bounds if known, the work."""
    low_field = 0 if low is None else low + BOUND_OFFSET
    high_field = 0 if high is None else BOUND_OFFSET - high
    return rest << PAYLOAD_BITS | low_field << 2 * FIELD_BITS | high_field << FIELD_BITS | work


def unpack(entry: int) -> tuple[int, int | None, int | None, int]:
    """Return (rest, low, high, work) of an entry: the inverse of `pack`."""
    field = (1 << FIELD_BITS) - 1
    low, high = entry >> 2 * FIELD_BITS & field, entry >> FIELD_BITS & field
    return (
        entry >> PAYLOAD_BITS,
        low - BOUND_OFFSET if low else None,
        BOUND_OFFSET - high if high else None,
        entry & field,
    )


@inlined
def look_up(entries: Words, place: Word, rest: Word) -> Word:
    """Return the entry of a position, 0 if missing; `place` is the first entry of its bucket."""
    entry = entries[place]
    if entry >> _REST_SHIFT == rest:
        return entry
    entry = entries[place + _ONE]
    if entry >> _REST_SHIFT == rest:
        return entry
    return _ZERO


@inlined
def low_bound(entry: Word) -> Int:
    """Return the low bound of an entry; -32, below every score, if unknown."""
    return np.int64((entry >> _LOW_SHIFT) & _FIELD) - BOUND_OFFSET


@inlined
def high_bound(entry: Word) -> Int:
    """Return the high bound of an entry; 32, above every score, if unknown."""
    return BOUND_OFFSET - np.int64((entry >> _HIGH_SHIFT) & _FIELD)


@inlined
def store(entries: Words, place: Word, rest: Word, value: Int, is_low: bool, nodes: Word) -> None:
    """Store a bound of a position that took `nodes` nodes to find, in addition to known bounds."""
    work = _WORD - leading_zeros(nodes)
    first = entries[place]
    known = _ZERO
    if first >> _REST_SHIFT == rest:
        known = first
    else:
        second = entries[place + _ONE]
        if second >> _REST_SHIFT == rest:
            known = second
            place += _ONE
        elif work >= first & _FIELD:
            entries[place + _ONE] = first
        else:
            place += _ONE
    low = (known >> _LOW_SHIFT) & _FIELD
    high = (known >> _HIGH_SHIFT) & _FIELD
    if is_low:
        low = max(low, np.uint64(value + BOUND_OFFSET))
    else:
        high = max(high, np.uint64(BOUND_OFFSET - value))
    work = max(work, known & _FIELD)
    entries[place] = (rest << _REST_SHIFT) | (low << _LOW_SHIFT) | (high << _HIGH_SHIFT) | work
