"""The bounded table of evaluated positions that negamax keeps from move to move.

The slot of a position is the top bits of its key times an odd constant (Fibonacci hashing: Knuth,
The Art of Computer Programming, vol. 3, 6.4). A new entry replaces the old one. Values of proven
results count plies from the position itself, so they are valid at every ply.

`TranspositionTable` is the readable version; its compiled twin uses arrays.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any, Final, NamedTuple, Self

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, folded, inlined, int64, named_tuple, uint64
from claimeven.compiled.wide import words
from claimeven.game.validation import whole_number
from claimeven.minimax.types import PROVEN, InvalidSearch

#: Whether a stored value is the true one, a lower bound or an upper bound.
EXACT, LOWER, UPPER = 0, 1, 2

MULTIPLIER: Final = 0x9E3779B97F4A7C15
WORD: Final = (1 << 64) - 1
MAX_BITS: Final = 28


class Entry(NamedTuple):
    """A position searched before: its value for the side to move, the depth, the best column.

    `column` is -1 if no column was searched (depth 0).
    """

    key: int
    value: float
    depth: int
    bound: int
    column: int

    def value_at(self, ply: int) -> float:
        """Return the value for a search whose root is `ply` plies above the position."""
        value: float = shift_proven(self.value, ply)
        return value

    def settles(self, depth: int, ply: int, alpha: float, beta: float) -> bool:
        """Whether the entry settles a search to that depth with that window."""
        if self.depth < depth:
            return False
        value = self.value_at(ply)
        return (
            self.bound == EXACT
            or (self.bound == LOWER and value >= beta)
            or (self.bound == UPPER and value <= alpha)
        )


class TranspositionTable:
    """A table of `entries` slots: a power of two up to 2^28, or it raises `InvalidSearch`."""

    def __init__(self, entries: int) -> None:
        entries = whole_number(entries, "table", InvalidSearch)
        bits = entries.bit_length() - 1
        if entries < 1 or entries != 1 << bits or bits > MAX_BITS:
            raise InvalidSearch(f"table must be a power of two, 1 to 2^{MAX_BITS}, got {entries}")
        self.bits = bits
        self._slots: dict[int, Entry] = {}

    def find(self, key: int) -> Entry | None:
        """Return the entry of the position with that key, if there is one."""
        entry = self._slots.get(slot_of(key, self.bits))
        return entry if entry is not None and entry.key == key else None

    def copy(self) -> Self:
        """Return a table with the same entries."""
        twin = copy(self)
        twin._slots = dict(self._slots)
        return twin

    def put(self, key: int, value: float, depth: int, bound: int, column: int, ply: int) -> None:
        """Store a result found `ply` plies below the root of a search."""
        entry = Entry(key, shift_proven(value, -ply), depth, bound, column)
        self._slots[slot_of(key, self.bits)] = entry

    def clear(self) -> None:
        """Remove all entries."""
        self._slots.clear()


def slot_of(key: int, bits: int) -> int:
    """Return the slot of a key in a table of 2^bits entries.

    >>> slot_of(0, 4), slot_of(1, 4)
    (0, 9)
    """
    folded = key
    while folded > WORD:
        folded = (folded & WORD) ^ (folded >> 64)
    return ((folded * MULTIPLIER) & WORD) >> (64 - bits) if bits else 0


def shift_proven(value: Any, ply: Any) -> Any:
    """Convert a proven value from counting plies at the position to counting `ply` plies above it.

    A negative `ply` converts back. Other values do not change.
    """
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


from_root = inlined(shift_proven)


#: Slots of an entry.
VALUE, DEPTH, BOUND, COLUMN, ENTRY_SLOTS = range(5)
#: The bits that mean that there is no table.
NO_TABLE: Final = -1
_HASH = np.uint64(MULTIPLIER)
_WORD = np.uint64(64)


class Slots(NamedTuple):
    """`keys` of shape (entries,), 0 if empty; and `entries` of shape (entries, ENTRY_SLOTS).

    Only the empty board has key 0, and it occurs only as a root.
    """

    keys: Words
    entries: Ints


TABLE: Final = named_tuple(Slots, uint64[::1], int64[:, ::1])


class CompiledTranspositionTable:
    """A `TranspositionTable` of 2^`bits` entries as arrays, for keys of `key_bits` bits."""

    def __init__(self, entries: int, key_bits: int) -> None:
        self.bits: int = TranspositionTable(entries).bits
        self.arrays: Slots = table_arrays(entries, key_bits)
        self.clear()

    def clear(self) -> None:
        """Remove all entries."""
        self.arrays.keys[:] = 0
        # The empty board has the key of an empty slot, so its slot gets an entry without a result.
        self.arrays.entries[slot_of(0, self.bits)] = (0, -1, EXACT, -1)

    def copy(self) -> StoredTable:
        """Return a textbook table with the same entries."""
        return StoredTable(Slots(self.arrays.keys.copy(), self.arrays.entries.copy()), self.bits)


class StoredTable(TranspositionTable):
    """A textbook table that starts with the entries of arrays and does not change the arrays."""

    def __init__(self, arrays: Slots, bits: int) -> None:
        super().__init__(1 << bits)
        self.arrays = arrays

    def find(self, key: int) -> Entry | None:
        slot = slot_of(key, self.bits)
        if slot not in self._slots and int(self.arrays.keys[slot]) == key:
            return Entry(key, *self.arrays.entries[slot].tolist())
        return super().find(key)


def table_arrays(entries: int, key_bits: int) -> Slots:
    """Return the arrays of an empty table."""
    return Slots(words(entries, key_bits), np.zeros((entries, ENTRY_SLOTS), dtype=np.int64))


@cache
def no_arrays(key_bits: int) -> Slots:
    """Return a placeholder for searches without a table."""
    return table_arrays(1, key_bits)


@inlined
def _slot(key: Word, bits: Int) -> Int:
    """`slot_of`."""
    if bits == 0:
        return np.int64(0)
    return np.int64((folded(key) * _HASH) >> (_WORD - np.uint64(bits)))


@inlined
def best_column(table: Slots, bits: Int, key: Word) -> Int:
    """Return the best column stored for a position, or -1."""
    slot = _slot(key, bits)
    return table.entries[slot, COLUMN] if table.keys[slot] == key else np.int64(-1)


@inlined
def probe(
    table: Slots, bits: Int, key: Word, ply: Int, depth: Int, alpha: Int, beta: Int
) -> tuple[bool, Int, Int]:
    """Return whether the table settles the position, its value, and its best column or -1."""
    keys, entries = table.keys, table.entries
    slot = _slot(key, bits)
    if keys[slot] != key:
        return False, np.int64(0), np.int64(-1)
    value = from_root(entries[slot, VALUE], ply)
    bound = entries[slot, BOUND]
    settled = entries[slot, DEPTH] >= depth and (
        bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
    )
    return settled, value, entries[slot, COLUMN]


@inlined
def store(
    table: Slots, bits: Int, key: Word, value: Int, depth: Int, bound: Int, column: Int
) -> None:
    """Store a position; the plies of a proven `value` count from the position."""
    keys, entries = table.keys, table.entries
    slot = _slot(key, bits)
    keys[slot] = key
    entries[slot, VALUE] = value
    entries[slot, DEPTH] = depth
    entries[slot, BOUND] = bound
    entries[slot, COLUMN] = column
