"""Checks of values from outside: what passes comes back plain, everything else is named."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from claimeven import ClaimevenError
from claimeven.game.validation import one_of, real_number, seed_number, share, whole_number


@pytest.mark.parametrize(
    ("check", "value", "plain"),
    [
        (whole_number, np.int8(7), 7),
        (real_number, Fraction(1, 2), 0.5),
        (real_number, np.float32(0.5), 0.5),
        (share, 1, 1.0),
    ],
)
def test_numbers_of_any_kind_come_back_as_numbers_of_python(
    check: Any, value: object, plain: float
) -> None:
    found = check(value, "it")
    assert (found, type(found)) == (plain, type(plain))


def test_infinity_passes_only_where_it_may() -> None:
    assert real_number(10**400, "it", finite=False) == math.inf
    for value in (math.inf, -math.inf, 10**400):
        with pytest.raises(ClaimevenError, match="it must be finite, got"):
            real_number(value, "it")


@pytest.mark.parametrize("value", ["3", None, True, 1.0, 2.5, np.bool_(1), math.nan])
def test_values_that_are_not_whole_numbers_are_refused(value: object) -> None:
    with pytest.raises(ClaimevenError, match="it must be a whole number, got"):
        whole_number(value, "it")


@pytest.mark.parametrize("value", ["3", None, True, 1j, math.nan])
def test_values_that_are_not_numbers_are_refused(value: object) -> None:
    with pytest.raises(ClaimevenError, match="it must be a number, got"):
        real_number(value, "it")


@pytest.mark.parametrize(
    ("check", "bounds", "value", "message"),
    [
        (whole_number, {"low": 0}, -1, "it must be 0 or more, got -1"),
        (whole_number, {"high": 9}, 10, "it must be at most 9, got 10"),
        (whole_number, {"low": 1, "high": 16}, 17, "it must be 1 to 16, got 17"),
        (real_number, {"above": 0}, 0.0, "it must be greater than 0, got 0.0"),
        (real_number, {"low": 0, "high": 0.5}, 0.75, "it must be 0 to 0.5, got 0.75"),
        (share, {}, 1.5, "it must be 0 to 1, got 1.5"),
    ],
)
def test_numbers_out_of_range_are_refused(
    check: Any, bounds: dict[str, float], value: float, message: str
) -> None:
    class Mine(ClaimevenError):
        pass

    with pytest.raises(Mine) as refused:
        check(value, "it", Mine, **bounds)
    assert str(refused.value) == message


def test_seeds_and_words() -> None:
    assert (seed_number(3), one_of("b", "letter", "ab")) == (3, "b")
    with pytest.raises(ClaimevenError, match="seed must be 0 or more, got -1"):
        seed_number(-1)
    for word in ("c", None, ["a"]):
        with pytest.raises(ClaimevenError, match=r"there is no letter .*: choose from a, b"):
            one_of(word, "letter", "ab")
