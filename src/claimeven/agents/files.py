"""Agents and evaluations from a user's Python file or module: `my_agent.py:agent`.

An agent is found by what it is: an `Agent` or a subclass, a function of one argument (the
position; it returns a 0-based column or a `Decision`), or a function of two (`agent(obs, config)`
as Kaggle ConnectX calls it). What the file prints goes to stderr.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from claimeven.agents.contract import Agent, AgentFault, Decision, Limit
from claimeven.agents.options import InvalidSpec
from claimeven.evaluation.registry import EVALUATIONS, Evaluation, get_evaluation
from claimeven.game.position import Position

#: Name looked for when a spec names a file alone.
USUAL_NAME = "agent"
#: Parameters of a Kaggle agent: observation and configuration.
KAGGLE_PARAMETERS = 2
#: Seconds a Kaggle agent is told it has for a move, and in its bank, where no limit is given.
KAGGLE_SECONDS, KAGGLE_BANK = 2.0, 60.0


class FunctionAgent(Agent):
    """A function of a position as an agent."""

    def __init__(self, name: str, function: Callable[[Position], Any]) -> None:
        self.name = name
        self.function = function

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the function. Raises `AgentFault` when it answers with no column."""
        start = time.perf_counter()
        with redirect_stdout(sys.stderr):
            answer = self.function(position)
        if isinstance(answer, Decision):
            return answer
        return Decision(as_column(answer), seconds=time.perf_counter() - start)


class KaggleAgent(Agent):
    """A Kaggle ConnectX agent, `agent(obs, config)`, called with what Kaggle would give it."""

    def __init__(self, name: str, function: Callable[[Any, Any], Any]) -> None:
        self.name = name
        self.function = function

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the function. Raises `AgentFault` when it answers with no column."""
        start = time.perf_counter()
        observation, configuration = kaggle_arguments(position, limit)
        with redirect_stdout(sys.stderr):
            answer = self.function(observation, configuration)
        return Decision(as_column(answer), seconds=time.perf_counter() - start)


class Struct(dict[str, Any]):
    """A dict whose keys can be read as attributes too, as Kaggle passes them."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle_arguments(position: Position, limit: Limit) -> tuple[Struct, Struct]:
    """Return (obs, config) as Kaggle ConnectX gives them for a position.

    The board is a flat list, top row first: 0 empty, 1 first player, 2 second.
    """
    geometry = position.geometry
    first, second = position.discs
    board = [
        (first >> geometry.bit(column, row) & 1) + 2 * (second >> geometry.bit(column, row) & 1)
        for row in reversed(range(geometry.rows))
        for column in range(geometry.columns)
    ]
    observation = Struct(
        board=board,
        mark=position.turn + 1,
        step=position.ply,
        remainingOverageTime=KAGGLE_BANK,
    )
    configuration = Struct(
        rows=geometry.rows,
        columns=geometry.columns,
        inarow=geometry.connect,
        actTimeout=limit.seconds or KAGGLE_SECONDS,
        timeout=limit.seconds or KAGGLE_SECONDS,
    )
    return observation, configuration


def as_column(answer: Any) -> int:
    """Return an answer as a column number. Raises `AgentFault` unless it is a whole number."""
    if isinstance(answer, (bool, np.bool_)):
        raise AgentFault(f"returned {answer!r} instead of a column number")
    try:
        return operator.index(answer)
    except TypeError:
        raise AgentFault(f"returned {answer!r} instead of a column number") from None


def split_file_spec(spec: str) -> tuple[str, str] | None:
    """Split `file.py:name` or `package.module:name`; None for a spec of another form."""
    place, colon, name = spec.rpartition(":")
    if not colon:
        place, name = spec, ""
    if place.endswith(".py") and (not name or name.isidentifier()):
        return place, name
    if name.endswith(".py"):
        return spec, ""
    looks_like_module = all(part.isidentifier() for part in place.split("."))
    if colon and name.isidentifier() and looks_like_module and _module_exists(place):
        return place, name
    return None


