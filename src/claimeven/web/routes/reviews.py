"""Whole games judged."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from claimeven.agents import codec
from claimeven.web.requests import Asked
from claimeven.web.responses import ReviewAnswer
from claimeven.web.routes.common import EVENTS, PROBLEMS, InQuery
from claimeven.web.services import Shared
from claimeven.web.streaming import EventStream

router = APIRouter(prefix="/api", tags=["reviews"], responses=PROBLEMS)


@router.get("/review", response_model=ReviewAnswer)
async def review(request: Request, query: InQuery, services: Shared) -> dict[str, Any]:
    """Judge every move of a game, finished or not, against perfect play."""
    seconds = services.settings.review_seconds
    return await services.ask(request, "review", seconds, **_arguments(query.asked(), seconds))


@router.get("/review/events", responses=EVENTS, response_class=Response)
async def review_events(query: InQuery, services: Shared) -> Response:
    """Judge a game; tell the scores of each of its positions as they are found, the last first.

    Events: `scores` (ply, scores), then `done` with the whole review or `error`.
    """
    seconds = services.settings.review_seconds
    arguments = _arguments(query.asked(), seconds)
    return EventStream(lambda: services.pool.job("review", arguments, seconds))


def _arguments(asked: Asked, seconds: float) -> dict[str, Any]:
    return {
        "position": codec.from_position(asked.start),
        "columns": list(asked.columns),
        "seconds": seconds,
    }
