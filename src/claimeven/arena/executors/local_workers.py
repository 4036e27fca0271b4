"""Games played by several processes of this machine."""

from __future__ import annotations

import pickle
import select
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors.work import AnyWork, Result, Tell
from claimeven.parallel.process import ONE_CORE, Child, ChildEnded, ChildSilent

#: Games handed to a worker at a time, at most: their numbers must fit into a pipe.
MOST = 512
#: Seconds of work that are handed out at a time, about, where a game takes less.
SPELL = 0.2
#: Times a game is begun again when the process that plays it ends.
TRIES = 3
#: Seconds that a worker has to become ready: it may have to compile what it plays with.
START: Final = 900.0
#: Milliseconds between two looks at workers that say nothing.
LOOK = 100


@dataclass(frozen=True)
class LocalWorkers:
    """So many processes like this one, which end with it.

    One that ends early is replaced, and so is one that hangs (see `AnyWork.patience`), which `tell`
    is told. Each work is played by new processes, but for those of workers that are `kept`.
    `goes_on` says of a number whether it is still to be played when its turn comes.
    """

    jobs: int
    tell: Tell | None = None
    goes_on: Callable[[int], bool] = lambda number: True
    _resting: list[Child] | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def kept(self) -> Iterator[LocalWorkers]:
        """Yield workers that stay, and go on from one work to the next, until this ends.

        For work that takes no longer than a process takes to start and to make ready.
        """
        resting: list[Child] = []
        try:
            yield replace(self, _resting=resting)
        finally:
            for child in resting:
                child.hang_up()
            for child in resting:
                child.end()

    def play(self, work: AnyWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the games as they end. Raises `InvalidMatch` for one over which `TRIES` processes
        end or hang, and whatever error ended a worker.
        """
        jobs = min(self.jobs, len(numbers))
        workers = _Workers(work, numbers, jobs, self)
        try:
            yield from workers.play()
        finally:
            workers.end()


@dataclass(eq=False)
class _Worker:
    """A worker process, the games it was given and has not sent, and how many to give it next.

    It was heard of last at a time of the clock, for games at another; it is ready once it has
    said anything.
    """

    child: Child
    numbers: deque[int] = field(default_factory=deque)
    batch: int = 1
    heard_at: float = field(default_factory=time.monotonic)
    games_at: float = 0.0
    is_ready: bool = False

    @property
    def is_due(self) -> bool:
        """Whether it should be given games: a quick one before it has played all it has."""
        return len(self.numbers) < 2 * self.batch if self.batch > 1 else not self.numbers

    def note(self, games: int) -> None:
        """Note that it has sent games, and how many take a spell; none is a sign of life."""
        now = time.monotonic()
        self.is_ready, self.heard_at = True, now
        if games:
            a_spell = int(SPELL * games / max(now - self.games_at, 1e-9))
            self.batch = max(1, min(a_spell, 2 * self.batch, MOST))
            self.games_at = now

    def allowance(self, patience: float) -> float:
        """Return the seconds that it has to say something, or to take a message."""
        return patience if self.is_ready else START

    def silence(self, patience: float | None, now: float) -> str | None:
        """Return what is to be said of it if it has games and was silent for too long."""
        if patience is None or not self.numbers:
            return None
        most = self.allowance(patience)
        if now - self.heard_at < most:
            return None
        return f"no sign of life for {most:g} s" if self.is_ready else f"not ready after {most:g} s"


class _Workers:
    """Several processes that play the games of a plan."""

    def __init__(
        self, work: AnyWork, numbers: Sequence[int], jobs: int, wanted: LocalWorkers
    ) -> None:
        self._unit, self._patience, self._tell = work.unit, work.patience, wanted.tell
        self._resting, self._goes_on = wanted._resting, wanted.goes_on
        self._first_message = pickle.dumps(work)
        self._waiting = deque(numbers)
        self._suspects: deque[int] = deque()
        self._left = len(numbers)
        self._begun_again: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._started())

    def play(self) -> Iterator[Result]:
        """Yield the games as they are finished."""
        while self._left:
            for worker in list(self._workers):
                while worker.is_due and worker in self._workers and self._has_more:
                    self._hand_out(worker)
            for result in self._received():
                self._left -= 1
                yield result

    def end(self) -> None:
        """End the processes, those with games to play at once; or let those without rest."""
        for worker in self._workers:
            if worker.numbers:
                worker.child.kill()
            elif self._resting is None:
                worker.child.hang_up()
        for worker in self._workers:
            if worker.numbers or self._resting is None or worker.child.ended:
                worker.child.end()
            else:
                self._resting.append(worker.child)

    @property
    def _has_more(self) -> bool:
        """Whether there are games to hand out."""
        return bool(self._waiting or self._suspects)

    def _started(self) -> _Worker:
        while self._resting:
            worker = _Worker(self._resting.pop())
            with suppress(ChildEnded, ChildSilent):  # it may have ended as it rested
                self._send(worker, self._first_message)
                return worker
            worker.child.kill()
        child = Child("claimeven.arena.executors.worker", variables=ONE_CORE)
        worker = _Worker(child)
        try:
            self._send(worker, self._first_message)
        except ChildEnded:
            pass  # which is told when it is listened to
        except ChildSilent:
            child.kill()  # it may have half of the message, and would wait for the rest
        return worker

    def _send(self, worker: _Worker, message: bytes) -> None:
        patience = self._patience
        worker.child.send(message, None if patience is None else worker.allowance(patience))

    def _hand_out(self, worker: _Worker) -> None:
        batch = self._next(worker.batch)
        if not batch:
            return
        if not worker.numbers:
            worker.games_at = time.monotonic()
            if worker.is_ready:
                worker.heard_at = worker.games_at
        worker.numbers.extend(batch)
        try:
            self._send(worker, pickle.dumps(batch))
        except ChildEnded as ended:
            self._replace(worker, str(ended))
        except ChildSilent:
            self._give_up(worker, "it takes no more messages")

    def _next(self, most: int) -> list[int]:
        """Take games to be handed out: one that a process ended over alone, towards the end few."""
        if self._suspects:
            return [self._suspects.popleft()]
        share = len(self._waiting) // (2 * len(self._workers))
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
        poll = select.poll()
        for worker in self._workers:
            if not worker.child.ended or worker.numbers:
                poll.register(worker.child, select.POLLIN)
        ready = {end for end, _ in poll.poll(LOOK)}
        now = time.monotonic()  # what is done with results meanwhile is no silence of others
        for worker in list(self._workers):
            if worker.child.fileno() in ready or worker.child.ended:
                yield from self._sent_by(worker)
            elif (silence := worker.silence(self._patience, now)) is not None:
                self._give_up(worker, silence)

    def _sent_by(self, worker: _Worker) -> Iterator[Result]:
        """Yield all games that a worker has sent: several messages may have come at once."""
        while True:
            try:
                results = pickle.loads(worker.child.receive(0))
            except ChildSilent:
                return
            except ChildEnded as ended:
                self._replace(worker, str(ended))
                return
            if isinstance(results, BaseException):
                raise results
            worker.note(len(results))
            for result in results:
                worker.numbers.remove(result[0])
                yield result

    def _give_up(self, worker: _Worker, how: str) -> None:
        """End a worker that hangs, and have its games played by others."""
        worker.child.kill()
        if self._tell is not None:
            what = f"{self._unit} {worker.numbers[0] + 1}"
            self._tell(f"a process that plays {what} hangs ({how}): another one plays it again")
        self._replace(worker, how)

    def _replace(self, worker: _Worker, how: str) -> None:
        """Have the games of a worker that has ended played again, each by itself, by a new one.

        The first of them is the one that was being played, or one just played and not sent.
        """
        if worker.numbers:
            number = worker.numbers[0]
            self._begun_again[number] += 1
            if self._begun_again[number] == TRIES:
                raise InvalidMatch(
                    f"the process that plays {self._unit} {number + 1} has ended {TRIES} times:"
                    f" {how}"
                )
            self._suspects.extendleft(reversed(worker.numbers))
        self._workers.remove(worker)
        if self._has_more:
            self._workers.append(self._started())
