"""Responses that are cancelled when the client disconnects, and server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from claimeven.web.errors import ClientGone, sentence_and_status

#: Seconds between two comments in a stream, so that no proxy closes it.
HEARTBEAT = 10.0

#: An event of a job: its name as `event`, plain data as `data`.
Event = dict[str, Any]
#: Opens a source of events; leaving it cancels its job.
Source = Callable[[], contextlib.AbstractAsyncContextManager[AsyncIterator[Event]]]
Result = TypeVar("Result")


class CancelledRoute(APIRoute):
    """A route whose work is cancelled when its client disconnects."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_unless_gone(request: Request) -> Response:
            try:
                await request.body()  # now only a disconnect can be received
            except ClientDisconnect:
                raise ClientGone from None
            return await unless_gone(request.receive, handle(request))

        return handle_unless_gone


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, Result]) -> Result:
    """Return what `work` returns; cancel it and raise `ClientGone` when the client disconnects."""
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone("the client has disconnected")
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


async def _gone(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


class EventStream(StreamingResponse):
    """Server-sent events with a name and a line of JSON; the last one is `done` or `error`."""

    media_type = "text/event-stream"

    def __init__(self, source: Source) -> None:
        super().__init__((), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self.source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all events, or stop when the client disconnects."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        with contextlib.suppress(ClientGone):
            await unless_gone(receive, self._send_all(send))

    async def _send_all(self, send: Send) -> None:
        async def put(data: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        async def beat() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT)
                await put(b": still here\n\n")

        await put(b": waiting for a worker\n\n")
        beating = asyncio.ensure_future(beat())
        try:
            async with self.source() as events:
                async for event in events:
                    await put(event_bytes(event["event"], event["data"]))
        except Exception as error:
            sentence, status = sentence_and_status(error)
            await put(event_bytes("error", {"error": sentence, "status": status}))
        finally:
            beating.cancel()
        await put(b"", more=False)


def event_bytes(name: str, data: Any) -> bytes:
    """Return one server-sent event.

    >>> event_bytes("column", {"column": 4})
    b'event: column\\ndata: {"column": 4}\\n\\n'
    """
    return f"event: {name}\ndata: {json.dumps(data, allow_nan=False)}\n\n".encode()
