"""Messages between two processes: a length and its bytes, over a socket.

Sockets work on every system. `multiprocessing.connection` does not fit: it waits forever for the
rest of a truncated message, and for a reader that has stopped.
"""

from __future__ import annotations

import hmac
import json
import os
import selectors
import socket
import struct
from typing import Any

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
