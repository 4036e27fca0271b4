"""Agents of Kaggle ConnectX, called like by kaggle-environments 1.33.

`kaggle:main.py` loads a submission as Kaggle does: the file runs in an empty namespace without
`__file__`, its folder is on the path during that, and its last callable is the agent. Another
function that looks like a Kaggle agent is called in the same way (see `function_agent`).
`kaggle:negamax` is a player of the package `kaggle-environments`, loaded without its other games.

The number of parameters decides whether it gets the observation and the configuration, only the
first, or no argument. It returns a column counted from 0; an answer that Kaggle calls INVALID loses
the game. None is column 0 for `kaggle:main.py`, as on Kaggle, and otherwise invalid. Time beyond 2
s a move is drawn from a time bank of 60 s a game; an empty bank loses the game. A limit in seconds
replaces both: it is passed as `actTimeout`, and its time bank as `remainingOverageTime`.
"""

from __future__ import annotations

import importlib.util
import inspect
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind, Limit
from claimeven.agents.external.line_process import ForeignKind
from claimeven.agents.options import AgentKind, InvalidSpec
from claimeven.agents.sanitize import PrintsToStderr, shown
from claimeven.agents.source_snapshot import exists, refusal_of, run_file, source_of
from claimeven.agents.validation import checked_column, illegal
from claimeven.game.encodings import to_kaggle
from claimeven.game.position import Position
from claimeven.suggestions import no_such

PACKAGE, EXTRA = "kaggle_environments", "kaggle"
#: The path of the module of ConnectX in the package.
MODULE = ("envs", "connectx", "connectx.py")
#: Default seconds for a move and in the time bank of a game.
MOVE_SECONDS, BANK_SECONDS = 2, 60
#: The note in a decision of a submission that returned None.
NONE_NOTE = "it returned None, which Kaggle reads as column 0"
#: Names of the first parameter of a function made for Kaggle.
KAGGLE_NAMES = ("obs", "observation")
#: Moves of both sides, and seconds, after which Kaggle ends a game.
EPISODE_STEPS, RUN_SECONDS = 1000, 1200


class Struct(dict[str, Any]):
    """A dict whose keys are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class KaggleAgent(Agent):
    """A Kaggle ConnectX agent.

    `time_bank` is the rest of its spare time in this game; its decisions show it if it is not full.
    `configuration["__raw_path__"]` is its `file`, as on Kaggle. With `none_plays` None is column 0.
    """

    limits: frozenset[str] = frozenset(("seconds",))

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        file: str | None = None,
        none_plays: bool = True,
    ) -> None:
        self.name, self.function = name, function
        self.file, self.none_plays = file, none_plays
        bound = function.func if isinstance(function, partial) and not function.args else function
        #: Number of arguments it is called with.
        self.count: int = getattr(getattr(bound, "__code__", None), "co_argcount", 2)
        if file is None:  # options are not arguments, and a decorator may hide them
            names = inspect.signature(function).parameters.values()
            self.count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in names)
        self.time_bank: float = BANK_SECONDS

    def call_text(self, name: str) -> str:
        """Return the call of a function of this name."""
        return f"{name}({', '.join(('observation', 'configuration')[: self.count])})"

    def reset(self) -> None:
        self.time_bank = BANK_SECONDS

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the function. Raises `AgentFault` for an answer that Kaggle rejects."""
        bank = self.time_bank if limit.seconds is None else limit.time_bank or 0.0
        arguments = kaggle_arguments(position, limit, bank)
        if self.file is not None:
            arguments[1]["__raw_path__"] = self.file
        start = time.perf_counter()
        with PrintsToStderr():
            answer = self.function(*arguments[: self.count])
        seconds = time.perf_counter() - start
        if limit.seconds is None:
            self.time_bank -= max(0.0, seconds - MOVE_SECONDS)
            if self.time_bank < 0:
                raise AgentFault(
                    f"used up its time bank of {BANK_SECONDS} s, which Kaggle calls TIMEOUT",
                    kind=FaultKind.TIME,
                )
        details: dict[str, Any] = {}
        if limit.seconds is None and self.time_bank < BANK_SECONDS:
            details["time_bank"] = self.time_bank
        if answer is None:
            if not self.none_plays:
                raise illegal("returned None instead of a column number")
            if not position.is_legal(0):
                raise illegal("returned None, which Kaggle reads as column 0, which is full")
            details["note"] = NONE_NOTE
        column = checked_column(kaggle_column(answer), position)
        return Decision(column, seconds=seconds, details=details)


def kaggle_arguments(
    position: Position, limit: Limit, bank: float = BANK_SECONDS
) -> tuple[Struct, Struct]:
    """Return (observation, configuration) of Kaggle ConnectX for a position."""
    geometry = position.geometry
    seconds = MOVE_SECONDS if limit.seconds is None else limit.seconds
    observation = Struct(
        remainingOverageTime=bank,
        step=position.ply,
        board=to_kaggle(position),
        mark=position.turn + 1,
    )
    configuration = Struct(
        episodeSteps=EPISODE_STEPS,
        actTimeout=seconds,
        runTimeout=RUN_SECONDS,
        columns=geometry.columns,
        rows=geometry.rows,
        inarow=geometry.connect,
        agentTimeout=BANK_SECONDS,
        timeout=seconds,
    )
    return observation, configuration


