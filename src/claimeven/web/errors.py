"""Everything that goes wrong with a request, told as `{"error": "one sentence"}`."""

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
from claimeven.web.pool import PoolBusy
from claimeven.web.security import HEADERS
from claimeven.web.worker_process import PoolClosed, WorkerLost, WorkFailed, WorkTooLong

#: Characters of what was sent that an error repeats.
MOST_REPEATED = 60
#: Status and seconds to wait before another try, of what ends a job.
_UNAVAILABLE = {WorkerLost: 0, PoolBusy: 1, PoolClosed: 5}
NOT_FOUND, UNPROCESSABLE, UNAVAILABLE, FAILED = 404, 422, 503, 500


class NotFound(ClaimevenError):
    """Something that a server was asked for and does not have."""


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


def problem(sentence: str, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the answer that says what is wrong."""
    return JSONResponse({"error": sentence}, status, headers)


def add_handlers(app: FastAPI) -> None:
    """Let an application tell everything that goes wrong in this form."""
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    for kind in (NotFound, ClaimevenError, WorkFailed, WorkTooLong, *_UNAVAILABLE):
        app.add_exception_handler(kind, _known_error)
    app.add_exception_handler(ClientGone, _nobody_there)
    app.add_exception_handler(Exception, _our_failure)


def status_of(error: BaseException) -> int:
    """Return the status that an error is told with."""
    if isinstance(error, WorkFailed):
        return error.status
    if type(error) in _UNAVAILABLE:
        return UNAVAILABLE
    if isinstance(error, NotFound):
        return NOT_FOUND
    return UNPROCESSABLE if isinstance(error, ClaimevenError) else FAILED


def told_as(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the status of an error. How the server itself failed goes to its log
    alone: that is nothing for whoever asked.
    """
    status = status_of(error)
    if status == FAILED and not isinstance(error, WorkFailed):
        traceback.print_exception(error, file=sys.stderr)
        return "claimeven failed at this request; its log says how", status
    return " ".join(str(error).split()), status


def sentence_of(error: RequestValidationError) -> str:
    """Say in one sentence what is wrong with the first part of a request that is."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
    kind, given = first["type"], first.get("input")
    if kind == "missing":
        return f"{place or 'the body'} is missing"
    if kind == "extra_forbidden":
        return no_parameter(place)
    if kind == "json_invalid":
        return f"the body is no JSON: {first.get('ctx', {}).get('error', first['msg'])}"
    if isinstance(given, bytes) and not place:
        return "the body is not sent as JSON: its content-type must be application/json"
    why = first["msg"].removeprefix("Value error, ").removeprefix("Input ").partition(", ")[0]
    name = place or "the body"
    return f"{name}: {why[:1].lower()}{why[1:]}, not {_quoted(given)}"


def no_parameter(name: str) -> str:
    """Say that a route takes no such parameter."""
    return f"there is no parameter {_quoted(name)}: /api lists those there are"


def _quoted(given: Any) -> str:
    if isinstance(given, (dict, list, tuple)):
        return "an object" if isinstance(given, dict) else "a list"
    return printable(repr(given), MOST_REPEATED)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return problem(sentence_of(error), UNPROCESSABLE)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path = printable(request.url.path, MOST_REPEATED)
    told = {
        404: f"there is nothing at {path}: /api lists what there is",
        405: f"{path} does not take {printable(request.method, 20)}: /api tells what it takes",
        400: f"the body cannot be read: {error.detail}",
    }
    headers = dict(error.headers) if error.headers else None
    return problem(told.get(error.status_code, str(error.detail)), error.status_code, headers)


def _known_error(request: Request, error: Exception) -> JSONResponse:
    wait = _UNAVAILABLE.get(type(error))
    headers = None if wait is None else {"Retry-After": str(wait)}
    return problem(" ".join(str(error).split()), status_of(error), headers)


def _nobody_there(request: Request, error: Exception) -> JSONResponse:
    return problem("the client has gone away", 499)


def _our_failure(request: Request, error: Exception) -> JSONResponse:
    sentence, status = told_as(error)
    # What answers a failure of ours stands outside the guard, which marks all other answers.
    return problem(sentence, status, {name.decode(): value.decode() for name, value in HEADERS})
