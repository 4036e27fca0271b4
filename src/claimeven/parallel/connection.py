"""Messages between two processes: a length and its bytes, over a socket; and the side of a child.

Sockets work on every system. `multiprocessing.connection` does not fit: it waits forever for the
rest of a truncated message, and for a reader that has stopped.
"""

from __future__ import annotations

import hmac
import json
import os
import pickle
import queue
import selectors
import signal
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from claimeven.parallel import interrupts
from claimeven.parallel.system import backend

#: Default for the longest message that a reader accepts, in bytes.
MAX_MESSAGE = 1 << 28
#: Bytes of one read.
CHUNK = 1 << 16
_HEADER = struct.Struct("<I")
#: Seconds to connect to a process of this machine.
_CONNECT = 10.0
_encode = json.JSONEncoder(separators=(",", ":")).encode
#: `poll` if available: `select` supports no file number above 1023, `epoll` uses up a file.
Selector: type[selectors.BaseSelector] = getattr(
    selectors, "PollSelector", selectors.SelectSelector
)


class InvalidMessage(Exception):
    """Bytes that are not a message, or a message that is too long."""


class Connection:
    """One end of a socket that carries messages.

    One thread may receive while another sends. The other end is not trusted: a message longer than
    `max_message` raises `InvalidMessage`. The caller limits the wait for a truncated message.
    """

    def __init__(self, end: socket.socket, max_message: int = MAX_MESSAGE) -> None:
        self._end = end
        self._max_message = max_message
        self._received = bytearray()

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message. Raises `OSError` if the other end is closed, `TimeoutError` if it was not
        accepted within `seconds`: then the connection cannot be used again.
        """
        self._end.settimeout(seconds)
        self._end.sendall(_HEADER.pack(len(message)) + message)

    def read(self) -> bool:
        """Read available bytes, at least one; False at the end of the stream."""
        data = self._end.recv(CHUNK)
        self._received += data
        return bool(data)

    def take(self) -> bytes | None:
        """Return the next message if it has been read completely. Raises `InvalidMessage`."""
        received = self._received
        if len(received) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(received)
        if length > self._max_message:
            raise InvalidMessage
        end = _HEADER.size + length
        if len(received) < end:
            return None
        message = bytes(received[_HEADER.size : end])
        del received[:end]
        return message

    def receive(self) -> bytes | None:
        """Wait for the next message and return it; None at the end of the stream."""
        while (message := self.take()) is None:
            if not self.read():
                return None
        return message

    def close(self) -> None:
        self._end.close()


#: The port of this machine on which a process listens, and the key that its clients must send.
Address = tuple[int, bytes]


def listen() -> tuple[socket.socket, Address]:
    """Return a socket that accepts connections from this machine, and its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, (listener.getsockname()[1], os.urandom(16))


def connect(address: Address, max_message: int = MAX_MESSAGE) -> Connection:
    """Return a connection to a process that listens. Raises `OSError`."""
    port, key = address
    end = socket.create_connection(("127.0.0.1", port), timeout=_CONNECT)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection = Connection(end, max_message)
    connection.send(key)
    return connection


def is_key(message: bytes, address: Address) -> bool:
    """Whether the first message of a client is the key of an address."""
    return hmac.compare_digest(message, address[1])


def can_read(end: Any) -> bool:
    """Whether data has arrived or the other end was closed."""
    with Selector() as selector:
        selector.register(end.fileno(), selectors.EVENT_READ)
        return bool(selector.select(0))


def pack(message: dict[str, Any]) -> bytes:
    """Return plain data as the bytes of a JSON message."""
    return _encode(message).encode("ascii")


def unpack(data: bytes) -> dict[str, Any]:
    """Return the data of `pack`. Raises `ValueError` or `RecursionError` for other bytes."""
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError(f"a message must be an object, got {type(message).__name__}")
    return message


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

    The messages of the parent, pickled, are `{"do": "run", "job": number, ..}`, passed on to `do`
    with a function that sends events, and `{"do": "cancel", "job": number}`. Events are JSON: the
    parent does not trust the code of a job. A thread reads the messages. To
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

    def serve(self) -> NoReturn:
        """Run jobs until the parent closes the connection, then exit; for the main thread."""
        signal.signal(signal.SIGINT, self._stop)
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            self._serve_one(self._messages.get())

    def _read(self) -> None:
        while (data := self._parent.receive()) is not None:
            message = pickle.loads(data)
            if message["do"] == "cancel":
                self._cancelled = message["job"]
                interrupts.press()
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
