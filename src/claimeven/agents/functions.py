"""Functions as agents, and agents made of whatever may be one.

How a function is called follows from its parameters:

| parameters                                                  | called with                 |
|-------------------------------------------------------------|-----------------------------|
| none; the first named `obs` or `observation`; two required   | what Kaggle ConnectX passes |
| any other one, more with defaults                           | the position                |

A function of a position returns a 0-based column or a `Decision`; one for Kaggle see `kaggle`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from claimeven.agents.contract import Agent, Decision, Limit
from claimeven.agents.kaggle import KaggleAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.plain import as_column
from claimeven.agents.prints import PrintsToStderr
from claimeven.agents.safe_text import described, printable, shown, traceback_of
from claimeven.game.position import Position

#: Names of the first parameter of a function made for Kaggle.
KAGGLE_NAMES = ("obs", "observation")
#: Parameters Kaggle passes: observation and configuration.
KAGGLE_PARAMETERS = 2


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


def as_agent(found: object, name: str | None = None) -> Agent:
    """Return an agent made of an `Agent`, a class of agents, or a function.

    An `Agent` is returned as it is, its name changed if one is given. Raises `InvalidSpec` for
    what can be no agent.
    """
    title = name or name_of(found)
    if inspect.isclass(found):
        if not issubclass(found, Agent):
            raise InvalidSpec(f"{title}: the class {found.__name__} is not a claimeven Agent")
        try:
            found = found()
        except KeyboardInterrupt:
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
        return KaggleAgent(title, found)
    return FunctionAgent(title, found)


def is_for_kaggle(function: Callable[..., Any], title: str) -> bool:
    """Whether a function is to be called as Kaggle would. Raises `InvalidSpec` if it can be called
    neither so nor with a position.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise InvalidSpec(f"{title} does not say which arguments it takes") from None
    parameters = [
        p
        for p in signature.parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    needed = sum(p.default is p.empty for p in parameters)
    by_name = [
        p.name
        for p in signature.parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty
    ]
    if needed > KAGGLE_PARAMETERS or by_name:
        name = name_of(function)
        which = title if title.endswith(name) else f"{title}: {name}"
        what = f"takes {needed} arguments"
        if by_name:
            what = f"takes {' and '.join(by_name)} by name, without a default"
        raise InvalidSpec(f"{which} {what}: an agent takes a position, or (obs, config)")
    if not parameters or needed == KAGGLE_PARAMETERS:
        return True
    return parameters[0].name in KAGGLE_NAMES


def name_of(found: object) -> str:
    """Return what an agent is called: its spec, or the name of an object, class or function."""
    named = not inspect.isclass(found) and isinstance(getattr(found, "name", None), str)
    name = (
        found if isinstance(found, str) else getattr(found, "name" if named else "__name__", None)
    )
    return printable(name.strip()) if isinstance(name, str) else shown(found)
