"""The compiled twin of `transpositions`: the table as arrays, for keys of up to 64 bits."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, int64, named_tuple, uint64
from claimeven.minimax.transpositions import (
    EXACT,
    LOWER,
    MULTIPLIER,
    UPPER,
    Entry,
    TranspositionTable,
    slot_of,
)
from claimeven.minimax.types import PROVEN

#: Slots of an entry.
VALUE, DEPTH, BOUND, COLUMN, ENTRY_SLOTS = range(5)
#: The bits of no table at all.
NO_TABLE: Final = -1
_HASH = np.uint64(MULTIPLIER)
_WORD = np.uint64(64)


class Table(NamedTuple):
    """`keys`, 0 where empty, of shape (entries,); and `entries` of shape (entries, ENTRY_SLOTS).

    No position but the empty board has key 0, and it is only ever a root.
    """

    keys: Words
    entries: Ints


TABLE: Final = named_tuple(Table, uint64[::1], int64[:, ::1])


class CompiledTranspositionTable:
    """A `TranspositionTable` of 2^`bits` entries as arrays."""

    def __init__(self, entries: int) -> None:
        self.bits = TranspositionTable(entries).bits
        self.arrays = table_arrays(entries)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.arrays.keys[:] = 0
        # The empty board has the key of an empty slot, so its slot must say that it knows nothing.
        self.arrays.entries[slot_of(0, self.bits)] = (0, -1, EXACT, -1)

    def copy(self) -> StoredTable:
        """Return a table of the textbook that holds the same."""
        return StoredTable(Table(self.arrays.keys.copy(), self.arrays.entries.copy()), self.bits)


class StoredTable(TranspositionTable):
    """A table of the textbook that starts from arrays, which stay as they are."""

    def __init__(self, arrays: Table, bits: int) -> None:
        super().__init__(1 << bits)
        self.arrays = arrays

    def find(self, key: int) -> Entry | None:
        slot = slot_of(key, self.bits)
        if slot not in self._slots and int(self.arrays.keys[slot]) == key:
            return Entry(key, *self.arrays.entries[slot].tolist())
        return super().find(key)


def table_arrays(entries: int) -> Table:
    """Return the arrays of a table."""
    return Table(
        np.zeros(entries, dtype=np.uint64), np.zeros((entries, ENTRY_SLOTS), dtype=np.int64)
    )


#: What stands in the place of a table where there is none.
NO_ARRAYS: Final = table_arrays(1)


@inlined
def _slot(key: Word, bits: Int) -> Int:
    """`slot_of`."""
    if bits == 0:
        return np.int64(0)
    return np.int64((key * _HASH) >> (_WORD - np.uint64(bits)))


@inlined
def from_root(value: Int, ply: Int) -> Int:
    """Count a stored proven result's plies from the root of this search."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


@inlined
def best_column(table: Table, bits: Int, key: Word) -> Int:
    """Return the best column the table knows of a position, -1 for none."""
    slot = _slot(key, bits)
    return table.entries[slot, COLUMN] if table.keys[slot] == key else np.int64(-1)


@inlined
def probe(
    table: Table, bits: Int, key: Word, ply: Int, depth: Int, alpha: Int, beta: Int
) -> tuple[bool, Int, Int]:
    """Ask the table: whether it settles the position, its value if so, its best column or -1."""
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
    table: Table, bits: Int, key: Word, value: Int, depth: Int, bound: Int, column: Int
) -> None:
    """Keep a position in the table; `value` counts a proven result's plies from the position."""
    keys, entries = table.keys, table.entries
    slot = _slot(key, bits)
    keys[slot] = key
    entries[slot, VALUE] = value
    entries[slot, DEPTH] = depth
    entries[slot, BOUND] = bound
    entries[slot, COLUMN] = column
