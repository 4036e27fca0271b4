"""Failures of requests, each answered as `{"error": "one sentence"}`."""

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

#: Characters of a request that an error repeats.
MAX_REPEATED = 60
NOT_FOUND, UNPROCESSABLE, CLIENT_GONE, FAILED, UNAVAILABLE = 404, 422, 499, 500, 503


class NotFound(ClaimevenError):
    """Something that a request names and the server does not have."""

    status = NOT_FOUND


class ClientGone(Exception):
    """The client has closed its connection."""

    status = CLIENT_GONE


class Unavailable(Exception):
    """A job that ended without an answer; another try after `wait` seconds may get one."""

    status = UNAVAILABLE
    wait = 0


class WorkerLost(Unavailable):
    """The process of a job ended in the middle of it."""


class PoolBusy(Unavailable):
    """There are as many jobs waiting as may wait."""

    wait = 1


class PoolClosed(Unavailable):
    """The server is ending."""

    wait = 5


class WorkTooLong(ClaimevenError):
    """A job that took more time than it may."""


class WorkFailed(Exception):
    """A job that ended with an error: its sentence, and the status of HTTP that suits it."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


def add_handlers(app: FastAPI) -> None:
    """Let an application answer every failure in this form."""
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    for kind in (ClaimevenError, ClientGone, Unavailable, WorkFailed):
        app.add_exception_handler(kind, _known_error)
    app.add_exception_handler(Exception, _own_failure)


def sentence_and_status(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the status that an error is answered with. A failure of the server
    itself is described in its log only.
    """
    status = getattr(error, "status", None)
    if status is None and not isinstance(error, ClaimevenError):
        traceback.print_exception(error, file=sys.stderr)
        return "claimeven failed at this request; its log says how", FAILED
    return " ".join(str(error).split()), status or UNPROCESSABLE


def describe(error: RequestValidationError) -> str:
    """Say in one sentence what is wrong with the first invalid part of a request."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
    kind, given = first["type"], first.get("input")
    if kind == "missing":
        return f"{place or 'the body'} is missing"
    if kind == "extra_forbidden":
        return no_parameter(place)
    if kind == "json_invalid":
        return f"the body must be JSON: {first.get('ctx', {}).get('error', first['msg'])}"
    if isinstance(given, bytes) and not place:
        return "the body is not sent as JSON: its content-type must be application/json"
    why = first["msg"].removeprefix("Value error, ").removeprefix("Input ").partition(", ")[0]
    return f"{place or 'the body'}: {why[:1].lower()}{why[1:]}, not {_quoted(given)}"


def no_parameter(name: str) -> str:
    """Say that a route takes no such parameter."""
    return f"there is no parameter {_quoted(name)}: /api lists those there are"


def _quoted(given: Any) -> str:
    if isinstance(given, (dict, list, tuple)):
        return "an object" if isinstance(given, dict) else "a list"
    return printable(repr(given), MAX_REPEATED)


def _problem(sentence: str, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _problem(describe(error), UNPROCESSABLE)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path = printable(request.url.path, MAX_REPEATED)
    sentences = {
        404: f"there is nothing at {path}: /api lists what there is",
        405: f"{path} does not take {printable(request.method, 20)}: /api lists what it takes",
        400: f"the body cannot be read: {error.detail}",
    }
    sentence = sentences.get(error.status_code, str(error.detail))
    return _problem(sentence, error.status_code, dict(error.headers or {}))


def _known_error(request: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.wait)} if isinstance(error, Unavailable) else None
    return _problem(*sentence_and_status(error), headers)


def _own_failure(request: Request, error: Exception) -> JSONResponse:
    # This answer passes by the guard, which marks all others.
    marks = {name.decode(): value.decode() for name, value in HEADERS}
    return _problem(*sentence_and_status(error), marks)
