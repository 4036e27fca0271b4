"""A process that was started, from the side of who started it: what it says aside, and its end.

It is the head of a group of its own and is ended with all that it has started. `processes` has
children that speak in messages; programs of others are spoken to in lines. POSIX only.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from claimeven.errors import ClaimevenError

#: Bytes read at once.
CHUNK = 1 << 16
#: Seconds between two looks at whether one that says nothing still lives.
LOOK = 0.1
#: Seconds one has to end by itself when it is no longer needed.
FAREWELL = 0.5
#: In place of a file descriptor that is not there.
NONE = -1
#: Where Linux has a folder for each process, and how often it is looked through for more.
_PROCESSES, _ROUNDS = "/proc", 10
#: Whether a process that was stopped can be ended by the kernel when we end.
_STOPS = sys.platform == "linux"
#: Seconds between two looks at one that is about to end.
_TICK = 0.002
#: How `os.waitid` is asked whether a process has ended; None where there is no such call.
_ENDED_YET = os.WEXITED | os.WNOHANG | os.WNOWAIT if hasattr(os, "waitid") else None
#: Where Linux counts the processes it has ended because memory ran out, and under which name.
_COUNTS, _STARVED = Path("/proc/vmstat"), "oom_kill"


class ChildEnded(Exception):
    """A process that has ended; the message says how: "exit status 3".

    `starved` says that the system ended it because memory had run out.
    """

    def __init__(self, how: str, starved: bool = False) -> None:
        super().__init__(how)
        self.starved = starved


class NoMoreProcesses(ClaimevenError):
    """A process that cannot be started, since a limit of the system is reached; it names which."""

    @classmethod
    def of(cls, error: BaseException) -> BaseException:
        """Return an error of a start that failed: this one where a limit is the reason."""
        if not isinstance(error, OSError):
            return error
        if error.errno in (errno.EMFILE, errno.ENFILE):
            import resource  # noqa: PLC0415 - POSIX only, as is all this

            files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            return cls(
                f"no more processes can be started: the system allows {files} open files at a time"
                f" (ulimit -n); ulimit -n {max(1024, 4 * files)} allows more, and fewer agents or"
                " jobs need fewer"
            )
        if error.errno == errno.EAGAIN:
            return cls(
                "no more processes can be started: the system allows no more of them (ulimit -u, or"
                " the limit of a container); fewer agents or jobs need fewer"
            )
        return error


class ChildGone(ChildEnded):
    """A process that had ended before it was written to, or before it read what was written."""


class ChildSilent(Exception):
    """A process that has not answered in time."""


class ChildGarbled(Exception):
    """A process that has sent what is no answer."""


class Mark:
    """A name in the variables of a process by which all that it starts is found, wherever it goes.

    A mark begins with the one of the process that started it.
    """

    _NAME = "CLAIMEVEN_STARTED_BY"

    def __init__(self) -> None:
        before = os.environ.get(self._NAME, "")
        self.variables = {self._NAME: f"{before}/{os.getpid()}-{os.urandom(4).hex()}"}

    def kill_all(self) -> None:
        """End all processes that bear it, where Linux tells of them.

        Most are in the group of the process and have ended with it: these are those in groups or
        sessions of their own.
        """
        for _ in range(_ROUNDS):
            found = list(self._bearers())
            for process in found:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            if not found:
                return

    def _bearers(self) -> Iterator[int]:
        [(name, value)] = self.variables.items()
        variable = os.fsencode(f"\0{name}={value}")
        with contextlib.suppress(OSError):
            for entry in os.scandir(_PROCESSES):
                if entry.name.isdigit():
                    with contextlib.suppress(OSError):  # it has ended, or is not ours
                        held = b"\0" + Path(entry.path, "environ").read_bytes()
                        _, found, rest = held.partition(variable)
                        if found and rest[:1] in (b"\0", b"/", b""):
                            yield int(entry.name)


class WatchedProcess:
    """A process at the head of a group of its own, and our ends of its pipes.

    `answers` is read for what it answers, `aside` (or `NONE`) for what else it says, which goes to
    `printed` in pieces as they come while answers are awaited. What it said last, before its end,
    is read too: so many `pieces` of it at most. Not to be used by two threads at once.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        ends: list[int],
        answers: int,
        aside: int,
        printed: Callable[[str], None] | None,
        pieces: int,
        mark: Mark,
    ) -> None:
        self.printed = printed
        self._process = process
        self._ends = ends
        self._answers = answers
        self._aside = aside
        self._pieces = pieces
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._received = bytearray()
        self._owner = os.getpid()
        self._stands_still = False
        self._finish = weakref.finalize(self, _end_group, process, ends, self._owner, mark)
        self._starved_before = _starved()
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)
        if aside != NONE:
            self._poll.register(aside, select.POLLIN)

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was ended; to a fork of its parent it is as if it had."""
        return os.getpid() != self._owner or has_ended(self._process)

    @property
    def process(self) -> int:
        """The number of the process."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once, with all it has started."""
        if self._finish.alive:
            if os.getpid() == self._owner:
                self._pass_on_the_rest()
            self._finish()

    def stand_still(self) -> None:
        """Stop it with all in its group until it is to `go_on`, where it would end all the same if
        we did: on Linux.
        """
        if _STOPS and self._finish.alive:
            self._stands_still = True
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on if it was made to stand still."""
        if self._stands_still and self._finish.alive:
            self._stands_still = False
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGCONT)

    def _check_open(self, end: int) -> None:
        """Raise `ChildEnded` if one of our ends was closed: its number may be another file's."""
        if end not in self._ends:
            raise self._end_of_it()

    def _let_go(self, end: int) -> None:
        """Close one of our ends of its pipes."""
        self._ends.remove(end)
        os.close(end)

    def _write(self, end: int, data: bytes, seconds: float | None = None) -> None:
        """Write all of some bytes to it. Raises `ChildEnded`, a `ChildGone` if it had ended before,
        and `ChildSilent` where it has not read them in so many seconds.
        """
        if os.getpid() != self._owner:
            raise ChildGone("it belongs to the process that this one was forked from")
        if end not in self._ends:
            raise self._end_of_it(ChildGone)
        try:
            written = os.write(end, data) if seconds is None else 0
            if written == len(data):
                return
            deadline = None if seconds is None else time.monotonic() + seconds
            rest = memoryview(data)[written:]
            while rest:
                if deadline is not None:
                    _await_room(end, deadline - time.monotonic())
                most = len(rest) if deadline is None else select.PIPE_BUF
                rest = rest[os.write(end, rest[:most]) :]
        except OSError:
            raise self._end_of_it(ChildGone) from None

    def _await(self, seconds: float) -> bool:
        """Wait so long for more of its answers, and take them in; whether there were any.

        Raises `ChildEnded`.
        """
        self._check_open(self._answers)
        answers = False
        for end, _ in self._poll.poll(1000 * min(LOOK, max(0.0, seconds))):
            if end == self._answers:
                answers = True
            else:
                self._pass_on()
        if answers:
            data = os.read(self._answers, CHUNK)
            if not data:
                raise self._end_of_it()
            self._received += data
            return True
        if has_ended(self._process) and not can_read(self._answers):
            raise self._end_of_it()
        return False

    def _pass_on(self) -> None:
        """Hand over a piece of what it said aside."""
        data = os.read(self._aside, CHUNK)
        if not data:
            self._poll.unregister(self._aside)
            self._let_go(self._aside)
            self._aside = NONE
        elif self.printed is not None:
            self.printed(self._decode(data))

    def _pass_on_the_rest(self) -> None:
        """Hand over what it has said and nobody has read, within reason."""
        for _ in range(self._pieces):
            if self._aside == NONE or not can_read(self._aside):
                return
            self._pass_on()

    def _wait(self) -> bool:
        """Wait a little for it to end; whether it has."""
        deadline = time.monotonic() + FAREWELL
        while not has_ended(self._process):
            if time.monotonic() >= deadline:
                return False
            self._pass_on_the_rest()
            time.sleep(_TICK)
        return True

    def _end_of_it(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Tell how it ended, as one that has let go of its pipes does soon; `kind` says when."""
        ended = self._wait()
        self.kill()
        if not ended:
            return ChildEnded("it closed its output")
        how = how_it_ended(self._process.returncode)
        if self._process.returncode != -signal.SIGKILL:
            return kind(how)
        starved, before = _starved(), self._starved_before
        if starved is None or before is None:
            return kind(f"{how}, perhaps for want of memory")
        if starved > before:
            return kind(f"{how}, for the system had run out of memory", starved=True)
        return kind(how)


def can_read(end: int) -> bool:
    """Whether a pipe holds anything or was closed; `select.select` knows no number above 1023."""
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(0))


def _await_room(end: int, seconds: float) -> None:
    """Wait until a pipe takes `PIPE_BUF` bytes. Raises `ChildSilent`."""
    poll = select.poll()
    poll.register(end, select.POLLOUT)
    if not poll.poll(1000 * max(0.0, seconds)):
        raise ChildSilent


def tie(lifeline: int, group: int) -> bool:
    """Let the kernel end a group when the other end of a pipe closes; whether it can."""
    import fcntl  # noqa: PLC0415 - POSIX only, as is all this

    if not hasattr(fcntl, "F_SETSIG"):
        return False
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -group)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
    return True


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; it stays a zombie, so that its number is not given away."""
    if process.returncode is not None:
        return True
    if _ENDED_YET is None:
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, _ENDED_YET) is not None
    except ChildProcessError:
        return True


