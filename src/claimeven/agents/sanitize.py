"""Text about agents: bounded, printable, and safe to make of any object; and what they print.

The `repr` of an object that an agent raises or returns may fail, be endless, or contain escape
sequences. These functions raise no exception except for Ctrl-C. What agents print goes to stderr,
so that stdout belongs to the program.
"""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from reprlib import Repr
from threading import Lock, current_thread, get_ident, main_thread
from typing import Any

#: Maximum characters of a reason, of a traceback, and of a quoted value.
MAX_REASON, MAX_TRACEBACK, MAX_VALUE = 300, 10_000, 60
#: Prefixes of files whose frames do not help the author of an agent: of this package, of Python.
_INTERNAL = (str(Path(__file__).parents[1]) + os.sep, "<frozen ")
_LIBRARY = str(Path(os.__file__).parent) + os.sep
#: A line of a traceback with a file name, also in a group of exceptions.
_FRAME = re.compile(r'^[ |+-]*File "(.*)", line \d+', re.MULTILINE)
#: The address of an object: it is removed, so that a reason is the same in every process.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,}")
#: The folders of an absolute path, each with its slash; not part of a URL or a relative path.
_FOLDERS = re.compile(r"(?<![\w./~-])(?:~?/(?!/)|[A-Za-z]:\\)(?:[^\s/\\:,'\"<>]+[/\\])+")
#: Bits of the largest whole number that is shown in full.
MAX_BITS = 256


class _Bounded(Repr):
    """`repr` of the first few parts of a container."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = MAX_VALUE
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 8

    def repr_int(self, x: int, level: int) -> str:
        """Return a whole number, or its size if it has many digits."""
        if x.bit_length() > MAX_BITS:
            return f"a whole number of {x.bit_length():,} bits"
        return repr(x)

    def repr_instance(self, x: object, level: int) -> str:
        """Return the `repr` of an object without its address."""
        return _shortened(without_address(repr(x)), MAX_VALUE)


_bounded = _Bounded()


def _safe(text: Callable[[], str], fallback: Callable[[], str]) -> str:
    """Return text(), or fallback() if it raises anything but Ctrl-C."""
    try:
        return text()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return fallback()


def shown(value: Any) -> str:
    """Return the `repr` of a value in about 60 characters at most, or its type if that fails."""
    return _safe(
        lambda: printable(_bounded.repr(value), 2 * MAX_VALUE),
        lambda: f"an object of type {_type_name(value)}",
    )


def described(error: BaseException) -> str:
    """Return an exception as one line: its type and the first line of its message."""
    name = _type_name(error)

    def text() -> str:
        lines = str(error).strip().splitlines()
        return printable(f"{name}: {without_address(lines[0])}" if lines else name)

    return _safe(text, lambda: f"{name}, whose message cannot be read")


def traceback_of(error: BaseException, ours: bool = True) -> str:
    """Return the traceback of an exception as text, or the end of a long one.

    It starts with the user's first frame, and a shortened text includes the user's last line. A
    traceback without the user's frames is returned whole, or empty if `ours` is not set.
    """

    def write() -> str:
        first = trail = error.__traceback__
        while trail is not None and trail.tb_frame.f_code.co_filename.startswith(_INTERNAL):
            trail = trail.tb_next
        if trail is None and not isinstance(error, SyntaxError):
            if not ours:
                return ""
            trail = first
        return "".join(traceback.format_exception(type(error), error, trail))

    text = _safe(write, lambda: f"the traceback of {_type_name(error)} cannot be written\n")
    if len(text) > MAX_TRACEBACK:
        lines = text.splitlines(keepends=True)
        own = "".join(lines[number] for number in own_lines(lines))[:MAX_REASON]
        if own and own not in text[-MAX_TRACEBACK:]:
            text = f"...\n{own}...\n{text[-MAX_TRACEBACK // 2 :]}"
    return printable_lines(text)


def has_user_line(trace: str) -> bool:
    """Whether a traceback has a line of a file outside this package and libraries."""
    return bool(own_lines(trace.splitlines()))


def own_lines(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the traceback's lines about the last call in the user's files."""
    own: list[int] = []
    is_own = False
    for number, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is not None:
            packages = ("site-packages", "dist-packages")
            is_installed = any(f"{os.sep}{name}{os.sep}" in frame[1] for name in packages)
            is_own = not (is_installed or frame[1].startswith((*_INTERNAL, _LIBRARY)))
            own = [] if is_own else own
        elif not line.startswith((" ", "\t", "|", "+")):
            is_own = False
        if is_own:
            own.append(number)
    return own


def without_folders(text: str) -> str:
    """Return a text with absolute paths replaced by file names.

    >>> without_folders("kaggle:/home/ann/bots/main.py:agent bots/bob.py http://host/play")
    'kaggle:main.py:agent bots/bob.py http://host/play'
    """
    return _FOLDERS.sub("", text)


def printable(text: str, limit: int = MAX_REASON) -> str:
    """Return a text in one line of at most `limit` characters, other characters escaped.

    >>> printable("red: \\x1b[31m")
    'red: \\\\x1b[31m'
    """
    shortened = _shortened(text, limit)
    if shortened.isprintable():
        return shortened
    return _shortened("".join(c if c.isprintable() else _escaped(c) for c in shortened), limit)


def printable_lines(text: str, limit: int = MAX_TRACEBACK) -> str:
    r"""Return the last `limit` characters of a text of lines, unprintable ones escaped.

    >>> print(printable_lines("one\r\ntwo \x1b[2J"))
    one
    two \x1b[2J
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    end = "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text[-limit:])
    return end if max(len(text), len(end)) <= limit else "...\n" + end[-limit:]


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def without_address(text: str) -> str:
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _type_name(value: object) -> str:
    return _safe(lambda: printable(type(value).__name__, MAX_VALUE), lambda: "unknown")


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
