"""Which agents play in separate processes, and the limits of each process."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from claimeven.agents.base import InvalidLimit
from claimeven.agents.sanitize import printable, printable_lines
from claimeven.game.validation import real_number, whole_number
from claimeven.parallel.system import backend

#: Default memory limit of a process in MB, on a machine with at least twice that memory, and the
#: greatest one: more than any machine has.
DEFAULT_MEMORY, MAX_MEMORY = 2048, 1 << 32
#: Maximum characters of an agent's output that are shown for each game.
MAX_PRINTED = 20_000


@dataclass(frozen=True)
class Sandbox:
    """Which agents play in separate processes, and the limits of each process.

    Agents from files always have one; with `all_agents` the built-in agents too. `memory_limit_mb`
    limits the memory of a process in MB (2**20 bytes). On Linux that is its heap, arrays and thread
    stacks, without mapped files and libraries; on Windows all that it commits; macOS has no such
    limit. The default is 2048, or half of the machine's memory if that is less. Agents print to
    stderr, at most `max_lines` lines each; `quiet` discards them. `load_timeout` is the time an
    agent has to load and an external program to start, by default 30 s for an agent from a file.
    Raises `InvalidLimit` for less than 1 MB and for a time that is not above 0.
    """

    all_agents: bool = False
    memory_limit_mb: int | None = None
    quiet: bool = False
    load_timeout: float | None = None
    max_lines: int | None = None

    def __post_init__(self) -> None:
        if self.memory_limit_mb is not None:
            name = "memory_limit_mb"
            amount = whole_number(getattr(self, name), name, InvalidLimit, low=1, high=MAX_MEMORY)
            object.__setattr__(self, name, amount)
        if self.load_timeout is not None:
            real_number(self.load_timeout, "load_timeout", InvalidLimit, above=0)

    @property
    def memory_bound_mb(self) -> int:
        """The memory limit of a process in MB."""
        return self.memory_limit_mb or min(
            DEFAULT_MEMORY, (backend.machine_memory_mb() or 2 * DEFAULT_MEMORY) // 2
        )


class OutputRelay:
    """Writes the output of an agent to stderr, without control characters.

    `MAX_PRINTED` characters a game and the lines that the sandbox allows; `close` counts the rest.
    """

    def __init__(self, name: str, sandbox: Sandbox) -> None:
        self.name = name
        self._is_quiet = sandbox.quiet
        self._lines_left, self._lines_dropped = sandbox.max_lines, 0
        #: The number of characters printed in all games.
        self.seen = 0
        self.start_game()

    def start_game(self) -> None:
        """Reset the quota for a new game."""
        self._left = 0 if self._is_quiet else MAX_PRINTED

    def __call__(self, text: str) -> None:
        self.seen += len(text)
        if self._left <= 0:
            return
        text = text[: self._left]
        if self._lines_left is not None:
            lines = text.splitlines(keepends=True)
            text = "".join(lines[: self._lines_left])
            self._lines_dropped += max(0, len(lines) - self._lines_left)
            self._lines_left -= min(self._lines_left, text.count("\n"))
        sys.stderr.write(printable_lines(text, 10 * len(text)))
        self._left -= len(text)
        if self._left <= 0:
            sys.stderr.write(
                f"\n{printable(self.name)} has printed {MAX_PRINTED:,} characters in this game:"
                " the rest is left out\n"
            )
        sys.stderr.flush()

    def close(self) -> None:
        """Report the number of omitted lines."""
        if self._lines_dropped:
            sys.stderr.write(
                f"{printable(self.name)} has printed {self._lines_dropped:,} more lines, which are"
                " left out\n"
            )
            sys.stderr.flush()
            self._lines_dropped = 0
