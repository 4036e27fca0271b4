"""A process that we started, seen from here: what it writes, how it ends, and that it ends.

`Child` runs a module of this package in a new interpreter and exchanges messages with it. The
program's own main module is not imported again, so a script needs no guard. What a child prints is
not part of its messages. No process outlives its parent, however that ends; see `posix` and
`windows` for how.
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

#: Seconds between two looks whether a process that sends nothing still runs.
LOOK = 0.1
#: Seconds that a process has to end by itself when it is no longer needed, and between two looks.
_FAREWELL, _TICK = 0.5, 0.002
#: Environment of a child that is one core's worth of work. Several children with several threads
#: each would take five times as long.
ONE_CORE = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)
#: What a child runs: it imports nothing before it has the parent's path.
_START = (
    "import sys; sys.path[:] = {path!r}; from {module} import main;"
    " from claimeven.parallel.worker import Parent; main(Parent({end}, {lifeline}))"
)


class ChildEnded(Exception):
    """A process that has ended; the message says how: "exit status 3".

    `starved` says that the system ended it because memory had run out.
    """

    def __init__(self, how: str, starved: bool = False) -> None:
        super().__init__(how)
        self.starved = starved


class ChildGone(ChildEnded):
    """A process that had ended before it was written to, or before it read what was written."""


class ChildSilent(Exception):
    """A process that has not answered in time."""


class ChildGarbled(Exception):
    """A process that has sent something else than an answer."""


class NoMoreProcesses(ClaimevenError):
    """A process that cannot be started because a limit of the system is reached; it names which."""


class Process:
    """A running process and our ends of its pipes.

    What it writes besides its answers goes to `printed` in pieces, while answers are awaited and at
    its end: `_last_pieces` at most then. One thread may wait for answers while another one sends or
    kills.
    """

    _last_pieces = 1
    _process: subprocess.Popen[bytes]

    @contextmanager
    def _starting(
        self, memory_mb: int | None, printed: Callable[[str], None] | None
    ) -> Iterator[tuple[backend.Group, ExitStack, ExitStack]]:
        """Set a process up: yield its group, and what to close at its end and after its start.

        Whatever fails, nothing stays open. Raises `NoMoreProcesses`.
        """
        with interrupts.put_off(), ExitStack() as ours, ExitStack() as theirs:
            try:
                self._group = group = backend.Group(memory_mb)
                ours.callback(group.close)
                theirs.callback(group.started)
                yield group, ours, theirs
            except OSError as error:
                limit = backend.reached_limit(error)
                if limit is None:
                    raise
                raise NoMoreProcesses(f"no more processes can be started: {limit}") from None
            ends = ours.pop_all()
        self.printed = printed
        self._owner = os.getpid()
        self._finish = weakref.finalize(self, _end, group, ends)
        self._starved_before = backend.count_starved()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._selector = Selector()

    def _listen(self, answers: RawIOBase | Connection, aside: RawIOBase | None) -> None:
        """Wait for answers at one end, and for what else it writes at another."""
        self._answers, self._aside = answers, aside
        for end in (answers, aside):
            if end is not None:
                self._selector.register(end, selectors.EVENT_READ)

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was ended; to a fork of its parent it is as if it had."""
        return os.getpid() != self._owner or backend.has_ended(self._process)

    @property
    def process(self) -> int:
        """The number of the process."""
        return self._process.pid

    def kill(self) -> None:
        """End it immediately, with all it has started."""
        if self._finish.alive:
            if os.getpid() == self._owner:
                self._pass_on_the_rest()
            self._finish()

    def stand_still(self) -> None:
        """Stop it with all in its group until something is sent to it, on Linux."""
        if self._finish.alive:
            self._group.stop()

    def _write(self, send: Callable[[], object]) -> None:
        """Send it something. Raises `ChildEnded`, a `ChildGone` if it had ended before, and
        `ChildSilent`.
        """
        if os.getpid() != self._owner:
            raise ChildGone("it belongs to the process that this one was forked from")
        if not self._finish.alive:
            raise self._end_of_it(ChildGone)
        self._group.resume()
        try:
            send()
        except TimeoutError:
            raise ChildSilent from None
        except (OSError, ValueError):
            raise self._end_of_it(ChildGone) from None

    def _await(self, read: Callable[[], bool], seconds: float) -> bool:
        """Wait so long for more of its answers and read them; whether there were any.

        Raises `ChildEnded`.
        """
        if not self._finish.alive:
            raise self._end_of_it()
        ready = self._selector.select(min(LOOK, max(0.0, seconds)))
        has_answers = False
        for key, _ in ready:
            if key.fileobj is self._answers:
                has_answers = True
            else:
                self._pass_on()
        if not has_answers:
            if backend.has_ended(self._process) and not can_read(self._answers):
                raise self._end_of_it()
            return False
        try:
            if read():
                return True
        except ConnectionResetError:
            raise self._end_of_it(ChildGone) from None  # it had not read all that was sent
        except (OSError, ValueError):
            pass  # another thread has ended it
        raise self._end_of_it()

    def _pass_on(self) -> None:
        """Hand over a piece of what it wrote besides its answers."""
        assert self._aside is not None
        try:
            data = self._aside.read(CHUNK)
        except (OSError, ValueError):  # another thread has ended it
            data = None
        if not data:
            self._selector.unregister(self._aside)
            self._aside = None
        elif self.printed is not None:
            self.printed(self._decode(data))

    def _pass_on_the_rest(self) -> None:
        for _ in range(self._last_pieces):
            if self._aside is None or not can_read(self._aside):
                return
            self._pass_on()

    def _wait(self) -> bool:
        """Wait a little for it to end; whether it has."""
        deadline = time.perf_counter() + _FAREWELL
        while not backend.has_ended(self._process):
            if time.perf_counter() >= deadline:
                return False
            self._pass_on_the_rest()
            time.sleep(_TICK)
        return True

    def _end_of_it(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Return how it ended, as a process that has closed its pipes does soon."""
        ended = self._wait()
        self.kill()
        if not ended:
            return ChildEnded("it closed its output")
        status = self._process.wait()  # another thread may be ending it
        return kind(*backend.how_it_ended(status, self._starved_before))


def _end(group: backend.Group, ends: ExitStack) -> None:
    group.kill()
    ends.close()


def open_pipe(ours: ExitStack, theirs: ExitStack) -> tuple[RawIOBase, int]:
    """Return our reading end of a new pipe, and the number of the end that a process writes to."""
    reads, writes = os.pipe()
    theirs.callback(os.close, writes)
    return ours.enter_context(backend.readable(FileIO(reads))), writes


class Child(Process):
    """A child that runs a module of this package, and messages to and from it.

    `module` has a function `main` that is called with a `worker.Parent`. What the child prints goes
    to `printed`, without it to our stderr. `max_message` are the bytes of the longest message that
    is taken. On Windows `memory_mb` bounds its memory, elsewhere `main` does (`limit_memory`).
    Raises `NoMoreProcesses`.
    """

    _last_pieces = 64

    def __init__(
        self,
        module: str,
        printed: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        max_message: int = MAX_MESSAGE,
        memory_mb: int | None = None,
    ) -> None:
        aside: RawIOBase | None = None
        with self._starting(memory_mb, printed) as (group, ours, theirs):
            our_end, their_end = socket.socketpair()
            ours.enter_context(our_end)
            theirs.enter_context(their_end)
            writes = sys.__stderr__.fileno() if sys.__stderr__ else 2
            if printed is not None:
                aside, writes = open_pipe(ours, theirs)
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
        self._listen(self._connection, aside)

    def fileno(self) -> int:
        """Return the number that becomes readable when a message arrives or the child ends."""
        return self._connection.fileno()

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message, and let the child go on if it stands still.

        Raises `ChildGone`, and `ChildSilent` if the child has not read it in so many seconds: then
        it can only be ended.
        """
        self._write(lambda: self._connection.send(message, seconds))

    def receive(self, seconds: float | None = None) -> bytes:
        """Return the next message, waited for so many seconds.

        Raises `ChildSilent` when none has come by then, `ChildEnded`, and `ChildGarbled`.
        """
        deadline = None if seconds is None else time.perf_counter() + seconds
        while True:
            try:
                message = self._connection.take()
            except InvalidMessage:
                raise ChildGarbled from None
            if message is not None:
                return message
            left = LOOK if deadline is None else deadline - time.perf_counter()
            if not self._await(self._connection.read, left) and deadline is not None and left <= 0:
                raise ChildSilent

    def hang_up(self) -> None:
        """Say that there will be no more messages."""
        if self._finish.alive:
            self._group.resume()
            self._end.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """End the child, and what it has started; by itself if it does so soon."""
        if self._finish.alive:
            self.hang_up()
            self._wait()
            self.kill()

    def _end_of_it(self, kind: type[ChildEnded] = ChildEnded) -> ChildEnded:
        """Return how it ended. A message that a fork of it might still read came after its end."""
        is_unread = self._finish.alive and backend.has_unread(self._end)
        return super()._end_of_it(ChildGone if is_unread else kind)
