"""Puzzles to practise on: drawn, of a day, tried, and hinted at."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request

from claimeven.game.notation import parse_column
from claimeven.practice.puzzle import InvalidPuzzles, Puzzle
from claimeven.practice.select import daily_puzzle, numbered, picked, shipped_puzzles
from claimeven.web.requests import Seed
from claimeven.web.responses import (
    PuzzleHintsAnswer,
    PuzzlesAnswer,
    PuzzleVerdictAnswer,
)
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api/puzzles", tags=["puzzles"], responses=PROBLEMS)

Band = Annotated[
    str | None, Query(max_length=20, description="beginner, easy, medium, hard or expert.")
]
Kind = Annotated[str | None, Query(max_length=20, description="win or hold.")]
Number = Annotated[
    int, Query(ge=1, description="The puzzle, by its number in the set.", examples=[1])
]
Found = Annotated[int, Query(ge=0, le=100, description="Columns of the solution found by now.")]
#: Puzzles that the draw leaves out at most: those solved lately.
MOST_LEFT_OUT = 200


@router.get("", response_model=PuzzlesAnswer)
async def puzzles(
    services: Shared,
    band: Band = None,
    kind: Kind = None,
    rating: Annotated[
        int | None, Query(ge=0, le=9999, description="Draw one about as hard as this.")
    ] = None,
    number: Annotated[int | None, Query(ge=1, description="This very one.")] = None,
    seed: Seed = None,
    after: Annotated[
        str, Query(max_length=2000, description="Numbers not to draw, commas between them.")
    ] = "",
) -> dict[str, Any]:
    """Draw a puzzle, of a band and a kind if they are given; tell how many there are."""
    drawing = {"band": band, "kind": kind, "rating": rating, "seed": seed, "after": after or None}
    for name, value in drawing.items():
        if number is not None and value is not None:
            raise InvalidPuzzles(f"number names one puzzle: it cannot be given with {name}")
    words = [word.strip() for word in after.split(",")] if after else []
    for word in words:
        if not (word.isascii() and word.isdecimal()):
            raise InvalidPuzzles(f"after takes numbers of puzzles like 3,17, not {after[:40]!r}")
    given = shipped_puzzles()
    chosen = picked(given.puzzles, band, kind)
    if not chosen:
        raise InvalidPuzzles("there is no puzzle of that band and kind")
    told = {"set": given.name, "digest": given.digest, "count": len(chosen)}
    if number is not None:
        return {**told, "puzzle": numbered(given.puzzles, number).as_dict()}
    drawn = services.seed(seed)
    left_out = set(map(int, words[:MOST_LEFT_OUT]))
    fresh = [puzzle for puzzle in chosen if puzzle.number not in left_out] or list(chosen)
    if rating is not None:
        fresh = _nearest(fresh, rating)
    puzzle = fresh[int(np.random.default_rng(drawn).integers(len(fresh)))]
    return {**told, "puzzle": puzzle.as_dict()}


@router.get("/daily", response_model=PuzzlesAnswer)
async def daily(
    date: Annotated[
        str | None, Query(max_length=10, description="Such as 2026-01-31; today if not given.")
    ] = None,
) -> dict[str, Any]:
    """Tell the puzzle of a day: the same for everyone."""
    given = shipped_puzzles()
    return {
        "set": given.name,
        "digest": given.digest,
        "count": len(given.puzzles),
        "puzzle": daily_puzzle(date).as_dict(),
    }


@router.get("/verdict", response_model=PuzzleVerdictAnswer)
async def verdict(
    request: Request,
    services: Shared,
    number: Number,
    column: Annotated[
        str, Query(max_length=2, description="The column chosen, from 1.", examples=["4"])
    ],
    found: Found = 0,
) -> dict[str, Any]:
    """Judge a column: whether it is the one, why, and what the other side answers."""
    puzzle = numbered(shipped_puzzles().puzzles, number)
    return await _asked(
        request, services, "puzzle_verdict", puzzle, found,
        column=parse_column(column, puzzle.geometry),
    )  # fmt: skip


@router.get("/hints", response_model=PuzzleHintsAnswer)
async def hints(
    request: Request, services: Shared, number: Number, found: Found = 0
) -> dict[str, Any]:
    """Tell three hints for the next column: the idea, cells to look at, the column and why."""
    puzzle = numbered(shipped_puzzles().puzzles, number)
    return await _asked(request, services, "puzzle_hints", puzzle, found)


async def _asked(
    request: Request, services: Shared, task: str, puzzle: Puzzle, found: int, **more: Any
) -> dict[str, Any]:
    seconds = services.settings.explain_seconds
    return await services.ask(
        request, task, seconds, number=puzzle.number, found=found, seconds=seconds, **more
    )


def _nearest(among: list[Puzzle], rating: int) -> list[Puzzle]:
    """Return the twentieth of the puzzles whose ratings are nearest."""
    ordered = sorted(among, key=lambda puzzle: abs(puzzle.rating - rating))
    return ordered[: max(10, len(ordered) // 20)]
