"""Progress on stderr: a bar and a line that is written over on a terminal, elsewhere a log.

All commands show their progress by a `StatusLine`. If stderr is a file, a pipe or a dumb terminal,
it prints a line soon after the start and then one a minute, also while nothing new is reported.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from claimeven.cli.common.output import cut, left, table_width, text_size
from claimeven.cli.common.streams import is_live
from claimeven.parallel import interrupts

#: Seconds of work before progress is shown, and between two updates.
PATIENCE = 1.0
TICK = 0.2
#: Seconds of work before the first line of a log, and between two.
LOG_DELAY, LOG_TICK = 10.0, 60.0
#: Characters of a bar, and what it is drawn from.
_BAR = 10
_SHARE = re.compile(r"([\d,]+) of ([\d,]+)\b")


class StatusLine:
    """A line on stderr that is written over, or lines of a log.

    It is made of a carriage return and blanks alone, so no terminal shows an escape code.
    """

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown_at = 0.0
        self._width = 0
        self._text = ""
        self._due = self._begin + LOG_DELAY

    def show(self, make: Callable[[], str]) -> None:
        """Show the text that `make` gives, unless the work is young or was shown just now."""
        now, live = time.monotonic(), is_live(sys.stderr)
        if now - self._begin < PATIENCE or now - self._shown_at < TICK:
            return
        self._shown_at, self._text = now, make()
        if not live:
            self.log()
            return
        text = cut(_with_bar(self._text), table_width(sys.stderr) - 1)
        print("\r" + left(text, self._width), end="", file=sys.stderr, flush=True)
        self._width = text_size(text)

    def count(self, done: int, total: int, things: str, resumed: int = 0) -> None:
        """Show how many of `total` things ("games") are done: see `count_text`."""
        seconds = time.monotonic() - self._begin
        self.show(lambda: count_text(done, total, things, seconds, resumed))

    def report(self, at: Any) -> None:
        """Show a record of progress on positions: `done`, `total`, `seconds` and `resumed`."""
        things = getattr(at, "what", "positions")
        self.show(lambda: count_text(at.done, at.total, things, at.seconds, at.resumed))

    def log(self) -> None:
        """Print what was shown last on a line of a log, if it is time for one."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + LOG_TICK
        text = self._text or f"at work for {time_text(now - self._begin)}"
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Wipe the line."""
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0


def _with_bar(text: str) -> str:
    """Return a text that says how much is done with a bar before it; any other as it is.

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
    """Print a line on stderr in the midst of work; a status line that stands there gives way."""
    width = table_width(sys.stderr) - 1 if is_live(sys.stderr) else 0
    print("\r" + left(text, width) if width else text, file=sys.stderr, flush=True)


def print_interrupted(done: str, out: str | Path | None) -> None:
    """Say on stderr after how much work Ctrl-C ended a command, and how the file goes on."""
    more = "" if out is None else f"; go on with: --out {out} --resume"
    print(f"interrupted after {done}{more}", file=sys.stderr)


@contextmanager
def status_line() -> Iterator[StatusLine]:
    """Yield a status line that is wiped at the end; a thread prints it where it is a log."""
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
    """Say, where Ctrl-C ends the block, from what the same command goes on, if it is there yet."""

    def notify() -> str:
        if not Path(path).exists():
            return "interrupted; nothing was written"
        return f"interrupted; run the same again to go on from {path}"

    before, interrupts.exit_message = interrupts.exit_message, notify
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(notify()) from None
    finally:
        interrupts.exit_message = before


def count_text(done: int, total: int, things: str, seconds: float, resumed: int = 0) -> str:
    """Say how far work is, its rate and the time left; `resumed` were done before it began.

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
    """Say how many there are in a second, or in a minute where they are few.

    >>> rate_text(1234.5), rate_text(0.5)
    ('1,234 a second', '30 a minute')
    """
    if rate < 1:
        return f"{rate * 60:.0f} a minute"
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"


def time_text(seconds: float) -> str:
    """Say a time in the unit that suits it.

    >>> time_text(59), time_text(200), time_text(20_000)
    ('59 s', '3 min', '5 h 33 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60:,} h {minutes % 60} min"


def announce_compilation() -> None:
    """Let the first compilation be told on stderr."""
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - imports Numba

    def tell() -> None:
        print("compiling the searches, once after an installation ...", file=sys.stderr)

    when_compiling(tell)
