"""Numbered jobs of a workload, calls of a function, and the worker's side of running them.

An **executor** runs jobs and yields each result with its number when it is ready, in any order. A
result does not depend on the executor: it is a function of the workload and the job. A job is a
number, or a number with an item (see `Calls`).
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from typing import Any, Protocol, TypeVar

from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts
from claimeven.parallel.connection import Parent
from claimeven.provenance import version_here

#: A job: its number, or its number and an item.
Job = int | tuple[int, Any]
#: The number of a job, and its result.
Result = tuple[int, Any]
#: Runs jobs in the given order. It may yield None as a sign of life.
RunJobs = Callable[[Iterable[Any]], Iterator[Result | None]]
#: Seconds after which results are sent, and after which an empty list is sent as a sign of life.
SEND_INTERVAL, HEARTBEAT = 0.05, 1.0
#: Seconds that the head may take for a message, so messages of a thousand workers are longer.
MESSAGE_SECONDS = 0.0005


class Workload(Protocol):
    """Numbered jobs for an executor; an object that can be pickled."""

    @property
    def unit(self) -> str:
        """The word for one job in messages, such as "game" or "question"."""

    @property
    def worker_timeout(self) -> float | None:
        """Seconds of silence after which the jobs of a worker go to another one, None for none."""

    def runner(self) -> AbstractContextManager[RunJobs]:
        """Prepare this process for the jobs and yield the function that runs them.

        Raises a `ClaimevenError` if that is impossible; the executor raises it again.
        """

    def digests(self) -> Mapping[str, Mapping[str, str]]:
        """Return the digests of the files of agents, by spec and name, as found on this machine."""


class Executor(Protocol):
    """Runs the jobs of a workload."""

    def play(self, work: Any, numbers: Any) -> Generator[Result, None, None]:
        """Yield the results of these jobs as they are ready, each with its number.

        Games are given as a sequence of numbers. Other jobs come from an iterator, from which few
        may be taken in advance; it yields None while there is none. Closing the generator early
        abandons the running jobs. Raises `PoolError` for a job that cannot be completed.
        """


class PoolError(ClaimevenError, ValueError):
    """Workers cannot be started, or end repeatedly during the same job, whose number is `job`."""

    job: int | None = None


@dataclass(frozen=True)
class CheckedWork:
    """Work that starts only on a machine with this version and the files of these digests."""

    work: Workload
    wanted: Mapping[str, Mapping[str, str]]
    version: str = field(default_factory=version_here)
    folder: str = field(default_factory=lambda: str(Path.cwd()))

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Enter the folder and start. Raises `PoolError` if version or files differ."""
        here = socket.gethostname()
        if version_here() != self.version:
            raise PoolError(
                f"{here} has claimeven {version_here()}, this machine has {self.version}:"
                " install the same one on all machines"
            )
        with suppress(OSError):  # without it, work without files runs all the same
            os.chdir(self.folder)
        found = self.work.digests()
        for spec, digests in self.wanted.items():
            if lost := [name for name in digests if found[spec].get(name) != digests[name]]:
                what = "has another file" if lost[0] in found[spec] else "lacks the file"
                raise PoolError(
                    f"{here} {what} of {spec}: agents from files need a folder that all machines"
                    " share"
                )
        with self.work.runner() as run:
            yield run


def batched(
    results: Iterator[Result | None], interval: float = SEND_INTERVAL
) -> Iterator[list[Result]]:
    """Yield results in lists, each to be sent as one message; an empty list is a sign of life."""
    finished: list[Result] = []
    sent = time.perf_counter()
    for result in results:
        if result is not None:
            finished.append(result)
        if time.perf_counter() - sent > (interval if finished else HEARTBEAT):
            yield finished
            finished, sent = [], time.perf_counter()
    if finished:
        yield finished


def main(parent: Parent) -> None:
    """Run the jobs that arrive, and send back their results.

    The first message is a workload, each other one a list of jobs or the next workload. A thread
    reads them, so the parent never waits to send one. An error that ends the work is sent instead
    of results. An empty list signals that the worker is ready.
    """
    interrupts.count_resumes()
    messages: SimpleQueue[bytes | None] = SimpleQueue()

    def read() -> None:
        while (message := parent.receive()) is not None:
            messages.put(message)
        messages.put(None)

    threading.Thread(target=read, daemon=True).start()
    message = messages.get()
    try:
        while message is not None:
            message = _serve(parent, messages.get, pickle.loads(message))
    except ClaimevenError as error:
        parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # skips the teardown of thousands of modules


