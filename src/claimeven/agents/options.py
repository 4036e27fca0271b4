"""The options an agent takes in its spec: their types, ranges, defaults and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from claimeven.game.errors import ClaimevenError
from claimeven.suggestions import did_you_mean

if TYPE_CHECKING:
    from claimeven.agents.base import Agent

Kind = Literal["int", "float", "flag", "choice", "text", "depth", "file"]

#: What a flag may be written as.
FLAGS = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
#: What a depth may be besides a number: to the end of the game.
FULL = "full"


class InvalidSpec(ClaimevenError):
    """Text that names no agent, or an option it does not take.

    `traceback` is that of a user's file that failed, as text, where there is one.
    """

    def __init__(self, reason: str, traceback: str = "") -> None:
        super().__init__(reason)
        self.traceback = traceback


@dataclass(frozen=True)
class Option:
    """One option of an agent.

    `low` and `high` bound a number (both allowed); `choices` list the words of a choice. A
    default of None means that the option is left free, as `help` says.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def parse(self, text: str, agent: str) -> Any:
        """Return the value of a text. Raises `InvalidSpec` naming the option and its range."""
        readers: dict[Kind, Callable[[str], Any]] = {
            "int": int,
            "float": float,
            "flag": lambda word: FLAGS[word.lower()],
            "choice": self._choice,
            "text": str,
            "file": str,
            "depth": lambda word: FULL if word == FULL else int(word),
        }
        try:
            value = readers[self.kind](text)
            inside = self._allows(value)
        except (ValueError, KeyError):
            inside = False
        if not inside:
            guess = did_you_mean(text, self.choices)
            raise InvalidSpec(
                f"{self.name}={text} of {agent}{guess}: {self.name} takes {self.range}"
            )
        return value

    def _choice(self, word: str) -> str:
        if word not in self.choices:
            raise ValueError(word)
        return word

    def _allows(self, value: Any) -> bool:
        if isinstance(value, (str, bool)):
            return True
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)

    @property
    def range(self) -> str:
        """Say what the option takes."""
        if self.kind == "flag":
            return "yes or no"
        if self.kind == "choice":
            return ", ".join(self.choices)
        if self.kind == "text":
            return "a name"
        if self.kind == "file":
            return "a file"
        number = "a number" if self.kind == "float" else "a whole number"
        if self.low is not None and self.high is not None:
            number += f" from {_written(self.low)} to {_written(self.high)}"
        elif self.low is not None:
            number += f" from {_written(self.low)}"
        return f"{number}, or {FULL}" if self.kind == "depth" else number

    @property
    def shown_default(self) -> str:
        """The default as it would be written in a spec."""
        if self.default is None:
            return "-"
        if self.kind == "flag":
            return "yes" if self.default else "no"
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    def as_dict(self) -> dict[str, Any]:
        """Return the option as plain data: what it takes in words, and as a form needs it."""
        return {
            "name": self.name,
            "type": self.kind,
            "takes": self.range,
            "default": self.default,
            "low": self.low,
            "high": self.high,
            "choices": list(self.choices),
            "help": self.help,
        }


def _written(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


@dataclass(frozen=True)
class AgentKind:
    """A name in the registry: what it is, what it takes, and how to build it.

    `build` receives every option by name, given or default. `is_preset` marks a kind that is
    another one with a published set of options.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    build: Callable[[Mapping[str, Any]], Agent]
    is_preset: bool = False

    def parse(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return all options as values. Raises `InvalidSpec` for one it does not take."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                choices = ", ".join(known) if known else "none"
                guess = did_you_mean(name, known)
                raise InvalidSpec(f"{self.name} has no option {name!r}{guess}: it takes {choices}")
        return {
            name: option.parse(given[name], self.name) if name in given else option.default
            for name, option in known.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the kind with all its options as plain data."""
        return {
            "name": self.name,
            "summary": self.summary,
            "preset": self.is_preset,
            "options": [option.as_dict() for option in self.options],
        }

    def runs_user_code(self, options: Mapping[str, Any]) -> bool:
        """Whether one of the options of an agent names a function of the user's own."""
        texts = [str(options[option.name]) for option in self.options if option.kind == "text"]
        return any(":" in text or text.endswith(".py") for text in texts)

    def preset(self, name: str, summary: str, **defaults: Any) -> AgentKind:
        """Return this kind under another name with other defaults."""
        options = tuple(
            Option(
                o.name, o.kind, defaults.get(o.name, o.default), o.help, o.low, o.high, o.choices
            )
            for o in self.options
        )
        return AgentKind(name, summary, options, self.build, is_preset=True)