def load_agent(spec: str, place: str, name: str) -> Agent:
    """Return the agent called `name` in a file or module; `agent` or the last callable if empty.

    Raises `InvalidSpec` when the file, the name or an agent of a known form is missing.
    """
    module = _load_module(place)
    found = _find(module, place, name)
    if inspect.isclass(found):
        if not issubclass(found, Agent):
            raise InvalidSpec(f"{spec}: the class {found.__name__} is not a claimeven Agent")
        try:
            found = found()
        except (Exception, SystemExit) as error:
            raise InvalidSpec(f"{spec}: it cannot be made: {describe(error)}") from error
    if isinstance(found, Agent):
        found.name = spec
        return found
    count = _parameters(found, spec)
    if count == KAGGLE_PARAMETERS:
        return KaggleAgent(spec, found)
    return FunctionAgent(spec, found)


def load_function(place: str, name: str) -> Callable[..., Any]:
    """Return what is called `name` in a file or module. Raises `InvalidSpec` if it is not callable.

    An empty name stands for the last function or class that it defines.
    """
    found: Any = _find(_load_module(place), place, name)
    if not callable(found):
        raise InvalidSpec(f"{place}:{name} is not a function")
    function: Callable[..., Any] = found
    return function


def load_evaluation(text: str) -> Evaluation:
    """Return an evaluation by name, or a user's function: `my_file.py:function`.

    Raises `InvalidEvaluation` or `InvalidSpec`.
    """
    if text in EVALUATIONS or ":" not in text:
        return get_evaluation(text)
    parts = split_file_spec(text)
    if parts is None:
        return get_evaluation(text)
    return get_evaluation(load_function(*parts))


def describe(error: BaseException) -> str:
    """Say an exception in one line: its type and the first line of its message."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _module_exists(place: str) -> bool:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        with redirect_stdout(sys.stderr):
            return importlib.util.find_spec(place) is not None
    except (ImportError, ValueError):
        return False
    except (Exception, SystemExit):
        return True  # its package is there and fails: loading it says how


def _load_module(place: str) -> ModuleType:
    with redirect_stdout(sys.stderr):
        try:
            if not place.endswith(".py"):
                return importlib.import_module(place)
            path = Path(place)
            if not path.is_file():
                raise InvalidSpec(f"there is no file {place}")
            spec = importlib.util.spec_from_file_location(f"claimeven_user_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            folder = str(path.resolve().parent)
            if folder not in sys.path:
                sys.path.append(folder)
            spec.loader.exec_module(module)
        except InvalidSpec:
            raise
        except (Exception, SystemExit) as error:
            raise InvalidSpec(f"{place} cannot be loaded: {describe(error)}") from error
    return module


def _find(module: ModuleType, place: str, name: str) -> Any:
    own = {
        key: value
        for key, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    }
    if not name:
        if USUAL_NAME in vars(module):
            name = USUAL_NAME
        elif own:
            name = list(own)[-1]
        else:
            raise InvalidSpec(f"{place} defines no function to play with")
    if not hasattr(module, name):
        choices = f": it has {', '.join(own)}" if own else ""
        raise InvalidSpec(f"{place} has nothing called {name!r}{choices}")
    return getattr(module, name)


def _parameters(found: Any, spec: str) -> int:
    """Return how many positional arguments a function needs: 1, or 2 for a Kaggle agent."""
    if not callable(found):
        raise InvalidSpec(f"{spec} is not a function or an Agent")
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        raise InvalidSpec(f"{spec} does not say which arguments it takes") from None
    parameters = [
        p
        for p in signature.parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    needed = sum(p.default is p.empty for p in parameters)
    if needed > KAGGLE_PARAMETERS or not parameters:
        raise InvalidSpec(
            f"{spec} takes {needed} arguments: an agent takes a position, or (obs, config)"
        )
    return KAGGLE_PARAMETERS if needed == KAGGLE_PARAMETERS else 1
