"""Progress on stderr: on a terminal a line with a bar that is overwritten, elsewhere a log.

A log is used for files, pipes and dumb terminals. It gets a line soon after the start and then one
per minute, even without new reports.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from claimeven.cli.common.output import cut, left, table_width, text_size
from claimeven.cli.common.streams import is_live
from claimeven.parallel import interrupts

#: Seconds of work before progress is shown, and between two updates.
DELAY = 1.0
TICK = 0.2
#: Seconds of work before the first line of a log, and between two lines.
LOG_DELAY, LOG_TICK = 10.0, 60.0
#: Width of the bar, and the numbers that it shows.
_BAR = 10
_SHARE = re.compile(r"([\d,]+) of ([\d,]+)\b")


class StatusLine:
    """A line on stderr that is overwritten, or lines of a log.

    It uses only a carriage return and blanks, so no terminal shows an escape code.
    """

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown_at = 0.0
        self._width = 0
        self._text = ""
        self._due = self._begin + LOG_DELAY

    def show(self, make: Callable[[], str]) -> None:
        """Show the text of `make`, unless the work is young or was shown just now."""
        now, live = time.monotonic(), is_live(sys.stderr)
        if now - self._begin < DELAY or now - self._shown_at < TICK:
            return
        self._shown_at, self._text = now, make()
        if not live:
            self.log()
            return
        text = cut(_with_bar(self._text), table_width(sys.stderr) - 1)
        print("\r" + left(text, self._width), end="", file=sys.stderr, flush=True)
        self._width = text_size(text)

    def count(self, done: int, total: int, things: str, resumed: int = 0) -> None:
        """Show the number of finished things ("games"): see `count_text`."""
        seconds = time.monotonic() - self._begin
        self.show(lambda: count_text(done, total, things, seconds, resumed))

    def reporter(self, form: str, before: str = "") -> Callable[..., None]:
        """Return a function that shows a text: `before`, and its arguments in a form."""
        return lambda *given: self.show(lambda: before + form.format(*given))

    def report(self, at: Any) -> None:
        """Show a record of progress on positions: `done`, `total`, `seconds` and `resumed`."""
        things = getattr(at, "what", "positions")
        self.show(lambda: count_text(at.done, at.total, things, at.seconds, at.resumed))

    def log(self) -> None:
        """Print the last text as a line of the log, if it is due."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + LOG_TICK
        text = self._text or f"at work for {time_text(now - self._begin)}"
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0


def _with_bar(text: str) -> str:
    """Return a text with a bar if it has the form "1 of 2".

    >>> _with_bar("500 of 2,000 games")
    '[##--------] 500 of 2,000 games'
    """
    found = _SHARE.search(text)
    if found is None:
        return text
    done, total = (int(number.replace(",", "")) for number in found.groups())
    filled = _BAR * min(done, total) // max(total, 1)
    return f"[{'#' * filled}{'-' * (_BAR - filled)}] {text}"


def notify(text: str) -> None:
    """Print a line on stderr, in place of a status line."""
    width = table_width(sys.stderr) - 1 if is_live(sys.stderr) else 0
    print("\r" + left(text, width) if width else text, file=sys.stderr, flush=True)


class _Notes(logging.Handler):
    """Prints how ambiguous files are read."""

    def emit(self, record: logging.LogRecord) -> None:
        notify(record.getMessage())


logging.getLogger("claimeven.records").addHandler(_Notes())


def exit_interrupted(done: str, out: str | Path | None) -> NoReturn:
    """Report on stderr the work done before Ctrl-C, and how to resume it; exit with status 130."""
    more = "" if out is None else f"; continue with: --out {out} --resume"
    print(f"interrupted after {done}{more}", file=sys.stderr)
    raise click.exceptions.Exit(interrupts.INTERRUPTED)


@contextmanager
def status_line() -> Iterator[StatusLine]:
    """Yield a status line that is wiped at the end; a thread prints the log."""
    line, ended = StatusLine(), threading.Event()

    def log() -> None:
        while not ended.wait(LOG_TICK / 60):
            with suppress(OSError, ValueError):  # stderr may have been closed
                line.log()

    thread = None if is_live(sys.stderr) else threading.Thread(target=log, daemon=True)
    try:
        if thread is not None:
            thread.start()
        yield line
    finally:
        ended.set()
        line.clear()


@contextmanager
def resumable_file(path: str | Path) -> Iterator[None]:
    """Report the file that the same command resumes from, if Ctrl-C ends the block."""

    def exit_message() -> str:
        if not Path(path).exists():
            return "interrupted; no file was written"
        return f"interrupted; run the same command to continue from {path}"

    before, interrupts.exit_message = interrupts.exit_message, exit_message
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(exit_message()) from None
    finally:
        interrupts.exit_message = before


def count_text(done: int, total: int, things: str, seconds: float, resumed: int = 0) -> str:
    """Return progress, rate and remaining time; `resumed` things were done before the start.

    >>> count_text(500, 2000, "positions", 50.0, resumed=400)
    '500 of 2,000 positions, 2.0 a second, 12 min left'
    """
    text = f"{done:,} of {total:,} {things}"
    fresh = done - resumed
    if fresh <= 0 or seconds <= 0:
        return text
    rate = fresh / seconds
    return f"{text}, {rate_text(rate)}, {time_text((total - done) / rate)} left"


def rate_text(rate: float) -> str:
    """Return a rate per second, or per minute if it is low.

    >>> rate_text(1234.5), rate_text(0.5)
    ('1,234 a second', '30 a minute')
    """
    if rate < 1:
        return f"{rate * 60:.0f} a minute"
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"


def time_text(seconds: float) -> str:
    """Return a time with a suitable unit.

    >>> time_text(59), time_text(200), time_text(20_000)
    ('59 s', '3 min', '5 h 33 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60:,} h {minutes % 60} min"


def announce_compilation() -> None:
    """Report the first compilation on stderr."""
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - imports Numba

    def announce() -> None:
        print("compiling the searches, once after an installation ...", file=sys.stderr)

    when_compiling(announce)
