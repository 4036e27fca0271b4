"""Which agents play in processes of their own, and what each of these may do."""

from __future__ import annotations

import os
from dataclasses import dataclass

from claimeven.agents.base import InvalidLimit, check_number
from claimeven.game.validation import whole_number

#: MB of memory that a process may hold where nothing else is said, on a machine of twice as much.
USUAL_MEMORY = 2048
#: MB that may be asked for: what a word counts in bytes, and more than any machine has.
MOST_MEMORY = 1 << 32


@dataclass(frozen=True)
class Isolation:
    """Which agents play in processes of their own, and what each of these may do.

    Agents from files do in any case, with `everyone` those of this package too. `memory_mb` is the
    memory of a process in MB (2**20 bytes): its heap, arrays and thread stacks, as Linux counts the
    data of a process; files and libraries mapped into it do not count. None stands for 2048, or
    half of the machine's memory where that is less. What the agents print goes to stderr, or with
    `quiet` nowhere. `load_seconds` is the time each may take to be loaded, and a program of others
    to start; None stands for 30 s for an agent from a file. Raises `InvalidLimit` for less than
    1 MB, and for no time.
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
            if amount > MOST_MEMORY:
                raise InvalidLimit(f"a process has at most {MOST_MEMORY:,} MB, not {amount:,}")
            object.__setattr__(self, "memory_mb", amount)
        if self.load_seconds is not None:
            check_number("load_seconds", self.load_seconds)
            if not self.load_seconds > 0:
                raise InvalidLimit(f"load_seconds must be greater than 0, not {self.load_seconds}")

    @property
    def memory(self) -> int:
        """MB of memory that a process may hold."""
        return self.memory_mb or min(USUAL_MEMORY, _half_of_the_memory())


def _half_of_the_memory() -> int:
    """Return half of the machine's memory in MB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 21
