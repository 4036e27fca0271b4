"""Cores: how many there are for us, one for two processes that take turns, and work that steps back
behind all other.

While a child works out an answer its parent waits, so the two need one core between them. Left
alone, the kernel gives each its own, and these fall asleep in turn: to wake one takes as long as
fifty short messages. Held on one core, the kernel goes straight from one process to the other.
That is for Linux only; elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

#: Where a container finds what it is given of the cores: the microseconds of work in a period, and
#: the period, as the second and the first kind of control groups tell them.
_GROUPS = Path("/sys/fs/cgroup")
_BOUNDS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))


def usable_cores() -> int:
    """Return how many cores this process may use: in a container no more than it is given."""
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


@cache
def _current_core() -> Callable[[], int] | None:
    """Return the function that tells the core it is called on, None where there is none."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    import ctypes  # noqa: PLC0415 - for those alone who start processes

    try:
        told: Callable[[], int] = ctypes.CDLL(None).sched_getcpu
    except (AttributeError, OSError):
        return None
    return told if told() >= 0 else None


#: How far work that can wait steps back: `os.nice`, from 0 to 19.
_BACK = 10
#: What Linux takes the processes of one session for, where it deals out cores by session.
_SESSION = Path("/proc/self/autogroup")


def step_back() -> None:
    """Let all other processes go before this one from now on, where the system knows of that.

    For a process that leads a session of its own, as children of ours do: where cores are dealt out
    by session, a process steps back behind its own session alone, so the session does as well.
    """
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_BACK)
    with contextlib.suppress(OSError, ValueError):
        if os.getsid(0) == os.getpid():
            before = _SESSION.read_text().split()  # nothing of the session the machine began with
            if before:
                _SESSION.write_text(str(min(int(before[-1]) + _BACK, 19)))


class _Thread(threading.local):
    """Where the calling thread is held, and could be before; whether it stays there for a while."""

    core: int | None = None
    before: set[int] = set()  # noqa: RUF012 - never changed, but replaced
    stays: bool = False


_thread = _Thread()


def let_go() -> None:
    """Let the calling thread go wherever it could before it was held on a core."""
    if _thread.core is not None:
        _thread.core = None
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, _thread.before)


@contextmanager
def staying(stays: bool = True) -> Iterator[None]:
    """Let the calling thread stay on the core that it shares, from one turn to the next; or, within
    such a time, go after each.

    For a time in which it does nothing of weight but ask children: what it starts meanwhile,
    threads above all, would be held there too.
    """
    before = _thread.stays
    _thread.stays = stays
    if not stays:
        let_go()
    try:
        yield
    finally:
        _thread.stays = before
        if not before:
            let_go()


class SharedCore:
    """The core of the calling thread, shared for a while with the main thread of a child.

    `share` holds both on the core where the caller is, `release` lets the caller go wherever it
    could before, unless it is `staying`; `part` lets it go in any case, and the child, with the
    threads it has started, wherever the caller can.
    Nothing is done where the caller has one core anyway, or the kernel will not hear of it.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._core_of = _current_core()
        self._before: set[int] = set()
        self._of_child: int | None = None

    def share(self) -> bool:
        """Hold the calling thread and the child on the core where the caller is; whether the caller
        was not held there before, and is to be released.
        """
        core = _thread.core
        if core is not None and core == self._of_child:
            return False
        if self._core_of is None:
            return False
        try:
            if core is None:
                before = os.sched_getaffinity(0)
                if len(before) == 1:
                    return False
                core = self._core_of()
                os.sched_setaffinity(0, {core})
                _thread.core, _thread.before = core, before
            if self._of_child != core:
                self._before = _thread.before
                os.sched_setaffinity(self._process, {core})
                self._of_child = core
        except OSError:
            let_go()
            self._core_of = None
        return True

    def release(self) -> None:
        """Let the calling thread go; the child, which has nothing to do now, stays."""
        if not _thread.stays:
            let_go()

    def part(self) -> None:
        """Let both go, the child with the threads it has."""
        let_go()
        if self._of_child is None:
            return
        self._of_child = None
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{self._process}/task").iterdir():
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread.name), self._before)
