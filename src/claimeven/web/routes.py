"""The routes of the API: positions, games, agents, searches, the book, puzzles, a tournament."""

from __future__ import annotations

import time
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from claimeven import __version__
from claimeven.errors import ClaimevenError
from claimeven.game.drawing import draw
from claimeven.game.encodings import to_characters
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.puzzles.puzzle import (
    InvalidPuzzles,
    Puzzle,
    bundled_puzzles,
    daily_puzzle,
    filter_puzzles,
    puzzle_by_number,
)
from claimeven.solver import protocols
from claimeven.solver.errors import InvalidSolve
from claimeven.solver.protocols import DEFAULT_BOOK
from claimeven.web import responses
from claimeven.web.jobs import best_columns, book_scores, known_score, words_of
from claimeven.web.requests import (
    MAX_MOVES,
    MAX_SPEC,
    BoardFields,
    MinimaxQuery,
    MonteCarloQuery,
    MoveRequest,
    PlayRequest,
    PositionFields,
    PuzzlesQuery,
    RecordsRequest,
)
from claimeven.web.responses import Problem
from claimeven.web.services import Services, Shared
from claimeven.web.settings import allowed_agents, check_allowed, levels
from claimeven.web.transport import EventStream, no_parameter

#: Error responses of every route.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    403: {"model": Problem, "description": "The request is from another site."},
    413: {"model": Problem, "description": "The body is too long."},
    422: {"model": Problem, "description": "The request is invalid."},
    503: {"model": Problem, "description": "A worker failed, or the queue is full."},
}
_TEXT = {"type": "string"}
_EVENT = {"type": "object", "properties": {"event": _TEXT, "data": _TEXT}}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": _EVENT}}, "description": "Events."}
}
_TOURNAMENT: dict[int | str, dict[str, Any]] = {
    304: {"description": "Unchanged since the ETag of the request."},
    404: {"model": Problem, "description": "The server has no tournament."},
}
#: A report includes a style and a script; its own policy allows them by their digests.
_REPORT_POLICY = "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#: Score of a full column in the responses of `/solve`.
FULL = 100

#: Makes a router of the API.
new_router = partial(APIRouter, responses=PROBLEMS)
router: APIRouter = new_router()
InQuery = Annotated[PositionFields, Query()]
Bot = Annotated[str | None, Query(max_length=MAX_SPEC, description="The bot to play against.")]
Number = Annotated[int, Query(ge=1, description="Its number in the set.", examples=[1])]
Found = Annotated[int, Query(ge=0, le=100, description="Columns found so far.")]
Column = Annotated[str, Query(max_length=2, description="From 1.", examples=["1"])]
#: Maximum number of excluded puzzles.
MAX_EXCLUDED = 200


async def only_known(request: Request) -> None:
    """Raise `ClaimevenError` for a parameter that would otherwise be ignored."""
    route = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    parameters = route.get(request.method.lower(), {}).get("parameters", ())
    names = {each["name"] for each in parameters if each["in"] == "query"}
    for name in request.query_params:
        if name not in names:
            raise ClaimevenError(no_parameter(name))


@router.get("/api/position", tags=["positions"], response_model=responses.PositionAnswer)
async def position(query: InQuery) -> dict[str, Any]:
    """Return a position by the rules: legal columns, the outcome, the board as text."""
    line = query.line
    now, geometry, outcome = line.position, line.start.geometry, line.position.outcome
    return {
        "board": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "moves": line.moves,
        "start": None if line.start == Position(geometry) else "/".join(_rows(line.start)),
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
        "rows": _rows(now),
        "drawing": draw(now),
        "move_columns": [column + 1 for column in line.columns],
    }


def _rows(position: Position) -> list[str]:
    """Return the rows of a board from the top: X Yellow, O Red, . empty."""
    return ["".join(row) for row in to_characters(position)]


@router.get("/api/scores", tags=["positions"], response_model=responses.ScoresAnswer)
async def scores(query: InQuery, services: Shared) -> dict[str, Any]:
    """Solve a position: the exact score of every column, in numbers and words."""
    return await services.scores(query)


@router.get("/api/scores/events", tags=["positions"], responses=_EVENTS, response_class=Response)
async def scores_events(query: InQuery, services: Shared) -> Response:
    """Solve a position; send each column when it is solved.

    Events: `column` (column, score, words), `progress` (nodes, rate, seconds), then `done` with
    the complete response, or `error`.
    """
    query.ongoing()
    return EventStream(lambda: aclosing(services.score_events(query)))


@router.get("/api/explanation", tags=["positions"], response_model=responses.ExplanationAnswer)
async def explanation(query: InQuery, services: Shared) -> Any:
    """Explain a position in checked sentences, with the cells they are about."""
    seconds = services.settings.explain_seconds
    return await services.ask("explanation", seconds, position=query.ongoing())


@router.get("/api/review", tags=["reviews"], response_model=responses.ReviewAnswer)
async def review(query: InQuery, services: Shared) -> Any:
    """Judge every move of a game, finished or not, against perfect play."""
    line = query.line
    seconds = services.settings.review_seconds
    return await services.ask("review", seconds, position=line.start, columns=line.columns)


