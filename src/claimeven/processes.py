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

import contextlib
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping

from claimeven import interrupts
from claimeven.watched import (
    CHUNK,
    LOOK,
    NONE,
    ChildEnded,
    ChildGarbled,
    ChildGone,
    ChildSilent,
    Mark,
    NoMoreProcesses,
    WatchedProcess,
    can_read,
    close_ends,
    open_pipes,
    tie,
)

__all__ = [
    "AVAILABLE",
    "ONE_CORE",
    "Child",
    "ChildEnded",
    "ChildGarbled",
    "ChildGone",
    "ChildSilent",
    "NoMoreProcesses",
    "Parent",
]

#: Of the environment of a child that is one core's worth of work: one thread multiplies matrices.
#: Several such children would else be in each other's way, and take five times as long.
ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: Where children can be had.
AVAILABLE = os.name == "posix"
#: Length of a message, before it.
_HEADER = struct.Struct("<I")
#: Bytes of the longest message that is taken, unless a child may send less.
_MAX_MESSAGE = 1 << 28
#: Pieces of a child's last words that are read.
_PIECES = 64
#: What a child runs: nothing is imported before it has the parent's path.
_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main({ends!r})"


class Child(WatchedProcess):
    """A child process, from the parent's side.

    `module` has a function `main` that is called with the ends of the pipes, for `Parent`.
    What the child prints goes to `printed`, in pieces as they come while messages are awaited;
    without `printed` it goes to our stderr. `max_message` are the bytes of the longest message that
    is taken. Raises `NoMoreProcesses`. Not to be used by two threads at once.
    """

    def __init__(
        self,
        module: str,
        printed: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        max_message: int = _MAX_MESSAGE,
    ) -> None:
        self._max_message = max_message
        mark = Mark()
        with interrupts.held_back():  # half a start would leave a process behind
            (
                (request_out, self._requests),
                (answers, answer_in),
                (lifeline_out, lifeline),
                (aside, aside_in),
            ) = [*open_pipes(3), (NONE, 2)] if printed is None else open_pipes(4)
            ours = [self._requests, answers, lifeline, aside]
            ends = (request_out, answer_in, lifeline_out)
            try:
                process = subprocess.Popen(
                    [
                        sys.executable,
                        "-c",
                        _START.format(path=sys.path, module=module, ends=ends),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=aside_in,
                    stderr=aside_in,
                    env={**os.environ, **(variables or {}), **mark.variables},
                    pass_fds=ends,
                    start_new_session=True,
                )
            except BaseException as error:
                close_ends(ours)
                raise NoMoreProcesses.of(error) from None
            finally:
                close_ends([*ends, aside_in if printed is not None else NONE])
            super().__init__(process, ours, answers, aside, printed, _PIECES, mark)

    @property
    def answers(self) -> int:
        """The file descriptor that becomes readable when a message arrives or the child ends."""
        return self._answers

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message. Raises `ChildGone`, and `ChildSilent` where the child has not read it
        in so many seconds: then it can only be ended.
        """
        self.go_on()
        self._write(self._requests, _HEADER.pack(len(message)) + message, seconds)

    def receive(self, seconds: float | None = None) -> bytes:
        """Return the next message, waited for so many seconds.

        Raises `ChildSilent` when none has come by then, `ChildEnded`, and `ChildGarbled`.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            message = self._message()
            if message is not None:
                return message
            left = LOOK if deadline is None else deadline - time.monotonic()
            if not self._await(left) and deadline is not None and time.monotonic() >= deadline:
                raise ChildSilent

    def hang_up(self) -> None:
        """Say that there will be no more messages."""
        if self._requests in self._ends:
            self.go_on()
            self._let_go(self._requests)

    def end(self) -> None:
        """End the child, and what it has started; by itself if it does so soon."""
        if self._finish.alive:
            self.hang_up()
            self._wait()
            self.kill()

    def _end_of_it(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Tell how it ended; what it was sent last and did not read came after its end.

        Where it has forked there is still somebody who might, so that it could be sent.
        """
        return super()._end_of_it(ChildGone if self._has_unread() else kind)

    def _has_unread(self) -> bool:
        """Whether something that was sent is still to be read."""
        if self._requests not in self._ends:
            return False
        import fcntl  # noqa: PLC0415 - POSIX only, as is all this
        import termios  # noqa: PLC0415 - likewise

        with contextlib.suppress(OSError):  # a system that cannot tell
            return any(fcntl.ioctl(self._requests, termios.FIONREAD, bytes(4)))
        return False

    def _message(self) -> bytes | None:
        """Take a whole message out of what was received."""
        received = self._received
        if len(received) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(received)
        if length > self._max_message:
            raise ChildGarbled
        end = _HEADER.size + length
        if len(received) < end:
            return None
        message = bytes(received[_HEADER.size : end])
        del received[:end]
        return message


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
            data = os.read(self._requests, CHUNK)
            if not data:
                return None
            self._received += data
        taken = bytes(self._received[:length])
        del self._received[:length]
        return taken


def _end_with(lifeline: int) -> None:
    """End this process and its group when the other end of a pipe closes."""
    if tie(lifeline, os.getpgrp()):
        if can_read(lifeline):
            os._exit(1)  # it was closed already
        return

    def watch() -> None:
        os.read(lifeline, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
