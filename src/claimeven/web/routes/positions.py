"""Positions: what the rules say, exact scores, why."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from claimeven.agents import codec
from claimeven.game.drawing import draw
from claimeven.game.encodings import to_characters
from claimeven.game.position import Position
from claimeven.web.requests import Asked
from claimeven.web.responses import ExplanationAnswer, PositionAnswer, ScoresAnswer
from claimeven.web.routes.common import EVENTS, PROBLEMS, InQuery
from claimeven.web.services import Shared
from claimeven.web.streaming import EventStream

router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)


@router.get("/position", response_model=PositionAnswer)
async def position(query: InQuery) -> dict[str, Any]:
    """Tell what the rules say of a position: legal columns, the outcome, the board as text."""
    return position_json(query.asked())


@router.get("/scores", response_model=ScoresAnswer)
async def scores(request: Request, query: InQuery, services: Shared) -> dict[str, Any]:
    """Solve a position: the exact score of every column, in numbers and words."""
    asked = query.asked()
    found = await services.scores(request, asked.ongoing())
    return {**found, "moves": asked.moves}


@router.get("/scores/events", responses=EVENTS, response_class=Response)
async def scores_events(query: InQuery, services: Shared) -> Response:
    """Solve a position; tell each column as it is solved.

    Events: `column` (column, score, words), `progress` (nodes, rate, seconds), then `done` with
    the whole answer or `error`.
    """
    asked = query.asked()
    now = asked.ongoing()
    return EventStream(lambda: services.score_events(now, asked.moves))


@router.get("/explanation", response_model=ExplanationAnswer)
async def explanation(request: Request, query: InQuery, services: Shared) -> dict[str, Any]:
    """Explain a position in sentences that search has checked, with the cells they are about."""
    seconds = services.settings.explain_seconds
    now = codec.from_position(query.asked().ongoing())
    return await services.ask(request, "explanation", seconds, position=now, seconds=seconds)


def position_json(asked: Asked) -> dict[str, Any]:
    """Return what the rules say of a position as plain data."""
    now, geometry = asked.position, asked.geometry
    outcome = now.outcome
    return {
        "board": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "moves": asked.moves,
        "start": None if asked.start == Position(geometry) else "/".join(board_rows(asked.start)),
        "ply": now.ply,
        "turn": now.turn + 1,
        "legal": [column + 1 for column in now.legal_columns],
        "heights": list(now.heights),
        "over": now.is_over,
        "outcome": None
        if outcome is None
        else {
            "winner": None if outcome.winner is None else outcome.winner + 1,
            "cells": [[column + 1, row + 1] for column, row in outcome.cells],
            "text": str(outcome),
        },
        "rows": board_rows(now),
        "drawing": draw(now),
        "line": [column + 1 for column in asked.columns],
    }


def board_rows(position: Position) -> list[str]:
    """Return the rows of a board from the top: X first player, O second, . empty."""
    return ["".join(row) for row in to_characters(position)]
