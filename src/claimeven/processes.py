"""Python processes that end with this one, and messages to and from them.

A child runs a module of this package in a fresh interpreter; the program's own main module is not
imported again, so a script needs no guard. Messages are bytes on pipes of their own; what the
child prints is no part of them.

No child outlives its parent. Each holds the reading end of a third pipe, its lifeline, on which
nothing is ever written: when the parent ends, however it does, the pipe closes, and the kernel (a
thread of the child where the kernel cannot) ends the child and the processes it has started.
POSIX only.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from claimeven import interrupts
from claimeven.cores import SharedCore

#: Where children can be had.
AVAILABLE = os.name == "posix"
#: Length of a message, before it.
_HEADER = struct.Struct("<I")
#: Bytes read at once, and of the longest message that is taken.
_CHUNK, _LONGEST = 1 << 16, 1 << 28
#: Seconds between two looks at whether a child that says nothing still lives.
_LOOK = 0.1
#: Seconds between two looks at one that is about to end.
_TICK = 0.002
#: Pieces of its last words that are read.
_PIECES = 64
#: In place of a file descriptor that is not there.
_NONE = -1
#: Seconds in which an answer is quick, quick ones in a row before one more is expected, and moves
#: after which the kernel may put the two elsewhere: onto a core that nobody uses by now.
_QUICK, _QUICK_ONES, _TOGETHER = 0.005, 3, 64
#: Seconds a child has to end by itself when it is no longer needed.
_FAREWELL = 0.5
#: Where Linux counts the processes it has ended because memory ran out, and under which name.
_COUNTS, _STARVED = Path("/proc/vmstat"), "oom_kill"
#: What a child runs: nothing is imported before it has the parent's path.
_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main({ends!r})"


class ChildEnded(Exception):
    """A child that has ended; the message says how: "exit status 3".

    `starved` says that the system ended it because memory had run out.
    """

    def __init__(self, how: str, starved: bool = False) -> None:
        super().__init__(how)
        self.starved = starved


class ChildSilent(Exception):
    """A child that has not answered in time."""


class ChildGarbled(Exception):
    """A child that has sent what is no message."""


class Child:
    """A child process, from the parent's side.

    `module` has a function `main` that is called with the ends of the pipes, for `Parent`.
    What the child prints goes to `printed`, in pieces as they come while messages are awaited;
    without `printed` it goes to our stderr. Not to be used by two threads at once.
    """

    def __init__(
        self,
        module: str,
        printed: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.printed = printed
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._received = bytearray()
        with interrupts.held_back():  # half a start would leave a process behind
            request_out, self._requests = os.pipe()
            self._answers, answer_in = os.pipe()
            lifeline_out, self._lifeline = os.pipe()
            self._output, output_in = os.pipe() if printed is not None else (_NONE, 2)
            self._ends = [self._requests, self._answers, self._lifeline, self._output]
            ends = (request_out, answer_in, lifeline_out)
            try:
                self._process = subprocess.Popen(
                    [
                        sys.executable,
                        "-c",
                        _START.format(path=sys.path, module=module, ends=ends),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=output_in,
                    stderr=output_in,
                    env={**os.environ, **(variables or {})},
                    pass_fds=ends,
                    start_new_session=True,
                )
            except BaseException:
                close_ends(self._ends)
                raise
            finally:
                close_ends([*ends, output_in if printed is not None else _NONE])
            self._finish = weakref.finalize(self, end_group, self._process, self._ends, os.getpid())
        self._starved_before = _starved()
        self._core = SharedCore(self._process.pid)
        self._quick = 0
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        if printed is not None:
            self._poll.register(self._output, select.POLLIN)

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was ended."""
        return not self._finish.alive or has_ended(self._process)

    @property
    def process(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def answers(self) -> int:
        """The file descriptor that becomes readable when a message arrives or the child ends."""
        return self._answers

    def send(self, message: bytes) -> None:
        """Send a message. Raises `ChildEnded`."""
        data = _HEADER.pack(len(message)) + message
        try:
            while data:
                data = data[os.write(self._requests, data) :]
        except BrokenPipeError:
            raise self._end_of_it() from None

    def receive(self, seconds: float | None = None) -> bytes:
        """Return the next message, waited for so many seconds.

        Raises `ChildSilent` when none has come by then, `ChildEnded`, and `ChildGarbled`.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            message = self._message()
            if message is not None:
                return message
            wait = _LOOK if deadline is None else min(_LOOK, max(0, deadline - time.monotonic()))
            ready = dict(self._poll.poll(wait * 1000))
            if self._output in ready:
                self._pass_on()
            if self._answers in ready:
                data = os.read(self._answers, _CHUNK)
                if not data:
                    raise self._end_of_it()
                self._received += data
            elif has_ended(self._process) and not select.select([self._answers], [], [], 0)[0]:
                raise self._end_of_it()
            elif deadline is not None and time.monotonic() >= deadline:
                raise ChildSilent

    def ask(self, message: bytes, seconds: float) -> bytes:
        """Send a message and return the next one, as `send` and `receive` do.

        A child that has answered quickly some times shares our core until it has answered again,
        for a few milliseconds at most: to wake another core would take longer than the messages.
        """
        if self._quick == _TOGETHER:
            self._core.part()
            self._quick = _QUICK_ONES - 1
        if self._quick < _QUICK_ONES:
            begin = time.monotonic()
            self.send(message)
            answer = self.receive(seconds)
            self._quick = self._quick + 1 if time.monotonic() - begin < _QUICK else 0
            return answer
        self._quick += 1
        try:
            self._core.share()
            self.send(message)
            return self.receive(min(seconds, _QUICK))
        except ChildSilent:
            self._quick = 0
            self._core.part()
            if seconds <= _QUICK:
                raise
        finally:
            self._core.release()
        return self.receive(seconds - _QUICK)

    def hang_up(self) -> None:
        """Say that there will be no more messages."""
        if self._requests in self._ends:
            self._ends.remove(self._requests)
            os.close(self._requests)

    def end(self) -> None:
        """End the child, and what it has started; by itself if it does so soon."""
        if self._finish.alive:
            self.hang_up()
            self._wait(_FAREWELL)
            self.kill()

    def kill(self) -> None:
        """End the child, and what it has started, at once."""
        if self._finish.alive:
            self._pass_on_the_rest()
            self._finish()

    def _message(self) -> bytes | None:
        """Take a whole message out of what was received."""
        received = self._received
        if len(received) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(received)
        if length > _LONGEST:
            raise ChildGarbled
        end = _HEADER.size + length
        if len(received) < end:
            return None
        message = bytes(received[_HEADER.size : end])
        del received[:end]
        return message

    def _pass_on(self) -> bool:
        """Hand over a piece of what was printed; whether there may be more."""
        data = os.read(self._output, _CHUNK)
        if not data:
            self._poll.unregister(self._output)
            os.close(self._output)
            self._ends.remove(self._output)
            self._output = _NONE
        elif self.printed is not None:
            self.printed(self._decode(data))
        return bool(data)

    def _pass_on_the_rest(self) -> None:
        """Hand over what has been printed and not been read, within reason."""
        for _ in range(_PIECES):
            if self._output == _NONE or not select.select([self._output], [], [], 0)[0]:
                return
            self._pass_on()

    def _wait(self, seconds: float) -> bool:
        """Wait for the child to end, so long at most; whether it has."""
        deadline = time.monotonic() + seconds
        while not has_ended(self._process):
            if time.monotonic() >= deadline:
                return False
            self._pass_on_the_rest()
            time.sleep(_TICK)
        return True

    def _end_of_it(self) -> ChildEnded:
        """Tell how it ended, as a child that has let go of its pipes does soon."""
        ended = self._wait(_FAREWELL)
        self.kill()
        if not ended:
            return ChildEnded("it let go of its connection")
        how = how_it_ended(self._process.returncode)
        if self._process.returncode != -signal.SIGKILL:
            return ChildEnded(how)
        starved, before = _starved(), self._starved_before
        if starved is None or before is None:
            return ChildEnded(f"{how}, perhaps for want of memory")
        if starved > before:
            return ChildEnded(f"{how}, for the system had run out of memory", starved=True)
        return ChildEnded(how)


class Parent:
    """The parent, from a child's side: messages, and the promise to end with it."""

    def __init__(self, ends: tuple[int, int, int]) -> None:
        self._requests, self._answers, lifeline = ends
        self._received = bytearray()
        self._process = os.getpid()
        for end in ends:
            os.set_inheritable(end, False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        _end_with(lifeline)

    def receive(self) -> bytes | None:
        """Return the next message, None when there will be no more."""
        header = self._read(_HEADER.size)
        return None if header is None else self._read(*_HEADER.unpack(header))

    def send(self, message: bytes) -> None:
        """Send a message. A process forked from the one that has this parent ends instead."""
        if os.getpid() != self._process:
            os._exit(0)
        data = _HEADER.pack(len(message)) + message
        while data:
            data = data[os.write(self._answers, data) :]

    def _read(self, length: int) -> bytes | None:
        while len(self._received) < length:
            data = os.read(self._requests, _CHUNK)
            if not data:
                return None
            self._received += data
        taken = bytes(self._received[:length])
        del self._received[:length]
        return taken


def _end_with(lifeline: int) -> None:
    """End this process and its group when the other end of a pipe closes."""
    import fcntl  # noqa: PLC0415 - POSIX only, as is all this

    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
        if select.select([lifeline], [], [], 0)[0]:
            os._exit(1)  # it was closed already
        return

    def watch() -> None:
        os.read(lifeline, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _starved() -> int | None:
    """Return how many processes the system has ended for want of memory; None if unknown."""
    with contextlib.suppress(OSError, ValueError):
        for line in _COUNTS.read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == _STARVED:
                return int(count)
    return None


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; it stays a zombie, so that its number is not given away."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, process.pid, flags) is not None
    except ChildProcessError:
        return True


def end_group(process: subprocess.Popen[bytes], ends: list[int], owner: int) -> None:
    """Kill a process with its group and close our ends of its pipes."""
    if os.getpid() != owner:
        return  # a copy of the owner, forked from it
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    close_ends(ends)


def close_ends(ends: list[int]) -> None:
    """Close file descriptors, and forget them."""
    while ends:
        end = ends.pop()
        if end != _NONE:
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
