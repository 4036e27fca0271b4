"""Settings of a training run: fields of a dataclass with bounds and help texts.

The checks of a configuration and its command-line options follow from its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.learning.run_dir import InvalidRun

_KEY: Final = "setting"
#: The greatest seed of a generator.
MAX_SEED: Final = 2**63 - 1
#: Cells of the largest board on which perfect games take seconds without a book.
_MAX_CELLS: Final = 36


@dataclass(frozen=True)
class Setting:
    """The bounds or choices of a setting; one without a help text has no option."""

    low: float | None = None
    high: float | None = None
    help: str = ""
    choices: Sequence[str] = ()


def numeric(
    default: float | None, low: float | None = None, high: float | None = None, help: str = ""
) -> Any:
    """Return the field of a number, an integer unless the default is a float."""
    return field(default=default, metadata={_KEY: Setting(low, high, help)})


def choice(default: str, choices: Iterable[str], help: str) -> Any:
    """Return the field of a word."""
    return field(default=default, metadata={_KEY: Setting(help=help, choices=tuple(choices))})


def settings_of(config: Any) -> dict[str, tuple[Any, Setting]]:
    """Return the default and the setting of a configuration's fields, by name."""
    return {
        each.name: (each.default, each.metadata[_KEY])
        for each in fields(config)
        if _KEY in each.metadata
    }


def check_settings(config: Any) -> None:
    """Check the settings of a configuration. Raises `InvalidRun`.

    A default of None is allowed. Numbers of NumPy become numbers of Python.
    """
    for name, (default, setting) in settings_of(config).items():
        value, words = getattr(config, name), name.replace("_", " ")
        if value is None and default is None:
            continue
        if setting.choices:
            value = one_of(value, words, setting.choices, InvalidRun)
        elif isinstance(default, float):
            number = real_number(value, words, InvalidRun, low=setting.low, high=setting.high)
            value = value if isinstance(value, int | float) else number
        else:
            low, high = (None if end is None else int(end) for end in (setting.low, setting.high))
            value = whole_number(value, words, InvalidRun, low=low, high=high)
        object.__setattr__(config, name, value)


def checked_weights(weights: Iterable[Any], words: str) -> tuple[float, ...]:
    """Return weights as numbers of Python, greater than 0. Raises `InvalidRun`.

    >>> checked_weights([2, 0.5], "weights of plies")
    (2, 0.5)
    """
    found = tuple(weights)
    numbers = [real_number(each, f"each of the {words}", InvalidRun, above=0) for each in found]
    pairs = zip(found, numbers, strict=True)
    return tuple(each if isinstance(each, int | float) else number for each, number in pairs)


def default_games(geometry: Geometry, games: int) -> int:
    """Return the default number of test games against the perfect agent: `games`, or 0 on boards on
    which that agent would take hours.

    >>> default_games(Geometry(), 10), default_games(Geometry(8, 7), 10)
    (10, 0)
    """
    return games if geometry == STANDARD or geometry.cells <= _MAX_CELLS else 0
