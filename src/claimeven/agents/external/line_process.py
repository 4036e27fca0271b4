"""A program of somebody else's, spoken to in lines: started, asked with a deadline, ended.

It runs in a session of its own, so that Ctrl-C does not reach it and it can be ended with all that
it starts; it ends with us however we end. POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from claimeven import interrupts
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import printable
from claimeven.processes import AVAILABLE
from claimeven.watched import (
    ChildEnded,
    ChildGarbled,
    ChildSilent,
    Mark,
    NoMoreProcesses,
    WatchedProcess,
    close_ends,
    open_pipes,
    tie,
)

#: Bytes of the longest line that is taken.
MOST_LINE = 1 << 16


def split_command(text: str) -> tuple[dict[str, str], list[str]]:
    """Split a command as a shell would: settings NAME=value before the program, and its words.

    A `~` at the beginning of a word is the home folder. Raises `InvalidSpec`.

    >>> split_command("Hash=64 ./engine --book 'my book'")
    ({'Hash': '64'}, ['./engine', '--book', 'my book'])
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidSpec(f"{printable(text)} is no command: {str(error).lower()}") from None
    settings: dict[str, str] = {}
    while words and "=" in words[0] and not words[0].startswith((".", "/", "~")):
        name, _, value = words.pop(0).partition("=")
        settings[name] = value
    return settings, [os.path.expanduser(w) if w.startswith("~") else w for w in words]  # noqa: PTH111 - a path that is no path stays as it is


def check_command(text: str) -> None:
    """Raise `InvalidSpec` where a command names no program that can be run here."""
    if not AVAILABLE:
        raise InvalidSpec("programs can be played with on Linux and macOS alone")
    _, words = split_command(text)
    if not words:
        raise InvalidSpec(f"{printable(text)} names no program")
    if shutil.which(words[0]) is not None:
        return
    path = Path(words[0])
    if not path.exists():
        raise InvalidSpec(f"there is no program {printable(words[0])}")
    if path.is_file() and path.suffix == ".py":
        raise InvalidSpec(f"{words[0]} is no program by itself: say python {words[0]}")
    raise InvalidSpec(f"{printable(words[0])} cannot be run as a program")


def files_of_command(text: str) -> tuple[Path, ...]:
    """Return the files that a command names, the program itself unless it is one of the system."""
    try:
        _, words = split_command(text)
    except InvalidSpec:
        return ()
    paths = [Path(word) for word in words]
    if paths and (str(paths[0]) == sys.executable or _is_installed(paths[0])):
        del paths[0]
    return tuple(path for path in paths if _is_file(path))


def brief_command(text: str) -> str:
    """Return a short name for what a command runs.

    >>> brief_command("~/engines/rocket --threads 2")
    'rocket'
    """
    files = files_of_command(text)
    if files:
        return files[0].stem
    try:
        _, words = split_command(text)
    except InvalidSpec:
        words = []
    return Path(words[0]).name if words else text


#: What is most often wrong with a program that says nothing.
FLUSH = "does it write out each line at once, as by fflush?"
#: What is to be done where it needs longer to start.
MORE = "load_seconds gives it more"


class Program(WatchedProcess):
    """A running program, its input, its output line by line, and what it says on stderr.

    That goes to `printed` while lines are awaited. `memory_mb` bounds its memory where the system
    can. Raises `InvalidSpec` if it cannot be started. Not to be used by two threads at once.
    """

    def __init__(
        self, words: Sequence[str], printed: Callable[[str], None], memory_mb: int | None = None
    ) -> None:
        mark = Mark()
        with interrupts.put_off():  # half a start would leave a process behind
            (
                (input_out, self._input),
                (answers, answer_in),
                (errors, error_in),
                (lifeline_out, lifeline),
            ) = open_pipes(4)
            ours = [self._input, answers, errors, lifeline]
            try:
                process = subprocess.Popen(
                    list(words),
                    stdin=input_out,
                    stdout=answer_in,
                    stderr=error_in,
                    # A Python program that forgets to flush answers all the same.
                    env={**os.environ, "PYTHONUNBUFFERED": "1", **mark.variables},
                    pass_fds=(lifeline_out,),
                    start_new_session=True,
                )
                tie(lifeline_out, process.pid)
                _bound_memory(process.pid, memory_mb)
            except (OSError, ValueError) as error:
                close_ends(ours)
                if isinstance(refused := NoMoreProcesses.of(error), NoMoreProcesses):
                    raise refused from None
                reason = getattr(error, "strerror", None) or error
                raise InvalidSpec(f"{printable(words[0])} cannot be run: {reason}") from None
            finally:
                close_ends([input_out, answer_in, error_in, lifeline_out])
            super().__init__(process, ours, answers, errors, printed, 1, mark)

    def send(self, line: str) -> None:
        """Send a line, and let the program go on if it stands still. Raises `ChildEnded`."""
        self.go_on()
        self._write(self._input, line.encode("utf-8", "replace") + b"\n")

    def receive(self, deadline: float) -> str:
        """Return the next line, waited for until a moment of `time.monotonic`.

        Raises `ChildSilent` when none has come by then, `ChildEnded`, and `ChildGarbled` for a line
        that does not end.
        """
        while True:
            line = self._line()
            if line is not None:
                return line
            left = deadline - time.monotonic()
            if not self._await(left) and left <= 0:
                raise ChildSilent

    def end(self, farewell: str = "") -> None:
        """Say a last line, hang up, and end it with all it has started if it does not so itself."""
        if not self._finish.alive:
            return
        with contextlib.suppress(ChildEnded):
            if farewell:
                self.send(farewell)
        if self._finish.alive:
            self.go_on()
            self._let_go(self._input)
            self._wait()
            self.kill()

    def _line(self) -> str | None:
        """Take a whole line out of what was received."""
        at = self._received.find(b"\n")
        if at < 0:
            if len(self._received) > MOST_LINE:
                raise ChildGarbled
            return None
        line = bytes(self._received[:at])
        del self._received[: at + 1]
        return line.decode("utf-8", "replace").rstrip("\r")


def _bound_memory(process: int, memory_mb: int | None) -> None:
    """Let a process hold so much data at most, where the system can say so to another one."""
    import resource  # noqa: PLC0415 - POSIX only, as is all this

    if memory_mb is not None and hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
            resource.prlimit(process, resource.RLIMIT_DATA, (memory_mb << 20, hard))


def _is_installed(path: Path) -> bool:
    """Whether a program is found by its name, or lies where such programs are."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return path.parent == Path() or str(path.parent) in folders


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
