"""Functions as agents, and agents made of any suitable object.

The parameters of a function decide how it is called:

| parameters                                             | called with                 |
|--------------------------------------------------------|-----------------------------|
| the first named `obs` or `observation`; two required   | what Kaggle ConnectX passes |
| any other one, more with defaults                      | the position                |

A function of a position returns a 0-based column or a `Decision`; for the others see
`kaggle_agent`. A function without parameters is rejected, and one whose second of two parameters is
a player or a depth. (Kaggle and `kaggle:FILE.py` call a function without parameters.)
"""

from __future__ import annotations

import ast
import inspect
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.kaggle_agent import KAGGLE_NAMES, KaggleAgent
from claimeven.agents.options import AgentKind, InvalidSpec, Kind, Option
from claimeven.agents.redirect import PrintsToStderr
from claimeven.agents.sanitize import described, printable, shown, traceback_of
from claimeven.agents.validation import as_column
from claimeven.game.position import Position

#: Parameters that Kaggle passes: observation and configuration.
KAGGLE_PARAMETERS = 2
_EMPTY = inspect.Parameter.empty
#: Kinds of options by the type of their default.
_KINDS: dict[type, Kind] = {bool: "flag", int: "int", float: "float"}
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
#: Names of a second parameter that is not a configuration.
_NO_CONFIGURATION = re.compile(r"piece|player|mark|colou?r|turn|token|disc|symbol|side|depth", re.I)
#: Parts of the names of agents, parts of the names of helper functions, and names of a position.
_PLAYING = re.compile(r"agent|bot|player|move|play|choose|act|policy|strategy|decide", re.I)
_HELPING = re.compile(
    r"^_|^(is|has|make|do|undo|apply|print|show|draw|check|test|count|reset|init|load|eval|score)"
    r"|^all|_all|valid|legal|possible|available|other|opponent|display|replay|remove|moves$|players$",
    re.I,
)
_POSITION = re.compile(r"pos(ition)?|p|state|board|game|grid", re.I)


class FunctionAgent(Agent):
    """A function of a position as an agent; it does not get the limit, but its time is measured."""

    limits: frozenset[str] = frozenset(("seconds",))

    def __init__(self, name: str, function: Callable[[Position], Any]) -> None:
        self.name = name
        self.function = function

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the function; its output goes to stderr. Raises `AgentFault` for an answer that is
        not a column.
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

    An `Agent` is returned as it is, with the `name` if one is given. `options` are passed to the
    class, to a function after its position, or to a function that returns an agent. Raises
    `InvalidSpec` for an object that cannot be an agent, and for an unknown option.
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
    """Return the result of a class or function for options, converted to the types of the defaults.

    A function of a position is bound to them; one whose first parameter has a default is called.
    Raises `InvalidSpec` for an unknown option or an invalid value.
    """
    given = list(inspect.signature(found).parameters.values())
    is_bound = not inspect.isclass(found) and given[:1] and given[0].default is _EMPTY
    takes = {p.name: p.default for p in given if not (is_bound and p.default is _EMPTY)}
    if any(p.kind is p.VAR_KEYWORD for p in given):
        takes |= dict.fromkeys(options, None)
    known = [Option(name, _KINDS.get(type(d), "text"), d, "") for name, d in takes.items()]
    kind = AgentKind(name_of(found), "", tuple(known), lambda values: found(**values))
    try:
        values = {name: kind.parse(options)[name] for name in options}
    except InvalidSpec as error:
        raise InvalidSpec(
            f"{title} takes the name of a function or class of that file and its options: {error}"
        ) from None
    for name, value in values.items():
        if isinstance(value, str) and not isinstance(takes[name], str):
            with suppress(ValueError, SyntaxError):
                values[name] = ast.literal_eval(value)
    return partial(found, **values) if is_bound else found(**values)


def is_for_kaggle(function: Callable[..., Any], title: str) -> bool:
    """Whether a function is called as on Kaggle instead of with a position.

    Raises `InvalidSpec` naming the right signature if both are impossible.
    """
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InvalidSpec(f"{title} has no signature that Python can read") from None
    names = [p.name for p in given if p.kind in _POSITIONAL]
    needed = sum(p.kind in _POSITIONAL and p.default is _EMPTY for p in given)
    by_name = [p.name for p in given if p.kind is p.KEYWORD_ONLY and p.default is _EMPTY]
    is_known, is_pair = names[:1] and names[0] in KAGGLE_NAMES, needed == KAGGLE_PARAMETERS
    is_other = is_pair and not is_known and _NO_CONFIGURATION.fullmatch(names[1])
    name, hint = name_of(function), ""
    if by_name:
        what = f"takes {' and '.join(by_name)} by name, without a default"
    elif not names:
        what = "takes no named argument" if given else "takes no arguments"
    elif needed > KAGGLE_PARAMETERS:
        what = f"takes {needed} arguments"
    elif is_other:
        what = f"takes ({', '.join(names)})"
        hint = (
            f"; for a board of rows from the top, 0 empty, 1 and 2 the players, add: def"
            f" agent(position): return {name}(position.to_array()[::-1] + 1, position.turn + 1)"
        )
    else:
        return bool(is_pair or is_known)
    which = title if title.endswith(name) else f"{title}: {name}"
    raise InvalidSpec(f"{which} {what}: an agent takes a position, or (obs, config){hint}")


def rank(found: object) -> int:
    """Return how much an object looks like the agent of its file: 0 (it cannot be one) to 9."""
    if isinstance(found, Agent):
        return 9
    if inspect.isclass(found):
        return 9 if issubclass(found, Agent) and not inspect.isabstract(found) else 0
    try:
        is_for_kaggle(found, "")  # type: ignore[arg-type]
        parameters = inspect.signature(found).parameters  # type: ignore[arg-type]
    except (InvalidSpec, TypeError):
        return 0
    names = [name for name, p in parameters.items() if p.default is _EMPTY] or list(parameters)
    if names[0] in KAGGLE_NAMES:
        return 9
    name, helps = name_of(found), bool(_HELPING.search(name_of(found)))
    looks = 2 * bool(_PLAYING.search(name)) + bool(_POSITION.fullmatch(names[0]))
    return 1 + 4 * (len(names) == 1) + looks * (not helps)


def call_text(agent: Agent, name: str) -> str:
    """Return how the agent's code is called: its name and its arguments."""
    if isinstance(agent, KaggleAgent):
        return agent.call_text(name)
    if isinstance(agent, FunctionAgent):
        return f"{name}(position)"
    return f"{type(agent).__name__}.choose(position, limit, rng)"


def name_of(found: object) -> str:
    """Return the name of an agent: its spec, or the name of an object, class or function."""
    name = found if isinstance(found, str) else getattr(found, "name", None)
    if inspect.isclass(found) or not isinstance(name, str):
        name = getattr(found, "__name__", None)
    return printable(name.strip()) if isinstance(name, str) else shown(found)
