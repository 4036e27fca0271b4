"""An agent in a process of its own, seen from the match."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from claimeven.agents import codec
from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind, Limit, TreeView
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process import answers
from claimeven.agents.process.answers import MAX_ANSWER, Malformed
from claimeven.agents.process.sandbox import OutputRelay, Sandbox
from claimeven.agents.source_snapshot import content_of
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.connection import pack
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
#: Processes of agents that are kept at a time: those of a class. Each takes some 50 MB, half of it
#: shared with the others, and three open files.
MAX_PROCESSES = 32
#: Seconds an agent from a file may take to be loaded. Heavy packages take about ten on a slow
#: machine, and a loop that does not end holds everybody up so long.
FILE_LOAD_SECONDS = 30.0
#: Seconds an agent of this package may take, which may have to compile its search, and seconds for
#: whatever else has no limit: a move too.
LOAD_SECONDS, PATIENCE = 120.0, 90.0
#: Seconds it has at least to begin a game where moves have a limit in time.
MIN_PATIENCE = 10.0
#: Seconds at most that an answer which comes too late is waited for, to spare the process.
MERCY = 2.0
#: Seconds it has to give back what it holds.
FAREWELL = 5.0
#: One thread each; the same order of sets in every run; and no letter that cannot be printed. What
#: the user has set is left as it is.
VARIABLES = {
    **ONE_CORE,
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
}
#: What a copy of an agent knows of it.
_COPIED = ("limits", "stateful", "plays", "is_guess", "patience", "_board", "_is_out", "texts")


class ProcessAgent(Agent):
    """An agent made from its spec in a process of its own.

    Whatever it does stays there: it may raise, print, exit, fork or hang. A move that takes longer
    than the limit allows by the `deadline`, or `PATIENCE` seconds if there is none, ends the
    process; so does everything that leaves the process in doubt. The next game begins with a
    fresh one; but an agent that once did not answer within `PATIENCE` seconds is not asked again.
    It may hold as much memory as `sandbox` says, and stands still while it is not asked for
    anything. Its prints go to stderr, `MAX_PRINTED` characters a game. `patience` replaces
    `PATIENCE` if it is set.

    The process is started at once, or, with `lazy_start`, when it is first needed. Every
    process of it has the `texts` that its `file` and other `files` held when the agent was made.

    Used by several threads it serves one at a time. `close` ends the process.
    """

    trusted = True  # decisions are checked as they are read

    def __init__(
        self,
        spec: str,
        file: tuple[str, str] | None = None,
        sandbox: Sandbox | None = None,
        lazy_start: bool = False,
        from_file: bool | None = None,
        files: tuple[str, ...] = (),
    ) -> None:
        self.name = spec
        self._file = file
        places = [*files, *([] if file is None else file[:1])]
        held = {place: content_of(place) for place in places if place.endswith(".py")}
        self.texts: dict[str, bytes] = {
            place: text for place, text in held.items() if text is not None
        }
        sandbox = sandbox or Sandbox()
        self._made_of = spec, file, sandbox, True, from_file, files
        self._memory_mb = sandbox.memory_bound_mb
        default = FILE_LOAD_SECONDS if file is not None or from_file else LOAD_SECONDS
        self._load_timeout = sandbox.load_timeout or default
        self.patience: float | None = None
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
        """A copy has a process of its own, started when it is needed, and has seen no game."""
        state = {name: getattr(self, name) for name in _COPIED}
        return ProcessAgent, self._made_of, state

    @property
    def printed(self) -> int:
        """Characters that the agent has printed so far."""
        return self._output.seen

    @property
    def process(self) -> int | None:
        """The number of the process, None while there is none."""
        return None if self._child is None else self._child.process

    def start(self) -> None:
        """Start the process where there is none, and wait for nothing."""
        with self._lock:
            if self._child is None:
                self._start()

    def make(self) -> None:
        """Wait for the agent to be made. Raises `InvalidSpec` if it cannot be."""
        with self._lock:
            if self._made or self._child is None:
                return
            try:
                left = max(0.0, self._started + self._load_timeout - time.perf_counter())
                facts = self._answer(answers.facts, left, self._too_long, may_refuse=True)
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
        self._ask("check_board", answers.nothing, may_refuse=True, geometry=board)

    def load(self, geometry: Geometry) -> None:
        """Let the agent make itself ready. Raises `InvalidSpec` or `AgentFault` if it fails."""
        self.note_board(geometry)
        board, seconds = codec.from_geometry(geometry), self._load_timeout
        self._ask("load", answers.nothing, seconds, self._too_long, may_refuse=True, geometry=board)

    def note_board(self, geometry: Geometry) -> None:
        """Note the board that every process of the agent is to be made ready for."""
        self._board = geometry

    def note_limit(self, limit: Limit) -> None:
        """Note what moves are limited to: to begin a game must not take much longer than one."""
        if limit.seconds is not None:
            self.patience = max(MIN_PATIENCE, limit.deadline)

    def note_generator(self, rng: np.random.Generator) -> None:
        """Note the generator of the game that is about to begin. The process makes one of the same
        seed, and seeds by it what else the agent may draw from; `rng` itself is left as it is.
        """
        if rng is not self._rng:
            self._rng, self._is_sent = rng, False

    def reset(self) -> None:
        """Begin a game, with a fresh process if the last one has ended."""
        self._output.start_game()
        self._ask("reset", answers.nothing, self._default_patience, seed=self._seed())

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the process. Raises `AgentFault` for whatever goes wrong."""
        seconds, late = self._default_patience, ""
        if limit.seconds is not None:
            seconds, late = limit.deadline, limit.overrun
        check, asked = partial(answers.decision, position=position), _asked(position, limit)
        with self._lock:
            self.note_generator(rng)
            if self._child is None or not self._made:
                self._ask("reset", answers.nothing, seed=self._seed())
            try:
                return self._exchange("choose", check, seconds, late, seed=self._seed(), **asked)
            except ChildGone:  # since it answered last
                self._ask("reset", answers.nothing, seed=self._seed())
                decision: Decision = self._ask(
                    "choose", check, seconds, late, seed=self._seed(), **asked
                )
                return decision

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Yield the steps of a decision. Raises `AgentFault` where they end early."""
        lines, fault = self._ask("trace", answers.trace, **_asked(position, limit))
        yield from lines
        if fault is not None:
            raise AgentFault(fault)

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree behind the last decision. Raises `AgentFault`."""
        view: TreeView | None = self._ask("tree", answers.tree, depth=depth, nodes=nodes)
        return view

    def most_memory(self) -> float | None:
        """Return the most memory the process has held so far, in MB; None if that is not known."""
        with self._lock:
            if self._child is None or not self._made:
                return None
            found: float | None = None
            with contextlib.suppress(AgentFault):
                found = self._ask("most_memory", answers.megabytes)
            return found

    def close(self) -> None:
        """Let the agent give back what it holds, and end the process."""
        with self._lock:
            if self._child is not None and self._made:
                with contextlib.suppress(AgentFault, ChildGone):
                    self._exchange("close", answers.nothing, FAREWELL)
            if self._child is not None:
                self._child.end()
            self._drop()
            self._output.close()

    def _start(self) -> None:
        variables = {name: os.environ.get(name, value) for name, value in VARIABLES.items()}
        self._started = time.perf_counter()
        self._child = Child(
            "claimeven.agents.worker", self._output, variables, MAX_ANSWER, self._memory_mb
        )
        self._made = self._is_sent = False
        texts = {place: text.decode("latin-1") for place, text in self.texts.items()}
        make = {"spec": self.name, "file": self._file, "memory_mb": self._memory_mb}
        with contextlib.suppress(ChildEnded):  # which is reported when it is made
            self._child.send(pack({"do": "make", **make, "texts": texts}))

    def _seed(self) -> list[list[int]] | None:
        """Return the seed of the generator, None if the process has the generator by now."""
        if self._is_sent or self._rng is None:
            return None
        self._is_sent = True
        return codec.from_generator(self._rng)

    def _revive(self) -> None:
        """See to it that there is a process, as ready as the one before it was."""
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
    def _default_patience(self) -> float:
        return PATIENCE if self.patience is None else self.patience

    @property
    def _too_long(self) -> str:
        return f"it was not done after the {self._load_timeout:g} s it had (load_timeout)"

    def _ask(self, *given: Any, **named: Any) -> Any:
        """`_exchange` with a process that is there, started if need be. Raises `AgentFault`."""
        with self._lock:
            self._revive()
            try:
                return self._exchange(*given, **named)
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
        """Ask for something and return the answer: see `_answer`. Raises `ChildGone` too."""
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
        """Return the answer that comes within so many seconds, as `check` returns its value.

        `late` is the reason if it does not; empty if nothing limits the time. A process that does
        not answer, or not as it should, is ended; one that answers a little later is kept, though
        that is a fault all the same, unless it was this process that was stopped meanwhile. Raises
        `ChildGone` if it had ended before it was asked, and `InvalidSpec` for an agent that is
        refused, which only some answers may do.
        """
        assert self._child is not None
        in_time, resumed = True, resume_count()
        lateness = late or f"did not answer within {seconds:g} s"
        try:
            try:
                message = self._child.receive(seconds)
            except ChildTimeout:
                in_time = resume_count() != resumed
                message = self._child.receive(seconds if in_time else min(seconds, MERCY))
            if not in_time:
                raise AgentFault(lateness, kind=FaultKind.TIME)
            return check(answers.read_value(message, may_refuse))
        except InvalidSpec:
            raise
        except AgentFault as error:
            if error.kind is not FaultKind.MEMORY:
                raise
            reason = f"{error}: it wanted more than the {self._memory_mb:,} MB it may have"
            fault = AgentFault(reason, error.traceback, error.kind)
        except ChildEnded as ended:
            if isinstance(ended, ChildGone):
                self._drop()
                raise
            fault = fault_of(ended)
        except ChildTimeout:
            if self.patience is None and seconds >= PATIENCE and not late:
                self._is_out = f"{lateness} earlier and is not asked again: limit the seconds"
            fault = AgentFault(lateness, kind=FaultKind.STALL)
        except (ChildProtocolError, Malformed):
            fault = AgentFault("wrote into the connection of its process")
        except BaseException:
            self._drop()  # an answer that is still to come would be taken for the next one
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


def fault_of(ended: ChildEnded, said: str = "") -> AgentFault:
    """Return the fault of an agent whose process has ended; `said` is added to the reason."""
    kind = FaultKind.MEMORY if ended.out_of_memory else FaultKind.CRASH
    return AgentFault(f"ended its process: {ended}{said}", kind=kind)


def _asked(position: Position, limit: Limit) -> dict[str, Any]:
    return {"position": codec.from_position(position), "limit": codec.from_limit(limit)}