def kaggle_column(answer: Any) -> int:
    """Return the column that Kaggle reads from an answer. Raises `AgentFault` if it rejects it."""
    if answer is None:
        return 0
    if isinstance(answer, int) and not isinstance(answer, bool):
        return answer
    if isinstance(answer, float) and answer.is_integer():
        raise illegal(
            f"returned {shown(answer)}, which breaks Kaggle's runner: it takes a plain int"
        )
    raise illegal(f"returned {shown(answer)}, which Kaggle calls INVALID: it takes a plain int")


def load_submission(name: str, place: str) -> Agent:
    """Return the agent of a file as Kaggle finds it. Raises `InvalidSpec`."""
    path = Path(place)
    try:
        source = source_of(place).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidSpec(f"{place} cannot be read: it is not UTF-8 text") from None
    namespace: dict[str, Any] = {}
    sys.path.append(str(path.resolve().parent))
    try:
        run_file(place, lambda: exec(compile(source, place, "exec"), namespace))
    finally:
        sys.path.pop()
    callables = {name: value for name, value in namespace.items() if callable(value)}
    if not callables:
        raise InvalidSpec(f"{place} must define a callable: on Kaggle the last one is the agent")
    last, function = list(callables.items())[-1]
    agent = KaggleAgent(name, function, str(path.resolve()))
    agent.plays = f"{agent.call_text(last)}, the last callable of {path.name}, as on Kaggle"
    above = [key for key, value in callables.items() if key != last and _is_made_for_kaggle(value)]
    agent.is_guess = bool(above) or last != "agent"
    if above:
        agent.plays += f": {', '.join(above)} above it does not play"
    return agent


def _is_made_for_kaggle(function: object) -> bool:
    code = getattr(function, "__code__", None)
    first = "" if code is None else "".join(code.co_varnames[: min(1, code.co_argcount)])
    return first in KAGGLE_NAMES or getattr(function, "__name__", "") == "agent"


class PackagePlayer(KaggleAgent):
    """A player of the package. A number from the game's generator seeds each move."""

    def __init__(self, name: str) -> None:
        self.module: ModuleType = _connectx()
        super().__init__(f"kaggle:{name}", self.module.agents[name])

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Call the player. Raises `AgentFault` for an answer that Kaggle rejects."""
        vars(self.module)["choice"] = random.Random(int(rng.integers(1 << 62))).choice
        return super().choose(position, limit, rng)


def _player(name: str, summary: str) -> AgentKind:
    return AgentKind(name, f"the package's own: {summary}", (), lambda options: PackagePlayer(name))


PLAYERS = {
    kind.name: kind
    for kind in (
        _player("negamax", "four plies ahead, equals at random"),
        _player("random", "any column that is not full"),
    )
}


def _connectx() -> ModuleType:
    """Load only the module of ConnectX from the package. Raises `InvalidSpec`."""
    package = importlib.util.find_spec(PACKAGE)
    places = None if package is None else package.submodule_search_locations
    for place in places or ():
        path = Path(place).joinpath(*MODULE)
        if path.is_file():
            spec = importlib.util.spec_from_file_location("kaggle_connectx", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise InvalidSpec(
        f"{' and '.join(f'kaggle:{name}' for name in PLAYERS)} need the extra {EXTRA!r}:"
        f" pip install 'claimeven[{EXTRA}]'"
    )


def _check(text: str) -> None:
    if text in PLAYERS:
        _connectx()
    elif exists(text) and (refusal := refusal_of(text)) is not None:
        raise InvalidSpec(refusal)
    elif not text.endswith(".py") and not exists(text):
        raise InvalidSpec(
            f"{no_such('player of Kaggle', text, PLAYERS)}, or a file such as kaggle:main.py"
        )


KIND = ForeignKind(
    prefix="kaggle",
    form="kaggle:FILE.py",
    summary="a submission to Kaggle ConnectX, run as Kaggle does: its last callable plays",
    build=lambda text, spec, _: (
        PackagePlayer(text) if text in PLAYERS else load_submission(spec, text)
    ),
    examples=("kaggle:main.py", "kaggle:negamax"),
    notes=(
        "without --seconds it has Kaggle's time: 2 s a move, and a time bank of 60 s",
        f"a name is a player of Kaggle's package: pip install 'claimeven[{EXTRA}]'",
    ),
    own_process=True,
    check=_check,
    files=lambda text: () if text in PLAYERS else (Path(text),),
    brief=lambda text: f"kaggle:{text}" if text in PLAYERS else Path(text).stem,
    agents=tuple(PLAYERS.values()),
)
