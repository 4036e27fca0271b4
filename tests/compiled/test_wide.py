"""Arrays of words of 128 bits: operators and functions of NumPy as on Python's integers."""

from __future__ import annotations

import operator
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claimeven.compiled.wide import WideWords, halves, words, words_of

_RANDOM = random.Random(5)
#: Each twice in order, with halves of all ones, so that sums carry and differences borrow.
NUMBERS = [
    0,
    1,
    (1 << 64) - 1,
    1 << 64,
    (1 << 128) - 1,
    *(_RANDOM.getrandbits(n) for n in (64, 128)),
]
PAIRS = [(one, other) for one in NUMBERS for other in NUMBERS]
MODULUS = 1 << 128


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "add", "sub", "lt", "eq", "ne"])
def test_operators(name: str) -> None:
    operate: Callable[[Any, Any], Any] = getattr(operator, name)
    one, other = (words_of(each, 128) for each in zip(*PAIRS, strict=True))
    expected = [operate(a, b) for a, b in PAIRS]
    if not isinstance(expected[0], bool):
        expected = [number % MODULUS for number in expected]
    assert operate(one, other).tolist() == expected
    for number in NUMBERS:
        found = operate(one, number).tolist()
        assert found == operate(one, words_of([number] * len(one), 128)).tolist()
    with pytest.raises(TypeError):
        one * other


def test_shifts_inversion_and_the_minimum() -> None:
    found = words_of(NUMBERS, 128)
    for steps in range(128):
        assert (found << steps).tolist() == [(each << steps) % MODULUS for each in NUMBERS]
        assert (found >> steps).tolist() == [each >> steps for each in NUMBERS]
    assert (~found).tolist() == [each ^ (MODULUS - 1) for each in NUMBERS]
    one, other = (words_of(each, 128) for each in zip(*PAIRS, strict=True))
    assert np.minimum(one, other).tolist() == [min(pair) for pair in PAIRS]
    one &= other
    one[::2] |= other[::2]
    assert one.tolist() == [b if n % 2 == 0 else a & b for n, (a, b) in enumerate(PAIRS)]


def test_functions_of_numpy() -> None:
    numbers = [*NUMBERS, *NUMBERS[::-1]]
    found = words_of(numbers, 128)
    ascending = sorted(set(numbers))
    distinct, first, back = np.unique(found, return_index=True, return_inverse=True)
    assert isinstance(distinct, WideWords)
    assert (distinct.tolist(), first.tolist()) == (
        ascending,
        [numbers.index(each) for each in ascending],
    )
    assert distinct[back].tolist() == numbers
    assert np.searchsorted(distinct, found).tolist() == [ascending.index(each) for each in numbers]
    assert np.isin(found, found[:2]).tolist() == [each in numbers[:2] for each in numbers]
    assert np.concatenate([found, distinct]).tolist() == numbers + ascending
    assert np.flatnonzero(found != 0).tolist() == [n for n, each in enumerate(numbers) if each]
    assert found[None].tolist() == [numbers] and list(found) == numbers
    assert pickle.loads(pickle.dumps(found)).tolist() == numbers
    assert str(found[:2]) == repr(found[:2]) == "WideWords([0, 1])"


def test_words_of_either_width() -> None:
    narrow = words_of([5, 1 << 63], 64)
    assert narrow.dtype == np.uint64 and words(3, 64).tolist() == [0, 0, 0]
    wide = words_of(narrow, 65)
    assert isinstance(wide, WideWords) and wide.tolist() == words_of(wide, 65).tolist()
    assert [half.tolist() for half in halves(wide)] == [[5, 1 << 63], [0, 0]]
    with pytest.raises(OverflowError):
        words_of([1 << 128], 128)
    with pytest.raises(OverflowError):
        words_of([-1], 128)
