"""Words of 128 bits: boards that do not fit 64 bits, in the same kernels.

`words` allocates arrays for a board: uint64 if its words have 64 bits, otherwise `WideWords`, whose
items are Python integers outside kernels. `word` converts a number for a kernel in the same way.
Kernels are compiled for either, see `decorators.Kernel.wide` and `wide_llvm`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from claimeven.compiled.types import is_narrow

#: Bits of a half of a wide word.
WORD_BITS: Final = 64

_LOW: Final = (1 << WORD_BITS) - 1
_HALVES = np.dtype([("low", "<u8"), ("high", "<u8")])


class Wide(int):
    """A whole number from 0 to 2**128 - 1, as an argument of a wide kernel."""


class WideWords(np.ndarray):
    """An array of 128-bit words; a single item is an integer."""

    #: Makes Numba ask for the type of such an array, which `wide_llvm` gives.
    __numba_array_subtype_dispatch__ = True
    #: Joined arrays are of this class too.
    __array_priority__ = 1.0

    def __getitem__(self, index: Any) -> Any:
        """Return an item as an integer, or a part of the array."""
        found = super().__getitem__(index)
        return found if isinstance(found, WideWords) else int(found[0]) | int(found[1]) << WORD_BITS

    def __setitem__(self, index: Any, value: Any) -> None:
        """Set an item, or all items of a part, to an integer; or copy a sequence of integers."""
        if isinstance(value, WideWords):
            super().__setitem__(index, value)
        elif isinstance(value, int | np.integer):
            super().__setitem__(index, _record(int(value)))
        else:
            records = [_record(int(each)) for each in value]
            super().__setitem__(index, np.array(records, dtype=_HALVES))


def width(bits: int) -> int:
    """Return the number of bits of the words of a board of `bits` bits: 64 or 128."""
    return WORD_BITS if is_narrow(bits) else 2 * WORD_BITS


def words(shape: int | tuple[int, ...], bits: int) -> Any:
    """Return an array of zeros for the words of a board of `bits` bits, at most 128."""
    if is_narrow(bits):
        return np.zeros(shape, dtype=np.uint64)
    return np.zeros(shape, dtype=_HALVES).view(WideWords)


def words_of(numbers: Any, bits: int) -> Any:
    """Return an array of integers as words of a board of `bits` bits."""
    if is_narrow(bits):
        return np.asarray(numbers, dtype=np.uint64)
    found = words(len(numbers), bits)
    found[:] = numbers
    return found


def word(number: int, bits: int) -> Any:
    """Return a number as an argument of a kernel for boards of `bits` bits."""
    return np.uint64(number) if is_narrow(bits) else Wide(number)


def _record(number: int) -> tuple[int, int]:
    return number & _LOW, number >> WORD_BITS
