"""Checks of arguments: each returns the value as a Python number or text, or raises `error`.

Numbers of NumPy are accepted, booleans are not. Messages name the value, the expected range and
the given value: "depth must be 0 or more, got -1".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TypeVar

from claimeven.errors import ClaimevenError
from claimeven.suggestions import no_such

T = TypeVar("T")
#: Longer whole numbers are not printed.
MAX_SHOWN_BITS = 200


def whole_number(
    number: object,
    name: str,
    error: type[ClaimevenError] = ClaimevenError,
    *,
    low: int | None = None,
    high: int | None = None,
) -> int:
    """Return a whole number from `low` to `high` as an int. Floats are rejected.

    >>> whole_number(7, "columns", low=1)
    7
    """
    if type(number) is not int:
        if not isinstance(number, Integral) or isinstance(number, bool):
            raise error(f"{name} must be a whole number, got {_shown(number)}")
        number = int(number)
    if (low is not None and number < low) or (high is not None and number > high):
        raise error(f"{name} must be {_range(low, high)}, got {_shown(number)}")
    return number


def real_number(
    number: object,
    name: str,
    error: type[ClaimevenError] = ClaimevenError,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    finite: bool = True,
) -> float:
    """Return a number from `low` to `high`, and greater than `above`, as a float.

    NaN is rejected. Without `finite` infinity is accepted, and whole numbers too large for a float.

    >>> real_number(1, "c", low=0), real_number(0.5, "rate", above=0)
    (1.0, 0.5)
    """
    value = math.nan
    if isinstance(number, Real) and not isinstance(number, bool):
        try:
            value = float(number)
        except OverflowError:  # from a large int
            value = math.inf if number >= 0 else -math.inf  # type: ignore[operator]  # an int
    if math.isnan(value):
        raise error(f"{name} must be a number, got {_shown(number)}")
    if finite and math.isinf(value):
        raise error(f"{name} must be finite, got {value}")
    if above is not None and not value > above:
        raise error(f"{name} must be greater than {above}, got {_shown(number)}")
    if (low is not None and value < low) or (high is not None and value > high):
        raise error(f"{name} must be {_range(low, high)}, got {_shown(number)}")
    return value


def share(number: object, name: str, error: type[ClaimevenError] = ClaimevenError) -> float:
    """Return a share, such as a probability: a number from 0 to 1, as a float."""
    return real_number(number, name, error, low=0, high=1)


def true_or_false(value: object, name: str, error: type[ClaimevenError] = ClaimevenError) -> bool:
    """Return a boolean, also one of NumPy, as a bool."""
    # By name, since the program starts without an import of NumPy.
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise error(f"{name} must be true or false, got {_shown(value)}")


def seed_number(number: object, error: type[ClaimevenError] = ClaimevenError) -> int:
    """Return the seed of a random generator: a whole number, 0 or more."""
    return whole_number(number, "seed", error, low=0)


def one_of(
    value: object,
    name: str,
    choices: Iterable[str],
    error: type[ClaimevenError] = ClaimevenError,
) -> str:
    """Return one of the choices; the error message suggests a similar choice and lists all.

    >>> one_of("left", "order", ("center", "left"))
    'left'
    """
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise error(no_such(name, str(value), known))
    return value


def instance(
    value: object,
    name: str,
    kind: type,
    error: type[ClaimevenError] = ClaimevenError,
    example: str = "",
) -> None:
    """Raise `error` unless this is an object of a class.

    >>> instance("7x6", "a size", int)
    Traceback (most recent call last):
    claimeven.errors.ClaimevenError: a size must be an int, got '7x6'
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOUaeiou" else "a"
        such = f" such as {example}" if example else ""
        raise error(f"{name} must be {article} {kind.__name__}{such}, got {_shown(value)}")


def items_of(
    values: Iterable[T], name: str, error: type[ClaimevenError] = ClaimevenError
) -> tuple[T, ...]:
    """Return the items of a sequence. Raises `error` for text and for an object without items.

    >>> items_of(range(3), "columns")
    (0, 1, 2)
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise error(f"{name} must be a sequence such as a list, got {_shown(values)}")
    return tuple(values)


def _shown(value: object) -> str:
    """Return the text of a value; a number of more digits than Python prints has its size."""
    if not isinstance(value, int) or isinstance(value, bool):
        return f"{value!r:.60}"
    bits = value.bit_length()
    return f"{value:,}" if bits <= MAX_SHOWN_BITS else f"a whole number of {bits:,} bits"


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"at most {high:,}" if low is None else f"{low:,} to {high:,}"
