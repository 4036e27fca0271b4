"""Functions as agents, and agents made of whatever may be one.

How a function is called follows from its parameters:

| parameters                                                  | called with                 |
|-------------------------------------------------------------|-----------------------------|
| none; the first named `obs` or `observation`; two required   | what Kaggle ConnectX passes |
| any other one, more with defaults                           | the position                |

A function of a position returns a 0-based column or a `Decision`; one for Kaggle see `kaggle`.
In a file no function without parameters plays unless it is named, and two of which the second is
a player or a depth are refused.
"""

from __future__ import annotations

import ast
import inspect
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from claimeven.agents.contract import Agent, Decision, Limit
from claimeven.agents.kaggle import KAGGLE_NAMES, KaggleAgent
from claimeven.agents.options import FLAGS, InvalidSpec
from claimeven.agents.plain import as_column
from claimeven.agents.prints import PrintsToStderr
from claimeven.agents.safe_text import described, printable, shown, traceback_of
from claimeven.game.position import Position
from claimeven.suggestions import did_you_mean

#: Parameters Kaggle passes: observation and configuration.
KAGGLE_PARAMETERS = 2
_EMPTY = inspect.Parameter.empty
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
#: Names of a second parameter that is no configuration.
_NO_CONFIGURATION = frozenset(
    (
        "piece",
        "player",
        "mark",
        "color",
        "colour",
        "turn",
        "token",
        "disc",
        "symbol",
        "side",
        "depth",
    )
)
#: Parts of the names of functions that play, and of parameters that are a position.
_PLAYING = re.compile(r"agent|bot|player|move|play|choose|act|policy|strategy|decide", re.I)
_POSITION = re.compile(r"pos(ition)?|p|state|board|game|grid", re.I)


