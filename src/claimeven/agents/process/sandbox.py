"""Which agents play in processes of their own, and what each of these may do."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from claimeven.agents.base import InvalidLimit
from claimeven.agents.sanitize import printable, printable_lines
from claimeven.game.validation import real_number, whole_number
from claimeven.parallel.system import backend

#: MB of memory that a process may hold by default, on a machine with twice as much.
DEFAULT_MEMORY = 2048
#: MB that may be asked for: what a word counts in bytes, and more than any machine has.
MAX_MEMORY = 1 << 32
#: Characters of what an agent prints that are passed on, for each game.
MAX_PRINTED = 20_000


@dataclass(frozen=True)
class Isolation:
    """Which agents play in processes of their own, and what each of these may do.

    Agents from files always do, with `everyone` those of this package too. `memory_mb` is the
    memory of a process in MB (2**20 bytes): its heap, arrays and thread stacks, as Linux counts the
    data of a process (files and libraries mapped into it do not count), or all that Windows commits
    for it; macOS has no such limit. None is 2048, or half of the machine's memory if that is less.
    What the agents print goes to stderr, `max_lines` of each agent if given, or with `quiet`
    nowhere. `load_timeout` is the time each
    may take to be loaded, and an external program to start; None is 30 s for an agent from a file.
    Raises `InvalidLimit` for less than 1 MB, and for no time.
    """

    everyone: bool = False
    memory_mb: int | None = None
    quiet: bool = False
    load_timeout: float | None = None
    max_lines: int | None = None

    def __post_init__(self) -> None:
        if self.memory_mb is not None:
            amount = whole_number(self.memory_mb, "memory_mb", InvalidLimit)
            if amount < 1:
                raise InvalidLimit(f"a process has 1 MB of memory or more, not {amount}")
            if amount > MAX_MEMORY:
                raise InvalidLimit(f"a process has at most {MAX_MEMORY:,} MB, not {amount:,}")
            object.__setattr__(self, "memory_mb", amount)
        if self.load_timeout is not None:
            real_number(self.load_timeout, "load_timeout", InvalidLimit, above=0)

    @property
    def memory(self) -> int:
        """MB of memory that a process may hold."""
        return self.memory_mb or min(
            DEFAULT_MEMORY, (backend.machine_memory_mb() or 2 * DEFAULT_MEMORY) // 2
        )


class Printed:
    """Passes on to stderr what an agent prints, without anything that a terminal obeys.

    It passes on `MAX_PRINTED` characters a game, and of all games the lines that an isolation
    allows; `close` says how many more there were.
    """

    def __init__(self, name: str, isolation: Isolation) -> None:
        self.name = name
        self._is_quiet = isolation.quiet
        self._lines_left = isolation.max_lines
        self._lines_dropped = 0
        #: Characters printed in all games.
        self.seen = 0
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        self._left = 0 if self._is_quiet else MAX_PRINTED

    def __call__(self, text: str) -> None:
        self.seen += len(text)
        if self._left <= 0:
            return
        text = self._first_lines(text[: self._left])
        sys.stderr.write(printable_lines(text, 10 * len(text)))
        self._left -= len(text)
        if self._left <= 0:
            sys.stderr.write(
                f"\n{printable(self.name)} has printed {MAX_PRINTED:,} characters in this game:"
                " the rest is left out\n"
            )
        sys.stderr.flush()

    def _first_lines(self, text: str) -> str:
        """Return the part of a text within the lines that are left."""
        if self._lines_left is None:
            return text
        lines = text.splitlines(keepends=True)
        shown = "".join(lines[: self._lines_left])
        self._lines_dropped += max(0, len(lines) - self._lines_left)
        self._lines_left -= min(self._lines_left, shown.count("\n"))
        return shown

    def close(self) -> None:
        """Say how many lines were left out."""
        if self._lines_dropped:
            sys.stderr.write(
                f"{printable(self.name)} has printed {self._lines_dropped:,} more lines, which are"
                " left out\n"
            )
            sys.stderr.flush()
            self._lines_dropped = 0
