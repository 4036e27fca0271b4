"""A tournament that is being played, or has been: its standings from the file of games."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from claimeven.arena.standings import Standings
from claimeven.arena.store import Store
from claimeven.web.answers import Problem
from claimeven.web.errors import NotFound
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api", tags=["live"], responses=PROBLEMS)


@router.get("/live", responses={404: {"model": Problem, "description": "No file of games."}})
def live(services: Shared) -> dict[str, Any]:
    """Tell the standings of the tournament whose file the server was started with."""
    path = services.settings.store
    if path is None:
        raise NotFound("there is no tournament to show: start the server with --store FILE")
    with Store.read(path) as store:
        standings = Standings.of(store.agents, store.games())
        return {"store": path.name, "standings": standings.as_dict()}
