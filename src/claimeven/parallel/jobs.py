"""Numbered jobs of some work, and the side of a worker that does them.

An **executor** does jobs by their numbers and yields the results as they end, in any order. A
result does not depend on the executor: it is a function of the work and the number.
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

#: What an executor yields: the number of a job, and its result.
Result = tuple[int, Any]
#: Does jobs by their numbers, in the order asked for. None in between is a sign of life.
Play = Callable[[Iterable[int]], Iterator[Result | None]]
#: Seconds after which finished results are sent, and after which an empty list is: a sign of life.
TICK, SIGN = 0.05, 1.0


class Work(Protocol):
    """What an executor does elsewhere: it must be possible to pickle it."""

    @property
    def unit(self) -> str:
        """What a number stands for, in messages: a game, a question."""

    @property
    def patience(self) -> float | None:
        """Seconds without a result or a sign of life after which a worker is taken to hang, and its
        jobs are given to another; None waits as long as it lives.
        """

    def begun(self) -> AbstractContextManager[Play]:
        """Make ready, in the process that is to do the jobs, what does them. Raises a
        `ClaimevenError` if that is impossible, which the executor raises then.
        """

    def for_other_machines(self) -> Work:
        """Return the work so that it first checks that a machine is fit for it."""


class Executor(Protocol):
    """Something that does the jobs of work."""

    def play(self, work: Any, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the results of these numbers as they end, each with its number.

        A caller that closes the generator early gives up the jobs that are being done. Raises
        `PoolError` when a job cannot be done at all.
        """


class PoolError(ClaimevenError, ValueError):
    """Workers that cannot be had, or a job over which they end again and again."""


def portions(results: Iterator[Result | None]) -> Iterator[list[Result]]:
    """Yield results as they are to be sent: those of a while, or none as a sign of life."""
    finished: list[Result] = []
    sent = time.perf_counter()
    for result in results:
        if result is not None:
            finished.append(result)
        if time.perf_counter() - sent > (TICK if finished else SIGN):
            yield finished
            finished, sent = [], time.perf_counter()
    if finished:
        yield finished


def main(parent: Parent) -> None:
    """Do the jobs whose numbers come in, and send back their results.

    The first message holds work, the others a list of numbers each, or other work to continue with.
    An error that ends the work is sent in place of results. The first list, without results, says
    that the worker is ready.
    """
    interrupts.note_stops()
    message = parent.receive()
    try:
        while message is not None:
            message = _serve(parent, pickle.loads(message))
    except ClaimevenError as error:
        parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # there is nothing left to do, and thousands of modules to take down


def _serve(parent: Parent, work: Work) -> bytes | None:
    """Do the jobs of work that are asked for; return the message with the next, None at the end."""
    with work.begun() as play:
        parent.send(pickle.dumps([]))
        while (message := parent.receive()) is not None:
            numbers = pickle.loads(message)
            if not isinstance(numbers, list):
                return message
            for portion in portions(play(numbers)):
                parent.send(pickle.dumps(portion))
    return None


class RayWorker:
    """A worker of a Ray cluster: an actor is made of it."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._numbers: deque[int] = deque()
        self._portions: Iterator[list[Result]] = iter(())

    def prepare(self, work: Work) -> list[Result] | ClaimevenError:
        """Take the work up; return no results, or an error that ends it in place of raising it."""
        try:
            self._play = self._open.enter_context(work.begun())
        except ClaimevenError as error:
            return error
        return []

    def step(self, numbers: Sequence[int]) -> list[Result] | ClaimevenError:
        """Take more numbers, and do jobs for a while; return what is to be sent then."""
        self._numbers.extend(numbers)
        try:
            for portion in self._portions:
                return portion
            self._portions = portions(self._play(self._taken()))
            return next(self._portions, [])
        except ClaimevenError as error:
            return error

    def _taken(self) -> Iterator[int]:
        while self._numbers:
            yield self._numbers.popleft()
