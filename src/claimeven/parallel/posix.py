"""What Linux and macOS do in their own way: groups of processes, limits, signals."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Sequence
from io import RawIOBase
from pathlib import Path
from typing import Any

#: Whether the kernel ends a group when the other end of a pipe closes, a stopped group too.
_KERNEL_ENDS_GROUPS = hasattr(fcntl, "F_SETSIG")
#: Runs a program elsewhere, and ends it with all it has started when the pipe of a number closes.
_RUN_PROGRAM = """
import os, signal, subprocess, sys, threading
def end_with_parent():
    os.read(int(sys.argv[1]), 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end_with_parent, daemon=True).start()
status = subprocess.call(sys.argv[2:])
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
"""
#: The variable of a process by which all that it starts is found, in whatever group.
_MARK = "CLAIMEVEN_STARTED_BY"
#: How often the processes of the system are searched for those with a mark.
_ROUNDS = 10
#: How `os.waitid` looks whether a process has ended.
_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "waitid") else None
#: Where Linux counts the processes that it has ended because memory ran out.
_COUNTS = Path("/proc/vmstat")


class Group:
    """A process at the head of a session, and all that it starts, wherever that goes.

    The process holds the reading end of a pipe on which nothing is written, its lifeline: when we
    end, in whatever way, the pipe closes and the group is killed. `memory_mb` bounds the data of
    each process of a program (heap, arrays, stacks) on Linux; macOS bounds none.
    """

    def __init__(self, memory_mb: int | None = None) -> None:
        self._memory_mb = memory_mb
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._mark = f"{os.environ.get(_MARK, '')}/{os.getpid()}-{os.urandom(4).hex()}"
        self.lifeline, self._held = os.pipe()

    def start(
        self,
        words: Sequence[str],
        variables: dict[str, str],
        end: socket.socket | None = None,
        **streams: Any,
    ) -> subprocess.Popen[bytes]:
        """Start the process, which inherits an `end` of a connection."""
        process: subprocess.Popen[bytes] = subprocess.Popen(
            words,
            env={**os.environ, **variables, _MARK: self._mark},
            pass_fds=(self.lifeline, *([] if end is None else [end.fileno()])),
            start_new_session=True,
            bufsize=0,
            **streams,
        )
        if _KERNEL_ENDS_GROUPS:
            _tie(self.lifeline, process.pid)
        # A child of ours limits itself once Python has started, which needs memory too.
        if self._memory_mb is not None and end is None and hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError, ValueError):
                hard = resource.prlimit(process.pid, resource.RLIMIT_DATA)[1]
                limits = _data_limits(self._memory_mb, hard)
                resource.prlimit(process.pid, resource.RLIMIT_DATA, limits)
        self._process = process
        return process

    def started(self) -> None:
        """Close what is the process's alone, whether it was started or not."""
        os.close(self.lifeline)

    def program(self, words: Sequence[str]) -> list[str]:
        """Return the words that start somebody else's program so that it ends with us."""
        if _KERNEL_ENDS_GROUPS:
            return list(words)
        return [sys.executable, "-c", _RUN_PROGRAM, str(self.lifeline), *words]

    def stop(self) -> None:
        """Stop the group until it is to resume, where it would still end with us."""
        if _KERNEL_ENDS_GROUPS and self._process is not None:
            self._is_stopped = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the group go on if it was stopped."""
        if self._is_stopped:
            self._is_stopped = False
            self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the group, and what it has started in others. A fork of ours kills nothing."""
        if os.getpid() == self._owner and self._process is not None:
            if self._process.returncode is None:
                self._signal(signal.SIGKILL)
                self._process.wait()
            for _ in range(_ROUNDS):
                found = list(_bearers(self._mark))
                for number in found:
                    with contextlib.suppress(OSError):
                        os.kill(number, signal.SIGKILL)
                if not found:
                    break

    def close(self) -> None:
        """Close our end of the lifeline."""
        os.close(self._held)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _tie(lifeline: int, group: int) -> None:
    """Let Linux kill a group when the other end of a pipe closes."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -group)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _bearers(mark: str) -> Iterator[int]:
    """Yield the processes with a mark or one that continues it, where Linux lists them."""
    variable = os.fsencode(f"\0{_MARK}={mark}")
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError):  # it has ended, or belongs to another user
                    environment = b"\0" + Path(entry.path, "environ").read_bytes()
                    _, found, rest = environment.partition(variable)
                    if found and rest[:1] in (b"\0", b"/", b""):
                        yield int(entry.name)


def end_with_parent(lifeline: int) -> None:
    """In a child: end, with the group, when the parent ends, or now if it has."""
    os.set_inheritable(lifeline, False)
    if _KERNEL_ENDS_GROUPS:  # the parent may have been stopped before it tied us
        _tie(lifeline, os.getpgrp())
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    if poll.poll(0):
        os._exit(1)
    if _KERNEL_ENDS_GROUPS:
        return

    def watch() -> None:
        os.read(lifeline, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def python() -> tuple[str, dict[str, str]]:
    """Return this Python's program, and the variables that a child of it needs."""
    return sys.executable, {}


