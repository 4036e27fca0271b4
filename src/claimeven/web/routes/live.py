"""A tournament that is being played, or has been: its standings and its report."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from claimeven.web.responses import LiveAnswer, Problem
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(tags=["live"], responses=PROBLEMS)
_ANSWERS: dict[int | str, dict[str, Any]] = {
    304: {"description": "The same as under the ETag that the request names."},
    404: {"model": Problem, "description": "No file of games."},
}
#: A report has a style and one script inside, which its own policy allows by their digests.
_REPORT_POLICY = "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@router.get("/api/live", response_model=LiveAnswer, responses=_ANSWERS)
async def live(request: Request, services: Shared) -> Response:
    """Tell the standings of the tournament whose file the server was started with.

    Those of the games read by then: of a large file they grow from request to request. While
    nothing changes the ETag stays.
    """
    body, tag = await services.store.standings()
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@router.get("/report", include_in_schema=False)
async def report(request: Request, services: Shared) -> HTMLResponse:
    """Show the report of its games as they stand, without judging them."""
    page = await services.store.report(request)
    return HTMLResponse(page, headers={"content-security-policy": _REPORT_POLICY})
