"""Options as fields of dataclasses: their types, bounds and help are declared once.

Checks and options of the command line follow from the fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

_KEY: Final = "option"


@dataclass(frozen=True)
class CommandOption:
    """How an option is given: its type or its words, its help, the name of a value.

    `flags` are written in place of its name; `shown` in place of its default. `low` and `high` are
    the bounds of a number.
    """

    kind: type
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    flags: str = ""
    shown: str | None = None
    low: float | None = None
    high: float | None = None


def option(kind: type, default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={_KEY: CommandOption(kind, help, **more)})


def options_of(cls: type) -> dict[str, tuple[Any, CommandOption]]:
    """Return the default and the declaration of each option of a class, its own ones first."""
    own = [name for each in cls.__mro__ for name in vars(each).get("__annotations__", ())]
    found = {each.name: each for each in fields(cls) if _KEY in each.metadata}
    return {
        name: (found[name].default, found[name].metadata[_KEY])
        for name in dict.fromkeys(own)
        if name in found
    }
