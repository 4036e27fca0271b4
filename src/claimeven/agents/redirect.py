"""What agents print: it goes to stderr, while stdout is left to the program."""

from __future__ import annotations

import io
import sys
from collections import deque
from threading import Lock, current_thread, get_ident, main_thread
from typing import Any

_changing = Lock()
#: How many blocks of each thread are under way, by its number.
_aside: dict[int, int] = {}


class PrintsToStderr:
    """A block in which what this thread prints to stdout goes to stderr; other threads' does not,
    those that it starts among them.

    `contextlib.redirect_stdout` does it for the whole process, and for good where blocks of two
    threads overlap.
    """

    __slots__ = ("_before", "_usual")

    def __enter__(self) -> None:
        thread = get_ident()
        self._before = _aside.get(thread, 0)
        with _changing:
            if type(sys.stdout) is not _Stdout and sys.stdout is not None:
                sys.stdout = _standing_for(sys.stdout)
            self._usual = sys.stdout
            _aside[thread] = self._before + 1

    def __exit__(self, *ended_by: object) -> None:
        if self._before:
            _aside[get_ident()] = self._before
            return
        _aside.pop(get_ident(), None)
        with _changing:
            if current_thread() is main_thread() and type(sys.stdout) is not _Stdout:
                sys.stdout = self._usual  # what was called has put its own there
            if not _aside and type(sys.stdout) is _Stdout:
                sys.stdout = sys.stdout.stdout


class _Stdout:
    def __init__(self, stdout: Any) -> None:
        self.stdout = stdout

    def __getattr__(self, name: str) -> Any:
        stream = sys.stderr if get_ident() in _aside else self.stdout
        return getattr(_NOWHERE if stream is None else stream, name)


#: Those that stood for stdout last. A `print` of another thread may still be at one when the block
#: is over, and Python's own keeps none of what it prints to: it would write to freed memory.
_kept: deque[_Stdout] = deque(maxlen=16)


def _standing_for(stdout: Any) -> _Stdout:
    """Return what stands for a stream, the same each time."""
    for each in _kept:
        if each.stdout is stdout:
            return each
    _kept.append(_Stdout(stdout))
    return _kept[-1]


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        """Let a text go."""
        return len(text)


_NOWHERE = _Nowhere()
