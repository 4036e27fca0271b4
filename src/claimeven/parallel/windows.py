"""Code for Windows: job objects instead of process groups.

`posix` documents the functions.
"""

from __future__ import annotations

import ctypes
import os
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


class Group:
    """A process and all that it starts, in a job that Windows ends with our handle."""

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
        self,
        words: Sequence[str],
        variables: dict[str, str],
        end: socket.socket | None = None,
        **streams: int,
    ) -> subprocess.Popen[bytes]:
        if end is not None:
            streams["stdin"] = subprocess.PIPE
        process = subprocess.Popen(
            words,
            env={**os.environ, **variables},
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,  # no Ctrl-C of the console
            bufsize=0,
            **streams,
        )
        if not _kernel.AssignProcessToJobObject(self._job, wintypes.HANDLE(int(process._handle))):
            error = ctypes.WinError(ctypes.get_last_error())
            process.kill()
            raise error
        self._process = process
        if end is not None and process.stdin is not None:
            with process.stdin:
                process.stdin.write(end.share(process.pid))
        return process

    program = staticmethod(list)

    def stop(self) -> None:
        """Windows does not stop processes."""

    started = resume = stop

    def kill(self) -> None:
        _kernel.TerminateJobObject(self._job, 1)
        if self._process is not None:
            self._process.wait()

    def close(self) -> None:
        _kernel.CloseHandle(self._job)


def python() -> tuple[str, dict[str, str]]:
    base = getattr(sys, "_base_executable", sys.executable)  # of a virtual environment
    return base, {} if base == sys.executable else {"__PYVENV_LAUNCHER__": sys.executable}


def inherited_socket(end: int) -> socket.socket:
    return socket.fromshare(sys.stdin.buffer.read())


def selectable(pipe: RawIOBase) -> RawIOBase:
    """Return a socket that a thread fills from a pipe: selectors need one here."""
    ours, theirs = socket.socketpair()

    def forward() -> None:
        with theirs, pipe:
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
    return process.poll() is not None


def describe_exit(status: int, oom_kills_before: int | None = 0) -> tuple[str, bool]:
    return f"exit status {status if 0 <= status < 1 << 30 else hex(status)}", False


def _unknown(*given: Any) -> None:
    """Windows has no such function."""


end_with_parent = kill_group_if_closed = has_unread = count_oom_kills = explain_limit = _unknown
limit_memory = peak_memory_mb = machine_memory_mb = _unknown
