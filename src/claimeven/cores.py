"""Cores: one for two processes that take turns, and work that steps back behind all other.

While a child works out an answer its parent waits, so the two need one core between them. Left
alone, the kernel gives each its own, and these fall asleep in turn: to wake one takes as long as
fifty short messages. Held on one core, the kernel goes straight from one process to the other.
That is for Linux only; elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path


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
            before = int(_SESSION.read_text().split()[-1])
            _SESSION.write_text(str(min(before + _BACK, 19)))


class SharedCore:
    """The core of the calling thread, shared for a while with the main thread of a child.

    `share` holds both on the core where the caller is, `release` lets the caller go wherever it
    could before, `part` the child, with the threads it has started, wherever the caller can.
    Nothing is done where the caller has one core anyway, or the kernel will not hear of it.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._core_of = _current_core()
        self._before: set[int] = set()
        self._of_child: int | None = None

    def share(self) -> None:
        """Hold the calling thread and the child on the core where the caller is."""
        if self._core_of is None:
            return
        self._before = os.sched_getaffinity(0)
        if len(self._before) == 1:
            return
        core = self._core_of()
        try:
            os.sched_setaffinity(0, {core})
            if self._of_child != core:
                os.sched_setaffinity(self._process, {core})
                self._of_child = core
        except OSError:
            self.release()
            self._core_of = None

    def release(self) -> None:
        """Let the calling thread go; the child, which has nothing to do now, stays."""
        if self._core_of is not None and len(self._before) > 1:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, self._before)

    def part(self) -> None:
        """Let the child go too, with the threads it has."""
        if self._of_child is None:
            return
        self._of_child = None
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{self._process}/task").iterdir():
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread.name), self._before)
