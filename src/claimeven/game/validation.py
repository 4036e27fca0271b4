"""What numbers handed in from outside must be."""

from __future__ import annotations

from numbers import Integral

from claimeven.game.errors import ClaimevenError


def whole_number(number: object, name: str, error: type[ClaimevenError] = ClaimevenError) -> int:
    """Return a whole number, NumPy's included, as an int; raise `error` for anything else.

    Floats are refused even where they are whole, and so is a bool.

    >>> whole_number(7, "columns")
    7
    """
    if type(number) is int:
        return number
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise error(f"{name} must be a whole number, not {number!r}")
    return int(number)
