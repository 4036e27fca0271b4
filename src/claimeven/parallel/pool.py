"""Workers for numbered jobs: processes of this machine, and the scheduler of all workers.

A worker that ends or is silent for too long is replaced, and its jobs are run again.
"""

from __future__ import annotations

import pickle
import selectors
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from claimeven.messages import logger, report
from claimeven.parallel import interrupts
from claimeven.parallel.connection import Selector
from claimeven.parallel.jobs import MESSAGE_SECONDS, Job, PoolError, Result, Workload
from claimeven.parallel.process import (
    ONE_CORE,
    POLL_INTERVAL,
    Child,
    ChildEnded,
    ChildProtocolError,
    ChildTimeout,
)

#: Most jobs in one message.
MAX_BATCH = 512
#: Approximate seconds of work in one message, if a job takes less.
BATCH_SECONDS = 0.2
#: Times that a job is tried, or a worker started, if the worker ends.
MAX_TRIES = 3
#: Seconds until one worker must be ready: they may have to compile code first.
START_TIMEOUT: Final = 900.0
#: Seconds between two checks for silent workers.
_CHECK_SECONDS: Final = 0.1


class Crew(Protocol):
    """Workers of one kind: how to start, reach and end them."""

    @property
    def name(self) -> str:
        """The word for one worker in messages."""

    def start(self) -> Any:
        """Start a worker, send it the workload and return it. Its first message is "ready"."""

    def give(self, worker: Any, jobs: list[Job], seconds: float | None) -> None:
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
    """A worker of a crew, its open jobs by number, and when it was heard and had results."""

    worker: Any
    jobs: dict[int, Job] = field(default_factory=dict)
    batch: int = 1
    heard_at: float = field(default_factory=time.perf_counter)
    results_at: float = 0.0
    is_ready: bool = False

    @property
    def is_due(self) -> bool:
        """Whether it should get jobs: a fast worker gets them before it runs out."""
        return self.is_ready and (
            len(self.jobs) < 2 * self.batch if self.batch > 1 else not self.jobs
        )

    def note(self, results: int, batch_seconds: float = BATCH_SECONDS) -> None:
        """Note the number of results it has sent, and adapt its batch; 0 is a sign of life."""
        now = time.perf_counter()
        self.is_ready, self.heard_at = True, now
        if results:
            ideal = int(batch_seconds * results / max(now - self.results_at, 1e-9))
            self.batch = max(1, min(ideal, 2 * self.batch, MAX_BATCH))
            self.results_at = now

    def is_silent(self, worker_timeout: float | None, now: float) -> bool:
        return (
            worker_timeout is not None and bool(self.jobs) and now - self.heard_at >= worker_timeout
        )


