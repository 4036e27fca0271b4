"""Searches to be watched, step by step."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from claimeven.agents import codec
from claimeven.web.allowed_agents import allowed
from claimeven.web.requests import MinimaxQuery, MonteCarloQuery
from claimeven.web.responses import MinimaxAnswer, MonteCarloAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api/search", tags=["searches"], responses=PROBLEMS)


@router.get("/minimax", response_model=MinimaxAnswer)
async def minimax(
    request: Request, query: Annotated[MinimaxQuery, Query()], services: Shared
) -> dict[str, Any]:
    """Tell the steps of a minimax, alpha-beta or negamax search, and its tree with the cuts."""
    return await services.ask(
        request,
        "minimax",
        services.settings.seconds,
        position=codec.from_position(query.asked().ongoing()),
        agent=allowed(query.agent, services.settings),
        **query.model_dump(include={"depth", "first", "steps", "tree_depth", "tree_nodes"}),
    )


@router.get("/montecarlo", response_model=MonteCarloAnswer)
async def montecarlo(
    request: Request, query: Annotated[MonteCarloQuery, Query()], services: Shared
) -> dict[str, Any]:
    """Tell the iterations of a Monte Carlo search phase by phase, and the tree they grow."""
    shown = {"iterations", "seed", "first", "steps", "tree_depth", "tree_nodes"}
    return await services.ask(
        request,
        "montecarlo",
        services.settings.seconds,
        position=codec.from_position(query.asked().ongoing()),
        agent=allowed(query.agent, services.settings),
        every_tree=query.trees,
        **query.model_dump(include=shown),
    )
