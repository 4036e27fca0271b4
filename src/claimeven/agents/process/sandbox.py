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
    What the agents print goes to stderr, or with `quiet` nowhere. `load_seconds` is the time each
    may take to be loaded, and an external program to start; None is 30 s for an agent from a file.
    Raises `InvalidLimit` for less than 1 MB, and for no time.
    """

    everyone: bool = False
    memory_mb: int | None = None
    quiet: bool = False
    load_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.memory_mb is not None:
            amount = whole_number(self.memory_mb, "memory_mb", InvalidLimit)
            if amount < 1:
                raise InvalidLimit(f"a process has 1 MB of memory or more, not {amount}")
            if amount > MAX_MEMORY:
                raise InvalidLimit(f"a process has at most {MAX_MEMORY:,} MB, not {amount:,}")
            object.__setattr__(self, "memory_mb", amount)
        if self.load_seconds is not None:
            real_number(self.load_seconds, "load_seconds", InvalidLimit, above=0)

    @property
    def memory(self) -> int:
        """MB of memory that a process may hold."""
        return self.memory_mb or min(DEFAULT_MEMORY, backend.machine_memory_mb() // 2)


class Printed:
    """Passes on to stderr what an agent prints, `most` characters a game, without anything that a
    terminal obeys.
    """

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.most = most
        #: Characters printed in all games.
        self.seen = 0
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        self.left = self.most

    def __call__(self, text: str) -> None:
        self.seen += len(text)
        if self.left <= 0:
            return
        text = text[: self.left]
        sys.stderr.write(printable_lines(text, 10 * len(text)))
        self.left -= len(text)
        if self.left <= 0:
            sys.stderr.write(
                f"\n{printable(self.name)} has printed {self.most:,} characters in this game:"
                " the rest is left out\n"
            )
        sys.stderr.flush()
