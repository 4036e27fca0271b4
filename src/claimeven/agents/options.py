"""The options of an agent in its spec: their types, ranges, defaults and descriptions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from claimeven.agents.base import LIMITS, Limit
from claimeven.game.errors import ClaimevenError
from claimeven.plugins import EVALUATIONS, installed
from claimeven.suggestions import american, did_you_mean

if TYPE_CHECKING:
    from claimeven.agents.base import Agent

Kind = Literal["int", "float", "flag", "choice", "text", "depth", "file"]

#: The words for a flag, and the depth that reaches to the end of the game.
FLAGS: Final = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
FULL: Final = "full"
#: The names that options had in version 0.2, as stored specs have them, and their names now.
OLD_NAMES: Final = {
    "first": "first_play", "cut": "playout_cutoff", "least_wins": "min_wins",
    "choice": "final_choice", "decisive": "decisive_moves", "table": "transpositions",
}  # fmt: skip
#: Code in an option: `file.py`, `file.py:name` or `package.module:name`.
_CODE: Final = re.compile(r".+\.py(:\w+)?|\w+(\.\w+)*:\w+")
#: The values of options that are not numbers and have no list of choices, in words.
_TAKES: Final = {"flag": "yes or no", "text": "a name", "file": "a file"}
#: The end of a spec with a limit: `@seconds=1,time_bank=60`.
_LIMIT: Final = re.compile(r"\s*@\s*((?:\w+\s*=\s*[^@,=/\\\s]+\s*,?\s*)+)")


class InvalidSpec(ClaimevenError):
    """An invalid spec of an agent; `traceback` is of a user's file that failed, if any."""

    def __init__(self, reason: str, traceback: str = "") -> None:
        super().__init__(reason)
        self.traceback = traceback


