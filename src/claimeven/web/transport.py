"""Errors of requests, and server-sent events.

Each error is returned as `{"error": "one sentence"}`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from claimeven.agents.sanitize import printable
from claimeven.errors import ClaimevenError
from claimeven.web.security import HEADERS

#: Maximum number of characters of a request that an error quotes.
MAX_QUOTED = 60
#: Seconds between two comments in a stream, so that no proxy closes it.
HEARTBEAT = 10.0

#: An event of a job: its name as `event`, plain data as `data`.
Event = dict[str, Any]
#: Opens a source of events; leaving it cancels its job.
Source = Callable[[], contextlib.AbstractAsyncContextManager[AsyncIterator[Event]]]


class NotFound(ClaimevenError):
    """The server does not have the resource of a request."""

    status = 404


class Unavailable(Exception):
    """A job failed without a result; a new request after `wait` seconds may succeed."""

    status = 503
    wait = 0


class WorkerLost(Unavailable):
    """The process of a job died."""


class PoolBusy(Unavailable):
    """The queue of waiting jobs is full."""

    wait = 1


class PoolClosed(Unavailable):
    """The server is stopping."""

    wait = 5


class WorkTooLong(ClaimevenError):
    """A job exceeded its time limit."""


class WorkFailed(Exception):
    """A job failed with an error: a sentence, an HTTP status, and the fault of an agent."""

    def __init__(self, error: str, status: int, **fault: Any) -> None:
        super().__init__(error)
        self.status = status
        self.fault = fault


def add_handlers(app: FastAPI) -> None:
    """Make an application return every error in this form."""
    own = (ClaimevenError, Unavailable, WorkFailed)
    for kind in (RequestValidationError, HTTPException, *own, Exception):
        app.add_exception_handler(kind, _answer)


def sentence_and_status(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the status of an error; details of internal errors are logged."""
    status = getattr(error, "status", None)
    if status is None and not isinstance(error, ClaimevenError):
        traceback.print_exception(error, file=sys.stderr)
        return "claimeven failed at this request; its log has the details", 500
    return " ".join(str(error).split()), status or 422


def describe(error: RequestValidationError) -> str:
    """Describe the first invalid part of a request in one sentence."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
    kind, value = first["type"], first.get("input")
    if kind == "missing":
        return f"{place or 'the body'} is missing"
    if kind == "extra_forbidden":
        return no_parameter(place)
    if kind == "json_invalid":
        return f"the body must be JSON: {first.get('ctx', {}).get('error', first['msg'])}"
    if isinstance(value, bytes) and not place:
        return "the body must be sent as JSON, with the content-type application/json"
    why = first["msg"].removeprefix("Value error, ").removeprefix("Input ").partition(", ")[0]
    return f"{place or 'the body'}: {why[:1].lower()}{why[1:]}, got {_quoted(value)}"


def no_parameter(name: str) -> str:
    return f"unknown parameter {_quoted(name)}: /api lists the parameters"


def _quoted(value: Any) -> str:
    if isinstance(value, (dict, list, tuple)):
        return "an object" if isinstance(value, dict) else "a list"
    return printable(repr(value), MAX_QUOTED)


def _answer(request: Request, error: Exception) -> JSONResponse:
    # A failure of the server bypasses the guard, which adds the headers to other responses.
    headers, fault = {name.decode(): value.decode() for name, value in HEADERS}, dict[str, Any]()
    if isinstance(error, RequestValidationError):
        sentence, status = describe(error), 422
    elif isinstance(error, HTTPException):
        path, status = printable(request.url.path, MAX_QUOTED), error.status_code
        sentences = {
            404: f"unknown address {path}: /api lists the addresses",
            405: f"{path} does not accept {printable(request.method, 20)}: /api lists the methods",
            400: f"the body cannot be read: {error.detail}",
        }
        sentence = sentences.get(status, str(error.detail))
        headers |= error.headers or {}
    else:
        sentence, status = sentence_and_status(error)
        if isinstance(error, Unavailable):
            headers["Retry-After"] = str(error.wait)
        # A traceback names folders: it is only for the author of the agent.
        if isinstance(error, WorkFailed) and request.app.state.services.settings.bots:
            fault = error.fault
    return JSONResponse({"error": sentence, **fault}, status, headers)


class EventStream(StreamingResponse):
    """Server-sent events with a name and a line of JSON; the last one is `done` or `error`."""

    media_type = "text/event-stream"

    def __init__(self, source: Source) -> None:
        super().__init__((), headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self.source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all events."""

        async def put(data: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        async def beat() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT)
                await put(b": still here\n\n")

        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
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
