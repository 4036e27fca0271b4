"""The random numbers of the playouts: splitmix64, once in Python and once compiled.

The state is one 64-bit word. Each draw adds a constant to it and mixes the sum (Steele, Lea and
Flood, "Fast splittable pseudorandom number generators", 2014). The same seed gives the same
draws in both, which is what lets a textbook search and its compiled twin grow the same tree.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Word, inlined

_WORD = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

STEP = np.uint64(_STEP)
_FIRST_FACTOR = np.uint64(_FIRST)
_SECOND_FACTOR = np.uint64(_SECOND)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


class Stream:
    """Random whole numbers from a 64-bit seed.

    >>> stream = Stream(1)
    >>> [stream.below(7) for _ in range(5)] == [Stream(1).below(7)] + [
    ...     stream_again.below(7) for stream_again in [Stream(1)] for _ in range(5)][1:]
    True
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & _WORD

    def below(self, count: int) -> int:
        """Draw from 0..count-1, all equally likely (to one part in 2**32 / count)."""
        self.state = (self.state + _STEP) & _WORD
        word = self.state
        word = ((word ^ (word >> 30)) * _FIRST) & _WORD
        word = ((word ^ (word >> 27)) * _SECOND) & _WORD
        return ((word ^ (word >> 31)) >> 32) * count >> 32


@inlined
def draw_below(state: Word, count: Word) -> Word:
    """`Stream.below` on a state that the caller has already advanced by `STEP`."""
    word = (state ^ (state >> _30)) * _FIRST_FACTOR
    word = (word ^ (word >> _27)) * _SECOND_FACTOR
    return ((word ^ (word >> _31)) >> _32) * count >> _32
