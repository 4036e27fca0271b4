"""Moves for agents `http:URL`: the position in, a column out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from claimeven.agents import codec
from claimeven.web.allowed_agents import allowed
from claimeven.web.requests import MOST_SPEC, PlayRequest
from claimeven.web.responses import PlayAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(tags=["play"], responses=PROBLEMS)


@router.post("/play", response_model=PlayAnswer)
async def play(
    request: Request,
    body: PlayRequest,
    services: Shared,
    agent: Annotated[str | None, Query(max_length=MOST_SPEC)] = None,
) -> dict[str, Any]:
    """Play a move as an agent, by the contract that `claimeven match http://...` speaks."""
    settings = services.settings
    decision = await services.ask(
        request,
        "move",
        settings.seconds,
        position=codec.from_position(body.asked().ongoing()),
        agent=allowed(agent or settings.bot, settings),
        limit=codec.from_limit(body.limit.limit(settings)),
        seed=services.seed(body.seed),
        seconds=settings.seconds,
    )
    return {"column": decision["column"]}
