"""Functions as agents, and agents made of any suitable object.

The parameters of a function decide how it is called:

| parameters                                             | called with                 |
|--------------------------------------------------------|-----------------------------|
| the first named `obs` or `observation`; two required   | what Kaggle ConnectX passes |
| one, of a function named `student_move`                | the board of the Lund course |
| any other one, more with defaults                      | the position                |
| any, with `shape=NAME`                                 | see `shapes`                |

A function of a position returns a 0-based column or a `Decision`; for the others see `shapes` and
`external.kaggle`. A function is rejected if it has no parameters (Kaggle would call it), or if the
second of two is a player or a depth and its shape is not given.
"""

from __future__ import annotations

import ast
import inspect
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from claimeven.agents.base import Agent, Decision, Limit
from claimeven.agents.external.kaggle import KAGGLE_NAMES, KaggleAgent
from claimeven.agents.options import AgentKind, InvalidSpec, Kind, Option, parse_options
from claimeven.agents.sanitize import PrintsToStderr, described, printable, shown, traceback_of
from claimeven.agents.shapes import SHAPES, Adapted, adapt, end_of, visit_lines
from claimeven.agents.validation import as_column
from claimeven.game.position import Position

_EMPTY = inspect.Parameter.empty
#: A parameter that a function takes as one of `**others`.
_ANY = inspect.Parameter("_", inspect.Parameter.KEYWORD_ONLY, default=None)
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
        """Call the function; its output goes to stderr. Raises `AgentFault` for invalid answers."""
        with PrintsToStderr():
            begin = time.perf_counter()
            answer = end_of(self.function(position))
            seconds = time.perf_counter() - begin
        if isinstance(answer, Decision):
            return answer
        return Decision(as_column(answer), seconds=seconds)

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Yield the positions that a generator shows, one line each."""
        made = self.function
        adapted = made if isinstance(made, Adapted) else None
        if inspect.isgeneratorfunction(adapted.function if adapted else made):
            shape = adapted.shape if adapted else "rows"
            yield from visit_lines((adapted.call if adapted else made)(position), position, shape)


def as_agent(
    found: object, name: str | None = None, options: Mapping[str, str] | None = None
) -> Agent:
    """Return an agent made of an `Agent`, a class, a function, or an `AgentKind`.

    An `Agent` is returned as it is, with the `name` if one is given. `options` are passed to the
    class, to a function after its position, or to a function that returns an agent; `shape` is the
    shape of a function. A class that is no `Agent` plays by its only method with the name of one.
    Raises `InvalidSpec` for an object that cannot be an agent, and for an unknown option.
    """
    title, given, method, made = name or name_of(found), dict(options or {}), "", found
    if inspect.isclass(found) and not issubclass(found, Agent):
        method = _method_of(found, title)
    is_agent = isinstance(found, (Agent, AgentKind)) or (inspect.isclass(found) and not method)
    shape = "" if is_agent or "shape" in _parameters_of(found) else given.pop("shape", "")
    try:
        if isinstance(found, AgentKind):
            made = found.build(found.parse(given))
        elif given or inspect.isclass(found) or _is_factory(found):
            made = with_options(found, given, title)
    except (InvalidSpec, KeyboardInterrupt):
        raise
    except BaseException as error:
        reason = f"{title}: it cannot be made: {described(error)}"
        raise InvalidSpec(reason, traceback_of(error, ours=False)) from error
    if isinstance(made, Agent):
        if shape:
            raise InvalidSpec(f"{title}: shape={shape} is for a function, and this is an Agent")
        if name is not None:
            made.name = name
        return made
    function = getattr(made, method) if method else made
    if not callable(function):
        raise InvalidSpec(f"{title} is not a function or an Agent")
    if not shape and name_of(getattr(function, "func", function)) == "student_move":
        shape = "lund"  # as the course calls it
    if shape == "kaggle" or (not shape and is_for_kaggle(function, title)):
        return KaggleAgent(title, function, none_plays=False)
    return FunctionAgent(title, function if shape in ("", "position") else adapt(function, shape))


def with_options(found: Any, options: Mapping[str, str], title: str) -> Any:
    """Return the result of a class or function for options, converted to its annotated types.

    A function of a position is bound to them; a class, or a function that makes an agent, is
    called. Raises `InvalidSpec` for an unknown or missing option or an invalid value.
    """
    parameters = [*_signature(found).parameters.values()]
    takes = {p.name: p for p in parameters[1:] if p.name in options and p.kind in _POSITIONAL}
    takes |= _parameters_of(found)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        takes = {name: _ANY.replace(name=name) for name in options} | takes
    missing = [name for name, p in takes.items() if p.default is _EMPTY and name not in options]
    if missing:
        raise InvalidSpec(
            f"{title}: it cannot be made: {name_of(found)} needs {' and '.join(missing)}: add"
            f" {''.join(f',{name}=VALUE' for name in missing)} after its name"
        )
    try:
        values = parse_options(name_of(found), map(_option, takes.values()), options)
    except InvalidSpec as error:
        raise InvalidSpec(
            f"{title} takes the name of a function or class of that file and its options: {error}"
        ) from None
    values = {name: _value(values[name], takes[name]) for name in options}
    return found(**values) if _is_called(found) else partial(found, **values)


def kind_of(found: Any, name: str) -> AgentKind:
    """Return an object that makes an agent as a kind: its summary, and its options."""
    if isinstance(found, AgentKind):
        return replace(found, name=name)
    summary = (getattr(found, "__doc__", None) or "").strip().partition("\n")[0].rstrip(".")
    options = tuple(map(_option, _parameters_of(found).values()))
    return AgentKind(name, summary, options, lambda values: as_agent(found, name))


def settings_text(found: Any, options: Mapping[str, str]) -> str:
    """Return the options of an agent with their values, `depth=4, weight=0.5`; empty without."""
    known = kind_of(found, "").options if callable(found) or isinstance(found, AgentKind) else ()
    shown = {o.name: o.shown_default for o in known if o.default is not None}
    given = {name: value for name, value in options.items() if name != "shape" or name in shown}
    return ", ".join(f"{name}={value}" for name, value in {**shown, **given}.items())


def _signature(found: Any) -> inspect.Signature:
    """Return the signature of a class or function; an empty one if Python cannot read it."""
    for evaluated in (True, False):
        with suppress(Exception):  # an annotation may be any expression
            return inspect.signature(found, eval_str=evaluated)
    return inspect.Signature()


def _parameters_of(found: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters that are options: those that no position is passed to."""
    is_called = _is_called(found)
    return {
        p.name: p
        for p in _signature(found).parameters.values()
        if p.kind is p.KEYWORD_ONLY
        or (p.kind is p.POSITIONAL_OR_KEYWORD and (is_called or p.default is not _EMPTY))
    }


