"""The games of a plan as work for executors: this process, others, those of a cluster."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from claimeven.agents.fingerprint import digests_of
from claimeven.agents.source_snapshot import hold
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.protocols import GamePlan
from claimeven.arena.games.referee import Referee
from claimeven.game.validation import whole_number
from claimeven.parallel import jobs as parallel_jobs
from claimeven.parallel.jobs import Executor, Play, PoolError, Result
from claimeven.parallel.pool import LocalWorkers
from claimeven.parallel.ray_workers import RayWorkers

__all__ = [
    "CheckedWork",
    "Executor",
    "LocalWorkers",
    "RayWorkers",
    "Work",
    "local",
    "play_games",
    "play_work",
]


def as_played(plan: GamePlan, played: PlayedGame) -> PlayedGame:
    """Return a game as it was played."""
    return played


@dataclass(frozen=True)
class Work:
    """The games of a plan, and what is to be known of each: see `parallel.jobs.Work`.

    `record` makes the result of a game in the process that plays it, so that little has to come
    back. It is a function of a module, which another process finds by its name.
    """

    plan: GamePlan
    keep_decisions: bool = False
    record: Callable[[Any, PlayedGame], Any] = as_played
    texts: Mapping[str, bytes] = field(default_factory=dict)
    unit = "game"
    patience = None  # a move may take any time, and its clock is the referee's

    @contextmanager
    def begun(self) -> Iterator[Play]:
        """Make the agents in a process that does nothing else, and play."""
        hold(self.texts)
        with Referee(self.plan, self.keep_decisions, resting=True) as referee:
            yield lambda numbers: self.played_by(referee, numbers)

    def played_by(self, referee: Referee, numbers: Iterable[int]) -> Iterator[Result]:
        """Yield the games of these numbers as they end."""
        for number in numbers:
            yield number, self.record(self.plan, referee.play(number))

    def for_other_machines(self) -> CheckedWork:
        """Return the work with a check that a machine has the same agents."""
        return CheckedWork.of(self, [spec for spec in self.plan.agents if isinstance(spec, str)])


@dataclass(frozen=True)
class CheckedWork:
    """Work that begins only if the machine has this program, and the same files of the agents."""

    work: parallel_jobs.Work
    version: str
    folder: str
    digests: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, work: parallel_jobs.Work, specs: Sequence[str]) -> CheckedWork:
        """Return some work with what this process finds of the agents of some specs."""
        digests = {spec: digests_of(spec) for spec in specs}
        return cls(work, _version(), str(Path.cwd()), digests)

    @property
    def unit(self) -> str:
        """See `parallel.jobs.Work`."""
        return self.work.unit

    @property
    def patience(self) -> float | None:
        """See `parallel.jobs.Work`."""
        return self.work.patience

    def for_other_machines(self) -> CheckedWork:
        """Return the work itself."""
        return self

    @contextmanager
    def begun(self) -> Iterator[Play]:
        """Enter the folder, check the rest, and begin. Raises `InvalidMatch` for what differs."""
        here = socket.gethostname()
        if _version() != self.version:
            raise InvalidMatch(
                f"{here} has claimeven {_version()}, and this is {self.version}:"
                " install the same one on all machines"
            )
        with suppress(OSError):  # without it, agents by name play all the same
            os.chdir(self.folder)
        for spec, digests in self.digests.items():
            found = digests_of(spec)
            for name in digests:
                if found.get(name) == digests[name]:
                    continue
                what = "has another file" if name in found else "lacks the file"
                raise InvalidMatch(
                    f"{here} {what} of {spec}: agents from files need a folder that all machines"
                    " share"
                )
        with self.work.begun() as play:
            yield play


def _version() -> str:
    package = sys.modules[__name__.partition(".")[0]]  # which imports all others, lazily
    version: str = package.__version__
    return version


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

    An `executor` may play them elsewhere; then `jobs` means nothing. `numbers` are the games to
    play, ascending, by default all. Without `in_order` games come as they end.

    What is played does not depend on the number of jobs, and one job plays in this process, as do
    games of an agent that remembers earlier ones, or of a person; `tell` is called with a sentence
    that says so. Each game has the decisions of every move with `keep_decisions`. Worker processes
    end with this one; one that ends before its games is replaced, and they are played again.

    Raises `InvalidMatch` for less than one job, for several if an agent is an object or a function
    of this process, and for a game whose process ends again and again.
    """
    numbers = range(plan.schedule.games) if numbers is None else numbers
    workers = executor or local(jobs)
    plan.look_at_files()
    with closing(play_work(Work(plan, keep_decisions), numbers, workers, tell)) as results:
        waiting: dict[int, PlayedGame] = {}
        due = iter(numbers)
        wanted = next(due, None)
        for number, played in results:
            if not in_order:
                yield played
                continue
            waiting[number] = played
            while wanted in waiting:
                yield waiting.pop(wanted)
                wanted = next(due, None)


def play_work(
    work: Work,
    numbers: Sequence[int],
    executor: Executor | None = None,
    tell: Callable[[str], object] | None = None,
) -> Generator[Result, None, None]:
    """Yield some games of a plan as they end, played by an executor; None plays here.

    Agents that must stay together play here in any case, and `tell` gets the reason. Raises
    `InvalidMatch`, and `InvalidSpec` and `InvalidLimit` for agents that cannot be made.
    """
    if executor is not None and not work.plan.is_portable:
        raise InvalidMatch(
            "agents that are objects or functions play in the process they are of: give 1 job,"
            " or specs such as my_agent.py:agent"
        )
    with Referee(work.plan, work.keep_decisions) as referee:  # a bad spec is reported immediately
        reason = None if executor is None else referee.why_alone
        if reason is not None and tell is not None:
            tell(reason)
        if executor is None or reason is not None or len(numbers) <= 1:
            yield from work.played_by(referee, numbers)
            return
        work = replace(work, texts=referee.texts)
    try:
        with closing(executor.play(work, numbers)) as results:
            yield from results
    except PoolError as error:
        raise InvalidMatch(str(error)) from None


def local(jobs: int, tell: Callable[[str], object] | None = None) -> Executor | None:
    """Return an executor of so many processes of this machine; None is this process alone.

    `tell` gets a sentence about each that hangs. Raises `InvalidMatch` for less than one.
    """
    if whole_number(jobs, "jobs", InvalidMatch) < 1:
        raise InvalidMatch(f"a match takes at least 1 job, not {jobs}")
    return LocalWorkers(jobs, tell) if jobs > 1 else None
