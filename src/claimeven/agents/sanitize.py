"""Text about agents: bounded, in printable characters, and safe to make of any object.

An object that an agent raises or returns may fail when it is asked for its text, be endless, or
hold escape sequences. Nothing here raises, except for Ctrl-C.
"""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from reprlib import Repr
from typing import Any

#: Characters of a reason, and of a traceback, that are kept.
MAX_REASON, MAX_TRACEBACK = 300, 10_000
#: Characters of a value that is quoted.
MAX_VALUE = 60
#: Where the files of this package are.
_PACKAGE = str(Path(__file__).parents[1]) + os.sep
#: What the files begin with whose frames say nothing to the author of an agent.
_NOT_THEIRS = (_PACKAGE, "<frozen ")
#: Where the modules of Python itself are.
_LIBRARY = str(Path(os.__file__).parent) + os.sep
#: A line of a traceback that names a file, in one of a group of exceptions too.
_FRAME = re.compile(r'^[ |+-]*File "(.*)", line \d+', re.MULTILINE)
#: Where an object lies in memory: the same mistake is to have the same reason in every process.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,}")
#: The folders of an absolute path, with the slash after each: no part of a URL or a relative path.
_FOLDERS = re.compile(r"(?<![\w./~-])(?:~?/(?!/)|[A-Za-z]:\\)(?:[^\s/\\:,'\"<>]+[/\\])+")
#: Bits of the largest whole number that is written out.
MAX_BITS = 256


class _Bounded(Repr):
    """`repr` that looks at the first few parts of what may hold many."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = MAX_VALUE
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 8

    def repr_int(self, x: int, level: int) -> str:
        """Write a whole number, or its size where it is one of many digits."""
        if x.bit_length() > MAX_BITS:
            return f"a whole number of {x.bit_length():,} bits"
        return repr(x)

    def repr_instance(self, x: object, level: int) -> str:
        """Write an object as it writes itself, but for where it lies in memory."""
        return _shortened(_unplaced(repr(x)), MAX_VALUE)


_bounded = _Bounded()


def _safe(text: Callable[[], str], otherwise: Callable[[], str]) -> str:
    """Return a text that may fail to be made, or else the other one. Only Ctrl-C is raised."""
    try:
        return text()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return otherwise()


def shown(value: Any) -> str:
    """Return the `repr` of a value in at most about 60 characters, or its type if it has none."""
    return _safe(
        lambda: printable(_bounded.repr(value), 2 * MAX_VALUE),
        lambda: f"an object of type {_type_name(value)}",
    )


def described(error: BaseException) -> str:
    """Return an exception as one line: its type and the first line of its message."""
    name = _type_name(error)

    def text() -> str:
        lines = str(error).strip().splitlines()
        return printable(f"{name}: {_unplaced(lines[0])}" if lines else name)

    return _safe(text, lambda: f"{name}, whose message cannot be read")


def traceback_of(error: BaseException, ours: bool = True) -> str:
    """Return the traceback of an exception as text, its last part if it is long.

    It starts where the user's code was called, not with our calls, and keeps the last line of the
    user's own. A traceback without any line of the user's is returned as it is, or empty without
    `ours`.
    """

    def write() -> str:
        first = trail = error.__traceback__
        while trail is not None and trail.tb_frame.f_code.co_filename.startswith(_NOT_THEIRS):
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


def names_their_line(told: str) -> bool:
    """Whether a traceback names a line of a file that is neither of this package nor a library."""
    return bool(own_lines(told.splitlines()))


def own_lines(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines of a traceback on the author's own last call, in order."""
    own: list[int] = []
    is_own = False
    for number, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is not None:
            is_own = not _is_library(frame[1])
            own = [] if is_own else own
        elif not line.startswith((" ", "\t", "|", "+")):
            is_own = False
        if is_own:
            own.append(number)
    return own


def _is_library(file: str) -> bool:
    installed = any(
        f"{os.sep}{name}{os.sep}" in file for name in ("site-packages", "dist-packages")
    )
    return installed or file.startswith((*_NOT_THEIRS, _LIBRARY))


def without_folders(text: str) -> str:
    """Return a text in which absolute paths are the names of their files.

    >>> without_folders("kaggle:/home/ann/bots/main.py:agent bots/bob.py http://host/play")
    'kaggle:main.py:agent bots/bob.py http://host/play'
    """
    return _FOLDERS.sub("", text)


def printable(text: str, most: int = MAX_REASON) -> str:
    """Return a text in one line of at most `most` characters, what cannot be printed escaped.

    >>> printable("red: \\x1b[31m")
    'red: \\\\x1b[31m'
    """
    shortened = _shortened(text, most)
    if shortened.isprintable():
        return shortened
    return _shortened("".join(c if c.isprintable() else _escaped(c) for c in shortened), most)


def printable_lines(text: str, most: int = MAX_TRACEBACK) -> str:
    r"""Return the last `most` characters of a text in lines, what cannot be printed escaped.

    >>> print(printable_lines("one\r\ntwo \x1b[2J"))
    one
    two \x1b[2J
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text[-most:])
    return kept if max(len(text), len(kept)) <= most else "...\n" + kept[-most:]


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _unplaced(text: str) -> str:
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _type_name(value: object) -> str:
    return _safe(lambda: printable(type(value).__name__, MAX_VALUE), lambda: "unknown")
