"""The cores of this process, and the executors by name with their options, declared once."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimeven.option_fields import option
from claimeven.suggestions import no_such

#: The files with a container's share of the cores: microseconds of work in a period, and the
#: period, in version 2 and version 1 of control groups.
_GROUPS = Path("/sys/fs/cgroup")
_QUOTA_FILES = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
#: The increment of `os.nice` (0 to 19) for work that can wait.
_NICE = 10
#: The priority of this session on Linux, if the kernel schedules by session.
_SESSION = Path("/proc/self/autogroup")


def usable_cores() -> int:
    """Return how many cores this process may use: in a container at most its share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return math.ceil(min(cores or 1, cgroup_cores(_GROUPS)))


def cgroup_cores(groups: Path) -> float:
    """Return the cores that the control groups in a folder allow; inf without a limit."""
    for files in _QUOTA_FILES:
        with contextlib.suppress(OSError, ValueError):
            quota, period = " ".join((groups / file).read_text() for file in files).split()
            if quota not in ("max", "-1"):
                return int(quota) / int(period)
    return math.inf


def lower_priority() -> None:
    """Lower the priority of this process, if the system supports that.

    If the kernel schedules by session, niceness only counts within the session. So the priority of
    a session that this process leads, as our children do, is lowered too.
    """
    with contextlib.suppress(OSError, AttributeError):  # Windows has no `nice`
        os.nice(_NICE)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if os.getsid(0) == os.getpid():
            before = _SESSION.read_text().split()  # empty for the first session of the machine
            if before:
                _SESSION.write_text(str(min(int(before[-1]) + _NICE, 19)))


if TYPE_CHECKING:
    from claimeven.parallel.jobs import Executor
    from claimeven.parallel.pool import LocalWorkers

#: Executors by name, the default one first: processes of this machine, or Ray.
EXECUTORS = ("local", "ray")
#: Most processes on a machine.
MAX_JOBS = 4096


@dataclass(frozen=True, kw_only=True)
class ExecutorOptions:
    """The executor: `jobs` processes of this machine, or another one.

    An `executor` is "local", "ray" (with the `address` of its cluster), or an object with `play`
    (see `jobs.Executor`).
    """

    jobs: int | None = option(int, None, "Worker processes (default: one per core).")
    executor: Any = option(
        str, EXECUTORS[0], "The executor: processes of this machine, or Ray.", choices=EXECUTORS
    )
    address: str | None = option(
        str, None, "Address of a Ray cluster (default: start Ray here).", metavar="HOST:PORT"
    )

    def workers(
        self, default_jobs: int = 1, on_message: Callable[[str], object] | None = None
    ) -> Executor | None:
        """Return the executor; None is this process. `on_message` gets messages about workers.

        Raises `PoolError` for less than one job, and for an address without a cluster.
        """
        from claimeven.parallel.jobs import PoolError  # noqa: PLC0415 - for a quick start

        executor, jobs = self.executor or EXECUTORS[0], self.jobs
        if not isinstance(executor, str):
            given: Executor = executor
            return given
        if executor not in EXECUTORS:
            raise PoolError(no_such("executor", executor, EXECUTORS))
        if executor != EXECUTORS[0]:
            from claimeven.parallel.ray_workers import RayWorkers  # noqa: PLC0415 - quick start

            here = self.address is None
            return RayWorkers(
                usable_cores() if jobs is None and here else jobs, self.address, on_message
            )
        if self.address is not None:
            raise PoolError("--address is the address of a Ray cluster: give --executor ray too")
        return local_workers(default_jobs if jobs is None else jobs, on_message)


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(ExecutorOptions):
    """The executor of work that threads of this process do by default."""

    jobs: int | None = option(
        int, None, "Worker processes of one thread each (default: the threads of this process)."
    )


def local_workers(
    jobs: int, on_message: Callable[[str], object] | None = None
) -> LocalWorkers | None:
    """Return an executor of `jobs` processes of this machine; None is this process.

    `on_message` gets a message about each process that hangs. Raises `PoolError` for no job.
    """
    from claimeven.parallel.jobs import PoolError  # noqa: PLC0415 - for a quick start
    from claimeven.parallel.pool import LocalWorkers  # noqa: PLC0415 - for a quick start

    if not isinstance(jobs, int):
        raise PoolError(f"jobs must be a whole number, not {jobs!r}")
    if jobs < 1:
        raise PoolError(f"jobs must be 1 or more, got {jobs}")
    if jobs > MAX_JOBS:
        raise PoolError(f"jobs must be {MAX_JOBS:,} or fewer on one machine, got {jobs:,}")
    return LocalWorkers(jobs, on_message) if jobs > 1 else None
