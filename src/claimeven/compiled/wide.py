"""Words of 128 bits: boards that do not fit 64 bits, in the same kernels.

`words` allocates arrays for a board: uint64 if its words have 64 bits, otherwise `WideWords`, whose
items are Python integers outside kernels. `word` converts a number for a kernel in the same way.
Kernels are compiled for either, see `decorators.Kernel.wide` and `wide_llvm`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

import numpy as np

from claimeven.compiled.types import is_narrow

#: Bits of a half of a wide word.
WORD_BITS: Final = 64

_HALVES: Final = np.dtype([("low", "<u8"), ("high", "<u8")])
#: The same, which NumPy compares by its first field first. It moves the fields of such arrays.
_ORDERED: Final = np.dtype(
    {"names": ["high", "low"], "formats": ["<u8", "<u8"], "offsets": [WORD_BITS // 8, 0]}
)
#: Turns a negative shift into one by 64 or more, by which NumPy shifts all bits out.
_MANY: Final = 1 << WORD_BITS
#: The low and high halves of words, as arrays or single numbers of uint64.
_Pair = tuple[Any, Any]


class Wide(int):
    """A whole number from 0 to 2**128 - 1, as an argument of a wide kernel."""


class WideWords(np.ndarray):
    """An array of 128-bit words; a single item is an integer.

    It has the operators of an array of uint64 that the batches of positions need: bitwise ones,
    shifts by a number, sums, differences and comparisons. An operand may be an integer.
    """

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
        super().__setitem__(index, joined(*halves(value)))

    def __repr__(self) -> str:
        return f"WideWords({self.tolist()})"

    __str__ = __repr__
    __hash__ = None  # as of all arrays

    def __eq__(self, other: object) -> Any:
        return np.equal(self, cast(Any, other))  # NumPy compares records without its functions

    def __ne__(self, other: object) -> Any:
        return np.not_equal(self, cast(Any, other))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Run one of `_OPERATIONS`."""
        out = options.pop("out", (None,))[0]
        if ufunc not in _OPERATIONS or method != "__call__" or options:
            return NotImplemented
        found = _OPERATIONS[ufunc](*map(halves, inputs))
        found = joined(*found) if isinstance(found, tuple) else found
        if out is None:
            return found
        out[...] = found
        return out

    def argsort(self, *arguments: Any, **options: Any) -> Any:
        """Return the places of the items in ascending order; equal ones stay in order."""
        return np.lexsort(halves(self))

    def sort(self, *arguments: Any, **options: Any) -> None:
        """Sort the items."""
        self[:] = self[self.argsort()]

    def searchsorted(self, words: Any, *arguments: Any, **options: Any) -> Any:
        """Return the places of words in this ascending array."""
        array, sought = (np.asarray(each).view(_ORDERED) for each in (self, words))
        return array.searchsorted(sought, *arguments, **options)

    def tolist(self) -> Any:
        """Return the items as integers."""
        if self.ndim != 1:
            return [part.tolist() for part in self]
        low, high = (half.tolist() for half in halves(self))
        return [each | upper << WORD_BITS for each, upper in zip(low, high, strict=True)]


def halves(value: Any) -> _Pair:
    """Return the low and high halves, uint64, of words of either width, or of integers."""
    if isinstance(value, WideWords):
        plain = value.view(np.ndarray)
        return plain["low"], plain["high"]
    if isinstance(value, np.ndarray) and value.dtype == np.uint64:
        return value, np.zeros_like(value)
    numbers = [value] if isinstance(value, int | np.integer) else value
    pairs = np.array([divmod(int(each), _MANY) for each in numbers], dtype=np.uint64)
    high, low = pairs[0] if numbers is not value else pairs.reshape(-1, 2).T
    return low, high


def joined(low: Any, high: Any) -> WideWords:
    """Return words from their halves."""
    made = np.empty(np.broadcast(low, high).shape, dtype=_HALVES)
    made["low"], made["high"] = low, high
    return made.view(WideWords)


def _each(operation: Callable[..., Any]) -> Callable[..., _Pair]:
    return lambda *words: tuple(operation(*parts) for parts in zip(*words, strict=True))


def _sum(one: _Pair, other: _Pair) -> _Pair:
    low = one[0] + other[0]
    return low, one[1] + other[1] + (low < one[0])


def _left(word: _Pair, steps: _Pair) -> _Pair:
    (low, high), n = word, int(steps[0])
    return low << n, high << n | low >> (WORD_BITS - n) % _MANY | low << (n - WORD_BITS) % _MANY


def _right(word: _Pair, steps: _Pair) -> _Pair:
    (low, high), n = word, int(steps[0])
    return low >> n | high << (WORD_BITS - n) % _MANY | high >> (n - WORD_BITS) % _MANY, high >> n


def _less(one: _Pair, other: _Pair) -> Any:
    return (one[1] < other[1]) | (one[1] == other[1]) & (one[0] < other[0])


def _minimum(one: _Pair, other: _Pair) -> _Pair:
    return _each(partial(np.where, _less(one, other)))(one, other)


_OPERATIONS: Final[dict[Any, Callable[..., Any]]] = {
    **{each: _each(each) for each in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert)},
    np.bitwise_count: lambda a: np.bitwise_count(a[0]) + np.bitwise_count(a[1]),
    np.add: _sum,
    np.subtract: lambda a, b: (a[0] - b[0], a[1] - b[1] - (a[0] < b[0])),
    np.left_shift: _left,
    np.right_shift: _right,
    np.minimum: _minimum,
    np.less: _less,
    np.equal: lambda a, b: (a[0] == b[0]) & (a[1] == b[1]),
    np.not_equal: lambda a, b: (a[0] != b[0]) | (a[1] != b[1]),
}


def width(bits: int) -> int:
    """Return the number of bits of the words of a board of `bits` bits: 64 or 128."""
    return WORD_BITS if is_narrow(bits) else 2 * WORD_BITS


def words(shape: int | tuple[int, ...], bits: int) -> Any:
    """Return an array of zeros for the words of a board of `bits` bits, at most 128."""
    if is_narrow(bits):
        return np.zeros(shape, dtype=np.uint64)
    return np.zeros(shape, dtype=_HALVES).view(WideWords)


def words_of(numbers: Any, bits: int) -> Any:
    """Return an array of integers, or words of either width, as words of a board of `bits` bits."""
    if is_narrow(bits):
        return np.asarray(numbers, dtype=np.uint64)
    return joined(*halves(numbers))


def word(number: int, bits: int) -> Any:
    """Return a number as an argument of a kernel for boards of `bits` bits."""
    return np.uint64(number) if is_narrow(bits) else Wide(number)
