"""Printed output of agents goes to stderr, so that stdout belongs to the program."""

from __future__ import annotations

import io
import sys
from collections import deque
from threading import Lock, current_thread, get_ident, main_thread
from typing import Any

_lock = Lock()
#: The number of open blocks of each thread, by its id.
_blocks: dict[int, int] = {}


class PrintsToStderr:
    """A context manager that redirects this thread's stdout to stderr, and no other thread's.

    `contextlib.redirect_stdout` redirects all threads, and permanently if their blocks overlap.
    """

    __slots__ = ("_before", "_stdout")

    def __enter__(self) -> None:
        thread = get_ident()
        self._before = _blocks.get(thread, 0)
        with _lock:
            if type(sys.stdout) is not _Stdout and sys.stdout is not None:
                sys.stdout = _proxy(sys.stdout)
            self._stdout = sys.stdout
            _blocks[thread] = self._before + 1

    def __exit__(self, *exception: object) -> None:
        if self._before:
            _blocks[get_ident()] = self._before
            return
        _blocks.pop(get_ident(), None)
        with _lock:
            if current_thread() is main_thread() and type(sys.stdout) is not _Stdout:
                sys.stdout = self._stdout  # the agent has replaced it
            if not _blocks and type(sys.stdout) is _Stdout:
                sys.stdout = sys.stdout.stdout


class _Stdout:
    def __init__(self, stdout: Any) -> None:
        self.stdout = stdout

    def __getattr__(self, name: str) -> Any:
        stream = sys.stderr if get_ident() in _blocks else self.stdout
        return getattr(_NOWHERE if stream is None else stream, name)


#: The last proxies of stdout. A `print` of another thread may still use one after the block, and
#: `print` holds no reference to its stream: it would write to freed memory.
_proxies: deque[_Stdout] = deque(maxlen=16)


def _proxy(stdout: Any) -> _Stdout:
    """Return the proxy of a stream, the same each time."""
    for each in _proxies:
        if each.stdout is stdout:
            return each
    _proxies.append(_Stdout(stdout))
    return _proxies[-1]


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


_NOWHERE = _Nowhere()
