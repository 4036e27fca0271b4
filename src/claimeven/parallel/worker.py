"""The side of a child: messages with its parent, and jobs that can be stopped at any moment."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from claimeven.parallel.connection import Connection, pack, unpack
from claimeven.parallel.system import backend


class Parent:
    """The parent of a child process: messages, and the end of the child with its parent."""

    def __init__(self, end: int, lifeline: int) -> None:
        self._connection = Connection(backend.inherited_socket(end))
        self._process = os.getpid()
        backend.end_with_parent(lifeline)

    def receive(self) -> bytes | None:
        """Return the next message, None at the end of the stream."""
        message = None
        with suppress(OSError):  # the parent is gone
            message = self._connection.receive()
        if message is None:
            backend.kill_group_if_closed(self._connection.fileno())
        return message

    def send(self, message: bytes) -> None:
        """Send a message. A process forked from the child exits instead."""
        if os.getpid() != self._process:
            os._exit(0)
        try:
            self._connection.send(message)
        except OSError:
            backend.kill_group_if_closed(self._connection.fileno())
            raise


class Cancelled(KeyboardInterrupt):
    """The parent has cancelled the job."""


#: Sends an event of the job: its name, and plain data.
Send = Callable[[str, Any], None]


class JobWorker:
    """Runs the jobs of its parent, one at a time; each can be cancelled at any moment.

    The messages of the parent are `{"do": "run", "job": number, ..}`, passed on to `do` with a
    function that sends events, and `{"do": "cancel", "job": number}`. A thread reads them. To
    cancel a job, the thread sends Ctrl-C to the main thread, which the package handles without
    leaving unfinished data. `Cancelled` is not raised between two jobs or while a message is
    written. `do` returns the last event. The last event of a cancelled job is `cancelled`, sent
    after `on_cancelled`.
    """

    def __init__(
        self,
        parent: Parent,
        do: Callable[[dict[str, Any], Send], tuple[str, Any]],
        on_cancelled: Callable[[], object] = lambda: None,
    ) -> None:
        self._parent, self._do, self._on_cancelled = parent, do, on_cancelled
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._job: int | None = None
        self._cancelled: int | None = None
        self._is_sending = False
        self._main = threading.get_ident()

    def serve(self) -> NoReturn:
        """Run jobs until the parent closes the connection, then exit; for the main thread."""
        signal.signal(signal.SIGINT, self._stop)
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            self._serve_one(self._messages.get())

    def _read(self) -> None:
        while (data := self._parent.receive()) is not None:
            message = unpack(data)
            if message["do"] == "cancel":
                self._cancelled = message["job"]
                backend.press(self._main)
            else:
                self._messages.put(message)
        os._exit(0)

    def _serve_one(self, message: dict[str, Any]) -> None:
        job = message["job"]
        try:
            self._job = job
            if self._cancelled == job:
                self._cancel()
            event, data = self._do(message, lambda event, data: self._send(job, event, data))
            self._job = None
        except Cancelled:
            self._job = None
            self._on_cancelled()
            event, data = "cancelled", None
        self._send(job, event, data)

    def _send(self, job: int, event: str, data: Any) -> None:
        message = pack({"job": job, "event": event, "data": data})
        self._is_sending = True
        try:
            self._parent.send(message)
        finally:
            self._is_sending = False
        if self._cancelled == self._job is not None:
            self._cancel()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """The handler of Ctrl-C: cancel the job if it is the cancelled one."""
        if self._job is not None and self._job == self._cancelled and not self._is_sending:
            self._cancel()

    def _cancel(self) -> NoReturn:
        """Cancel the job once: its signal may still arrive while the job ends."""
        self._cancelled = None
        raise Cancelled
