"""Who plays the games of a match: this process, or several."""

from __future__ import annotations

import pickle
import select
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.match import PlayedGame
from claimeven.arena.plan import GamePlan
from claimeven.arena.referee import Referee
from claimeven.game.arguments import whole_number
from claimeven.processes import AVAILABLE, Child, ChildEnded, ChildSilent

#: Most games handed to a worker at a time: enough to hide the hand-over, few enough for progress.
BATCH = 8
#: Batches a worker gets at the least, where there are so many games.
BATCHES_EACH = 8
#: Times a game is begun again when the process that plays it ends.
TRIES = 3
#: Milliseconds between two looks at workers that say nothing.
LOOK = 100


def play_games(
    plan: GamePlan,
    jobs: int = 1,
    keep_decisions: bool = False,
    tell: Callable[[str], object] | None = None,
    numbers: Sequence[int] | None = None,
    in_order: bool = True,
) -> Generator[PlayedGame, None, None]:
    """Yield the games of a plan in the order of its schedule, played by `jobs` processes.

    `numbers` are those to play, ascending, by default all. Without `in_order` games of several
    processes come as they are finished.

    One job plays here. What is played does not depend on the number of jobs: games of an agent
    that remembers earlier ones, or of a person, are played here in any case, and `tell` is called
    with a sentence that says so. Each game keeps what the agents told of every move with
    `keep_decisions`. Worker processes end with this one; one that ends before its games are
    finished is replaced, and they are played again.

    Raises `InvalidMatch` for less than one job, for several where an agent is an object or a
    function of this process, and for a game whose process ends `TRIES` times.
    """
    if whole_number(jobs, "jobs", InvalidMatch) < 1:
        raise InvalidMatch(f"a match takes at least 1 job, not {jobs}")
    if jobs > 1 and not plan.is_portable:
        raise InvalidMatch(
            "agents that are objects or functions play in the process they are of: give 1 job,"
            " or specs such as my_agent.py:agent"
        )
    with Referee(plan, keep_decisions) as referee:  # made in any case: a bad spec is told at once
        numbers = range(plan.schedule.games) if numbers is None else numbers
        jobs = min(jobs, len(numbers)) if AVAILABLE else 1
        if jobs > 1 and (reason := referee.why_alone) is not None:
            jobs = 1
            if tell is not None:
                tell(reason)
        if jobs <= 1:
            for number in numbers:
                yield referee.play(number)
            return
    with_workers = _Workers(plan, numbers, jobs, keep_decisions)
    try:
        yield from with_workers.play(in_order)
    finally:
        with_workers.end()


@dataclass
class _Worker:
    """A worker process and the games it is playing."""

    child: Child
    numbers: deque[int] = field(default_factory=deque)


class _Workers:
    """Several processes that play the games of a plan."""

    def __init__(
        self, plan: GamePlan, numbers: Sequence[int], jobs: int, keep_decisions: bool
    ) -> None:
        self._first_message = pickle.dumps((plan, keep_decisions))
        self._numbers = numbers
        size = max(1, min(BATCH, len(numbers) // (jobs * BATCHES_EACH)))
        self._waiting = deque(list(numbers[i : i + size]) for i in range(0, len(numbers), size))
        self._begun_again: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        for _ in range(min(jobs, len(self._waiting))):
            self._workers.append(self._started())

    def play(self, in_order: bool) -> Iterator[PlayedGame]:
        """Yield the games, in order or as they are finished."""
        finished: dict[int, PlayedGame] = {}
        due, left = 0, len(self._numbers)
        while left:
            for worker in self._workers:
                if not worker.numbers and self._waiting:
                    self._hand_out(worker)
            for played in self._received():
                if in_order:
                    finished[played.number] = played
                else:
                    left -= 1
                    yield played
            while in_order and due < len(self._numbers) and self._numbers[due] in finished:
                yield finished.pop(self._numbers[due])
                due += 1
                left -= 1

    def end(self) -> None:
        """End the processes; those with games to play at once."""
        for worker in self._workers:
            worker.child.kill() if worker.numbers else worker.child.hang_up()
        for worker in self._workers:
            worker.child.end()

    def _started(self) -> _Worker:
        child = Child("claimeven.arena.worker")
        child.send(self._first_message)
        return _Worker(child)

    def _hand_out(self, worker: _Worker) -> None:
        worker.numbers = deque(self._waiting.popleft())
        try:
            worker.child.send(pickle.dumps(list(worker.numbers)))
        except ChildEnded as ended:
            self._replace(worker, str(ended))

    def _received(self) -> Iterator[PlayedGame]:
        """Yield what has arrived, waiting for it for a moment."""
        poll = select.poll()
        for worker in self._workers:
            if not worker.child.ended or worker.numbers:
                poll.register(worker.child.answers, select.POLLIN)
        ready = {end for end, _ in poll.poll(LOOK)}
        for worker in list(self._workers):
            if worker.child.answers in ready or worker.child.ended:
                yield from self._sent_by(worker)

    def _sent_by(self, worker: _Worker) -> Iterator[PlayedGame]:
        """Yield all games that a worker has sent: several messages may have come at once."""
        while True:
            try:
                games = pickle.loads(worker.child.receive(0))
            except ChildSilent:
                return
            except ChildEnded as ended:
                self._replace(worker, str(ended))
                return
            if isinstance(games, BaseException):
                raise games
            for played in games:
                worker.numbers.remove(played.number)
                yield played

    def _replace(self, worker: _Worker, how: str) -> None:
        """Have the games of a worker that has ended played again, by a new one."""
        if worker.numbers:
            number = worker.numbers[0]
            self._begun_again[number] += 1
            if self._begun_again[number] == TRIES:
                raise InvalidMatch(
                    f"the process that plays game {number + 1} has ended {TRIES} times: {how}"
                )
            self._waiting.appendleft(list(worker.numbers))
        self._workers.remove(worker)
        if self._waiting:
            self._workers.append(self._started())