def _is_factory(found: Any) -> bool:
    """Whether a function makes an agent, by its annotation."""
    made = _signature(found).return_annotation
    return isinstance(made, type) and issubclass(made, Agent)


def _is_called(found: Any) -> bool:
    """Whether options are passed to an object that makes an agent instead of a position's."""
    first = next(iter(_signature(found).parameters.values()), _ANY)
    needs_none = first.kind in _POSITIONAL and first.default is not _EMPTY
    return inspect.isclass(found) or _is_factory(found) or needs_none


def _type_of(parameter: inspect.Parameter) -> Any:
    """Return the type of an option: its annotation without None, or the type of its default."""
    hint = parameter.annotation
    parts = [part for part in get_args(hint) if part is not type(None)]
    if len(parts) == 1 and get_origin(hint) in (Union, UnionType):
        hint = parts[0]
    known = isinstance(hint, type) or get_origin(hint) is Literal
    return hint if known and hint is not _EMPTY else type(parameter.default)


def _option(parameter: inspect.Parameter) -> Option:
    hint, default = _type_of(parameter), parameter.default
    default = default if isinstance(default, (int, float, str)) else None
    choices = tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else ()
    kind: Kind = "choice" if choices else _KINDS.get(hint, "text")
    return Option(parameter.name, kind, default, "", choices=choices)


def _value(value: Any, parameter: inspect.Parameter) -> Any:
    """Return the value of an option: a text as a literal unless it is declared as text."""
    hint = _type_of(parameter)
    if isinstance(value, str) and hint is not str and value not in get_args(hint):
        with suppress(ValueError, SyntaxError):
            return ast.literal_eval(value)
    return value


def _method_of(found: Any, title: str) -> str:
    """Return the method by which a class plays. Raises `InvalidSpec` without a single one."""
    names = [name for name, _ in inspect.getmembers(found, inspect.isfunction)]
    playing = [name for name in names if _PLAYING.search(name) and not _HELPING.search(name)]
    if "__call__" in names or len(playing) == 1:
        return "__call__" if "__call__" in names else playing[0]
    raise InvalidSpec(f"{title}: the class {name_of(found)} is not a claimeven Agent")


def is_for_kaggle(function: Callable[..., Any], title: str) -> bool:
    """Whether a function is called as on Kaggle. Raises `InvalidSpec` naming the signatures."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InvalidSpec(f"{title} has no signature that Python can read") from None
    names = [p.name for p in given if p.kind in _POSITIONAL]
    needed = sum(p.kind in _POSITIONAL and p.default is _EMPTY for p in given)
    by_name = [p.name for p in given if p.kind is p.KEYWORD_ONLY and p.default is _EMPTY]
    is_known, is_pair = names[:1] and names[0] in KAGGLE_NAMES, needed == 2
    is_other = is_pair and not is_known and _NO_CONFIGURATION.fullmatch(names[1])
    options = "".join(f",{each}=VALUE" for each in by_name or names[1:needed])
    name, hint = name_of(function), f"; or add {options} after its name" * bool(options)
    if by_name:
        what = f"takes {' and '.join(by_name)} by name, without a default"
    elif not names:
        what = "takes no named argument" if given else "takes no arguments"
        hint = "; the wrapper of a decorator needs @functools.wraps(function)" * bool(given)
    elif needed > 2:
        what = f"takes {needed} arguments"
    elif is_other:
        what = f"takes ({', '.join(names)})"
        hint = (
            "; for a board of rows from the top, 0 empty, 1 and 2 the players, add ,shape=rows"
            f" after its name; other shapes are {', '.join([*SHAPES][1:])}{hint}"
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
        function = agent.function
        return f"{name}({function.arguments if isinstance(function, Adapted) else 'position'})"
    return f"{type(agent).__name__}.choose(position, limit, rng)"


def name_of(found: object) -> str:
    """Return the name of an agent: its spec, or the name of an object, class or function."""
    name = found if isinstance(found, str) else getattr(found, "name", None)
    if inspect.isclass(found) or not isinstance(name, str):
        name = getattr(found, "__name__", None)
    return printable(name.strip()) if isinstance(name, str) else shown(found)