class Scheduler:
    """Runs the jobs of a workload on a crew of at most `count` workers; see `results`.

    Jobs are taken from an iterable as workers need them; None means that there is none now.
    """

    def __init__(
        self,
        crew: Crew,
        work: Workload,
        jobs: Iterable[Job | None],
        count: int,
        on_message: Callable[[str], object] | None = None,
    ) -> None:
        self._crew, self._unit, self._worker_timeout = crew, work.unit, work.worker_timeout
        self._on_message, self._jobs = on_message, iter(jobs)
        #: Jobs that were not taken yet: many if that is unknown.
        self._left = len(jobs) if isinstance(jobs, Sized) else 1 << 62
        self._suspects: deque[Job] = deque()
        self._open = 0
        self._failures: Counter[int] = Counter()
        self._failed_starts = 0
        self._checked_at = 0.0
        #: Workers by id; those that may need jobs, in the order of their messages.
        self.members: dict[int, _Member] = {}
        self._hungry: dict[_Member, None] = {}
        self._count = min(count, self._left)
        self._batch_seconds = max(BATCH_SECONDS, 4 * MESSAGE_SECONDS * count)

    def results(self) -> Generator[Result, None, None]:
        """Yield the results as they arrive.

        Raises `PoolError` for a job during which `MAX_TRIES` workers end or hang, and if no worker
        can be started. An error sent by a worker is raised too.
        """
        try:
            for _ in range(self._count):
                self._start()
            while self._left or self._suspects or self._open:
                self._feed()
                yield from self._received()
        finally:
            with interrupts.deferred():
                self._end()

    def _end(self) -> None:
        for member in self.members.values():
            if member.jobs:
                self._crew.kill(member.worker)
        idle = [each for each in self.members.values() if not each.jobs]
        self._crew.release(
            [each.worker for each in idle if each.is_ready],
            [each.worker for each in idle if not each.is_ready],
        )

    def _start(self) -> None:
        with interrupts.deferred():  # a worker that is in no list would not be ended
            worker = self._crew.start()
            self.members[id(worker)] = _Member(worker)

    def _feed(self) -> None:
        for member in list(self._hungry):
            while member.is_due:
                batch = self._next(member.batch)
                if not batch:
                    return
                self._hand_out(member, batch)
            self._hungry.pop(member, None)

    def _hand_out(self, member: _Member, batch: list[Job]) -> None:
        if not member.jobs:  # it was idle, not silent
            member.results_at = member.heard_at = time.perf_counter()
        member.jobs |= {job if isinstance(job, int) else job[0]: job for job in batch}
        try:
            self._crew.give(member.worker, batch, self._worker_timeout)
        except ChildEnded as ended:
            self._replace(member, str(ended))
        except ChildTimeout:
            self._give_up(member, "it reads no more messages")

    def _next(self, largest: int) -> list[Job]:
        """Return the next jobs: a job that a worker failed by itself, and few towards the end."""
        if self._suspects:
            return [self._suspects.popleft()]
        most = max(1, min(largest, self._left // (2 * len(self.members))))
        batch: list[Job] = []
        while self._left and len(batch) < most:
            try:
                job = next(self._jobs)
            except StopIteration:
                self._left = 0
                break
            if job is None:
                break
            self._left -= 1
            batch.append(job)
        self._open += len(batch)
        return batch

    def _received(self) -> Iterator[Result]:
        """Wait a moment for messages and yield their results."""
        now = time.perf_counter()  # before the caller spends time on results
        for worker, message in self._crew.wait([each.worker for each in self.members.values()]):
            member = self.members.get(id(worker))
            if member is None:
                continue
            if isinstance(message, ChildEnded):
                self._replace(member, str(message))
            elif isinstance(message, BaseException):
                raise message
            else:
                self._failed_starts = 0
                member.note(len(message), self._batch_seconds)
                self._hungry[member] = None
                self._open -= len(message)
                for result in message:
                    del member.jobs[result[0]]
                    yield result
        if now - self._checked_at >= _CHECK_SECONDS:
            self._checked_at = now
            self._check(now)

    def _check(self, now: float) -> None:
        """Replace silent workers. Raises `PoolError` if none was ready in time."""
        for member in list(self.members.values()):
            if member.is_silent(self._worker_timeout, now):
                self._give_up(member, f"no sign of life for {self._worker_timeout:g} s")
        members = self.members.values()
        if all(not each.is_ready and now - each.heard_at > START_TIMEOUT for each in members):
            raise PoolError(
                f"no {self._crew.name} was ready after {START_TIMEOUT:g} s: is a core free?"
            )

    def _give_up(self, member: _Member, how: str) -> None:
        """Kill a hanging worker and give its jobs to others."""
        self._crew.kill(member.worker)
        number = next(iter(member.jobs)) + 1
        worker = f"a {self._crew.name} that runs {self._unit} {number}"
        report(self._on_message, f"{worker} hangs ({how}): another one runs it again")
        self._replace(member, how)

    def _replace(self, member: _Member, how: str) -> None:
        """Queue the jobs of a lost worker, one per message, and start another worker."""
        del self.members[id(member.worker)]
        self._hungry.pop(member, None)
        self._crew.kill(member.worker)  # a worker of another machine may still run
        if member.jobs:
            number = next(iter(member.jobs))
            self._failures[number] += 1
            if self._failures[number] == MAX_TRIES:
                worker = f"the {self._crew.name} that runs {self._unit} {number + 1}"
                error = PoolError(f"{worker} died {MAX_TRIES} times: {how}")
                error.job = number
                raise error
            self._suspects.extendleft(reversed(member.jobs.values()))
        elif not member.is_ready:
            self._failed_starts += 1
            if self._failed_starts == MAX_TRIES:
                raise PoolError(
                    f"no {self._crew.name} could be started in {MAX_TRIES} tries: {how}"
                )
        member.is_ready = False
        logger.warning("a %s ended (%s): another one is started", self._crew.name, how)
        if self._left or self._suspects:
            self._start()


@dataclass(frozen=True)
class LocalWorkers:
    """An executor: `jobs` processes of this machine, which end with this one.

    `on_message` gets a sentence about each process that hangs. Each workload gets new processes,
    unless they are `reused`.
    """

    jobs: int
    on_message: Callable[[str], object] | None = None
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

    def play(self, work: Workload, numbers: Iterable[Job | None]) -> Generator[Result, None, None]:
        """Yield the results as they arrive: see `Scheduler.results`."""
        crew = _Processes(work, self._resting)
        yield from Scheduler(crew, work, numbers, self.jobs, self.on_message).results()


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

    def give(self, worker: Child, jobs: list[Job], seconds: float | None) -> None:
        worker.send(pickle.dumps(jobs), seconds)

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
