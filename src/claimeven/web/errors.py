"""Errors of requests, each returned as `{"error": "one sentence"}`."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from claimeven.agents.sanitize import printable
from claimeven.errors import ClaimevenError
from claimeven.web.security import HEADERS

#: Maximum number of characters of a request that an error quotes.
MAX_QUOTED = 60


class NotFound(ClaimevenError):
    """The server does not have the resource of a request."""

    status = 404


class ClientGone(Exception):
    """The client has closed its connection."""

    status = 499


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
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    for kind in (ClaimevenError, ClientGone, Unavailable, WorkFailed):
        app.add_exception_handler(kind, _known_error)
    app.add_exception_handler(Exception, _own_failure)


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
    """Return the error for an unknown parameter."""
    return f"unknown parameter {_quoted(name)}: /api lists the parameters"


def _quoted(value: Any) -> str:
    if isinstance(value, (dict, list, tuple)):
        return "an object" if isinstance(value, dict) else "a list"
    return printable(repr(value), MAX_QUOTED)


def _problem(sentence: str, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _problem(describe(error), 422)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path = printable(request.url.path, MAX_QUOTED)
    sentences = {
        404: f"unknown address {path}: /api lists the addresses",
        405: f"{path} does not accept {printable(request.method, 20)}: /api lists the methods",
        400: f"the body cannot be read: {error.detail}",
    }
    sentence = sentences.get(error.status_code, str(error.detail))
    return _problem(sentence, error.status_code, dict(error.headers or {}))


def _known_error(request: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.wait)} if isinstance(error, Unavailable) else None
    # A traceback names folders: it is only for the author of the agent.
    fault = getattr(error, "fault", {}) if request.app.state.services.settings.bots else {}
    sentence, status = sentence_and_status(error)
    return JSONResponse({"error": sentence, **fault}, status, headers)


def _own_failure(request: Request, error: Exception) -> JSONResponse:
    # This response bypasses the guard, which adds the headers to all others.
    headers = {name.decode(): value.decode() for name, value in HEADERS}
    return _problem(*sentence_and_status(error), headers)
