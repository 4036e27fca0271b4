"""An agent in a process of its own, from the side of the match."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from claimeven.agents.contract import (
    LIMITS,
    Agent,
    AgentFault,
    Decision,
    FaultKind,
    Limit,
    TreeView,
)
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process import short, wire
from claimeven.agents.process.isolation import Isolation
from claimeven.agents.process.printed import MOST_PRINTED, Printed
from claimeven.agents.texts import content_of
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.interrupts import times_gone_on
from claimeven.processes import Child, ChildEnded, ChildGarbled, ChildGone, ChildSilent

#: Seconds an agent from a file may take to be loaded. Heavy packages take about ten on a slow
#: machine, and a loop that does not end holds everybody up so long.
FILE_LOAD_SECONDS = 30.0
#: Seconds an agent of this package may take, which may have to compile its search, and seconds for
#: whatever else has no limit: a move too.
LOAD_SECONDS, PATIENCE = 120.0, 90.0
#: Seconds it has at least to begin a game where moves have a limit in time.
LEAST_PATIENCE = 10.0
#: Seconds at most that an answer which comes too late is waited for, to spare the process.
MERCY = 2.0
#: Seconds it has to give back what it holds.
FAREWELL = 5.0
#: One thread each, unless the user has said otherwise; the same order of sets in every run; and
#: no letter that cannot be printed.
VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
}


class ProcessAgent(Agent):
    """An agent made from its spec in a process of its own.

    Whatever it does stays there: it may raise, print, exit, fork or hang. A move that takes longer
    than the limit allows at the `longest`, or `PATIENCE` seconds where there is none, ends the
    process; so does everything that leaves the process in doubt. The next game begins with a
    fresh one. It may hold as much memory as `isolation` says. Its prints go to stderr,
    `MOST_PRINTED` characters a game. `patience` stands for `PATIENCE` where it is set.

    The process is started at once, or, where the agent `rests`, when it is first needed. Every
    process of it has the `texts` that its `file` and other `files` held when the agent was made.

    Used by several threads it serves one at a time. `close` ends the process.
    """

    is_plain = True  # decisions are checked in the process, before they are sent

    def __init__(
        self,
        spec: str,
        file: tuple[str, str] | None = None,
        isolation: Isolation | None = None,
        rests: bool = False,
        from_file: bool | None = None,
        files: tuple[str, ...] = (),
    ) -> None:
        self.name = spec
        self._file = file
        places = [*files, *([] if file is None else file[:1])]
        held = {place: content_of(place) for place in places if place.endswith(".py")}
        self.texts = {place: text for place, text in held.items() if text is not None}
        isolation = isolation or Isolation()
        self._made_of = spec, file, isolation, True, from_file, files
        self._memory_mb = isolation.memory
        usual = FILE_LOAD_SECONDS if file is not None or from_file else LOAD_SECONDS
        self._load_seconds = isolation.load_seconds or usual
        self.patience: float | None = None
        self._printed = Printed(spec, 0 if isolation.quiet else MOST_PRINTED)
        self._board: Geometry | None = None
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._made = self._made_before = False
        self._is_function, self._begins = False, True
        self._draws_from: list[int] | None = None
        # What the process was told last in few bytes.
        self._terms: tuple[Limit | None, Geometry | None] = None, None
        if not rests:
            self.start()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has a process of its own, started when it is needed, and has seen no game."""
        names = ("limits", "remembers", "patience", "_board", "_is_function", "texts")
        return ProcessAgent, self._made_of, {name: getattr(self, name) for name in names}

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
                left = self._started + self._load_seconds - time.monotonic()
                told = self._answer(max(0.0, left), self._too_long)
            except AgentFault as fault:
                self._drop()
                raise InvalidSpec(f"{self.name} cannot be loaded: {fault}") from fault
            except InvalidSpec:
                self._drop()
                raise
            self.limits = frozenset(told["limits"]) & frozenset(LIMITS)
            self.remembers = told["remembers"]
            self._is_function = told["is_function"]
            self._made = self._made_before = True

    def check_board(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` or `AgentFault` if the agent cannot play on a board."""
        self._ask("check_board", PATIENCE, geometry=wire.from_geometry(geometry))

    def load(self, geometry: Geometry) -> None:
        """Let the agent make itself ready. Raises `InvalidSpec` or `AgentFault` if it fails."""
        self.note_board(geometry)
        seconds = self._load_seconds
        self._ask("load", seconds, self._too_long, geometry=wire.from_geometry(geometry))

    def note_board(self, geometry: Geometry) -> None:
        """Note the board that every process of the agent is to be made ready for."""
        self._board = geometry

    def note_limit(self, limit: Limit) -> None:
        """Note what moves are limited to: to begin a game must not take much longer than one."""
        if limit.seconds is not None:
            self.patience = max(LEAST_PATIENCE, limit.longest)

    def note_generator(self, rng: np.random.Generator) -> None:
        """Note from what the agent draws in the game that is about to begin: what else it may draw
        from, in its `reset` too, is seeded by that.
        """
        if short.state_of(rng) is not None:
            self._draws_from = wire.from_generator(rng)

    def reset(self) -> None:
        """Begin a game, with a fresh process where the last one has ended.

        A function learns of it with its first move, so that no message goes to and fro for nothing.
        """
        self._printed.begin()
        with self._lock:
            self._revive()
            self._begins = True
            draws_from, self._draws_from = self._draws_from, None
            if not self._is_function:
                seconds = PATIENCE if self.patience is None else self.patience
                try:
                    self._answer(seconds, question=_message("reset", rng=draws_from))
                except ChildGone as gone:
                    raise fault_of(gone) from None

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the process. Raises `AgentFault` for whatever goes wrong."""
        if limit.seconds is not None:
            seconds = limit.longest
        else:
            seconds = PATIENCE if self.patience is None else self.patience
        with self._lock:
            if self._child is None or not self._made:
                self._go_on_anew()
            try:
                told = self._answer(seconds, limit, self._question(position, limit, rng))
            except ChildGone:  # since it answered last
                self._go_on_anew()
                try:
                    told = self._answer(seconds, limit, self._question(position, limit, rng))
                except ChildGone as gone:
                    raise fault_of(gone) from None
        if type(told) is bytes:
            decision, after = short.read_answer(told)
            if after:
                short.set_state(rng, after)
            return decision
        if told["rng"] is not None:
            wire.set_generator(rng, told["rng"])
        return wire.to_decision(told["decision"])

    def _question(self, position: Position, limit: Limit, rng: np.random.Generator) -> bytes:
        """Return the question for a move, in as few bytes as will do, and note what it tells."""
        begins, self._begins = self._begins, False
        state = short.state_of(rng) if begins or not self._is_function else b""
        if state is not None:
            told = self._terms
            same = limit is told[0] and position.geometry is told[1]
            if same and position.outcome is None:
                message = short.again(position, state)
            else:
                message = short.question(position, limit, state)
                if message is not None:
                    self._terms = limit, position.geometry
            if message is not None:
                return message
        return _message("choose", begins=begins, **_asked(position, limit, rng))

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Yield the steps of a decision. Raises `AgentFault` where they end early."""
        told = self._ask("trace", PATIENCE, **_asked(position, limit, rng))
        yield from told["lines"]
        if told["fault"] is not None:
            raise AgentFault(told["fault"])

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree behind the last decision. Raises `AgentFault`."""
        told = self._ask("tree", PATIENCE, depth=depth, nodes=nodes)
        return None if told is None else TreeView(**told)

    def most_memory(self) -> float | None:
        """Return the most memory the process has held so far, in MB; None if that is not known."""
        with self._lock:
            if self._child is None or not self._made:
                return None
            try:
                told: float | None = self._ask("most_memory", PATIENCE)
            except AgentFault:
                return None
            return told

    def close(self) -> None:
        """Let the agent give back what it holds, and end the process."""
        with self._lock:
            if self._child is not None and self._made:
                with contextlib.suppress(AgentFault, InvalidSpec):
                    self._send(_message("close"))
                    self._answer(FAREWELL)
            if self._child is not None:
                self._child.end()
            self._drop()

    def _start(self) -> None:
        variables = {name: os.environ.get(name, usual) for name, usual in VARIABLES.items()}
        self._started = time.monotonic()
        self._child = Child("claimeven.agents.worker", self._printed, variables)
        self._made, self._begins, self._terms = False, True, (None, None)
        texts = {place: text.decode("latin-1") for place, text in self.texts.items()}
        make = {"spec": self.name, "file": self._file, "memory_mb": self._memory_mb}
        self._send(_message("make", **make, texts=texts))

    def _go_on_anew(self) -> None:
        """See to it that there is a process that a game has begun for."""
        self._revive()
        if not self._is_function:
            self._ask("reset", PATIENCE, rng=None)

    def _revive(self) -> None:
        """See to it that there is a process, as ready as the one before it was."""
        if self._child is None or self._child.ended:
            try:
                self._drop()
                self._start()
                self.make()
                if self._board is not None:
                    self.load(self._board)
            except (AgentFault, InvalidSpec) as error:
                self._drop()
                again = " again" if self._made_before else ""
                raise AgentFault(f"could not be started{again}: {error}") from error
        elif not self._made:
            self.make()

    @property
    def _too_long(self) -> str:
        return f"it was not done after the {self._load_seconds:g} s it had (load_seconds)"

    def _ask(self, do: str, seconds: float, late: str | None = None, **arguments: Any) -> Any:
        """Ask for something and return the answer, or raise what went wrong."""
        with self._lock:
            self._revive()
            self._send(_message(do, **arguments))
            return self._answer(seconds, late)

    def _send(self, message: bytes) -> None:
        assert self._child is not None
        try:
            self._child.send(message)
        except ChildEnded as ended:
            self._drop()
            raise fault_of(ended) from None

    def _answer(
        self, seconds: float, late: str | Limit | None = None, question: bytes | None = None
    ) -> Any:
        """Return the answer that comes within so many seconds, to a question if one is given.

        `late` is what is said of one that does not come, or the limit that it breaks.
        A process that does not answer, or not as it should, is ended; one that answers a little
        later is kept, though the answer is a fault all the same, unless it was this process that
        was stopped meanwhile. Raises `ChildGone` where it had ended before it was asked.
        """
        assert self._child is not None
        in_time, gone_on = True, times_gone_on()
        try:
            try:
                answer = (
                    self._child.receive(seconds)
                    if question is None
                    else self._child.ask(question, seconds)
                )
            except ChildSilent:
                in_time = times_gone_on() != gone_on
                answer = self._child.receive(min(seconds, MERCY))
            if in_time and short.is_answer(answer):
                return answer
            told: dict[str, Any] = (
                {"value": answer} if short.is_answer(answer) else wire.unpacked(answer)
            )
            if in_time and "value" in told:
                return told["value"]
            reason = str(told.get("fault", told.get("invalid")))
        except ChildEnded as ended:
            self._drop()
            if question is not None and isinstance(ended, ChildGone):
                raise
            raise fault_of(ended) from None
        except ChildSilent:
            self._drop()
            raise AgentFault(_lateness(late, seconds), kind=FaultKind.STALL) from None
        except (ChildGarbled, ValueError, KeyError):
            self._drop()
            raise AgentFault("wrote into the connection of its process") from None
        except BaseException:
            self._drop()  # an answer that is still to come would be taken for the next one
            raise
        if not in_time:
            raise AgentFault(_lateness(late, seconds), kind=FaultKind.TIME)
        traceback = str(told.get("traceback", ""))
        if "fault" not in told:
            raise InvalidSpec(reason, traceback)
        kind = FaultKind(told.get("kind", FaultKind.CRASH))
        if kind is FaultKind.MEMORY:
            self._drop()  # what it holds would be in its way
            reason += f": it wanted more than the {self._memory_mb:,} MB it may have"
        raise AgentFault(reason, traceback, kind)

    def _drop(self) -> None:
        """End the process at once."""
        if self._child is not None:
            self._child.kill()
        self._child = None


def fault_of(ended: ChildEnded, said: str = "") -> AgentFault:
    """Return the fault of an agent whose process has ended; `said` is added to the reason."""
    kind = FaultKind.MEMORY if ended.starved else FaultKind.CRASH
    return AgentFault(f"ended its process: {ended}{said}", kind=kind)


def _lateness(late: str | Limit | None, seconds: float) -> str:
    """Say that an answer did not come in so many seconds, or not within a limit."""
    if isinstance(late, str):
        return late
    if late is not None and late.seconds is not None:
        return late.overrun
    return f"did not answer within {seconds:g} s"


def _message(do: str, **arguments: Any) -> bytes:
    return wire.packed({"do": do, **arguments})


def _asked(position: Position, limit: Limit, rng: np.random.Generator) -> dict[str, Any]:
    return {
        "position": wire.from_position(position),
        "limit": wire.from_limit(limit),
        "rng": wire.from_generator(rng),
    }
