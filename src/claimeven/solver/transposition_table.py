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

Boards of more than 64 bits have entries of 16 bytes, with a rest of up to 107 bits, and 7 bits for
each other field, because scores reach 60. They are read and written in two pieces, so the upper
half is sealed with the lower one: see `sealed`.

Bounds are scores for the side to move; 64 replaces 32 in wide entries. 0 in the field of a bound
means that the bound is unknown, so the word 0 is an empty entry. `work` is the bit length of the
number of nodes of the result. A bucket has two entries: a result with at least as much work as the
first entry becomes the first, and the old one the second. Otherwise the result becomes the second
entry.
"""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

from claimeven.compiled import Int, Word, Words, bits_of, inlined, leading_zeros
from claimeven.compiled.intrinsics import trailing_zeros
from claimeven.compiled.wide import width, words
from claimeven.game.bitboard_kernel import widened
from claimeven.game.geometry import Geometry

#: Of an entry of 8 bytes: the bits of each of the last three fields, and of the rest of a key.
FIELD_BITS = 6
REST_BITS = 64 - 3 * FIELD_BITS
#: Entries of a bucket, as a power of two.
BUCKET_BITS = 1
ENTRY_BYTES = 8

#: MB of the default table: a table in the processor's cache saves more time than it costs nodes.
DEFAULT_MB = 16.0

_HUGE_PAGE = 1 << 21
#: A table larger than this part of the memory limit of the process does not count towards it.
_LIMIT_PART = 4
GOLDEN = 0x9E3779B97F4A7C15

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_TWO, _THREE = np.uint64(2), np.uint64(3)
_WORD = np.uint64(64)
_SEAL = np.uint64(GOLDEN)
#: The golden ratio in 128 bits.
_WIDE_GOLDEN = GOLDEN << 64 | 0xF39CC0605CEDC834


def multiplier(bits: int) -> int:
    """Return the odd number below 2**bits that keys of that many bits are multiplied by."""
    return (_WIDE_GOLDEN >> (128 - bits)) | 1


def field_bits(geometry: Geometry) -> int:
    """Return the number of bits of a bound in the entries of a board: 6, or 7 in wide ones."""
    return int(trailing_zeros(width(geometry.bits)))


def max_rest_bits(geometry: Geometry) -> int:
    """Return the number of bits in the entries of a board for the rest of a key."""
    return width(geometry.bits) - 3 * field_bits(geometry)


def smallest_bucket_bits(geometry: Geometry) -> int:
    """Return the fewest bucket bits with which this board's keys fit into entries."""
    return max(1, geometry.bits - max_rest_bits(geometry))


