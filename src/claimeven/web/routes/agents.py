"""Agents: which there are, and what they would play."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from claimeven.agents import codec
from claimeven.web.allowed_agents import allowed, levels, offered_agents
from claimeven.web.requests import BoardFields, MoveRequest
from claimeven.web.responses import AgentsAnswer, MoveAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api", tags=["agents"], responses=PROBLEMS)


@router.get("/agents", response_model=AgentsAnswer)
async def agents(query: Annotated[BoardFields, Query()], services: Shared) -> dict[str, Any]:
    """List every agent with its options, and whether it plays on a board."""
    caps = {name: getattr(services.settings, name) for name in ("seconds", "iterations", "nodes")}
    return {"agents": offered_agents(query.geometry()), "levels": levels(), "caps": caps}


@router.post("/move", response_model=MoveAnswer)
async def move(request: Request, body: MoveRequest, services: Shared) -> dict[str, Any]:
    """Ask an agent for a move under a limit."""
    settings = services.settings
    spec, seed = allowed(body.agent, settings), services.seed(body.seed)
    decision = await services.ask(
        request,
        "move",
        settings.seconds,
        position=codec.from_position(body.asked().ongoing()),
        agent=spec,
        limit=codec.from_limit(body.limit.limit(settings)),
        seed=seed,
        seconds=settings.seconds,
        tree_nodes=body.tree,
    )
    return {**decision, "agent": spec, "seed": seed}
