"""An agent in a separate process, seen from the match."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from claimeven.agents import codec
from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind, Limit, TreeView
from claimeven.agents.codec import MAX_ANSWER
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import OutputRelay, Sandbox
from claimeven.agents.source_snapshot import content_of
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.connection import InvalidMessage, pack
from claimeven.parallel.interrupts import Lock, resume_count
from claimeven.parallel.process import (
    ONE_CORE,
    Child,
    ChildEnded,
    ChildGone,
    ChildProtocolError,
    ChildTimeout,
)

_Result = TypeVar("_Result")
#: Most processes of agents at a time: enough for a class. Each takes some 50 MB, half of it shared
#: with the others, and three open files.
MAX_PROCESSES = 32
#: Seconds that an agent from a file may take to load. Heavy packages take about ten on a slow
#: machine, and an endless loop delays all other agents by this time.
FILE_LOAD_SECONDS = 30.0
#: Seconds for a built-in agent, which may have to compile its search, for its `close`, and for any
#: other request without a limit, such as a move.
LOAD_SECONDS, CLOSE_SECONDS, PATIENCE = 120.0, 5.0, 90.0
#: Least seconds to start a game if moves have a time limit, and most seconds to wait for a late
#: answer, so that the process can be reused.
MIN_PATIENCE, LATE_SECONDS = 10.0, 2.0
#: One thread each, a fixed order of sets, and escapes for characters that cannot be printed.
#: Variables set by the user are not changed.
VARIABLES = {
    **ONE_CORE, "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8:backslashreplace"
}  # fmt: skip
#: The attributes that a copy of an agent takes over.
_COPIED = (
    "name", "own_limit", "limits", "stateful", "plays", "is_guess", "patience", "_board", "_is_out",
    "texts",
)  # fmt: skip


class ProcessAgent(Agent):
    """An agent made from its spec in a separate process.

    It may raise, print, exit, fork or hang without effect on this process. The process is killed if
    a move passes the limit's `deadline` (without one, `PATIENCE` seconds) or if its state is in
    doubt. The next game starts a new process, except after a stall of `PATIENCE` seconds: then the
    agent is not asked again. `sandbox` limits its memory. The process is suspended between
    requests. Its output goes to stderr, `MAX_PRINTED` characters a game. `patience` replaces
    `PATIENCE` if it is set. After `stalls_left` stalls the agent is not asked again either.

    The process starts immediately, or with `lazy_start` at the first request. Each process gets the
    contents of `file` and `files` as they were when the agent was made (`texts`).

    Threads are served one at a time. `close` ends the process.
    """

    trusted = True  # decisions are validated as they arrive
    _module = "claimeven.agents.worker"

    def __init__(
        self,
        spec: str,
        file: tuple[str, str] | None = None,
        sandbox: Sandbox | None = None,
        lazy_start: bool = False,
        files: tuple[str, ...] = (),
    ) -> None:
        self.name = spec
        self._file = file
        places = [*files, *([] if file is None else file[:1])]
        contents = {place: content_of(place) for place in places if place.endswith(".py")}
        self.texts = {place: text for place, text in contents.items() if text is not None}
        sandbox = sandbox or Sandbox()
        self._made_of = spec, file, sandbox, True, files
        self._memory_mb = sandbox.memory_bound_mb
        default = FILE_LOAD_SECONDS if file is not None or files else LOAD_SECONDS
        self._load_timeout = sandbox.load_timeout or default
        self.patience: float | None = None
        self.stalls_left = math.inf
        self._output = OutputRelay(spec, sandbox)
        self._board: Geometry | None = None
        self._lock = Lock()
        self._child: Child | None = None
        self._made = self._made_before = False
        self._rng: np.random.Generator | None = None
        self._is_sent = False
        self._is_out = ""
        if not lazy_start:
            self.start()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy starts its own process at the first request and has not seen a game."""
        state = {name: getattr(self, name) for name in _COPIED}
        return ProcessAgent, self._made_of, state

    @property
    def printed(self) -> int:
        """The number of characters that the agent has printed."""
        return self._output.seen

    @property
    def process(self) -> int | None:
        """The id of the process; None if it is not running."""
        return None if self._child is None else self._child.process

    def start(self) -> None:
        """Start the process if it is not running, without waiting for it."""
        with self._lock:
            if self._child is None:
                self._start()

    def make(self) -> None:
        """Wait until the agent is made. Raises `InvalidSpec` if it cannot be."""
        with self._lock:
            if self._made or self._child is None:
                return
            try:
                left = max(0.0, self._started + self._load_timeout - time.perf_counter())
                facts = self._answer(codec.facts, left, self._too_long, may_refuse=True)
                self.limits, self.stateful, self.plays, self.is_guess = facts
            except (AgentFault, ChildGone) as error:
                self._drop()
                fault = fault_of(error) if isinstance(error, ChildGone) else error
                raise InvalidSpec(f"{self.name} cannot be loaded: {fault}") from fault
            except InvalidSpec:
                self._drop()
                raise
            self._made = self._made_before = True

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` or `AgentFault` if the agent cannot play on a board."""
        board = codec.from_geometry(geometry)
        self._ask("check_board", codec.nothing, may_refuse=True, geometry=board)

    def load(self, geometry: Geometry) -> None:
        """Let the agent load. Raises `InvalidSpec` or `AgentFault` if it fails."""
        self.note_board(geometry)
        board, seconds = codec.from_geometry(geometry), self._load_timeout
        self._ask("load", codec.nothing, seconds, self._too_long, may_refuse=True, geometry=board)

    def note_board(self, geometry: Geometry) -> None:
        """Note the board for which each new process of the agent loads."""
        self._board = geometry

    def note_limit(self, limit: Limit) -> None:
        """Note the limit of moves: the start of a game may not take much longer than a move."""
        if limit.seconds is not None:
            self.patience = max(MIN_PATIENCE, limit.deadline)

    def note_generator(self, rng: np.random.Generator) -> None:
        """Note the generator of the next game; the process makes one of the same seed."""
        if rng is not self._rng:
            self._rng, self._is_sent = rng, False

    def reset(self) -> None:
        """Start a game, with a new process if the last one has ended."""
        self._output.start_game()
        self._ask("reset", codec.nothing, self.patience or PATIENCE, seed=self._seed())

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the process for a move. Raises `AgentFault` if anything fails."""
        seconds, late = self.patience or PATIENCE, ""
        if limit.seconds is not None:
            seconds, late = limit.deadline, limit.overrun
        check, request = partial(codec.decision, position=position), _request(position, limit)
        with self._lock:
            self.note_generator(rng)
            if self._child is None or not self._made:
                self._ask("reset", codec.nothing, seed=self._seed())
            try:
                return self._exchange("choose", check, seconds, late, seed=self._seed(), **request)
            except ChildGone:  # the process ended after its last answer
                self._ask("reset", codec.nothing, seed=self._seed())
                return self._ask("choose", check, seconds, late, seed=self._seed(), **request)

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Yield the steps of a decision. Raises `AgentFault` if they end early."""
        seconds = None if limit.seconds is None else max(MIN_PATIENCE, limit.deadline)
        lines, fault = self._ask("trace", codec.trace, seconds, **_request(position, limit))
        yield from lines
        if fault is not None:
            raise AgentFault(fault)

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree behind the last decision. Raises `AgentFault`."""
        return self._ask("tree", codec.tree, depth=depth, nodes=nodes)

    def peak_memory(self) -> float | None:
        """Return the peak memory of the process in MB; None if that is not known."""
        with self._lock, contextlib.suppress(AgentFault):
            if self._child is not None and self._made:
                return self._ask("peak_memory", codec.megabytes)
        return None

    def close(self) -> None:
        """Close the agent, and end the process."""
        with self._lock:
            if self._child is not None and self._made:
                with contextlib.suppress(AgentFault, ChildGone):
                    self._exchange("close", codec.nothing, CLOSE_SECONDS)
            if self._child is not None:
                self._child.end()
            self._drop()
            self._output.close()

    def _start(self) -> None:
        variables = {name: os.environ.get(name, value) for name, value in VARIABLES.items()}
        self._started = time.perf_counter()
        self._child = Child(self._module, self._output, variables, MAX_ANSWER, self._memory_mb)
        self._made = self._is_sent = False
        texts = {place: text.decode("latin-1") for place, text in self.texts.items()}
        make = {"spec": self.name, "file": self._file, "memory_mb": self._memory_mb}
        with contextlib.suppress(ChildEnded):  # `make` reports it
            self._child.send(pack({"do": "make", **make, "texts": texts}))

    def _seed(self) -> list[list[int]] | None:
        """Return the seed of the generator, None if the process already has it."""
        if self._is_sent or self._rng is None:
            return None
        self._is_sent = True
        return codec.from_generator(self._rng)

    def _revive(self) -> None:
        """Start and load the process if it is not running."""
        if self._is_out:
            raise AgentFault(self._is_out, kind=FaultKind.STALL)
        if self._child is None or self._child.ended:
            try:
                self._drop()
                self._start()
                self.make()
                if self._board is not None:
                    self.load(self._board)
            except ClaimevenError as error:
                self._drop()
                again = " again" if self._made_before else ""
                raise AgentFault(f"could not be started{again}: {error}") from error
        elif not self._made:
            self.make()

    @property
    def _too_long(self) -> str:
        return f"loading took over {self._load_timeout:g} s (load_timeout)"

    def _ask(self, do: str, check: Callable[[Any], _Result], *given: Any, **named: Any) -> _Result:
        """`_exchange` with a running process, started if necessary. Raises `AgentFault`."""
        with self._lock:
            self._revive()
            try:
                return self._exchange(do, check, *given, **named)
            except ChildGone as gone:
                raise fault_of(gone) from None

    def _exchange(
        self,
        do: str,
        check: Callable[[Any], _Result],
        seconds: float | None = None,
        late: str = "",
        *,
        may_refuse: bool = False,
        **arguments: Any,
    ) -> _Result:
        """Send a request and return the answer: see `_answer`. Raises `ChildGone` too."""
        assert self._child is not None
        try:
            self._child.send(pack({"do": do, **arguments}))
        except ChildGone:
            self._drop()
            raise
        return self._answer(check, PATIENCE if seconds is None else seconds, late, may_refuse)

    def _answer(
        self, check: Callable[[Any], _Result], seconds: float, late: str, may_refuse: bool
    ) -> _Result:
        """Return the answer that arrives within `seconds`, validated by `check`.

        `late` is the reason of a late answer; empty if time is not limited. A process is killed if
        it does not answer or answers invalid data. One that answers a little late stays, but has a
        fault unless this process was stopped during the wait. Raises `ChildGone` if the process had
        ended before the request, and `InvalidSpec` for a rejected agent if `may_refuse`.
        """
        assert self._child is not None
        in_time, resumed = True, resume_count()
        lateness = late or f"did not answer within {seconds:g} s"
        try:
            try:
                message = self._child.receive(seconds)
            except ChildTimeout:
                in_time = resume_count() != resumed
                message = self._child.receive(seconds if in_time else min(seconds, LATE_SECONDS))
            if not in_time:
                raise AgentFault(lateness, kind=FaultKind.TIME)
            return check(codec.read_value(message, may_refuse))
        except InvalidSpec:
            raise
        except AgentFault as error:
            if error.kind is not FaultKind.MEMORY:
                raise
            reason = f"{error}: it needs more than its limit of {self._memory_mb:,} MB"
            fault = AgentFault(reason, error.traceback, error.kind)
        except ChildEnded as ended:
            if isinstance(ended, ChildGone):
                self._drop()
                raise
            fault = fault_of(ended)
        except ChildTimeout:
            self.stalls_left -= 1
            is_free = self.patience is None and seconds >= PATIENCE and not late
            if is_free or not self.stalls_left:
                remedy = ": limit the seconds" * is_free
                self._is_out = f"{lateness} earlier and is not asked again{remedy}"
            fault = AgentFault(lateness, kind=FaultKind.STALL)
        except (ChildProtocolError, InvalidMessage):
            fault = AgentFault("wrote to the connection of its process")
        except BaseException:
            self._drop()  # a late answer would be taken for the next one
            raise
        finally:
            if self._child is not None:
                self._child.suspend()
        self._drop()
        raise fault

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = None


def fault_of(ended: ChildEnded, output: str = "") -> AgentFault:
    """Return the fault of an agent whose process has ended; `output` is added to the reason."""
    kind = FaultKind.MEMORY if ended.out_of_memory else FaultKind.CRASH
    return AgentFault(f"ended its process: {ended}{output}", kind=kind)


def _request(position: Position, limit: Limit) -> dict[str, Any]:
    return {"position": codec.from_position(position), "limit": codec.from_limit(limit)}