def bucket_bits_for(geometry: Geometry, table_mb: float) -> int:
    """Return the bucket bits of the greatest table that takes at most `table_mb` MB (2**20).

    Never fewer than `smallest_bucket_bits`, never more than there are keys.
    """
    entries = max(1, int(table_mb * (1 << 20)) * 8 // width(geometry.bits))
    bucket_bits = entries.bit_length() - 1 - BUCKET_BITS
    return min(max(bucket_bits, smallest_bucket_bits(geometry)), geometry.bits - 1)


def new_entries(bucket_bits: int, bits: int = 64) -> Words:
    """Return the empty entries of 2**bucket_bits buckets, on huge pages if available.

    `bits` are the bits of the board.

    A forked process gets a separate copy, unless a memory limit is near: see `_is_private`. Raises
    `MemoryError` without enough memory.
    """
    count = 1 << (bucket_bits + BUCKET_BITS)
    none = words(0, bits)
    size = count * none.itemsize
    if size < _HUGE_PAGE:
        return words(count, bits)
    flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if _is_private(size) else {}
    try:
        memory = mmap.mmap(-1, size + _HUGE_PAGE, **flags)
    except (OSError, OverflowError):
        raise MemoryError(f"{size} bytes do not fit in memory") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # not supported by the system
            memory.madvise(mmap.MADV_HUGEPAGE)
    entries = np.frombuffer(memory, dtype=none.dtype).view(type(none))
    skipped = -entries.ctypes.data % _HUGE_PAGE // entries.itemsize
    return entries[skipped : skipped + count]


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


def pack(rest: int, low: int | None, high: int | None, work: int, bits: int = FIELD_BITS) -> int:
    """Return the entry of a position: the rest of its key, its bounds if known, the work.

    `bits` are the bits of a field. The result is not sealed.
    """
    offset = 1 << bits - 1
    low_field = 0 if low is None else low + offset
    high_field = 0 if high is None else offset - high
    return rest << 3 * bits | low_field << 2 * bits | high_field << bits | work


def unpack(entry: int, bits: int = FIELD_BITS) -> tuple[int, int | None, int | None, int]:
    """Return (rest, low, high, work) of an entry: the inverse of `pack`."""
    field, offset = (1 << bits) - 1, 1 << bits - 1
    low, high = entry >> 2 * bits & field, entry >> bits & field
    return (
        entry >> 3 * bits,
        low - offset if low else None,
        offset - high if high else None,
        entry & field,
    )


@inlined
def _field_bits(entry: Word) -> Word:
    """Return the bits of a bound in an entry: 6, or 7 if it is wide."""
    return trailing_zeros(bits_of(entry))


@inlined
def _field(entry: Word, number: Word) -> Word:
    """Return a field of an entry, counted from the last one."""
    bits = _field_bits(entry)
    return np.uint64(entry >> (bits * number)) & ((_ONE << bits) - _ONE)


@inlined
def _offset(entry: Word) -> Int:
    """Return the offset of the bounds of an entry: 32, or 64 if it is wide."""
    return np.int64(_ONE << (_field_bits(entry) - _ONE))


@inlined
def _rest(entry: Word) -> Word:
    return entry >> (_field_bits(entry) * _THREE)


@inlined
def sealed(entry: Word) -> Word:
    """Return an entry as stored, or a stored one as it was: one of 64 bits is unchanged.

    Two threads may write the same wide entry, which then has halves of two entries. So the upper
    half is stored as its exclusive or with a product of the lower one: with halves of two entries
    it is as good as random, and matches a position with a chance of about 2**-64.
    """
    if bits_of(entry) == _WORD:
        return entry
    return entry ^ (widened(np.uint64(entry) * _SEAL, entry) << (bits_of(entry) - _WORD))


@inlined
def look_up(entries: Words, place: Word, rest: Word) -> Word:
    """Return the entry of a position, 0 if missing; `place` is the first entry of its bucket."""
    entry = sealed(entries[place])
    if _rest(entry) == rest:
        return entry
    entry = sealed(entries[place + _ONE])
    if _rest(entry) == rest:
        return entry
    return rest ^ rest


@inlined
def low_bound(entry: Word) -> Int:
    """Return the low bound of an entry; below every score if unknown."""
    return np.int64(_field(entry, _TWO)) - _offset(entry)


@inlined
def high_bound(entry: Word) -> Int:
    """Return the high bound of an entry; above every score if unknown."""
    return _offset(entry) - np.int64(_field(entry, _ONE))


@inlined
def store(entries: Words, place: Word, rest: Word, value: Int, is_low: bool, nodes: Word) -> None:
    """Store a bound of a position that took `nodes` nodes to find, in addition to known bounds."""
    work = _WORD - leading_zeros(nodes)
    first = sealed(entries[place])
    known = rest ^ rest
    if _rest(first) == rest:
        known = first
    else:
        second = sealed(entries[place + _ONE])
        if _rest(second) == rest:
            known = second
            place += _ONE
        elif work >= _field(first, _ZERO):
            entries[place + _ONE] = sealed(first)
        else:
            place += _ONE
    low, high = _field(known, _TWO), _field(known, _ONE)
    if is_low:
        low = max(low, np.uint64(value + _offset(rest)))
    else:
        high = max(high, np.uint64(_offset(rest) - value))
    work = max(work, _field(known, _ZERO))
    bits = _field_bits(rest)
    payload = (low << (bits * _TWO)) | (high << bits) | work
    entries[place] = sealed((rest << (bits * _THREE)) | payload)
