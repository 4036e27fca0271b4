"""Answers of agents in positions, asked for by several processes (`answer_worker`)."""

from __future__ import annotations

import pickle
import select
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from claimeven.arena.errors import InvalidMatch
from claimeven.processes import ONE_CORE, Child, ChildEnded, ChildSilent

if TYPE_CHECKING:
    from claimeven.arena.accuracy.examining import Answer, SetPlan

#: Questions handed to a process at a time.
_BATCH = 8
#: Milliseconds between two looks at processes that say nothing.
_LOOK = 100


def answers_of_workers(
    plan: SetPlan, questions: Sequence[int], jobs: int, goes_on: Callable[[int], bool]
) -> Generator[Answer, None, None]:
    """Yield the answers to questions in the order they come, asked by so many processes.

    There are no more of them than parts to ask. `goes_on` says whether a question is still to be
    asked when its turn comes. Raises `InvalidMatch` when a process ends that should not.
    """
    left = iter(questions)
    workers: dict[int, Child] = {}
    try:
        for _ in range(min(jobs, -(-len(questions) // _BATCH))):
            child = Child("claimeven.arena.accuracy.answer_worker", variables=ONE_CORE)
            workers[child.answers] = child
            child.send(pickle.dumps(plan))
        waiting = set(workers)
        idle = set(workers)
        while True:
            for place in sorted(idle):
                part = list(islice((each for each in left if goes_on(each)), _BATCH))
                if part:
                    workers[place].send(pickle.dumps(part))
                else:
                    waiting.discard(place)
            idle.clear()
            if not waiting:
                return
            for place in _ready(waiting):
                for answers in _received(workers[place]):
                    yield from answers
                    idle.add(place)
    except ChildEnded as ended:
        raise InvalidMatch(f"a process that asks the agents has ended: {ended}") from None
    finally:
        for child in workers.values():
            child.kill()


def _ready(places: Iterable[int]) -> list[int]:
    poll = select.poll()
    for place in places:
        poll.register(place, select.POLLIN)
    return [place for place, _ in poll.poll(_LOOK)]


def _received(child: Child) -> Iterator[list[Answer]]:
    """Yield the whole messages that have arrived; raise what a process sends in place of one."""
    while True:
        try:
            answers = pickle.loads(child.receive(0))
        except ChildSilent:
            return
        if isinstance(answers, BaseException):
            raise answers
        yield answers
