"""Child processes: their output, their messages, and their end.

`Child` runs a module of this package in a new interpreter and exchanges messages with it. The main
module of the program is not imported again, so a script needs no guard. The printed output of a
child is separate from its messages. No process outlives its parent; see `posix` and `windows`.
"""

from __future__ import annotations

import codecs
import os
import selectors
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import FileIO, RawIOBase

from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts
from claimeven.parallel.connection import (
    CHUNK,
    MAX_MESSAGE,
    Connection,
    InvalidMessage,
    Selector,
    can_read,
)
from claimeven.parallel.system import backend

#: Seconds between two checks whether a silent process still runs.
POLL_INTERVAL = 0.1
#: Seconds that a process has to exit by itself, and between two checks for its exit.
_EXIT_TIMEOUT, _EXIT_POLL = 0.5, 0.002
#: Environment of a child of one core: several threads in each child would take five times as long.
ONE_CORE = dict.fromkeys((
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
), "1")  # fmt: skip
#: The program of a child: it takes over the parent's path before any other import.
_START = (
    "import sys; sys.path[:] = {path!r}; from {module} import main;"
    " from claimeven.parallel.connection import Parent; main(Parent({end}, {lifeline}))"
)


class ChildEnded(Exception):
    """A process is over; the message says how: "exit status 3".

    `out_of_memory` is set if the system killed it because memory had run out.
    """

    def __init__(self, how: str, out_of_memory: bool = False) -> None:
        super().__init__(how)
        self.out_of_memory = out_of_memory


class ChildGone(ChildEnded):
    """A process was over before it read the whole message."""


class ChildTimeout(Exception):
    """A process has not answered in time."""


class ChildProtocolError(Exception):
    """A process has sent bytes that are not an answer."""


class NoMoreProcesses(ClaimevenError):
    """A process cannot be started: the message names the system limit that was reached."""


