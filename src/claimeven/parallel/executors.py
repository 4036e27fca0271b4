"""How work is shared: the cores of this process, executors by name, and parts for job arrays.

Part 2/10 takes each tenth job, and its file is merged with the others later.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from claimeven.errors import ClaimevenError
from claimeven.option_fields import option
from claimeven.suggestions import no_such

_Items = TypeVar("_Items")

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
        self, default_jobs: int | None = 1, on_message: Callable[[str], object] | None = None
    ) -> Executor | None:
        """Return the executor; None is this process. `on_message` gets messages about workers.

        `default_jobs` replaces missing `jobs`; None is one per core.
        Raises `PoolError` for less than one job, and for an address without a cluster.
        """
        from claimeven.parallel.jobs import PoolError  # noqa: PLC0415 - for a quick start

        executor, jobs = self.executor or EXECUTORS[0], self.jobs
        if not isinstance(executor, str):
            if not hasattr(executor, "play"):
                raise PoolError(f"executor must be {' or '.join(EXECUTORS)}, got {executor!r:.60}")
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
        jobs = default_jobs if jobs is None else jobs
        return local_workers(usable_cores() if jobs is None else jobs, on_message)


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

    if not isinstance(jobs, Integral) or isinstance(jobs, bool):
        raise PoolError(f"jobs must be a whole number, got {jobs!r}")
    jobs = int(jobs)
    if jobs < 1:
        raise PoolError(f"jobs must be 1 or more, got {jobs}")
    if jobs > MAX_JOBS:
        raise PoolError(f"jobs must be {MAX_JOBS:,} or fewer on one machine, got {jobs:,}")
    return LocalWorkers(jobs, on_message) if jobs > 1 else None


class InvalidParts(ClaimevenError):
    """A part, or files of parts, that cannot be used."""


@dataclass(frozen=True)
class Part:
    """Part `number`, 1 or more, of `count`. Raises `InvalidParts` for other numbers.

    >>> str(Part.of("2/3")), Part.of("2/3").share(range(8)), Part.of("2/3").path("set.csv").name
    ('2/3', range(1, 8, 3), 'set.csv.part-2-of-3')
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise InvalidParts(f"a part is one of 1/{self.count} to {self.count}/{self.count}")

    @classmethod
    def of(cls, text: str) -> Part:
        """Read a part such as "2/10"."""
        found = re.fullmatch(r"(\d{1,6})/([1-9]\d{0,5})", text.strip())
        if found is None:
            raise InvalidParts(f"a part must be a number and a count such as 2/10, got {text!r}")
        return cls(int(found[1]), int(found[2]))

    def share(self, items: _Items) -> _Items:
        """Return the items of this part, a slice."""
        sliced: Any = items
        found: _Items = sliced[self.number - 1 :: self.count]
        return found

    def games(self, count: int) -> list[int]:
        """Return the numbers of the games of this part, of `count` games: pairs stay together."""
        return [n for pair in self.share(range(0, count, 2)) for n in (pair, pair + 1) if n < count]

    def path(self, out: str | Path) -> Path:
        out = Path(out)
        return out.with_name(f"{out.name}.part-{self.number}-of-{self.count}")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def check_parts(paths: Sequence[str | Path], headers: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return the parts of some files, each with a header: its `part`, and settings of the run.

    Raises `InvalidParts` unless they are all parts of one run, each given once.
    """
    parts: dict[Part, str | Path] = {}
    for path, header in zip(paths, headers, strict=True):
        if not isinstance(header.get("part"), str):
            raise InvalidParts(f"{path} is not a part of a result: make parts with --part")
        part = Part.of(header["part"])
        for name in (*headers[0], *header):
            one, other = headers[0].get(name), header.get(name)
            if one != other and name != "part":
                values = f"{name} {other}, not {one}"
                how = values if len(values) < 80 else name
                raise InvalidParts(f"{path} is a part of another run than {paths[0]}: {how}")
        first = next(iter(parts), part)
        if part.count != first.count:
            raise InvalidParts(f"{path} is part {part}, and {paths[0]} is part {first}")
        if part in parts:
            raise InvalidParts(f"{parts[part]} and {path} are both part {part}")
        parts[part] = path
    count = next(iter(parts)).count
    missing = [f"{n}/{count}" for n in range(1, count + 1) if Part(n, count) not in parts]
    if missing:
        listed = ", ".join(missing[:5]) + ", ..." * (len(missing) > 5)
        raise InvalidParts(f"{len(missing)} of {count} parts are missing: {listed}")
    return list(parts)


def check_complete(path: str | Path, done: int, total: int) -> None:
    """Raise `InvalidParts` for a part that lacks some of its results."""
    if done < total:
        raise InvalidParts(
            f"{path} is unfinished, {done:,} of {total:,}: run its command again to complete it"
        )
