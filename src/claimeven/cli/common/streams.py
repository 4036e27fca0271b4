"""The standard streams: set up so that no text breaks them, and kept clean."""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from claimeven.agents import sanitize

#: The exit status for bad input.
BAD_INPUT = 2


def prepare_streams() -> None:
    """Let stdin take any bytes and stdout and stderr any text; replace streams that are missing.

    Bytes that are no text of the encoding come in as lone surrogates, which nothing takes for a
    move; a character that a stream cannot show goes out as an escape such as \\xe4.
    """
    for name, mode, errors in (
        ("stdin", "r", "surrogateescape"),
        ("stdout", "w", "backslashreplace"),
        ("stderr", "w", "backslashreplace"),
    ):
        stream = getattr(sys, name)
        if stream is None:  # started without one
            null = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - open for good
            setattr(sys, name, null)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def as_file(stream: TextIO) -> TextIO:
    """Return a standard stream where it stands for a file: UTF-8 as files are, whatever the locale.

    A terminal keeps the encoding it shows.
    """
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8", errors=stream.errors)
    return stream


def drop_output() -> None:
    """Let no late flush of stdout complain: whoever read it has gone, or its disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reader_is_gone(stream: TextIO) -> bool:
    """Whether nobody can read any more what is written to a pipe; never told without `poll`.

    >>> ours, theirs = os.pipe()
    >>> stream = os.fdopen(theirs, "w")
    >>> before = reader_is_gone(stream)
    >>> os.close(ours)
    >>> before, reader_is_gone(stream)
    (False, True)
    >>> stream.close()
    """
    if not hasattr(select, "poll"):
        return False
    looking = select.poll()
    looking.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in looking.poll(0))


@contextmanager
def clean_stdout() -> Iterator[TextIO]:
    """Yield the real stdout, while whatever else writes to stdout is sent to stderr.

    Agents may print, and so may the libraries and processes they start; a result or a JSON
    object must stay whole all the same.
    """
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:
        yield sys.stdout
        return
    encoding = sys.stdout.encoding
    real = os.fdopen(kept, "w", encoding=encoding, errors="backslashreplace", closefd=True)
    shown = sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        sys.stdout = shown
        for stream in (shown, sys.__stdout__):
            if stream is not None and not stream.closed:
                stream.flush()  # what was written past sys.stdout must not come out later
        try:
            real.flush()
        finally:
            os.dup2(kept, 1)
            real.close()


def one_line(text: str) -> str:
    r"""Return foreign text on one line, control characters as escapes.

    A name or a message that an agent made up could otherwise move the cursor or clear the screen.

    >>> print(one_line("a\tb\x1b[2J\nc"))
    a b\x1b[2J c
    """
    return sanitize.printable(" ".join(text.split()), 10 * len(text))


def print_error(sentence: str) -> int:
    """Say on stderr what is wrong with the input; return the exit status for it."""
    print(f"claimeven: {one_line(sentence)}", file=sys.stderr, flush=True)
    return BAD_INPUT


def can_show(text: str, stream: TextIO) -> bool:
    """Whether a stream's encoding has all characters of a text."""
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def is_live(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose lines can be written over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colors(stream: TextIO) -> bool:
    """Whether a stream may be sent colors."""
    return is_live(stream) and not os.environ.get("NO_COLOR")