@router.get("/api/review/events", tags=["reviews"], responses=_EVENTS, response_class=Response)
async def review_events(query: InQuery, services: Shared) -> Response:
    """Judge a game; send the scores of each position when they are found, the last one first.

    Events: `scores` (ply, scores), then `done` with the whole review or `error`.
    """
    arguments = {"position": query.line.start, "columns": query.line.columns}
    seconds = services.settings.review_seconds
    return EventStream(lambda: services.pool.job("review", arguments, seconds))


@router.post("/api/records", tags=["records"], response_model=responses.RecordsAnswer)
async def records(body: RecordsRequest, services: Shared) -> Any:
    """Read the games of a file in any format that `claimeven convert` reads.

    The format is guessed from the name and the text. `board` and `connect` apply to games without
    a board. Invalid games are counted, and the first error is returned; the status is 422 if no
    game is valid.
    """
    seconds = services.settings.seconds
    return await services.ask(
        "games_json", seconds, geometry=body.geometry(), text=body.text, name=body.name
    )


@router.get("/api/agents", tags=["agents"], response_model=responses.AgentsAnswer)
async def agents(query: Annotated[BoardFields, Query()], services: Shared) -> dict[str, Any]:
    """List every agent with its options, and whether it plays on a board."""
    return {
        "agents": allowed_agents(query.geometry(), services.settings.trust),
        "levels": levels(),
        "caps": services.settings.caps,
    }


@router.post("/api/move", tags=["agents"], response_model=responses.MoveAnswer)
async def move(body: MoveRequest, services: Shared) -> dict[str, Any]:
    """Ask an agent for a move under a limit."""
    return await _decision(services, body, body.agent, body.tree_nodes)


@router.post("/play", tags=["play"], response_model=responses.PlayAnswer)
async def play(
    body: PlayRequest,
    services: Shared,
    agent: Annotated[str | None, Query(max_length=MAX_SPEC)] = None,
) -> dict[str, Any]:
    """Play a move as an agent, in the protocol of `claimeven match http://...`."""
    return await _decision(services, body, agent or services.settings.bot)


async def _decision(
    services: Services, body: MoveRequest | PlayRequest, agent: str, tree_nodes: int = 0
) -> dict[str, Any]:
    spec, limit = check_allowed(agent, services.settings), body.limit.limit(services.settings)
    seed, seconds = services.seed(body.seed), services.settings.seconds
    more = {"agent": spec, "seed": seed}
    decision = await services.ask(
        "move", seconds, position=body.ongoing(), limit=limit, tree_nodes=tree_nodes, **more
    )
    return {**decision, **more}


@router.get("/api/search/minimax", tags=["searches"], response_model=responses.MinimaxAnswer)
async def minimax(query: Annotated[MinimaxQuery, Query()], services: Shared) -> Any:
    """Return the steps of a minimax, alpha-beta or negamax search, and its tree."""
    return await _search("search_traces.minimax", query, services)


@router.get("/api/search/montecarlo", tags=["searches"], response_model=responses.MonteCarloAnswer)
async def montecarlo(query: Annotated[MonteCarloQuery, Query()], services: Shared) -> Any:
    """Return the iterations of a Monte Carlo search phase by phase, and its tree."""
    return await _search("search_traces.montecarlo", query, services)


async def _search(task: str, query: MinimaxQuery | MonteCarloQuery, services: Services) -> Any:
    settings = services.settings
    agent = check_allowed(query.agent, settings)
    options = {**query.options(), "agent": agent}
    if agent in settings.bots:
        task = "search_traces.shown"
    return await services.ask(task, settings.seconds, position=query.ongoing(), **options)


@router.get("/api/book", tags=["book"], response_model=responses.BookAnswer)
async def book(query: InQuery) -> dict[str, Any]:
    """Look a position up in the opening book, without a search."""
    now = query.line.position
    book = protocols.open_book(now.geometry, DEFAULT_BOOK)
    score, scores = known_score(book, now), book_scores(now)
    return {
        "moves": query.line.moves,
        "book_plies": getattr(book, "plies", None),
        "in_book": score is not None,
        "score": score,
        "scores": scores,
        "words": words_of(now, scores),
        "best": best_columns(now, score, scores),
    }


@router.get(
    "/api/tournament",
    tags=["tournament"],
    response_model=responses.TournamentAnswer,
    responses=_TOURNAMENT,
)
async def tournament(request: Request, services: Shared) -> Response:
    """Return the standings of the tournament of the server.

    They include the games read so far; a large file is read over several requests. The ETag changes
    with the standings and the running game.
    """
    body, tag = await services.store.standings()
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


@router.get("/report", include_in_schema=False)
async def report(services: Shared) -> HTMLResponse:
    """Return the report of the tournament, without an analysis of the games."""
    page = await services.store.report()
    return HTMLResponse(page, headers={"content-security-policy": _REPORT_POLICY})