class FunctionAgent(Agent):
    """A function of a position as an agent; it knows of no limit, and is held to that in time."""

    limits = frozenset(("seconds",))

    def __init__(self, name: str, function: Callable[[Position], Any]) -> None:
        self.name = name
        self.function = function

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the function, which prints to stderr. Raises `AgentFault` unless it answers with a
        column.
        """
        with PrintsToStderr():
            begin = time.perf_counter()
            answer = self.function(position)
            seconds = time.perf_counter() - begin
        if isinstance(answer, Decision):
            return answer
        return Decision(as_column(answer), seconds=seconds)


def as_agent(
    found: object, name: str | None = None, options: Mapping[str, str] | None = None
) -> Agent:
    """Return an agent made of an `Agent`, a class of agents, or a function.

    An `Agent` is returned as it is, its name changed if one is given. `options` go to the class,
    to a function beside its position, or to one that returns an agent. Raises `InvalidSpec` for
    what can be no agent, and for an option it does not take.
    """
    title = name or name_of(found)
    is_class = inspect.isclass(found)
    if is_class and not issubclass(found, Agent):  # type: ignore[arg-type]
        raise InvalidSpec(f"{title}: the class {name_of(found)} is not a claimeven Agent")
    try:
        if options:
            found = with_options(found, options, title)
        elif is_class:
            found = found()  # type: ignore[operator]
    except (InvalidSpec, KeyboardInterrupt):
        raise
    except BaseException as error:
        reason = f"{title}: it cannot be made: {described(error)}"
        raise InvalidSpec(reason, traceback_of(error, ours=False)) from error
    if isinstance(found, Agent):
        if name is not None:
            found.name = name
        return found
    if not callable(found):
        raise InvalidSpec(f"{title} is not a function or an Agent")
    if is_for_kaggle(found, title):
        return KaggleAgent(title, found, none_plays=False)
    return FunctionAgent(title, found)


def with_options(found: Any, options: Mapping[str, str], title: str) -> Any:
    """Return what a class or function makes of options, read by their defaults.

    A function of a position is bound to them; one whose first parameter has a default is called.
    Raises `InvalidSpec` for an option that it does not take, or a value that does not fit.
    """
    name = getattr(found, "__name__", title)
    known = dict(inspect.signature(found).parameters)
    positional = [p for p in known.values() if p.kind in _POSITIONAL]
    is_function = not inspect.isclass(found) and positional and positional[0].default is _EMPTY
    takes_all = any(p.kind is p.VAR_KEYWORD for p in known.values())
    if is_function:
        known = {key: p for key, p in known.items() if p.default is not _EMPTY}
    if not takes_all:
        for option in options:
            if option not in known:
                takes = f"takes {', '.join(known)}" if known else "takes none"
                raise InvalidSpec(
                    f"{title} takes the name of a function or class of that file and its options:"
                    f" {name} has no {option!r}{did_you_mean(option, known)}: it {takes}"
                )
    values = {
        option: _value(option, text, known[option].default if option in known else None)
        for option, text in options.items()
    }
    return partial(found, **values) if is_function else found(**values)


def _value(option: str, text: str, default: object) -> Any:
    """Return the value of an option, of the type of its default."""
    kinds: dict[type, tuple[Callable[[str], Any], str]] = {
        bool: (lambda word: FLAGS[word.lower()], "yes or no"),
        int: (int, "a whole number"),
        float: (float, "a number"),
        str: (str, "a text"),
    }
    if type(default) in kinds:
        read, takes = kinds[type(default)]
        try:
            return read(text)
        except (ValueError, KeyError):
            raise InvalidSpec(f"{option}={text}: {option} takes {takes}") from None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def is_for_kaggle(function: Callable[..., Any], title: str) -> bool:
    """Whether a function is to be called as Kaggle would. Raises `InvalidSpec` if it can be called
    neither so nor with a position.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise InvalidSpec(f"{title} does not say which arguments it takes") from None
    given = signature.parameters.values()
    parameters = [p for p in given if p.kind in _POSITIONAL]
    needed = sum(p.default is _EMPTY for p in parameters)
    by_name = [p.name for p in given if p.kind is p.KEYWORD_ONLY and p.default is _EMPTY]
    is_known = bool(parameters) and parameters[0].name in KAGGLE_NAMES
    is_pair = needed == KAGGLE_PARAMETERS and not is_known
    is_other = is_pair and parameters[1].name.lower() in _NO_CONFIGURATION
    if needed > KAGGLE_PARAMETERS or by_name or is_other:
        name = name_of(function)
        which = title if title.endswith(name) else f"{title}: {name}"
        what = f"takes {needed} arguments"
        hint = ""
        if by_name:
            what = f"takes {' and '.join(by_name)} by name, without a default"
        elif is_other:
            what = f"takes ({', '.join(p.name for p in parameters)})"
            hint = (
                f"; for a board of rows from the top, 0 empty, 1 and 2 the players, add: def"
                f" agent(position): return {name}(position.to_array()[::-1] + 1, position.turn + 1)"
            )
        raise InvalidSpec(f"{which} {what}: an agent takes a position, or (obs, config){hint}")
    return not parameters or needed == KAGGLE_PARAMETERS or is_known


def rank(found: object) -> int:
    """Return how much something in a file looks like its agent: 0 if it can be none, up to 5."""
    if isinstance(found, Agent):
        return 5
    if inspect.isclass(found):
        return 5 if issubclass(found, Agent) and not inspect.isabstract(found) else 0
    try:
        parameters = inspect.signature(found).parameters  # type: ignore[arg-type]
        is_for_kaggle(found, "")  # type: ignore[arg-type]
    except (InvalidSpec, TypeError, ValueError):
        return 0
    if not parameters:
        return 0
    names = [name for name, p in parameters.items() if p.default is _EMPTY] or list(parameters)
    if names[0] in KAGGLE_NAMES:
        return 5
    looks = _PLAYING.search(name_of(found)) or _POSITION.fullmatch(names[0])
    return 1 + 2 * (len(names) == 1) + bool(looks)


def call_text(agent: Agent, name: str) -> str:
    """Return how what plays is called: its name with what is passed to it."""
    if isinstance(agent, KaggleAgent):
        return f"{name}({', '.join(('observation', 'configuration')[: agent.count])})"
    if isinstance(agent, FunctionAgent):
        return f"{name}(position)"
    return f"{type(agent).__name__}.choose(position, limit, rng)"


def name_of(found: object) -> str:
    """Return what an agent is called: its spec, or the name of an object, class or function."""
    named = not inspect.isclass(found) and isinstance(getattr(found, "name", None), str)
    name = (
        found if isinstance(found, str) else getattr(found, "name" if named else "__name__", None)
    )
    return printable(name.strip()) if isinstance(name, str) else shown(found)
