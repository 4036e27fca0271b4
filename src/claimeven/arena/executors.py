"""The games of a plan as work for executors: this process, others, or a cluster."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from claimeven.agents.fingerprint import digests_of
from claimeven.agents.source_snapshot import store_sources
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee
from claimeven.game.validation import whole_number
from claimeven.parallel.jobs import Executor, PoolError, Result, RunJobs, Workload
from claimeven.parallel.pool import LocalWorkers


@dataclass(frozen=True)
class PlanWork:
    """The games of a plan: see `parallel.jobs.Workload`.

    With `forfeit_unloadable` agents that cannot be loaded forfeit their games.
    """

    plan: Plan
    keep_decisions: bool = False
    forfeit_unloadable: bool = False
    texts: Mapping[str, bytes] = field(default_factory=dict)
    unit = "game"
    worker_timeout = None  # a move may take any time, and its clock is the referee's

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Make the agents in a worker process, and play."""
        store_sources(self.texts)
        with Referee(self.plan, self.keep_decisions, True, self.forfeit_unloadable) as referee:
            yield lambda numbers: self.played_by(referee, numbers)

    def played_by(self, referee: Referee, numbers: Iterable[int]) -> Iterator[Result]:
        """Yield the games of these numbers as they end."""
        for number in numbers:
            yield number, referee.play(number)

    def for_other_machines(self) -> CheckedWork:
        """Return the work with a check that a machine has the same agents."""
        return CheckedWork.of(self, [spec for spec in self.plan.agents if isinstance(spec, str)])


@dataclass(frozen=True)
class CheckedWork:
    """Work that starts only on a machine with this version and the same files of the agents."""

    work: Workload
    unit: str
    worker_timeout: float | None
    version: str
    folder: str
    digests: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, work: Workload, specs: Sequence[str]) -> CheckedWork:
        """Return work with the digests of the files behind some specs."""
        digests = {spec: digests_of(spec) for spec in specs}
        return cls(work, work.unit, work.worker_timeout, _version(), str(Path.cwd()), digests)

    def for_other_machines(self) -> CheckedWork:
        """Return the work itself."""
        return self

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Enter the folder and start. Raises `InvalidMatch` if version or files differ."""
        here = socket.gethostname()
        if _version() != self.version:
            raise InvalidMatch(
                f"{here} has claimeven {_version()}, this machine has {self.version}:"
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
        with self.work.runner() as play:
            yield play


def _version() -> str:
    package = sys.modules[__name__.partition(".")[0]]  # which imports all others, lazily
    version: str = package.__version__
    return version


def play_work(
    work: PlanWork,
    numbers: Sequence[int],
    executor: Executor | None = None,
    on_message: Callable[[str], object] | None = None,
) -> Generator[Result, None, None]:
    """Yield some games of a plan as they end, played by an executor; None plays here.

    Agents that need a single process always play here, and `on_message` gets the reason. Raises
    `InvalidMatch`, and `InvalidSpec` and `InvalidLimit` for agents that cannot be made.
    """
    if executor is not None and not work.plan.is_portable:
        raise InvalidMatch(
            "agents that are objects or functions play only in their own process: give 1 job,"
            " or specs such as my_agent.py:agent"
        )
    with Referee(
        work.plan, work.keep_decisions, forfeit_unloadable=work.forfeit_unloadable
    ) as referee:
        reason = None if executor is None else referee.single_process_reason
        if reason is not None and on_message is not None:
            on_message(reason)
        if executor is None or reason is not None or len(numbers) <= 1:
            yield from work.played_by(referee, numbers)
            return
        work = replace(work, texts=referee.texts)
    try:
        with closing(executor.play(work, numbers)) as results:
            yield from results
    except PoolError as error:
        raise InvalidMatch(str(error)) from None


def local(jobs: int, on_message: Callable[[str], object] | None = None) -> Executor | None:
    """Return an executor of `jobs` processes of this machine; None is this process.

    `on_message` gets a message about each process that hangs. Raises `InvalidMatch` for no job.
    """
    if whole_number(jobs, "jobs", InvalidMatch) < 1:
        raise InvalidMatch(f"jobs must be 1 or more, got {jobs}")
    return LocalWorkers(jobs, on_message) if jobs > 1 else None
