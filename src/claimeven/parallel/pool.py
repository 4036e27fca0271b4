"""Workers for numbered jobs: processes of this machine, and the scheduler of all workers.

A worker that ends or is silent for too long is replaced, and its jobs are run again.
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
from claimeven.parallel.jobs import PoolError, Result, Workload
from claimeven.parallel.process import (
    ONE_CORE,
    POLL_INTERVAL,
    Child,
    ChildEnded,
    ChildProtocolError,
    ChildTimeout,
)

#: Most jobs in one message: their numbers must fit into the connection's buffer.
MAX_BATCH = 512
#: Approximate seconds of work in one message, if a job takes less.
BATCH_SECONDS = 0.2
#: Times that a job is tried, or a worker started, if the worker ends.
MAX_TRIES = 3
#: Seconds until one worker must be ready: they may have to compile code first.
START_TIMEOUT: Final = 900.0


class Crew(Protocol):
    """Workers of one kind: how to start, reach and end them."""

    @property
    def name(self) -> str:
        """The word for one worker in messages."""

    def start(self) -> Any:
        """Start a worker, send it the workload and return it. Its first message is "ready"."""

    def give(self, worker: Any, numbers: list[int], seconds: float | None) -> None:
        """Send jobs to a worker. Raises `ChildEnded`, and `ChildTimeout` if it does not read."""

    def wait(self, workers: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Wait a while for messages; yield each with its worker.

        A message is a list of results, an error that ends the work, or `ChildEnded`.
        """

    def kill(self, worker: Any) -> None:
        """End a worker immediately."""

    def release(self, ready: Sequence[Any], others: Sequence[Any]) -> None:
        """End idle workers, or keep them for the next workload."""


@dataclass(eq=False)
class _Member:
    """A worker of a crew, its open jobs, the size of its next batch, and the times of its last sign
    of life and of its last results or first job.
    """

    worker: Any
    numbers: deque[int] = field(default_factory=deque)
    batch: int = 1
    heard_at: float = field(default_factory=time.perf_counter)
    results_at: float = 0.0
    is_ready: bool = False

    @property
    def is_due(self) -> bool:
        """Whether it should get jobs: a fast worker gets them before it runs out."""
        return self.is_ready and (
            len(self.numbers) < 2 * self.batch if self.batch > 1 else not self.numbers
        )

    def note(self, results: int) -> None:
        """Note the number of results it has sent, and adapt its batch; 0 is a sign of life."""
        now = time.perf_counter()
        self.is_ready, self.heard_at = True, now
        if results:
            ideal = int(BATCH_SECONDS * results / max(now - self.results_at, 1e-9))
            self.batch = max(1, min(ideal, 2 * self.batch, MAX_BATCH))
            self.results_at = now

    def is_silent(self, worker_timeout: float | None, now: float) -> bool:
        """Whether it has jobs and was silent for too long."""
        return (
            worker_timeout is not None
            and bool(self.numbers)
            and now - self.heard_at >= worker_timeout
        )


