"""Settings of a training run: fields of a dataclass that carry their bounds and their help.

A recipe declares each setting once. Its check and the options of the command line follow from that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Final

from claimeven.game.validation import whole_number
from claimeven.learning.run_dir import InvalidRun
from claimeven.suggestions import no_such

_KEY: Final = "setting"
#: The greatest seed of a generator.
MAX_SEED: Final = 2**63 - 1


@dataclass(frozen=True)
class Setting:
    """The least and the greatest number of a setting, or its words; the help of its option.

    A setting without help has no option.
    """

    low: float = -math.inf
    high: float = math.inf
    help: str = ""
    choices: Sequence[str] = ()


def numeric(
    default: float | None, low: float = -math.inf, high: float = math.inf, help: str = ""
) -> Any:
    """Return the field of a number: a whole one unless the default is a float."""
    return field(default=default, metadata={_KEY: Setting(low, high, help)})


def choice(default: str, choices: Iterable[str], help: str) -> Any:
    """Return the field of a word, one of some choices."""
    return field(default=default, metadata={_KEY: Setting(help=help, choices=tuple(choices))})


def settings_of(recipe: Any) -> dict[str, tuple[Any, Setting]]:
    """Return the default and the setting of a recipe's fields, by name."""
    return {
        each.name: (each.default, each.metadata[_KEY])
        for each in fields(recipe)
        if _KEY in each.metadata
    }


def check_settings(recipe: Any) -> None:
    """Check the settings of a recipe. Raises `InvalidRun`.

    None is left if it is the default. Numbers of NumPy become numbers of Python, as files hold
    them.
    """
    for name, (default, setting) in settings_of(recipe).items():
        value, words = getattr(recipe, name), name.replace("_", " ")
        if value is None and default is None:
            continue
        if setting.choices:
            if value not in setting.choices:
                raise InvalidRun(no_such(words, value, setting.choices))
            continue
        if not isinstance(default, float):
            value = whole_number(value, words, InvalidRun)
        elif isinstance(value, bool) or not isinstance(value, Real):
            raise InvalidRun(f"{words} must be a number, not {value!r}")
        elif not isinstance(value, int | float):
            value = float(value)
        if not setting.low <= value <= setting.high:
            raise InvalidRun(f"{words} is {value}: {setting.low} to {setting.high} can be")
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
