"""Settings of a training run: fields of a dataclass with bounds and help texts.

The checks of a configuration and its command-line options follow from its fields; one without a
help text has no option.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.learning.run_dir import InvalidRun
from claimeven.option_fields import option, options_of

#: The greatest seed of a generator.
MAX_SEED: Final = 2**63 - 1
#: Cells of the largest board on which perfect games take seconds without a book.
_MAX_CELLS: Final = 36


def numeric(
    default: float | None, low: float | None = None, high: float | None = None, help: str = ""
) -> Any:
    """Return the field of a number, an integer unless the default is a float."""
    kind = float if isinstance(default, float) else int
    return option(kind, default, help, low=low, high=high)


def choice(default: str, choices: Iterable[str], help: str) -> Any:
    """Return the field of a word."""
    return option(str, default, help, choices=tuple(choices))


def check_settings(config: Any) -> None:
    """Check the settings of a configuration. Raises `InvalidRun`.

    A default of None is allowed. Numbers of NumPy become numbers of Python.
    """
    for name, (default, setting) in options_of(type(config)).items():
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
