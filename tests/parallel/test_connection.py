"""Messages over a socket: in pieces, truncated, too long, and the key of the listener."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from claimeven.parallel.connection import (
    Connection,
    InvalidMessage,
    can_read,
    connect,
    is_key,
    listen,
    pack,
    unpack,
)


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Connection(ours, 1000), theirs


def test_messages_come_as_they_were_sent(ends: tuple[Connection, socket.socket]) -> None:
    connection, other = ends
    messages = [b"", b"x", bytes(1000)]
    for message in messages:
        Connection(other).send(message)
    assert [connection.receive() for _ in messages] == messages
    other.close()
    assert connection.receive() is None


def test_a_message_is_there_when_its_last_byte_is(ends: tuple[Connection, socket.socket]) -> None:
    connection, other = ends
    for byte in struct.pack("<I", 3) + b"abc":
        assert connection.take() is None
        other.sendall(bytes([byte]))
        assert can_read(connection) and connection.read()
    assert connection.take() == b"abc"
    assert not can_read(connection)


@pytest.mark.parametrize("sent", [struct.pack("<I", 1001), b"\xff" * 9])
def test_a_message_that_is_too_long_is_refused(
    ends: tuple[Connection, socket.socket], sent: bytes
) -> None:
    connection, other = ends
    other.sendall(sent)
    with pytest.raises(InvalidMessage):
        connection.receive()


def test_a_reader_that_has_stopped_is_not_waited_for_without_end(
    ends: tuple[Connection, socket.socket],
) -> None:
    connection, _ = ends
    with pytest.raises(TimeoutError):
        connection.send(bytes(1 << 24), 0.05)


def test_connections_need_the_key() -> None:
    listener, address = listen()
    with listener:
        client = connect(address)
        end, _ = listener.accept()
        with end:
            key = Connection(end).receive()
        client.close()
    assert key is not None
    assert is_key(key, address) and not is_key(key[:-1], address)
    with pytest.raises(OSError):
        connect(address)


@pytest.mark.parametrize("junk", [b"[1]", b"7", b"\xff", b"{", b"[" * 100_000])
def test_only_objects_are_messages(junk: bytes) -> None:
    assert unpack(pack({"a": [1, None, "ä"]})) == {"a": [1, None, "ä"]}
    with pytest.raises((ValueError, RecursionError)):
        unpack(junk)