@router.get("/solve", tags=["solve"], response_model=responses.SolveAnswer)
async def solve(
    services: Shared,
    pos: Annotated[str, Query(max_length=MAX_MOVES, examples=["475"])] = "",
) -> dict[str, Any]:
    """Solve a position of the standard board: `pos` is the moves, columns from 1."""
    found = await services.scores(PositionFields(moves=pos))
    if not found["complete"]:
        raise InvalidSolve(f"{pos} was not solved within {services.settings.seconds:g} s")
    return {"pos": pos, "score": [FULL if s is None else s for s in found["scores"]]}


@router.get("/api/status", tags=["status"], response_model=responses.StatusAnswer)
async def status(services: Shared) -> dict[str, Any]:
    """Return the state of the server, its workers and its queue."""
    pool, store = services.pool, services.settings.store
    is_ready = pool.ready == pool.size
    done, steps = pool.steps_done, len(pool.steps)
    preparing = "its workers" if done == steps else pool.steps[done].name
    return {
        "version": __version__,
        "workers": pool.size,
        "ready_workers": pool.ready,
        "ready": is_ready,
        "compiling": pool.compiling.is_set() and done < steps,
        "preparing": None if is_ready else preparing,
        "steps_done": done,
        "steps": steps,
        "busy": pool.busy,
        "waiting": pool.waiting,
        "jobs_done": pool.jobs_done,
        "workers_lost": pool.workers_lost,
        "uptime_seconds": time.monotonic() - services.started_at,
        "store": None if store is None else store.name,
        "bots": list(dict.fromkeys(services.settings.bots)),
    }


@router.get("/api/puzzles", tags=["puzzles"], response_model=responses.PuzzlesAnswer)
async def puzzles(query: Annotated[PuzzlesQuery, Query()], services: Shared) -> dict[str, Any]:
    """Return a random puzzle with these properties, and the number of such puzzles."""
    number, exclude, rating = query.number, query.exclude, query.rating
    others = query.model_dump(exclude_defaults=True, exclude={"number"})
    if number is not None and others:
        other = next(iter(others))
        raise InvalidPuzzles(f"number selects one puzzle: it cannot be combined with {other}")
    words = [word.strip() for word in exclude.split(",")] if exclude else []
    for word in words:
        if not (word.isascii() and word.isdecimal()):
            raise InvalidPuzzles(
                f"exclude must be numbers of puzzles like 3,17, got {exclude[:40]!r}"
            )
    wanted = query.difficulty, query.kind, query.motif, query.length
    chosen = filter_puzzles(bundled_puzzles().puzzles, *wanted)
    if not chosen:
        raise InvalidPuzzles("the set has no such puzzle: choose fewer of its properties")
    if number is not None:
        return _puzzle_answer(puzzle_by_number(bundled_puzzles().puzzles, number), len(chosen))
    excluded = set(map(int, words[:MAX_EXCLUDED]))
    fresh = [puzzle for puzzle in chosen if puzzle.number not in excluded] or list(chosen)
    if rating is not None:  # of the nearest twentieth
        fresh.sort(key=lambda puzzle: abs(puzzle.rating - rating))
        fresh = fresh[: max(10, len(fresh) // 20)]
    rng = np.random.default_rng(services.seed(query.seed))
    return _puzzle_answer(fresh[int(rng.integers(len(fresh)))], len(chosen))


@router.get("/api/puzzles/daily", tags=["puzzles"], response_model=responses.PuzzlesAnswer)
async def daily(
    date: Annotated[
        str | None, Query(max_length=10, description="Such as 2026-01-31; today by default.")
    ] = None,
) -> dict[str, Any]:
    """Return the puzzle of a day: the same for everyone."""
    return _puzzle_answer(daily_puzzle(date), len(bundled_puzzles().puzzles))


@router.get("/api/puzzles/attempt", tags=["puzzles"], response_model=responses.PuzzleAttemptAnswer)
async def attempt(
    services: Shared, number: Number, column: Column, columns_found: Found = 0
) -> Any:
    """Try a column: whether it is right, why, and the reply of the other side."""
    puzzle = puzzle_by_number(bundled_puzzles().puzzles, number)
    more = {"found": columns_found, "column": parse_column(column, puzzle.geometry)}
    return await services.ask(
        "puzzle_attempt", services.settings.explain_seconds, number=number, **more
    )


@router.get("/api/puzzles/hints", tags=["puzzles"], response_model=responses.PuzzleHintsAnswer)
async def hints(services: Shared, number: Number, columns_found: Found = 0) -> Any:
    """Return three hints for the next column: the idea, cells to look at, the column and why."""
    seconds = services.settings.explain_seconds
    return await services.ask("puzzle_hints", seconds, number=number, found=columns_found)


def _puzzle_answer(puzzle: Puzzle, count: int) -> dict[str, Any]:
    puzzles = bundled_puzzles()
    return {
        "set": puzzles.name,
        "digest": puzzles.digest,
        "count": count,
        "puzzle": puzzle.as_dict(),
    }
