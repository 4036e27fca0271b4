"""Code for Linux and macOS: process groups, limits, signals."""

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

#: Whether the kernel can kill a group, even a stopped one, when the other end of a pipe closes.
_KERNEL_ENDS_GROUPS = hasattr(fcntl, "F_SETSIG")
#: Runs a program, and kills it and its children when the pipe with a file number closes; macOS.
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
#: The environment variable that marks a process and all that it starts, in any group.
_MARK = "CLAIMEVEN_STARTED_BY"
#: How often the system's processes are searched for marked ones.
_ROUNDS = 10
#: Options with which `os.waitid` checks whether a process is over.
_WAIT_OPTIONS = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "waitid") else None
#: The file in which Linux counts the processes that it has killed because memory ran out.
_COUNTS = Path("/proc/vmstat")


class Group:
    """A process that leads a session, and all processes that it starts, in any group.

    The process has the reading end of a silent pipe, its lifeline: when we end for any reason, the
    pipe closes and the group is killed. `memory_mb` limits the data of each process of a program
    (heap, arrays, stacks) on Linux; macOS has no such limit.
    """

    def __init__(self, memory_mb: int | None = None) -> None:
        self._memory_mb = memory_mb
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._mark = f"{os.environ.get(_MARK, '')}/{os.getpid()}-{os.urandom(4).hex()}"
        self.lifeline, self._our_end = os.pipe()

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
        # A `Child` limits itself after Python's start, which needs memory too.
        if self._memory_mb is not None and end is None and hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError, ValueError):
                hard = resource.prlimit(process.pid, resource.RLIMIT_DATA)[1]
                limits = _data_limits(self._memory_mb, hard)
                resource.prlimit(process.pid, resource.RLIMIT_DATA, limits)
        self._process = process
        return process

    def started(self) -> None:
        """Close the process's end of the lifeline, whether it was started or not."""
        os.close(self.lifeline)

    def program(self, words: Sequence[str]) -> list[str]:
        """Return the words that start an external program so that it ends with us."""
        if _KERNEL_ENDS_GROUPS:
            return list(words)
        return [sys.executable, "-c", _RUN_PROGRAM, str(self.lifeline), *words]

    def stop(self) -> None:
        """Stop the group until `resume`, on systems where it would still end with us."""
        if _KERNEL_ENDS_GROUPS and self._process is not None:
            self._is_stopped = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        if self._is_stopped:
            self._is_stopped = False
            self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the group, and what it has started in others. No effect in a fork of ours."""
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
        os.close(self._our_end)

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
    """Yield the processes with a mark or a mark that continues it; on Linux only."""
    variable = os.fsencode(f"\0{_MARK}={mark}")
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError):  # it is over, or another user owns it
                    environment = b"\0" + Path(entry.path, "environ").read_bytes()
                    _, found, rest = environment.partition(variable)
                    if found and rest[:1] in (b"\0", b"/", b""):
                        yield int(entry.name)


def end_with_parent(lifeline: int) -> None:
    """In a child: end with the group when the parent ends, or now if it is over."""
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


def kill_group_if_closed(end: int) -> None:
    """In a child: kill the group if the parent has closed the connection in both directions.

    A dying parent may close the connection first. A child that exits then would release the
    lifeline, and the processes that it has started would stay.
    """
    poll = select.poll()
    poll.register(end, 0)
    if any(event & select.POLLHUP for _, event in poll.poll(0)):
        os.killpg(os.getpgrp(), signal.SIGKILL)


def python() -> tuple[str, dict[str, str]]:
    """Return the path of this Python, and the environment variables that its child needs."""
    return sys.executable, {}


def inherited_socket(end: int) -> socket.socket:
    """In a child: return its end of the connection."""
    own = socket.socket(fileno=end)
    own.set_inheritable(False)
    return own


def selectable(pipe: RawIOBase) -> RawIOBase:
    """Return a stream of a pipe's data for selectors; on these systems the pipe itself."""
    return pipe


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process is over; it stays a zombie, so that its id is not reused."""
    if process.returncode is not None:
        return True
    if _WAIT_OPTIONS is None:
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, _WAIT_OPTIONS) is not None
    except ChildProcessError:
        return True


def has_unread(end: Any) -> bool:
    """Whether the other end of a socket has not read all data; False if that is unknown."""
    with contextlib.suppress(OSError, ValueError):
        return any(fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4)))
    return False


def count_oom_kills() -> int | None:
    """Return how many processes the system has killed for lack of memory; None if unknown."""
    with contextlib.suppress(OSError):
        found = re.search(r"^oom_kill (\d+)$", _COUNTS.read_text(encoding="ascii"), re.M)
        return None if found is None else int(found[1])
    return None


def describe_exit(status: int, oom_kills_before: int | None = 0) -> tuple[str, bool]:
    """Return an exit status in words, and whether the system had run out of memory.

    >>> describe_exit(3)
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
    oom_kills = count_oom_kills()
    if oom_kills is None or oom_kills_before is None:
        return f"{how}, perhaps for lack of memory", False
    if oom_kills > oom_kills_before:
        return f"{how}, because the system had run out of memory", True
    return how, False


def explain_limit(error: OSError) -> str | None:
    """Return which system limit prevented the start of a process, and the remedy."""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return (
            f"the system allows {files} open files (ulimit -n); raise the limit with ulimit -n"
            f" {max(1024, 4 * files)}, or use fewer agents or jobs"
        )
    if error.errno == errno.EAGAIN:
        return (
            "the system's limit is reached (ulimit -u, or the limit of a container); use fewer"
            " agents or jobs"
        )
    return None


def limit_memory(memory_mb: int) -> None:
    """Limit the memory of this process, as far as the system allows."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, _data_limits(memory_mb, hard))


def _data_limits(memory_mb: int, hard: int) -> tuple[int, int]:
    """Return the limits of data, not of addresses, which Numba and threads reserve unused."""
    limit = memory_mb << 20
    return (limit if hard == resource.RLIM_INFINITY else min(limit, hard)), hard


def peak_memory_mb() -> float:
    # `getrusage` includes the memory of the process that started this one on Linux.
    with contextlib.suppress(OSError):
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)
        if found is not None:
            return int(found[1]) / 1024
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)


def machine_memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
