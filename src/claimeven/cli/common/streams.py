"""The standard streams: encodings, redirection, messages, results as lines of JSON."""

from __future__ import annotations

import io
import json
import math
import os
import select
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from claimeven import __version__
from claimeven.agents import sanitize

BAD_INPUT = 2


def prepare_streams() -> None:
    """Let stdin accept any bytes and stdout and stderr any text; replace missing streams.

    Invalid bytes are read as lone surrogates, which are never valid moves. Characters that a stream
    cannot show are written as escapes such as \\xe4.
    """
    for name, mode, errors in (
        ("stdin", "r", "surrogateescape"),
        ("stdout", "w", "backslashreplace"),
        ("stderr", "w", "backslashreplace"),
    ):
        stream = getattr(sys, name)
        if stream is None:  # the process was started without it
            null = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - open for good
            setattr(sys, name, null)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def as_file(stream: TextIO) -> TextIO:
    """Return a standard stream used as a file: in UTF-8, unless it is a terminal."""
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8", errors=stream.errors)
    return stream


def drop_output() -> None:
    """Discard the rest of stdout: its reader is gone or its disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reader_is_gone(stream: TextIO) -> bool:
    """Whether the reader of a pipe is gone; False on systems without `poll`.

    >>> reader, writer = os.pipe()
    >>> stream = os.fdopen(writer, "w")
    >>> before = reader_is_gone(stream)
    >>> os.close(reader)
    >>> before, reader_is_gone(stream)
    (False, True)
    >>> stream.close()
    """
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


@contextmanager
def clean_stdout() -> Iterator[TextIO]:
    """Yield the real stdout and redirect all other output on stdout to stderr.

    Agents and their libraries and processes may print; results on stdout must stay intact.
    """
    sys.stdout.flush()
    try:
        copy = os.dup(1)
    except OSError:
        yield sys.stdout
        return
    encoding = sys.stdout.encoding
    real = os.fdopen(copy, "w", encoding=encoding, errors="backslashreplace", closefd=True)
    before = sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        sys.stdout = before
        for stream in (before, sys.__stdout__):
            if stream is not None and not stream.closed:
                stream.flush()  # pending output must not appear later
        try:
            real.flush()
        finally:
            os.dup2(copy, 1)
            real.close()


def one_line(text: str) -> str:
    r"""Return untrusted text on one line, with control characters as escapes.

    Names and messages of agents could otherwise move the cursor or clear the screen.

    >>> print(one_line("a\tb\x1b[2J\nc"))
    a b\x1b[2J c
    """
    return sanitize.printable(" ".join(text.split()), 10 * len(text))


def print_error(sentence: str) -> int:
    """Print an error on stderr; return the exit status for bad input."""
    print(f"claimeven: {one_line(sentence)}", file=sys.stderr, flush=True)
    return BAD_INPUT


def can_show(text: str, stream: TextIO) -> bool:
    """Whether the encoding of a stream has all characters of a text."""
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def is_live(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose lines can be overwritten."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colors(stream: TextIO) -> bool:
    return is_live(stream) and not os.environ.get("NO_COLOR")


def write_json(value: Any, stream: TextIO) -> None:
    """Write one JSON object on a separate line; its last key is the version of claimeven."""
    value = {**value, "claimeven": __version__} if isinstance(value, dict) else value
    stream.write(json.dumps(json_data(value), allow_nan=False) + "\n")


def json_data(value: Any) -> Any:
    """Return a result as data for JSON; the answers of agents were checked before.

    NumPy's numbers and arrays become numbers and lists, numbers that are not finite None, keys and
    other objects text.

    >>> json_data({1: float("nan"), "own": (1, {2})})
    {'1': None, 'own': [1, [2]]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_data(part) for key, part in value.items()}
    if isinstance(value, list | tuple | Set):
        return [json_data(part) for part in value]
    return json_data(value.tolist()) if hasattr(value, "tolist") else str(value)