class Scheduler:
    """Runs the jobs of a workload on a crew of `count` workers; see `results`."""

    def __init__(
        self,
        crew: Crew,
        work: Workload,
        numbers: Sequence[int],
        count: int,
        on_message: Callable[[str], object] | None = None,
        should_run: Callable[[int], bool] = lambda number: True,
    ) -> None:
        self._crew, self._unit, self._worker_timeout = crew, work.unit, work.worker_timeout
        self._on_message, self._goes_on = on_message, should_run
        self._waiting = deque(numbers)
        self._suspects: deque[int] = deque()
        self._left = len(numbers)
        self._failures: Counter[int] = Counter()
        self._failed_starts = 0
        self.members: list[_Member] = []
        self._count = count

    def results(self) -> Generator[Result, None, None]:
        """Yield the results as they arrive.

        Raises `PoolError` for a job during which `MAX_TRIES` workers end or hang, and if no worker
        can be started. An error sent by a worker is raised too.
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
            with interrupts.deferred():
                self._end()

    def _end(self) -> None:
        """End the workers; kill the busy ones."""
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
        if not member.numbers:  # it was idle, not silent
            member.results_at = member.heard_at = time.perf_counter()
        member.numbers.extend(batch)
        try:
            self._crew.give(member.worker, batch, self._worker_timeout)
        except ChildEnded as ended:
            self._replace(member, str(ended))
        except ChildTimeout:
            self._give_up(member, "it reads no more messages")

    def _next(self, largest: int) -> list[int]:
        """Return the next jobs: a job that a worker failed by itself, and few towards the end."""
        if self._suspects:
            return [self._suspects.popleft()]
        share = len(self._waiting) // (2 * len(self.members))
        batch: list[int] = []
        while self._waiting and len(batch) < max(1, min(largest, share)):
            number = self._waiting.popleft()
            if self._goes_on(number):
                batch.append(number)
            else:
                self._left -= 1
        return batch

    def _received(self) -> Iterator[Result]:
        """Wait a moment for messages and yield their results."""
        members = {id(member.worker): member for member in self.members}
        now = time.perf_counter()  # before the caller spends time on results
        for worker, message in self._crew.wait([member.worker for member in self.members]):
            member = members.get(id(worker))
            if member is None or member not in self.members:
                continue
            if isinstance(message, ChildEnded):
                self._replace(member, str(message))
            elif isinstance(message, BaseException):
                raise message
            else:
                self._failed_starts = 0
                member.note(len(message))
                self._left -= len(message)
                for result in message:
                    member.numbers.remove(result[0])
                    yield result
        for member in list(self.members):
            if member.is_silent(self._worker_timeout, now):
                self._give_up(member, f"no sign of life for {self._worker_timeout:g} s")
        if all(not each.is_ready and now - each.heard_at > START_TIMEOUT for each in self.members):
            raise PoolError(
                f"no {self._crew.name} was ready after {START_TIMEOUT:g} s: is a core free?"
            )

    def _give_up(self, member: _Member, how: str) -> None:
        """Kill a hanging worker and give its jobs to others."""
        self._crew.kill(member.worker)
        if self._on_message is not None:
            worker = f"a {self._crew.name} that runs {self._unit} {member.numbers[0] + 1}"
            self._on_message(f"{worker} hangs ({how}): another one runs it again")
        self._replace(member, how)

    def _replace(self, member: _Member, how: str) -> None:
        """Queue the jobs of a lost worker, one per message, and start another worker."""
        self.members.remove(member)
        self._crew.kill(member.worker)  # a worker of another machine may still run
        if member.numbers:
            number = member.numbers[0]
            self._failures[number] += 1
            if self._failures[number] == MAX_TRIES:
                worker = f"the {self._crew.name} that runs {self._unit} {number + 1}"
                raise PoolError(f"{worker} died {MAX_TRIES} times: {how}")
            self._suspects.extendleft(reversed(member.numbers))
        elif not member.is_ready:
            self._failed_starts += 1
            if self._failed_starts == MAX_TRIES:
                raise PoolError(
                    f"no {self._crew.name} could be started in {MAX_TRIES} tries: {how}"
                )
        if self._has_more:
            self._start()


@dataclass(frozen=True)
class LocalWorkers:
    """An executor: `jobs` processes of this machine, which end with this one.

    `on_message` gets a sentence about each process that hangs. Each workload gets new processes,
    unless they are `reused`. `should_run` is called when the turn of a job comes, and may skip it.
    """

    jobs: int
    on_message: Callable[[str], object] | None = None
    should_run: Callable[[int], bool] = lambda number: True
    _resting: list[Child] | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def reused(self) -> Iterator[LocalWorkers]:
        """Yield workers that run one workload after the other, until the block ends.

        For workloads that take no longer than the start of a process.
        """
        resting: list[Child] = []
        try:
            yield replace(self, _resting=resting)
        finally:
            _end(resting)

    def play(self, work: Workload, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the results as they arrive: see `Scheduler.results`."""
        crew = _Processes(work, self._resting)
        count = min(self.jobs, len(numbers))
        yield from Scheduler(crew, work, numbers, count, self.on_message, self.should_run).results()


class _Processes:
    """Processes of this machine: see `Crew`."""

    name = "process"

    def __init__(self, work: Workload, resting: list[Child] | None) -> None:
        self._first_message = pickle.dumps(work)
        self._resting = resting

    def start(self) -> Child:
        while self._resting:
            child = self._resting.pop()
            with suppress(ChildEnded, ChildTimeout):  # it may have died while idle
                child.send(self._first_message, START_TIMEOUT)
                return child
            child.kill()
        child = Child("claimeven.parallel.jobs", variables=ONE_CORE)
        try:
            child.send(self._first_message, START_TIMEOUT)
        except ChildEnded:
            pass  # `wait` reports it
        except ChildTimeout:
            child.kill()  # it may have read half of the message
        return child

    def give(self, worker: Child, numbers: list[int], seconds: float | None) -> None:
        worker.send(pickle.dumps(numbers), seconds)

    def wait(self, workers: Iterable[Child]) -> Iterator[tuple[Child, Any]]:
        with Selector() as selector:
            for child in workers:
                if not child.ended:
                    selector.register(child, selectors.EVENT_READ)
            ready = {id(key.fileobj) for key, _ in selector.select(POLL_INTERVAL)}
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
    """Yield all messages of a child that have arrived, or the reason of its end."""
    while True:
        try:
            message = pickle.loads(child.receive(0))
        except ChildTimeout:
            return
        except ChildEnded as ended:
            yield child, ended
            return
        except ChildProtocolError:
            yield child, ChildEnded("it sent bytes that are not a message")
            return
        yield child, message


def _end(children: Sequence[Child]) -> None:
    """End idle children, all at the same time."""
    for child in children:
        child.close_input()
    for child in children:
        child.end()
