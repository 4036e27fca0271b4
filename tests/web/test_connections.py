"""Connections that stay open without use, and clients that send or read too slowly."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from claimeven.web import server as servers
from claimeven.web.server import ClientConnection
from tests.web.conftest import PATIENCE, Server

SOON = 0.05
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Read the body, then answer with the number of bytes in the path."""
    while (message := await receive()).get("more_body", False):
        pass
    if message["type"] == "http.disconnect":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(int(scope["path"].strip("/") or 1)):
        await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def connected() -> AsyncIterator[Streams]:
    """A connection to a server of that application."""
    config = uvicorn.Config(app, http=ClientConnection, ws="none", lifespan="off", log_config=None)
    state = ServerState()
    make = partial(ClientConnection, config, state, {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            while state.connections or state.tasks:
                await asyncio.sleep(0.01)


def run(
    client: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
) -> None:
    async def go() -> None:
        async with connected() as (reader, writer):
            await client(reader, writer)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("phase", "sent", "status"),
    [
        ("HEAD_SECONDS", b"", b""),
        ("HEAD_SECONDS", b"GET / HTTP/1.1\r\nHost: x\r\n", b"HTTP/1.1 408 "),
        (
            "BODY_SECONDS",
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
            b"HTTP/1.1 408 ",
        ),
        (
            "BODY_SECONDS",
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
            b"HTTP/1.1 408 ",
        ),
    ],
)
def test_half_a_request_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch, phase: str, sent: bytes, status: bytes
) -> None:
    monkeypatch.setattr(servers, phase, SOON)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        assert (await reader.read()).startswith(status)

    run(client)


def test_slow_bytes_do_not_extend_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "HEAD_SECONDS", SOON)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"a")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SOON / 10):
                        await reader.read(1)

    run(client)


def test_an_answer_that_is_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "READ_SECONDS", SOON)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET /2000 HTTP/1.1\r\nHost: x\r\n\r\n")
        reader._transport.pause_reading()  # type: ignore[attr-defined]  # of streams
        await asyncio.sleep(10 * SOON)
        reader._transport.resume_reading()  # type: ignore[attr-defined]  # also
        with contextlib.suppress(ConnectionError):
            assert len(await reader.read()) < 2000 * 65536

    run(client)


def test_a_connection_serves_one_request_after_another() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(3):
            writer.write(b"POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
            await asyncio.sleep(0)
            writer.write(b"ab")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            await reader.readexactly(len("10000\r\n") + 65536 + len("\r\n0\r\n\r\n"))

    run(client)


@pytest.mark.parametrize(
    "head",
    [
        "POST /play HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked",
        "GET /api/status HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0",
        "POST /play HTTP/1.0\r\nTransfer-Encoding: chunked",
    ],
)
def test_a_request_with_two_lengths_is_refused_and_ends_the_connection(
    server: Server, head: str
) -> None:
    async def client() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        second = "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
        writer.write(f"{head}\r\nHost: localhost\r\n\r\n0\r\n\r\n{second}".encode())
        async with asyncio.timeout(PATIENCE):
            answers = await reader.read()
        writer.close()
        return answers

    answers = asyncio.run(client())
    assert answers.count(b"HTTP/1.1 ") == 1
    assert answers.startswith(b"HTTP/1.1 400 ")
