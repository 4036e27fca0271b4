"""What Windows does in its own way: job objects in place of groups of processes.

The functions are those of `posix`, which describes them.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from ctypes import wintypes
from io import RawIOBase
from typing import Any

assert sys.platform == "win32"

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.GetCurrentProcess.restype = wintypes.HANDLE
#: Numbers of the interface.
_EXTENDED_LIMITS, _KILL_ON_CLOSE, _PROCESS_MEMORY = 9, 0x2000, 0x100


class _JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("rest", ctypes.c_size_t * 3),
    )


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("length", wintypes.DWORD),
        ("load", wintypes.DWORD),
        ("physical", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 6),
    )


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS."""

    _fields_ = (
        ("length", wintypes.DWORD),
        ("faults", wintypes.DWORD),
        ("peak", ctypes.c_size_t),
        ("rest", ctypes.c_size_t * 7),
    )


class Group:
    """A process and all that it starts, in a job that Windows ends when our handle of it closes."""

    lifeline = -1

    def __init__(self, memory_mb: int | None = None) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._job = wintypes.HANDLE(_kernel.CreateJobObjectW(None, None))
        limits = _JobLimits(flags=_KILL_ON_CLOSE)
        if memory_mb is not None:
            limits.flags |= _PROCESS_MEMORY
            limits.process_memory = memory_mb << 20
        size = ctypes.sizeof(limits)
        _kernel.SetInformationJobObject(self._job, _EXTENDED_LIMITS, ctypes.byref(limits), size)

    def start(
        self, words: list[str], variables: dict[str, str], end: socket.socket | None, **streams: Any
    ) -> subprocess.Popen[bytes]:
        """Start the process, which Ctrl-C of the console does not reach.

        Windows does not promise that a socket is inherited; its input says how to duplicate it.
        """
        if end is not None:
            streams["stdin"] = subprocess.PIPE
        process: subprocess.Popen[bytes] = subprocess.Popen(
            words,
            env={**os.environ, **variables},
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
            bufsize=0,
            **streams,
        )
        handle = wintypes.HANDLE(int(process._handle))  # type: ignore[attr-defined]  # Windows
        if not _kernel.AssignProcessToJobObject(self._job, handle):
            error = ctypes.WinError(ctypes.get_last_error())
            process.kill()
            raise error
        if end is not None and process.stdin is not None:
            with contextlib.suppress(OSError), process.stdin as pipe:
                pipe.write(end.share(process.pid))
        self._process = process
        return process

    def started(self) -> None:
        """There is nothing to close."""

    def program(self, words: Sequence[str]) -> list[str]:
        """Programs need no help to end with us."""
        return list(words)

    def stop(self) -> None:
        """Windows does not stop processes."""

    def resume(self) -> None:
        """Nothing was stopped."""

    def kill(self) -> None:
        """End all processes of the job."""
        _kernel.TerminateJobObject(self._job, 1)
        if self._process is not None:
            self._process.wait()

    def close(self) -> None:
        """Close our handle of the job."""
        _kernel.CloseHandle(self._job)


def inherited_end(number: int) -> socket.socket:
    """Return the end of the connection that this child was started with."""
    return socket.fromshare(sys.stdin.buffer.read())


def end_with_parent(lifeline: int) -> None:
    """The job does so."""


def python() -> tuple[str, dict[str, str]]:
    """Return Python itself: in a virtual environment `sys.executable` starts it as its child."""
    base = getattr(sys, "_base_executable", sys.executable)
    return base, {} if base == sys.executable else {"__PYVENV_LAUNCHER__": sys.executable}


def readable(pipe: RawIOBase) -> RawIOBase:
    """Return a socket to which a thread passes on what comes through a pipe: selectors want one."""
    ours, theirs = socket.socketpair()

    def forward() -> None:
        with theirs:
            try:
                while data := pipe.read(1 << 16):
                    theirs.sendall(data)
            except (OSError, ValueError):
                pass  # one of the ends was closed

    threading.Thread(target=forward, daemon=True).start()
    stream = ours.makefile("rb", buffering=0)
    ours.close()  # the stream has it
    return stream


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended."""
    return process.poll() is not None


def has_unread(end: Any) -> bool:
    """Windows does not know."""
    return False


def how_it_ended(status: int) -> str:
    """Say how a process ended that left this status: those of errors are told in hexadecimal."""
    return f"exit status {status}" if 0 <= status < 1 << 30 else f"exit status {status:#x}"


def was_killed(status: int) -> bool:
    """Windows ends no process for lack of memory."""
    return False


def count_starved() -> int | None:
    """See `was_killed`."""
    return None


def reached_limit(error: OSError) -> str | None:
    """Windows has no such limits."""
    return None


def press(thread: int) -> None:
    """Python hands the signal of whichever thread to the main one."""
    signal.raise_signal(signal.SIGINT)


def raise_memory_limit(memory_mb: int) -> None:
    """A job's limit holds for good."""


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in MB."""
    counters = _MemoryCounters(length=ctypes.sizeof(_MemoryCounters))
    process = wintypes.HANDLE(_kernel.GetCurrentProcess())
    _kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.length)
    return float(counters.peak) / (1 << 20)


def machine_memory_mb() -> int:
    """Return the memory of the machine in MB."""
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    _kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.physical) >> 20
