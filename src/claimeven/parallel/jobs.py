"""Numbered jobs of a workload, and the worker's side of running them.

An **executor** runs jobs by their numbers and yields each result when it is ready, in any order. A
result does not depend on the executor: it is a function of the workload and the number.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Protocol

from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts
from claimeven.parallel.worker import Parent

#: The number of a job, and its result.
Result = tuple[int, Any]
#: Runs jobs by their numbers, in the given order. It may yield None as a sign of life.
RunJobs = Callable[[Iterable[int]], Iterator[Result | None]]
#: Seconds after which results are sent, and after which an empty list is sent as a sign of life.
SEND_INTERVAL, HEARTBEAT = 0.05, 1.0


class Workload(Protocol):
    """Numbered jobs for an executor; an object that can be pickled."""

    @property
    def unit(self) -> str:
        """The word for one job in messages, such as "game" or "question"."""

    @property
    def worker_timeout(self) -> float | None:
        """Seconds without a result or a sign of life after which a worker counts as hanging and its
        jobs go to another one; None sets no limit.
        """

    def runner(self) -> AbstractContextManager[RunJobs]:
        """Prepare this process for the jobs and yield the function that runs them.

        Raises a `ClaimevenError` if that is impossible; the executor raises it again.
        """

    def for_other_machines(self) -> Workload:
        """Return a workload that first checks that a machine is fit for it."""


class Executor(Protocol):
    """Runs the jobs of a workload."""

    def play(self, work: Any, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the results of these numbers as they are ready, each with its number.

        Closing the generator early abandons the running jobs. Raises `PoolError` for a job that
        cannot be completed.
        """


class PoolError(ClaimevenError, ValueError):
    """Workers cannot be started, or end repeatedly during the same job."""


def batched(results: Iterator[Result | None]) -> Iterator[list[Result]]:
    """Yield results in lists, each to be sent as one message; an empty list is a sign of life."""
    finished: list[Result] = []
    sent = time.perf_counter()
    for result in results:
        if result is not None:
            finished.append(result)
        if time.perf_counter() - sent > (SEND_INTERVAL if finished else HEARTBEAT):
            yield finished
            finished, sent = [], time.perf_counter()
    if finished:
        yield finished


def main(parent: Parent) -> None:
    """Run the jobs whose numbers arrive, and send back their results.

    The first message is a workload, each other one a list of numbers or the next workload. An error
    that ends the work is sent instead of results. An empty list signals that the worker is ready.
    """
    interrupts.count_resumes()
    message = parent.receive()
    try:
        while message is not None:
            message = _serve(parent, pickle.loads(message))
    except ClaimevenError as error:
        parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # skips the teardown of thousands of modules


def _serve(parent: Parent, work: Workload) -> bytes | None:
    """Run jobs of a workload; return the message with the next workload, None at the end."""
    with work.runner() as play:
        parent.send(pickle.dumps([]))
        while (message := parent.receive()) is not None:
            numbers = pickle.loads(message)
            if not isinstance(numbers, list):
                return message
            for batch in batched(play(numbers)):
                parent.send(pickle.dumps(batch))
    return None


class RayWorker:
    """A worker of a Ray cluster, to be made an actor."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._numbers: deque[int] = deque()
        self._batches: Iterator[list[Result]] = iter(())

    def prepare(self, work: Workload) -> list[Result] | ClaimevenError:
        """Prepare a workload; return an empty list, or the error that prevents it."""
        try:
            self._play = self._open.enter_context(work.runner())
        except ClaimevenError as error:
            return error
        return []

    def step(self, numbers: Sequence[int]) -> list[Result] | ClaimevenError:
        """Queue numbers, run jobs for a while, and return the results so far."""
        self._numbers.extend(numbers)
        try:
            for batch in self._batches:
                return batch
            self._batches = batched(self._play(self._queued()))
            return next(self._batches, [])
        except ClaimevenError as error:
            return error

    def _queued(self) -> Iterator[int]:
        while self._numbers:
            yield self._numbers.popleft()
