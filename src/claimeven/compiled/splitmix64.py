"""The random numbers of compiled code: splitmix64, once in Python and once compiled.

The state is one 64-bit word. Each draw adds `STEP` to it and mixes the sum (Steele, Lea and
Flood, "Fast splittable pseudorandom number generators", 2014). The same seed gives the same
draws in both, on every machine, so a textbook search and its compiled twin grow the same tree.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled.decorators import inlined
from claimeven.compiled.types import Word

_WORD = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

#: Each draw adds this to the state.
STEP = np.uint64(_STEP)
_FIRST_FACTOR = np.uint64(_FIRST)
_SECOND_FACTOR = np.uint64(_SECOND)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def mixed_word(state: int) -> int:
    """Return the random word of a state, 0 <= state < 2**64."""
    state = ((state ^ (state >> 30)) * _FIRST) & _WORD
    state = ((state ^ (state >> 27)) * _SECOND) & _WORD
    return state ^ (state >> 31)


class Stream:
    """Random numbers from a 64-bit seed.

    >>> stream = Stream(1)
    >>> [stream.below(7) for _ in range(8)]
    [3, 5, 6, 3, 3, 5, 6, 3]
    """

    def __init__(self, seed: int) -> None:
        self.state: int = seed & _WORD

    def word(self) -> int:
        """Draw from 0..2**64-1."""
        self.state = (self.state + _STEP) & _WORD
        return mixed_word(self.state)

    def below(self, count: int) -> int:
        """Draw from 0..count-1, all equally likely (to one part in 2**32 / count)."""
        return (self.word() >> 32) * count >> 32

    def share(self) -> float:
        """Draw from [0, 1)."""
        return (self.word() >> 11) / (1 << 53)


@inlined
def mixed(state: Word) -> Word:
    """`mixed_word`, compiled."""
    word = (state ^ (state >> _30)) * _FIRST_FACTOR
    word = (word ^ (word >> _27)) * _SECOND_FACTOR
    return word ^ (word >> _31)


@inlined
def draw_below(state: Word, count: Word) -> Word:
    """`Stream.below` on a state that the caller has already advanced by `STEP`."""
    return (mixed(state) >> _32) * count >> _32
