"""Messages between two processes: bytes behind their length, over a socket.

Sockets carry them on every system. `multiprocessing.connection` does not fit: it waits without end
for the rest of a message that was cut short, and for a reader that has stopped.
"""

from __future__ import annotations

import hmac
import json
import os
import selectors
import socket
import struct
from typing import Any, Protocol

#: Bytes of the longest message that is taken, unless a reader takes less.
MAX_MESSAGE = 1 << 28
#: Bytes read at once.
CHUNK = 1 << 16
_HEADER = struct.Struct("<I")
#: Seconds to connect to a process of this machine.
_CONNECT = 10.0
_encode = json.JSONEncoder(separators=(",", ":")).encode
#: `poll` where there is one: `select` knows no file number above 1023, `epoll` takes a file.
Selector: type[selectors.BaseSelector] = getattr(
    selectors, "PollSelector", selectors.SelectSelector
)


class HasFileno(Protocol):
    """Something that can be waited for."""

    def fileno(self) -> int:
        """Return its number."""


class InvalidMessage(Exception):
    """Bytes that are not a message, or more of them than may come."""


class Connection:
    """One end of a socket that carries messages.

    One thread may receive while another sends. The other end may send anything: a message longer
    than `max_message` raises `InvalidMessage`, one that was cut short is waited for by whoever
    looks at the clock.
    """

    def __init__(self, end: socket.socket, max_message: int = MAX_MESSAGE) -> None:
        self._end = end
        self._max_message = max_message
        self._received = bytearray()

    def fileno(self) -> int:
        """Return the number by which a selector waits for it."""
        return self._end.fileno()

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message. Raises `TimeoutError` if it has not been taken within `seconds`, and then
        the connection is of no more use; `OSError` if the other end is closed.
        """
        self._end.settimeout(seconds)
        self._end.sendall(_HEADER.pack(len(message)) + message)

    def read(self) -> bool:
        """Take in bytes that have come, at least one; False if there will be no more."""
        data = self._end.recv(CHUNK)
        self._received += data
        return bool(data)

    def take(self) -> bytes | None:
        """Return the next message if all of it has been read. Raises `InvalidMessage`."""
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
        """Return the next message, waited for as long as it takes; None if there is no more."""
        while (message := self.take()) is None:
            if not self.read():
                return None
        return message

    def close(self) -> None:
        """Close this end."""
        self._end.close()


#: Where a process listens: a port of this machine, and the key that its clients must know.
Address = tuple[int, bytes]


def listen() -> tuple[socket.socket, Address]:
    """Return a socket that takes connections of processes of this machine, and its address."""
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


def can_read(end: HasFileno) -> bool:
    """Whether something has come, or the other end was closed."""
    with Selector() as selector:
        selector.register(end.fileno(), selectors.EVENT_READ)
        return bool(selector.select(0))


def pack(message: dict[str, Any]) -> bytes:
    """Return plain data as the bytes of a message, in JSON."""
    return _encode(message).encode("ascii")


def unpack(data: bytes) -> dict[str, Any]:
    """Read the message of `pack`. Raises `ValueError` or `RecursionError` for other bytes."""
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError(f"a message must be an object, got {type(message).__name__}")
    return message
