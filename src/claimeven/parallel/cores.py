"""Cores: how many this process has, and work that steps back behind all other."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path

#: Where a container finds its share of the cores: the microseconds of work in a period, and the
#: period, in the second and the first kind of control groups.
_GROUPS = Path("/sys/fs/cgroup")
_BOUNDS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
#: How far work that can wait steps back: `os.nice`, from 0 to 19.
_BACK = 10
#: What Linux takes the processes of one session for, if it deals out cores by session.
_SESSION = Path("/proc/self/autogroup")


def usable_cores() -> int:
    """Return how many cores this process may use: in a container no more than its share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return math.ceil(min(cores or 1, given(_GROUPS)))


def given(groups: Path) -> float:
    """Return how many cores' work control groups let us do, by their folder; inf for no bound."""
    for files in _BOUNDS:
        with contextlib.suppress(OSError, ValueError):
            quota, period = " ".join((groups / file).read_text() for file in files).split()
            if quota not in ("max", "-1"):
                return int(quota) / int(period)
    return math.inf


def step_back() -> None:
    """Let all other processes go before this one from now on, if the system knows of that.

    A process steps back behind its own session alone where cores are dealt out by session, so a
    session that it leads, as children of ours do, steps back as well.
    """
    with contextlib.suppress(OSError, AttributeError):  # Windows has no `nice`
        os.nice(_BACK)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if os.getsid(0) == os.getpid():
            before = _SESSION.read_text().split()  # empty for the first session of the machine
            if before:
                _SESSION.write_text(str(min(int(before[-1]) + _BACK, 19)))
