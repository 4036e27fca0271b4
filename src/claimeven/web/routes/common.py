"""What routes share in their declarations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from claimeven.web.answers import Problem
from claimeven.web.schemas import PositionFields

#: What every route may answer besides what it is for.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    403: {"model": Problem, "description": "Not from this machine's own page."},
    413: {"model": Problem, "description": "The body is too long."},
    422: {"model": Problem, "description": "Something cannot be as asked."},
    503: {"model": Problem, "description": "A worker was lost, or too many are waiting."},
}
#: The same for a stream of events.
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
    **PROBLEMS,
}

InQuery = Annotated[PositionFields, Query()]
