"""Records of games: files of ours and of other programs, read for the page."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from claimeven.agents import codec
from claimeven.web.requests import RecordsRequest
from claimeven.web.responses import RecordsAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api", tags=["records"], responses=PROBLEMS)


@router.post("/records", response_model=RecordsAnswer)
async def records(request: Request, body: RecordsRequest, services: Shared) -> dict[str, Any]:
    """Read the games of a file in any format that `claimeven convert` reads.

    Its name and first characters show the format; `board` and `connect` are
    those of games that do not name theirs. Games that cannot be read are counted and the first of
    them is told; 422 where none can be.
    """
    return await services.ask(
        request,
        "records",
        services.settings.seconds,
        board=codec.from_geometry(body.geometry()),
        text=body.text,
        name=body.name,
    )
