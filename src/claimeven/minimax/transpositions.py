"""The bounded table of evaluated positions that negamax keeps from move to move.

A position's slot is the top bits of its key times an odd constant (Fibonacci hashing: Knuth, The
Art of Computer Programming, vol. 3, 6.4); a newcomer replaces what stands there. Values of proven
results are kept as seen from the position itself, so they hold at whatever ply it is met again.
"""

from __future__ import annotations

from copy import copy
from typing import Final, NamedTuple, Self

from claimeven.game.validation import whole_number
from claimeven.minimax.types import PROVEN, InvalidSearch

#: What a stored value is of the true one: the value itself, or a bound from below or above.
EXACT, LOWER, UPPER = 0, 1, 2

MULTIPLIER: Final = 0x9E3779B97F4A7C15
WORD: Final = (1 << 64) - 1
MAX_BITS: Final = 28


class Entry(NamedTuple):
    """A position searched before: its value as seen from it, how deep, and its best column.

    `column` is -1 where none was searched (depth 0).
    """

    key: int
    value: float
    depth: int
    bound: int
    column: int

    def value_at(self, ply: int) -> float:
        """Return the value for a search that meets the position `ply` below its root."""
        return _from_position(self.value, ply)

    def answers(self, depth: int, ply: int, alpha: float, beta: float) -> bool:
        """Whether the entry settles a search of that depth with that window."""
        if self.depth < depth:
            return False
        value = self.value_at(ply)
        return (
            self.bound == EXACT
            or (self.bound == LOWER and value >= beta)
            or (self.bound == UPPER and value <= alpha)
        )


class TranspositionTable:
    """A table of `entries` slots (a power of two up to 2^28), empty at first.

    Raises `InvalidSearch` for any other number.
    """

    def __init__(self, entries: int) -> None:
        entries = whole_number(entries, "table", InvalidSearch)
        bits = entries.bit_length() - 1
        if entries < 1 or entries != 1 << bits or bits > MAX_BITS:
            raise InvalidSearch(
                f"a table has a power of two of entries, 1 to 2^{MAX_BITS}, not {entries}"
            )
        self.bits = bits
        self._slots: dict[int, Entry] = {}

    def find(self, key: int) -> Entry | None:
        """Return what is known of the position of that key."""
        entry = self._slots.get(slot_of(key, self.bits))
        return entry if entry is not None and entry.key == key else None

    def copy(self) -> Self:
        """Return a table that holds the same."""
        twin = copy(self)
        twin._slots = dict(self._slots)
        return twin

    def put(self, key: int, value: float, depth: int, bound: int, column: int, ply: int) -> None:
        """Store what was found `ply` below the root of a search."""
        entry = Entry(key, _to_position(value, ply), depth, bound, column)
        self._slots[slot_of(key, self.bits)] = entry

    def clear(self) -> None:
        """Forget everything."""
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


def _to_position(value: float, ply: int) -> float:
    """Count a proven result's plies from the position instead of the root."""
    if value > PROVEN:
        return value + ply
    return value - ply if value < -PROVEN else value


def _from_position(value: float, ply: int) -> float:
    """Count a proven result's plies from the root instead of the position."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value