def inherited(end: int) -> socket.socket:
    """In a child: return the end of the connection that it was started with."""
    own = socket.socket(fileno=end)
    own.set_inheritable(False)
    return own


def readable(pipe: RawIOBase) -> RawIOBase:
    """Return an end of a pipe as something that a selector can wait for: here it is."""
    return pipe


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; it stays a zombie, so that its number is not given away."""
    if process.returncode is not None:
        return True
    if _LOOK is None:
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, _LOOK) is not None
    except ChildProcessError:
        return True


def has_unread(end: Any) -> bool:
    """Whether the other end of a socket has not read all that was sent, if the system knows."""
    with contextlib.suppress(OSError, ValueError):
        return any(fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4)))
    return False


def count_starved() -> int | None:
    """Return how many processes the system has ended for lack of memory; None if unknown."""
    with contextlib.suppress(OSError):
        found = re.search(r"^oom_kill (\d+)$", _COUNTS.read_text(encoding="ascii"), re.M)
        return None if found is None else int(found[1])
    return None


def how_it_ended(status: int, starved_before: int | None = 0) -> tuple[str, bool]:
    """Say how a process ended that left a status, and whether that was for lack of memory.

    >>> how_it_ended(3)
    ('exit status 3', False)
    """
    if status >= 0:
        return f"exit status {status}", False
    try:
        how = f"signal {signal.Signals(-status).name}"
    except ValueError:
        how = f"signal {-status}"
    if status != -signal.SIGKILL:
        return how, False
    starved = count_starved()
    if starved is None or starved_before is None:
        return f"{how}, perhaps for want of memory", False
    if starved > starved_before:
        return f"{how}, for the system had run out of memory", True
    return how, False


def reached_limit(error: OSError) -> str | None:
    """Return which limit of the system kept a process from being started, and the remedy."""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return (
            f"the system allows {files} open files at a time (ulimit -n); ulimit -n"
            f" {max(1024, 4 * files)} allows more, and fewer agents or jobs need fewer"
        )
    if error.errno == errno.EAGAIN:
        return (
            "the system allows no more of them (ulimit -u, or the limit of a container); fewer"
            " agents or jobs need fewer"
        )
    return None


def press(thread: int) -> None:
    """Send Ctrl-C to the main thread of this process, given its number: it ends a wait, too."""
    signal.pthread_kill(thread, signal.SIGINT)


def limit_memory(memory_mb: int) -> None:
    """Let this process hold so much memory, as far as the system grants it."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, _data_limits(memory_mb, hard))


def _data_limits(memory_mb: int, hard: int) -> tuple[int, int]:
    """Return the limits of the data: the addresses that Numba and threads reserve are not used."""
    limit = memory_mb << 20
    return (limit if hard == resource.RLIM_INFINITY else min(limit, hard)), hard


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in MB."""
    # Linux counts in `getrusage` what the process held that started this one, too.
    with contextlib.suppress(OSError):
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)
        if found is not None:
            return int(found[1]) / 1024
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)


def machine_memory_mb() -> int:
    """Return the memory of the machine in MB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
