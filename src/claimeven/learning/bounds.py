"""What numbers of a recipe can be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from numbers import Real
from typing import Any

from claimeven.game.arguments import whole_number
from claimeven.learning.run_folder import InvalidRun


def check_numbers(recipe: Any, bounds: Iterable[tuple[str, float, float]]) -> None:
    """Check the numbers of a recipe, a dataclass, by their names, the least and the greatest.

    Those that are a float where nothing is asked may be any number, others are whole ones; None is
    left where it is what nothing is asked for. Numbers of NumPy become those of Python, as files
    keep them. Raises `InvalidRun`.
    """
    usual = {field.name: field.default for field in fields(recipe)}
    for name, low, high in bounds:
        value, words = getattr(recipe, name), name.replace("_", " ")
        if value is None and usual[name] is None:
            continue
        if not isinstance(usual[name], float):
            value = whole_number(value, words, InvalidRun)
        elif isinstance(value, bool) or not isinstance(value, Real):
            raise InvalidRun(f"{words} must be a number, not {value!r}")
        elif not isinstance(value, int | float):
            value = float(value)
        if not low <= value <= high:
            raise InvalidRun(f"{words} is {value}: {low} to {high} can be")
        object.__setattr__(recipe, name, value)


def checked_shares(shares: Iterable[Any], words: str) -> tuple[float, ...]:
    """Return shares, numbers greater than 0, as files keep them. Raises `InvalidRun`.

    >>> checked_shares([2, 0.5], "shares of plies")
    (2, 0.5)
    """
    found = tuple(shares)
    for share in found:
        is_number = isinstance(share, Real) and not isinstance(share, bool)
        if not is_number or not 0 < share < math.inf:
            raise InvalidRun(f"{words} are numbers greater than 0, not {share!r}")
    return tuple(share if isinstance(share, int | float) else float(share) for share in found)
