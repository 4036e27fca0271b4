"""Who plays the games of a plan: this process, several on this machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors.local_workers import LocalWorkers
from claimeven.arena.executors.work import Executor, Result, Tell, Work
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.protocols import GamePlan
from claimeven.arena.games.referee import Referee
from claimeven.game.validation import whole_number


def play_games(
    plan: GamePlan,
    jobs: int = 1,
    keep_decisions: bool = False,
    tell: Callable[[str], object] | None = None,
    numbers: Sequence[int] | None = None,
    in_order: bool = True,
    executor: Executor | None = None,
) -> Generator[PlayedGame, None, None]:
    """Yield the games of a plan in the order of its schedule, played by `jobs` processes.

    An `executor` may play them elsewhere; then `jobs` means nothing. `numbers` are those to play,
    ascending, by default all. Without `in_order` games of several
    processes come as they are finished.

    One job plays here. What is played does not depend on the number of jobs: games of an agent
    that remembers earlier ones, or of a person, are played here in any case, and `tell` is called
    with a sentence that says so. Each game keeps what the agents told of every move with
    `keep_decisions`. Worker processes end with this one; one that ends before its games are
    finished is replaced, and they are played again.

    Raises `InvalidMatch` for less than one job, for several where an agent is an object or a
    function of this process, and for a game whose process ends again and again.
    """
    numbers = range(plan.schedule.games) if numbers is None else numbers
    players = executor or local(jobs)
    plan.look_at_files()
    with closing(play_work(Work(plan, keep_decisions), numbers, players, tell)) as results:
        if in_order:
            yield from _ordered(results, numbers)
        else:
            for _, played in results:
                yield played


def play_work(
    work: Work,
    numbers: Sequence[int],
    executor: Executor | None = None,
    tell: Callable[[str], object] | None = None,
) -> Generator[Result, None, None]:
    """Yield some games of a plan as they end, played by an executor; None plays here.

    Agents that must stay together play here in any case, and `tell` is told why. Raises
    `InvalidMatch`, and `InvalidSpec` and `InvalidLimit` for agents that cannot be made.
    """
    if executor is not None and not work.plan.is_portable:
        raise InvalidMatch(
            "agents that are objects or functions play in the process they are of: give 1 job,"
            " or specs such as my_agent.py:agent"
        )
    with Referee(work.plan, work.keep_decisions) as referee:  # a bad spec is told at once
        reason = None if executor is None else referee.why_alone
        if reason is not None and tell is not None:
            tell(reason)
        if executor is None or reason is not None or len(numbers) <= 1:
            yield from work.played_by(referee, numbers)
            return
        work = replace(work, texts=referee.texts)
    with closing(executor.play(work, numbers)) as results:
        yield from results


def local(jobs: int, tell: Tell | None = None) -> Executor | None:
    """Return who plays with so many processes on this machine; None is this process alone.

    `tell` is told of those that hang. Raises `InvalidMatch` for less than one.
    """
    if whole_number(jobs, "jobs", InvalidMatch) < 1:
        raise InvalidMatch(f"a match takes at least 1 job, not {jobs}")
    return LocalWorkers(jobs, tell) if jobs > 1 else None


def _ordered(
    results: Generator[Result, None, None], numbers: Sequence[int]
) -> Generator[Any, None, None]:
    """Yield the records in the order of their numbers."""
    waiting: dict[int, Any] = {}
    due = iter(numbers)
    wanted = next(due, None)
    for number, record in results:
        waiting[number] = record
        while wanted is not None and wanted in waiting:
            yield waiting.pop(wanted)
            wanted = next(due, None)
