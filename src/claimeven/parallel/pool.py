"""Workers that do numbered jobs: processes of this machine, and the rules that all workers obey.

A worker that ends is replaced, and so is one that is silent for too long; its jobs are done again.
"""

from __future__ import annotations

import pickle
import selectors
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from claimeven.parallel import interrupts
from claimeven.parallel.connection import Selector
from claimeven.parallel.jobs import PoolError, Result, Work
from claimeven.parallel.process import (
    LOOK,
    ONE_CORE,
    Child,
    ChildEnded,
    ChildGarbled,
    ChildSilent,
)

#: Jobs handed to a worker at a time, at most: their numbers must fit into its connection.
MAX_BATCH = 512
#: Seconds of work that are handed out at a time, about, if a job takes less.
SPELL = 0.2
#: Times a job is begun again, or a worker started, when the worker ends.
TRIES = 3
#: Seconds that workers have until one is ready: they may have to compile what they need.
START: Final = 900.0


class Crew(Protocol):
    """Workers of one kind: how they are started, reached and ended."""

    @property
    def name(self) -> str:
        """What one of them is, in messages."""

    def start(self) -> Any:
        """Start a worker, give it the work and return it. It answers first that it is ready."""

    def give(self, worker: Any, numbers: list[int], seconds: float | None) -> None:
        """Give a worker jobs. Raises `ChildEnded`, and `ChildSilent` if it does not take them."""

    def wait(self, workers: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Wait a while for messages; yield each with its worker.

        A message is a list of results, an error that ends the work, or `ChildEnded`.
        """

    def kill(self, worker: Any) -> None:
        """End a worker immediately."""

    def release(self, ready: Sequence[Any], others: Sequence[Any]) -> None:
        """End workers that have nothing to do, or keep them for the next work."""


@dataclass(eq=False)
class _Member:
    """A worker of a crew, the jobs it was given and has not done, and how many to give it next.

    It was last heard of at a time of the clock, and last with results, or given jobs, at another.
    """

    worker: Any
    numbers: deque[int] = field(default_factory=deque)
    batch: int = 1
    heard_at: float = field(default_factory=time.perf_counter)
    results_at: float = 0.0
    is_ready: bool = False

    @property
    def is_due(self) -> bool:
        """Whether it should be given jobs: a quick one before it has done all it has."""
        return self.is_ready and (
            len(self.numbers) < 2 * self.batch if self.batch > 1 else not self.numbers
        )

    def note(self, results: int) -> None:
        """Note that it has sent results, and how many take a spell; none is a sign of life."""
        now = time.perf_counter()
        self.is_ready, self.heard_at = True, now
        if results:
            a_spell = int(SPELL * results / max(now - self.results_at, 1e-9))
            self.batch = max(1, min(a_spell, 2 * self.batch, MAX_BATCH))
            self.results_at = now

    def is_silent(self, patience: float | None, now: float) -> bool:
        """Whether it has jobs and was silent for too long."""
        return patience is not None and bool(self.numbers) and now - self.heard_at >= patience


class Scheduler:
    """Jobs of some work done by a crew of `count` workers; see `results`."""

    def __init__(
        self,
        crew: Crew,
        work: Work,
        numbers: Sequence[int],
        count: int,
        on_message: Callable[[str], object] | None = None,
        goes_on: Callable[[int], bool] = lambda number: True,
    ) -> None:
        self._crew, self._unit, self._patience = crew, work.unit, work.patience
        self._on_message, self._goes_on = on_message, goes_on
        self._waiting = deque(numbers)
        self._suspects: deque[int] = deque()
        self._left = len(numbers)
        self._begun_again: Counter[int] = Counter()
        self._not_started = 0
        self.members: list[_Member] = []
        self._count = count

    def results(self) -> Generator[Result, None, None]:
        """Yield the results as they come.

        Raises `PoolError` for a job over which `TRIES` workers end or hang, or if no worker can be
        started, and whatever error ended a worker.
        """
        try:
            for _ in range(self._count):
                self._start()
            while self._left:
                for member in list(self.members):
                    while member.is_due and member in self.members and self._has_more:
                        self._hand_out(member)
                yield from self._received()
        finally:
            with interrupts.put_off():
                self._end()

    def _end(self) -> None:
        """End the workers, those with jobs immediately."""
        for member in self.members:
            if member.numbers:
                self._crew.kill(member.worker)
        idle = [each for each in self.members if not each.numbers]
        self._crew.release(
            [each.worker for each in idle if each.is_ready],
            [each.worker for each in idle if not each.is_ready],
        )

    @property
    def _has_more(self) -> bool:
        return bool(self._waiting or self._suspects)

    def _start(self) -> None:
        self.members.append(_Member(self._crew.start()))

    def _hand_out(self, member: _Member) -> None:
        batch = self._next(member.batch)
        if not batch:
            return
        if not member.numbers:  # it waited for them, and was not silent
            member.results_at = member.heard_at = time.perf_counter()
        member.numbers.extend(batch)
        try:
            self._crew.give(member.worker, batch, self._patience)
        except ChildEnded as ended:
            self._replace(member, str(ended))
        except ChildSilent:
            self._give_up(member, "it takes no more messages")

    def _next(self, most: int) -> list[int]:
        """Take jobs to be handed out: one over which a worker ended alone, towards the end few."""
        if self._suspects:
            return [self._suspects.popleft()]
        share = len(self._waiting) // (2 * len(self.members))
        part: list[int] = []
        while self._waiting and len(part) < max(1, min(most, share)):
            number = self._waiting.popleft()
            if self._goes_on(number):
                part.append(number)
            else:
                self._left -= 1
        return part

    def _received(self) -> Iterator[Result]:
        """Yield what has arrived, waiting for it for a moment."""
        members = {id(member.worker): member for member in self.members}
        now = time.perf_counter()  # what is done with results is no silence of others
        for worker, message in self._crew.wait([member.worker for member in self.members]):
            member = members.get(id(worker))
            if member is None or member not in self.members:
                continue
            if isinstance(message, ChildEnded):
                self._replace(member, str(message))
            elif isinstance(message, BaseException):
                raise message
            else:
                self._not_started = 0
                member.note(len(message))
                self._left -= len(message)
                for result in message:
                    member.numbers.remove(result[0])
                    yield result
        for member in list(self.members):
            if member.is_silent(self._patience, now):
                self._give_up(member, f"no sign of life for {self._patience:g} s")
        if all(not each.is_ready and now - each.heard_at > START for each in self.members):
            raise PoolError(
                f"no {self._crew.name} was ready after {START:g} s: there may be no free core"
            )

    def _give_up(self, member: _Member, how: str) -> None:
        """End a worker that hangs, and have its jobs done by others."""
        self._crew.kill(member.worker)
        if self._on_message is not None:
            what = f"a {self._crew.name} that plays {self._unit} {member.numbers[0] + 1}"
            self._on_message(f"{what} hangs ({how}): another one plays it again")
        self._replace(member, how)

    def _replace(self, member: _Member, how: str) -> None:
        """Have the jobs of a worker that has ended done again, each by itself, by a new one.

        The first of them is the one that was being done, or one just done and not sent.
        """
        self.members.remove(member)
        self._crew.kill(member.worker)  # one of another machine may live on, out of reach
        if member.numbers:
            number = member.numbers[0]
            self._begun_again[number] += 1
            if self._begun_again[number] == TRIES:
                what = f"the {self._crew.name} that plays {self._unit} {number + 1}"
                raise PoolError(f"{what} has ended {TRIES} times: {how}")
            self._suspects.extendleft(reversed(member.numbers))
        elif not member.is_ready:
            self._not_started += 1
            if self._not_started == TRIES:
                raise PoolError(f"no {self._crew.name} could be started in {TRIES} tries: {how}")
        if self._has_more:
            self._start()


@dataclass(frozen=True)
class LocalWorkers:
    """An executor: `jobs` processes of this machine, which end with this one.

    `tell` gets a sentence about each that hangs. Each work is done by new processes, but for those
    of workers that are `kept`. `goes_on` returns for a number whether it is still to be done when
    its turn comes.
    """

    jobs: int
    tell: Callable[[str], object] | None = None
    goes_on: Callable[[int], bool] = lambda number: True
    _resting: list[Child] | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def kept(self) -> Iterator[LocalWorkers]:
        """Yield workers that stay, and continue with one work after the other, until this ends.

        For work that takes no longer than a process takes to start and to make ready.
        """
        resting: list[Child] = []
        try:
            yield replace(self, _resting=resting)
        finally:
            _end(resting)

    def play(self, work: Work, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the results as they end: see `Scheduler.results`."""
        crew = _Processes(work, self._resting)
        count = min(self.jobs, len(numbers))
        yield from Scheduler(crew, work, numbers, count, self.tell, self.goes_on).results()


class _Processes:
    """Processes of this machine: see `Crew`."""

    name = "process"

    def __init__(self, work: Work, resting: list[Child] | None) -> None:
        self._first_message = pickle.dumps(work)
        self._resting = resting

    def start(self) -> Child:
        while self._resting:
            child = self._resting.pop()
            with suppress(ChildEnded, ChildSilent):  # it may have ended as it rested
                child.send(self._first_message, START)
                return child
            child.kill()
        child = Child("claimeven.parallel.jobs", variables=ONE_CORE)
        try:
            child.send(self._first_message, START)
        except ChildEnded:
            pass  # which is reported when it is waited for
        except ChildSilent:
            child.kill()  # it may have half of the message, and would wait for the rest
        return child

    def give(self, worker: Child, numbers: list[int], seconds: float | None) -> None:
        worker.send(pickle.dumps(numbers), seconds)

    def wait(self, workers: Iterable[Child]) -> Iterator[tuple[Child, Any]]:
        with Selector() as selector:
            for child in workers:
                if not child.ended:
                    selector.register(child, selectors.EVENT_READ)
            ready = {id(key.fileobj) for key, _ in selector.select(LOOK)}
        for child in workers:
            if id(child) in ready or child.ended:
                yield from _messages_of(child)

    def kill(self, worker: Child) -> None:
        worker.kill()

    def release(self, ready: Sequence[Child], others: Sequence[Child]) -> None:
        if self._resting is not None:
            self._resting += [*ready, *others]
            return
        for child in others:
            child.kill()
        _end(ready)


def _messages_of(child: Child) -> Iterator[tuple[Child, Any]]:
    """Yield all messages of a child that have come, or how it ended."""
    while True:
        try:
            message = pickle.loads(child.receive(0))
        except ChildSilent:
            return
        except ChildEnded as ended:
            yield child, ended
            return
        except ChildGarbled:
            yield child, ChildEnded("it sent something else than a message")
            return
        yield child, message


def _end(children: Sequence[Child]) -> None:
    """End children that have nothing to do, all at a time."""
    for child in children:
        child.hang_up()
    for child in children:
        child.end()