def _serve(parent: Parent, receive: Callable[[], bytes | None], work: Workload) -> bytes | None:
    """Run jobs of a workload; return the message with the next workload, None at the end."""
    with work.runner() as run:
        parent.send(pickle.dumps([]))
        while (message := receive()) is not None:
            jobs = pickle.loads(message)
            if not isinstance(jobs, list):
                return message
            for batch in batched(run(jobs)):
                parent.send(pickle.dumps(batch))
    return None


class RayWorker:
    """A worker of a Ray cluster, to be made an actor."""

    def __init__(self, interval: float = SEND_INTERVAL) -> None:
        self._interval = interval
        self._open = ExitStack()
        self._jobs: deque[Job] = deque()
        self._batches: Iterator[list[Result]] = iter(())

    def prepare(self, work: CheckedWork) -> list[Result] | ClaimevenError:
        """Prepare a workload; return an empty list, or the error that prevents it."""
        try:
            self._run = self._open.enter_context(work.runner())
        except ClaimevenError as error:
            return error
        return []

    def step(self, jobs: Sequence[Job]) -> list[Result] | ClaimevenError:
        """Queue jobs, run jobs for a while, and return the results so far."""
        self._jobs.extend(jobs)
        try:
            for batch in self._batches:
                return batch
            self._batches = batched(self._run(self._queued()), self._interval)
            return next(self._batches, [])
        except ClaimevenError as error:
            return error

    def _queued(self) -> Iterator[Job]:
        while self._jobs:
            yield self._jobs.popleft()


#: Items whose results may be open or wait for an earlier one, and items read in advance.
WINDOW, AHEAD = 8192, 512

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Calls:
    """The calls of a function: a workload (see `Workload`) whose jobs are numbered items.

    `setup()` is entered once in each worker and yields an object for its calls; then
    `function(shared, item)` is called for each item. Both must be picklable: functions of a module,
    or `functools.partial` of them. Raise a `ClaimevenError` to end the work. `unit` is the word for
    an item in messages.
    """

    function: Callable[[Any, Any], Any]
    setup: Callable[[], AbstractContextManager[Any]] = nullcontext
    unit: str = "position"
    worker_timeout: float | None = None

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        with self.setup() as shared:
            yield lambda jobs: ((number, self.function(shared, item)) for number, item in jobs)

    def digests(self) -> Mapping[str, Mapping[str, str]]:
        return {}

    def results(
        self, items: Iterable[Any], executor: Executor | None = None
    ) -> Generator[Result, None, None]:
        """Yield the result of each item with its number, as they are ready."""
        jobs: Iterable[Job] = enumerate(items)
        if isinstance(items, Sequence):  # an executor can count a list
            jobs = list(jobs)
        return self._run(jobs, executor)

    def in_order(
        self, items: Iterable[Any], executor: Executor | None = None, window: int = WINDOW
    ) -> Generator[Any, None, None]:
        """Yield the results in the order of the items, which may be endless.

        At most `window` items are open or wait for an earlier one. An item None means that there is
        none now (see `read_ahead`).
        """
        waiting: dict[int, Any] = {}
        done = 0

        def jobs() -> Iterator[Job | None]:
            number = 0
            for item in items:
                while number >= done + window:
                    yield None
                if item is None:
                    yield None
                else:
                    yield number, item
                    number += 1

        with closing(self._run(jobs(), executor)) as found:
            for number, result in found:
                waiting[number] = result
                while done in waiting:
                    yield waiting.pop(done)
                    done += 1

    def _run(
        self, jobs: Iterable[Job | None], executor: Executor | None
    ) -> Generator[Result, None, None]:
        if executor is not None:
            yield from executor.play(self, jobs)
            return
        with self.runner() as run:
            yield from (each for each in run(job for job in jobs if job) if each is not None)


@contextmanager
def made(make: Callable[[], Any]) -> Iterator[Any]:
    """Yield `make()`: a setup of `Calls`."""
    yield make()


def read_ahead(items: Iterable[_Item]) -> Iterator[_Item | None]:
    """Yield items that a thread reads in advance, at most `AHEAD`; None while there is none.

    So results can be printed while the next item is awaited, such as a line of stdin.
    """
    read: Queue[tuple[_Item] | BaseException | None] = Queue(AHEAD)

    def work() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                read.put((item,))
        except BaseException as error:  # the user of the items gets it
            end = error
        read.put(end)

    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            found = read.get_nowait()
        except Empty:
            yield None
            continue
        if isinstance(found, BaseException):
            raise found
        if found is None:
            return
        yield found[0]