@dataclass(frozen=True)
class Option:
    """One option of an agent.

    `low` and `high` are the inclusive bounds of a number; `choices` are the words of a choice. With
    a default of None the option is not set; `help` describes that. Numbers are finite, except an
    infinite default.
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
        try:
            read = _READERS.get(self.kind, str)
            value = read(text if text in self.choices else american(text))
            if self._allows(value):
                return value
        except (ValueError, KeyError):
            pass
        guess = did_you_mean(text, self.choices)
        raise InvalidSpec(f"{self.name}={text} of {agent}{guess}: {self.name} takes {self.range}")

    def _allows(self, value: Any) -> bool:
        if self.choices or isinstance(value, (str, bool)):
            return not self.choices or value in self.choices
        if isinstance(value, float) and not math.isfinite(value) and value != self.default:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def range(self) -> str:
        """The valid values of the option, in words."""
        if self.choices or self.kind in _TAKES:
            return ", ".join(self.choices) or _TAKES[self.kind]
        number = "a number" if self.kind == "float" else "a whole number"
        if (self.kind, self.low, self.high) == ("float", None, None):
            number = "a number, or inf" if self.default == math.inf else "a finite number"
        if self.low is not None:
            number += f" from {_bound_text(self.low)}"
        if self.high is not None:
            number += f" to {_bound_text(self.high)}"
        return f"{number}, or {FULL}" if self.kind == "depth" else number

    @property
    def shown_default(self) -> str:
        """The default as written in a spec."""
        if self.default is None:
            return "-"
        if self.kind == "flag":
            return "yes" if self.default else "no"
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)

    def as_dict(self) -> dict[str, Any]:
        """Return the option as plain data: its valid values in words, and as data for a form."""
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


_READERS: Final[dict[Kind, Callable[[str], Any]]] = {
    "int": int,
    "float": float,
    "flag": lambda word: FLAGS[word.lower()],
    "depth": lambda word: FULL if word == FULL else int(word),
}


def _bound_text(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


#: Options that several families share.
SECONDS: Final = Option("seconds", "float", None, "wall-clock time for a move", 0.001, 1e6)
DEEPENING: Final = (
    replace(SECONDS, help=f"{SECONDS.help}, deepening from 1"),
    Option("nodes", "int", None, "positions for a move, deepening from 1", 1),
)
ORDER: Final = Option(
    "order", "choice", "center", "columns tried from there; ties go to the first",
    choices=("center", "left"),
)  # fmt: skip
BACKEND: Final = Option(
    "backend", "choice", "auto", "auto picks by board size", choices=("auto", "compiled", "python")
)


def limit_in(options: Mapping[str, Any]) -> Limit:
    """Return the limit that the options of an agent set; a full depth is no limit."""
    return Limit(**{n: options[n] for n in LIMITS if options.get(n) not in (None, FULL)})


_TIME_BANK: Final = Option("time_bank", "float", None, "extra seconds for a game", 0.0)
#: The options of a limit after an @.
LIMIT_OPTIONS: Final = (
    SECONDS, _TIME_BANK, *(Option(name, "int", None, "", 1) for name in LIMITS[1:])
)  # fmt: skip


def split_limit(spec: str) -> tuple[str, str]:
    """Split a spec into the agent and the text of its own limit, which may be empty.

    >>> split_limit("uct:c=1@seconds=0.5,nodes=9"), split_limit("bots@home.py:agent")
    (('uct:c=1', 'seconds=0.5,nodes=9'), ('bots@home.py:agent', ''))
    """
    before, at, _ = spec.strip().rpartition("@")
    found = _LIMIT.fullmatch(spec.strip(), len(before.rstrip())) if at else None
    if found is None:
        return spec.strip(), ""
    names = [part.partition("=")[0].strip() for part in found[1].split(",")]
    known = [option.name for option in LIMIT_OPTIONS]
    if not any(name in known or did_you_mean(name, known) for name in names):
        return spec.strip(), ""
    return before.strip(), found[1].strip()


def name_in(spec: str) -> str:
    """Return the name of an agent in a spec, without options and limits.

    >>> name_in("uct:c=1"), name_in("uct@seconds=1")
    ('uct', 'uct')
    """
    return split_limit(spec)[0].partition(":")[0]


def own_limit_in(spec: str) -> Limit:
    """Return the limit that a spec sets after an @. Raises `InvalidSpec` and `InvalidLimit`."""
    name, text = split_limit(spec)
    if split_limit(name)[1]:
        raise InvalidSpec(f"{spec!r} has two limits: join them by a comma, @seconds=1,nodes=50")
    given = split_options(text, spec)
    return Limit(**parse_options(f"the limit of {name}", LIMIT_OPTIONS, given)) if text else Limit()


def split_options(text: str, spec: str) -> dict[str, str]:
    """Split `option=value,...` of a spec. Raises `InvalidSpec` for a text of another form."""
    options: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, _, value = (word.strip() for word in part.partition("="))
        if not name or not value:
            raise InvalidSpec(f"{part!r} in {spec!r} is not of the form option=value")
        if name in options:
            raise InvalidSpec(f"{spec!r} has {name} twice")
        options[name] = value
    return options


def parse_options(
    agent: str, options: Iterable[Option], given: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values of options, given or default. Raises `InvalidSpec` for an unknown one."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            choices = ", ".join(known) if known else "none"
            guess = did_you_mean(name, known)
            raise InvalidSpec(f"{agent} has no option {name!r}{guess}: it takes {choices}")
    return {
        name: option.parse(given[name], agent) if name in given else option.default
        for name, option in known.items()
    }


@dataclass(frozen=True)
class AgentKind:
    """A name in the registry: its summary, its options, and the function that builds it.

    `build` receives every option by name. A preset is a kind with published options of another.
    `notes` are sentences for the description of this agent.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    build: Callable[[Mapping[str, Any]], Agent]
    is_preset: bool = False
    notes: tuple[str, ...] = ()

    def parse(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return all options as values. Raises `InvalidSpec` for an unknown option."""
        return parse_options(self.name, self.options, given)

    def split(self, text: str, spec: str) -> dict[str, str]:
        """Return the options in the text of a spec by their present names. Raises `InvalidSpec`."""
        given = split_options(text, spec)
        known = [option.name for option in self.options]
        names = {n: OLD_NAMES[n] for n in given if n not in known and OLD_NAMES.get(n) in known}
        for old, new in names.items():
            if new in given:
                raise InvalidSpec(f"{old} is the old name of {new}: give only {new}")
        return {names.get(name, name): value for name, value in given.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the kind with all its options as plain data."""
        return {
            "name": self.name,
            "summary": self.summary,
            "preset": self.is_preset,
            "options": [option.as_dict() for option in self.options],
        }

    def runs_user_code(self, options: Mapping[str, Any]) -> bool:
        """Whether one of the options of an agent names a function of the user."""
        names = [option.name for option in self.options if option.kind in ("text", "file")]
        texts = [str(options[name]) for name in names]
        is_default = all(o.default == options[o.name] for o in self.options if o.name == "eval")
        plugins = () if is_default else installed(EVALUATIONS)
        return any(_CODE.fullmatch(text) or text in plugins for text in texts)

    def preset(self, name: str, summary: str, **defaults: Any) -> AgentKind:
        """Return this kind under another name with other defaults."""
        options = tuple(replace(o, default=defaults.get(o.name, o.default)) for o in self.options)
        return AgentKind(name, summary, options, self.build, is_preset=True)
