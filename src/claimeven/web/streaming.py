"""Answers that end when the client goes away, and streams of server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from claimeven.web.errors import ClientGone, told_as
from claimeven.web.worker_process import Event

#: Seconds between two signs of life of a stream that has nothing to tell.
HEARTBEAT = 10.0
#: What an event stream is called.
MEDIA_TYPE = "text/event-stream"

Result = TypeVar("Result")
#: Opens a source of events; leaving it gives up what is going on.
Source = Callable[[], contextlib.AbstractAsyncContextManager[AsyncIterator[Event]]]


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Return what `work` returns; cancel it and raise `ClientGone` when the client goes away."""
    doing = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(request.receive))
    try:
        await asyncio.wait((doing, watching), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientGone
        return doing.result()
    finally:
        await _dropped(doing, watching)


class EventStream(Response):
    """Server-sent events: each has a name and one line of JSON as data; the last is done or error.

    Errors after the start of the answer come as an event `error` with the sentence and the status
    that the answer would have had.
    """

    media_type = MEDIA_TYPE

    def __init__(self, source: Source) -> None:
        self.source = source
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no"})
        self.raw_headers = [h for h in self.raw_headers if h[0] != b"content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until there are no more or the client goes away."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send_all(send))
        watching = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait((sending, watching), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            await _dropped(sending, watching)

    async def _send_all(self, send: Send) -> None:
        async def put(data: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        await put(b": waiting for a worker\n\n")
        try:
            async with _beating(put), self.source() as events:
                async for event in events:
                    await put(event_bytes(event["event"], event["data"]))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            sentence, status = told_as(error)
            await put(event_bytes("error", {"error": sentence, "status": status}))
        await put(b"", more=False)


def event_bytes(name: str, data: Any) -> bytes:
    """Return one server-sent event.

    >>> event_bytes("column", {"column": 4})
    b'event: column\\ndata: {"column": 4}\\n\\n'
    """
    return f"event: {name}\ndata: {json.dumps(data, allow_nan=False)}\n\n".encode()


@contextlib.asynccontextmanager
async def _beating(put: Callable[[bytes], Awaitable[None]]) -> AsyncIterator[None]:
    """Send a comment now and then meanwhile, so that nothing between takes the stream for dead."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            await put(b": still here\n\n")

    beating = asyncio.ensure_future(beat())
    try:
        yield
    finally:
        beating.cancel()


async def _gone(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _dropped(*tasks: asyncio.Future[Any]) -> None:
    """Cancel what is not done, and see it end."""
    for task in tasks:
        if not task.done():
            task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task