class Process:
    """A running process and our ends of its pipes.

    Its printed output is passed to `on_output` in pieces, while answers are awaited and at its end,
    then at most `_last_pieces`. One thread may wait for answers while another one sends or kills.
    """

    _last_pieces = 1
    _process: subprocess.Popen[bytes]

    @contextmanager
    def _starting(
        self, memory_mb: int | None, on_output: Callable[[str], None] | None
    ) -> Iterator[tuple[backend.Group, ExitStack, ExitStack]]:
        """Yield the group of a new process, and two stacks for the ends of its pipes: ours close at
        its end, its own after its start. All are closed if the start fails. Raises
        `NoMoreProcesses`.
        """
        with interrupts.deferred(), ExitStack() as ours, ExitStack() as theirs:
            try:
                self._group = group = backend.Group(memory_mb)
                ours.callback(group.close)
                theirs.callback(group.started)
                yield group, ours, theirs
            except OSError as error:
                limit = backend.explain_limit(error)
                if limit is None:
                    raise
                raise NoMoreProcesses(f"no more processes can be started: {limit}") from None
            ends = ours.pop_all()
        self.on_output = on_output
        self._owner = os.getpid()
        self._finish = weakref.finalize(self, _end, group, ends)
        self._oom_kills_before = backend.count_oom_kills()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._selector = Selector()

    def _listen(self, answers: RawIOBase | Connection, output: RawIOBase | None) -> None:
        """Wait for answers at one end, and for printed output at another."""
        self._answers, self._printed = answers, output
        for end in (answers, output):
            if end is not None:
                self._selector.register(end, selectors.EVENT_READ)

    @property
    def ended(self) -> bool:
        """Whether it is over; always true in a fork of its parent."""
        return os.getpid() != self._owner or backend.has_ended(self._process)

    @property
    def process(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """Kill it immediately, with all processes it has started."""
        if self._finish.alive:
            if os.getpid() == self._owner:
                self._pass_on_rest()
            self._finish()

    def suspend(self) -> None:
        """Stop its group until the next message to it; on Linux only."""
        if self._finish.alive:
            self._group.stop()

    def _write(self, send: Callable[[], object]) -> None:
        """Call `send`. Raises `ChildEnded`, `ChildGone` if it was over before, `ChildTimeout`."""
        if os.getpid() != self._owner:
            raise ChildGone("it belongs to the process that this one was forked from")
        if not self._finish.alive:
            raise self._exit_error(ChildGone)
        self._group.resume()
        try:
            send()
        except TimeoutError:
            raise ChildTimeout from None
        except (OSError, ValueError):
            raise self._exit_error(ChildGone) from None

    def _await(self, read: Callable[[], bool], seconds: float) -> bool:
        """Wait `seconds` for its answers and read them; whether any came. Raises `ChildEnded`."""
        if not self._finish.alive:
            raise self._exit_error()
        ready = self._selector.select(min(POLL_INTERVAL, max(0.0, seconds)))
        has_answers = False
        for key, _ in ready:
            if key.fileobj is self._answers:
                has_answers = True
            else:
                self._pass_on()
        if not has_answers:
            if backend.has_ended(self._process) and not can_read(self._answers):
                raise self._exit_error()
            return False
        try:
            if read():
                return True
        except ConnectionResetError:
            raise self._exit_error(ChildGone) from None  # it had not read all that was sent
        except (OSError, ValueError):
            pass  # another thread has killed it
        raise self._exit_error()

    def _pass_on(self) -> None:
        assert self._printed is not None
        try:
            data = self._printed.read(CHUNK)
        except (OSError, ValueError):  # another thread has killed it
            data = None
        if not data:
            self._selector.unregister(self._printed)
            self._printed = None
        elif self.on_output is not None:
            self.on_output(self._decode(data))

    def _pass_on_rest(self) -> None:
        for _ in range(self._last_pieces):
            if self._printed is None or not can_read(self._printed):
                return
            self._pass_on()

    def _wait(self) -> bool:
        """Wait a moment for it to end; whether it has."""
        deadline = time.perf_counter() + _EXIT_TIMEOUT
        while not backend.has_ended(self._process):
            if time.perf_counter() >= deadline:
                return False
            self._pass_on_rest()
            time.sleep(_EXIT_POLL)
        return True

    def _exit_error(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Return the error for its end; a process that has closed its pipes ends soon."""
        ended = self._wait()
        self.kill()
        if not ended:
            return ChildEnded("it closed its output")
        status = self._process.wait()  # another thread may be killing it
        return kind(*backend.describe_exit(status, self._oom_kills_before))


def _end(group: backend.Group, ends: ExitStack) -> None:
    group.kill()
    ends.close()


def open_pipe(ours: ExitStack, theirs: ExitStack) -> tuple[RawIOBase, int]:
    """Return our reading end of a new pipe, and the file number of the writing end."""
    reads, writes = os.pipe()
    theirs.callback(os.close, writes)
    return ours.enter_context(backend.selectable(FileIO(reads))), writes


class Child(Process):
    """A child process that runs a module of this package, and its messages.

    `module` has a function `main` that is called with a `Parent`. The child's printed output is
    passed to `on_output`, by default to our stderr. A message from it has at most `max_message`
    bytes. On Windows `memory_mb` limits its memory; on other systems `main` must call
    `limit_memory`. Raises `NoMoreProcesses`.
    """

    _last_pieces = 64

    def __init__(
        self,
        module: str,
        on_output: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        max_message: int = MAX_MESSAGE,
        memory_mb: int | None = None,
    ) -> None:
        output: RawIOBase | None = None
        with self._starting(memory_mb, on_output) as (group, ours, theirs):
            our_end, their_end = socket.socketpair()
            ours.enter_context(our_end)
            theirs.enter_context(their_end)
            writes = sys.__stderr__.fileno() if sys.__stderr__ else 2
            if on_output is not None:
                output, writes = open_pipe(ours, theirs)
            program, more = backend.python()
            end, lifeline = their_end.fileno(), group.lifeline
            start = _START.format(path=sys.path, module=module, end=end, lifeline=lifeline)
            self._process = group.start(
                [program, "-c", start],
                {**(variables or {}), **more},
                their_end,
                stdin=subprocess.DEVNULL,
                stdout=writes,
                stderr=writes,
            )
            self._end = our_end
            self._connection = Connection(our_end, max_message)
        self._listen(self._connection, output)

    def fileno(self) -> int:
        """Return the file number, readable when a message arrives or the child ends."""
        return self._connection.fileno()

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message, and resume a suspended child.

        Raises `ChildGone`, and `ChildTimeout` if the child has not read the message within
        `seconds`: then it can only be killed.
        """
        self._write(lambda: self._connection.send(message, seconds))

    def receive(self, seconds: float | None = None) -> bytes:
        """Return the next message.

        Raises `ChildTimeout` after `seconds`, `ChildEnded`, and `ChildProtocolError`.
        """
        deadline = None if seconds is None else time.perf_counter() + seconds
        while True:
            try:
                message = self._connection.take()
            except InvalidMessage:
                raise ChildProtocolError from None
            if message is not None:
                return message
            left = POLL_INTERVAL if deadline is None else deadline - time.perf_counter()
            if not self._await(self._connection.read, left) and deadline is not None and left <= 0:
                raise ChildTimeout

    def close_input(self) -> None:
        """Close the child's input: there will be no more messages."""
        if self._finish.alive:
            self._group.resume()
            self._end.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """Let the child exit, then kill it and all processes it has started."""
        if self._finish.alive:
            self.close_input()
            self._wait()
            self.kill()

    def _exit_error(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Return the error for its end: `ChildGone` if it has not read the last message."""
        is_unread = self._finish.alive and backend.has_unread(self._end)
        return super()._exit_error(ChildGone if is_unread else kind)
