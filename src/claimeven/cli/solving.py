"""What the verbs that solve share: options of the solver, progress on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from claimeven.cli.common import table_width

if TYPE_CHECKING:
    from claimeven.solver import SolveProgress

Command = TypeVar("Command", bound=Callable[..., Any])

#: Seconds of work before progress is shown, and between two updates.
PATIENCE = 1.0
TICK = 0.2


def solver_options(command: Command) -> Command:
    """Add --threads and --table-mb."""
    command = click.option(
        "--table-mb", type=float, default=128, show_default=True, help="Size of the table in MB."
    )(command)
    return click.option(
        "--threads", default=1, show_default=True, help="Threads that search together."
    )(command)


class StatusLine:
    """A line on stderr that is written over; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown_at = 0.0
        self._width = 0

    def show(self, make: Callable[[], str]) -> None:
        """Show the text that `make` gives, unless the work is young or was shown just now."""
        now = time.monotonic()
        if now - self._begin < PATIENCE or now - self._shown_at < TICK or not sys.stderr.isatty():
            return
        self._shown_at = now
        text = make()[: table_width(sys.stderr) - 1]
        print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(text))

    def clear(self) -> None:
        """Wipe the line."""
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0


@contextmanager
def status_line() -> Iterator[StatusLine]:
    """Yield a status line that is wiped at the end."""
    line = StatusLine()
    try:
        yield line
    finally:
        line.clear()


def progress_text(what: str, at: SolveProgress) -> str:
    """Say how far a search is: nodes, rate, bounds, columns decided."""
    text = f"{what or 'empty board'}: {at.nodes:,} nodes, {at.rate / 1e6:.1f} M/s"
    text += f", score {at.low} to {at.high}"
    decided = [score_text(score) for score in at.scores]
    return f"{text}, columns {' '.join(decided)}" if decided else text


def score_text(score: int | None) -> str:
    """Return a column's score, `.` for one that has none."""
    return "." if score is None else str(score)