def open_pipes(number: int) -> list[tuple[int, int]]:
    """Open so many pipes; none stays open if there is no room for all. Raises `NoMoreProcesses`."""
    made: list[tuple[int, int]] = []
    try:
        for _ in range(number):
            made.append(os.pipe())
    except OSError as error:
        close_ends([end for pipe in made for end in pipe])
        raise NoMoreProcesses.of(error) from None
    return made


def close_ends(ends: list[int]) -> None:
    """Close file descriptors, and forget them."""
    while ends:
        end = ends.pop()
        if end != NONE:
            os.close(end)


def how_it_ended(status: int) -> str:
    """Say how a process ended that left this status.

    >>> how_it_ended(3), how_it_ended(-9)
    ('exit status 3', 'signal SIGKILL')
    """
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _end_group(process: subprocess.Popen[bytes], ends: list[int], owner: int, mark: Mark) -> None:
    """Kill a process with all it has started, and close our ends of its pipes."""
    if os.getpid() == owner:  # and no copy of it
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        mark.kill_all()
    close_ends(ends)


def _starved() -> int | None:
    """Return how many processes the system has ended for want of memory; None if unknown."""
    with contextlib.suppress(OSError, ValueError):
        for line in _COUNTS.read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == _STARVED:
                return int(count)
    return None
