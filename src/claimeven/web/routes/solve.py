"""Exact scores in the form that other solver pages give them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from claimeven.solver.errors import InvalidSolve
from claimeven.web.requests import MOST_MOVES, PositionFields
from claimeven.web.responses import SolveAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(tags=["solve"], responses=PROBLEMS)

#: Stands for a column that cannot be played.
FULL = 100


@router.get("/solve", response_model=SolveAnswer)
async def solve(
    request: Request,
    services: Shared,
    pos: Annotated[str, Query(max_length=MOST_MOVES, examples=["475"])] = "",
) -> dict[str, Any]:
    """Solve a position of the usual board: `pos` is the moves, columns from 1."""
    asked = PositionFields(moves=pos).asked()
    found = await services.scores(request, asked.ongoing())
    if not found["complete"]:
        raise InvalidSolve(f"{pos} was not solved within {services.settings.seconds:g} s")
    return {"pos": pos, "score": [FULL if s is None else s for s in found["scores"]]}
