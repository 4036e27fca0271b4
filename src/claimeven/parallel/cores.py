"""The number of cores of this process, and work at a lower priority."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path

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
