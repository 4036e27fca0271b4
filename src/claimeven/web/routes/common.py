"""What routes share in their declarations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request

from claimeven.errors import ClaimevenError
from claimeven.web.errors import no_parameter
from claimeven.web.requests import PositionFields
from claimeven.web.responses import Problem

#: What every route may answer besides what it is for.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    403: {"model": Problem, "description": "Not from this machine's own page."},
    413: {"model": Problem, "description": "The body is too long."},
    422: {"model": Problem, "description": "Something cannot be as asked."},
    503: {"model": Problem, "description": "A worker was lost, or too many are waiting."},
}
_TEXT = {"type": "string"}
_EVENT = {"type": "object", "properties": {"event": _TEXT, "data": _TEXT}}
#: The same for a stream of events; `data` is JSON as text.
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": _EVENT}}, "description": "Events."},
    **PROBLEMS,
}


class UnknownParameter(ClaimevenError):
    """A parameter of the query that a route does not take."""


async def only_known(request: Request) -> None:
    """Raise `UnknownParameter` for what the list of the API does not name: a parameter that is
    misspelt would else be passed over, and another agent play than was asked for.
    """
    route = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    told = route.get(request.method.lower(), {}).get("parameters", ())
    known = {each["name"] for each in told if each["in"] == "query"}
    for name in request.query_params:
        if name not in known:
            raise UnknownParameter(no_parameter(name))


InQuery = Annotated[PositionFields, Query()]
