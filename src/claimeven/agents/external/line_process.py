"""Kinds of external agents, and programs with a protocol of lines: start, questions, end.

Ctrl-C does not reach a program. It and all processes that it starts end when we end, for any
reason.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO, RawIOBase
from pathlib import Path
from typing import Any

from claimeven.agents.base import Agent, AgentFault, FaultKind
from claimeven.agents.options import AgentKind, InvalidSpec, split_options
from claimeven.agents.process.agent import fault_of
from claimeven.agents.process.sandbox import OutputRelay, Sandbox
from claimeven.agents.sanitize import printable
from claimeven.agents.source_snapshot import is_file
from claimeven.parallel import process
from claimeven.parallel.connection import CHUNK
from claimeven.suggestions import no_such

#: Maximum bytes of a line.
MAX_LINE = 1 << 16


@dataclass(frozen=True)
class ForeignKind:
    """A kind of external agents, by the prefix of its specs: `prefix:text`.

    The text is the part after the first colon and may contain spaces, commas and colons; its
    meaning depends on the kind. `build` makes the agent from the text, the whole spec and the
    sandbox; `check` raises `InvalidSpec` for an invalid text. With `own_process` the agent plays in
    a separate process, like agents from files: for Python code, not for programs and servers.

    `files` returns the files of the agent for its digest; `brief` returns a short name for tables.
    `agents` are the named agents after the prefix, `extra` the required extra and its module.
    """

    prefix: str
    form: str
    summary: str
    build: Callable[[str, str, Sandbox], Agent]
    examples: tuple[str, ...]
    notes: tuple[str, ...] = ()
    own_process: bool = False
    check: Callable[[str], object] | None = None
    files: Callable[[str], tuple[Path, ...]] = lambda text: ()
    brief: Callable[[str], str] | None = None
    agents: tuple[AgentKind, ...] = ()
    extra: tuple[str, str] | None = None

    def short_name(self, text: str) -> str:
        """Return a short name for the agent of a text."""
        return f"{self.prefix}:{text}" if self.brief is None else self.brief(text)

    def check_text(self, text: str) -> None:
        """Raise `InvalidSpec` for an invalid text, without making the agent."""
        if not text.strip():
            raise InvalidSpec(f"{self.prefix}: is incomplete: give {self.form}")
        if self.check is not None:
            self.check(text)

    def need_extra(self) -> None:
        """Raise `InvalidSpec` if the package of the extra is not installed."""
        if self.extra is not None and importlib.util.find_spec(self.extra[1]) is None:
            raise InvalidSpec(
                f"{self.prefix}: needs the extra {self.extra[0]!r}:"
                f" pip install 'claimeven[{self.extra[0]}]'"
            )

    def parse(self, text: str) -> tuple[AgentKind, Mapping[str, Any]]:
        """Read `name,option=value,...` or `name:option=value,...`. Raises `InvalidSpec`."""
        name, _, rest = text.replace(":", ",", 1).partition(",")
        known = {kind.name: kind for kind in self.agents}
        if name.strip() not in known:
            raise InvalidSpec(no_such(f"agent of {self.prefix}", name.strip(), known))
        kind = known[name.strip()]
        return kind, kind.parse(split_options(rest, f"{self.prefix}:{text}"))

    def as_dict(self) -> dict[str, Any]:
        """Return the kind as plain data."""
        return {
            "prefix": self.prefix,
            "form": self.form,
            "summary": self.summary,
            "notes": list(self.notes),
            "examples": list(self.examples),
            "extra": None if self.extra is None else self.extra[0],
            "agents": [kind.as_dict() for kind in self.agents],
        }


def split_command(text: str, windows: bool = os.name == "nt") -> tuple[dict[str, str], list[str]]:
    """Split a command as a shell does: settings NAME=value before the program, and its words.

    Raises `InvalidSpec`. A `~` before a word is the home folder; Windows has backslashes in paths.

    >>> split_command("Hash=64 ./engine --book 'my book'")
    ({'Hash': '64'}, ['./engine', '--book', 'my book'])
    """
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if windows:
        lexer.escape = ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise InvalidSpec(f"{printable(text)} is not a command: {str(error).lower()}") from None
    settings: dict[str, str] = {}
    while words and "=" in words[0] and not re.match(r"[./~\\]|[A-Za-z]:", words[0]):
        name, _, value = words.pop(0).partition("=")
        settings[name] = value
    return settings, [os.path.expanduser(w) if w.startswith("~") else w for w in words]  # noqa: PTH111 - works for any text


def check_command(text: str) -> None:
    """Raise `InvalidSpec` if a command does not name a program that can be run here."""
    _, words = split_command(text)
    if not words:
        raise InvalidSpec(f"{printable(text)} does not name a program")
    if shutil.which(words[0]) is not None:
        return
    path = Path(words[0])
    if not path.exists():
        raise InvalidSpec(f"there is no program {printable(words[0])}")
    if path.is_file() and path.suffix == ".py":
        raise InvalidSpec(f"{words[0]} is not a program by itself: give python {words[0]}")
    raise InvalidSpec(f"{printable(words[0])} cannot be run as a program")


def files_of_command(text: str) -> tuple[Path, ...]:
    """Return the files that a command names, including the program unless it is on the path."""
    words = _words_of(text)
    paths = [Path(word) for word in words]
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if words and (words[0] == sys.executable or str(paths[0].parent) in (".", *folders)):
        del paths[0]
    return tuple(path for path in paths if is_file(path))


def brief_command(text: str) -> str:
    """Return a short name for the program of a command.

    >>> brief_command("~/engines/rocket --threads 2")
    'rocket'
    """
    if files := files_of_command(text):
        return files[0].stem
    words = _words_of(text)
    return Path(words[0]).name if words else text


def _words_of(text: str) -> list[str]:
    """Return the words of a command; an empty list for a text that is no command."""
    with contextlib.suppress(InvalidSpec):
        return split_command(text)[1]
    return []


#: The most common problem of a silent program.
FLUSH = "does it flush each line, for example with fflush?"
#: The remedy for a slow start.
MORE = "a larger load_timeout gives it more time"


class Program(process.Process):
    """A running program: its input, its output in lines, and its stderr.

    Its stderr is passed to `on_output` while lines are awaited. `memory_mb` limits its memory if
    the system can. Raises `InvalidSpec` if it cannot be started. It is for one thread at a time.
    """

    def __init__(
        self, words: Sequence[str], on_output: Callable[[str], None], memory_mb: int | None = None
    ) -> None:
        try:
            with self._starting(memory_mb, on_output) as (group, ours, theirs):
                reads, writes = os.pipe()
                theirs.callback(os.close, reads)
                self._input = ours.enter_context(FileIO(writes, "w"))
                self._output, output = process.open_pipe(ours, theirs)
                aside, errors = process.open_pipe(ours, theirs)
                self._process = group.start(
                    group.program(words),
                    {"PYTHONUNBUFFERED": "1"},  # a Python program may forget to flush
                    stdin=reads,
                    stdout=output,
                    stderr=errors,
                )
        except process.NoMoreProcesses:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidSpec(f"{printable(words[0])} cannot be run: {reason}") from None
        self._received = bytearray()
        self._listen(self._output, aside)

    def send(self, line: str) -> None:
        """Send a line, and resume a suspended program. Raises `ChildEnded`."""
        self._write(lambda: _write_all(self._input, line.encode("utf-8", "replace") + b"\n"))

    def receive(self, deadline: float) -> str:
        """Return the next line, waited for until a moment of `time.perf_counter`.

        Raises `ChildTimeout` after it, `ChildEnded`, and `ChildProtocolError` for a long line.
        """
        while True:
            line = self._line()
            if line is not None:
                return line
            left = deadline - time.perf_counter()
            if not self._await(self._read, left) and left <= 0:
                raise process.ChildTimeout

    @contextlib.contextmanager
    def faults(self, late: str | None = None, output: str = "") -> Iterator[None]:
        """Raise a failure within the block as an `AgentFault`, and kill the program.

        `late` is the reason if no line has come; without it `ChildTimeout` is raised, and the
        program continues. `output` is added to reasons.
        """
        try:
            yield
        except process.ChildEnded as ended:
            raise fault_of(ended, output) from None
        except process.ChildProtocolError:
            self.kill()
            raise AgentFault("wrote a line without end") from None
        except process.ChildTimeout:
            if late is None:
                raise
            self.kill()
            raise AgentFault(f"{late}{output}", kind=FaultKind.STALL) from None
        except BaseException:
            self.kill()  # a late answer would be taken for the next one
            raise

    def end(self, farewell: str = "") -> None:
        """Send a last line, close its input, and kill it and its children if it does not exit."""
        if not self._finish.alive:
            return
        with contextlib.suppress(process.ChildEnded):
            if farewell:
                self.send(farewell)
        if self._finish.alive:
            self._group.resume()
            self._input.close()
            self._wait()
            self.kill()

    def _read(self) -> bool:
        data = self._output.read(CHUNK)
        self._received += data or b""
        return bool(data)

    def _line(self) -> str | None:
        at = self._received.find(b"\n")
        if at < 0:
            if len(self._received) > MAX_LINE:
                raise process.ChildProtocolError
            return None
        line = bytes(self._received[:at])
        del self._received[: at + 1]
        return line.decode("utf-8", "replace").rstrip("\r")


def _write_all(pipe: RawIOBase, data: bytes) -> None:
    while data:
        data = data[pipe.write(data) or 0 :]


class ProgramAgent(Agent):
    """The base of agents that are programs: the command, the spec, and the output of each game."""

    #: The attributes that a copy takes over.
    copied: tuple[str, ...] = ("name", "own_limit")

    def __init__(self, command: str, spec: str, sandbox: Sandbox) -> None:
        self.name = spec
        self._made_of = command, spec, sandbox
        self._load_timeout = sandbox.load_timeout
        self._output = OutputRelay(spec, sandbox)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of, {name: getattr(self, name) for name in self.copied}

    def reset(self) -> None:
        self._output.start_game()
