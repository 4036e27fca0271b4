"""The routes of puzzles: drawn, of a day, tried, and hinted at."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import Query

from claimeven.game.notation import parse_column
from claimeven.puzzles.puzzle import InvalidPuzzles, Puzzle
from claimeven.puzzles.sets import bundled_puzzles, daily_puzzle, filter_puzzles, puzzle_by_number
from claimeven.web import responses
from claimeven.web.requests import Seed
from claimeven.web.routes import new_router
from claimeven.web.services import Services, Shared

router = new_router(prefix="/api/puzzles", tags=["puzzles"])

Difficulty = Annotated[
    str | None, Query(max_length=20, description="beginner, easy, medium, hard or expert.")
]
Kind = Annotated[str | None, Query(max_length=20, description="win or hold.")]
Rating = Annotated[int | None, Query(ge=0, le=9999, description="Draw one about as hard as this.")]
After = Annotated[
    str, Query(max_length=2000, description="Numbers not to draw, commas between them.")
]
Number = Annotated[
    int, Query(ge=1, description="The puzzle, by its number in the set.", examples=[1])
]
Found = Annotated[int, Query(ge=0, le=100, description="Columns of the solution found by now.")]
Column = Annotated[
    str, Query(max_length=2, description="The column chosen, from 1.", examples=["4"])
]
#: Puzzles that a draw leaves out at most: those solved lately.
MAX_LEFT_OUT = 200


@router.get("", response_model=responses.PuzzlesAnswer)
async def puzzles(
    services: Shared,
    difficulty: Difficulty = None,
    kind: Kind = None,
    rating: Rating = None,
    number: Annotated[int | None, Query(ge=1, description="This very one.")] = None,
    seed: Seed = None,
    after: After = "",
) -> dict[str, Any]:
    """Draw a puzzle, of a difficulty and a kind if they are given; tell how many there are."""
    drawing = {
        "difficulty": difficulty,
        "kind": kind,
        "rating": rating,
        "seed": seed,
        "after": after or None,
    }
    for name, value in drawing.items():
        if number is not None and value is not None:
            raise InvalidPuzzles(f"number names one puzzle: it cannot be given with {name}")
    words = [word.strip() for word in after.split(",")] if after else []
    for word in words:
        if not (word.isascii() and word.isdecimal()):
            raise InvalidPuzzles(f"after takes numbers of puzzles like 3,17, not {after[:40]!r}")
    chosen = filter_puzzles(bundled_puzzles().puzzles, difficulty, kind)
    if not chosen:
        raise InvalidPuzzles("there is no puzzle of that difficulty and kind")
    if number is not None:
        return _answer(puzzle_by_number(bundled_puzzles().puzzles, number), len(chosen))
    left_out = set(map(int, words[:MAX_LEFT_OUT]))
    fresh = [puzzle for puzzle in chosen if puzzle.number not in left_out] or list(chosen)
    if rating is not None:  # of the nearest twentieth
        fresh.sort(key=lambda puzzle: abs(puzzle.rating - rating))
        fresh = fresh[: max(10, len(fresh) // 20)]
    rng = np.random.default_rng(services.seed(seed))
    return _answer(fresh[int(rng.integers(len(fresh)))], len(chosen))


@router.get("/daily", response_model=responses.PuzzlesAnswer)
async def daily(
    date: Annotated[
        str | None, Query(max_length=10, description="Such as 2026-01-31; today if not given.")
    ] = None,
) -> dict[str, Any]:
    """Tell the puzzle of a day: the same for everyone."""
    return _answer(daily_puzzle(date), len(bundled_puzzles().puzzles))


@router.get("/attempt", response_model=responses.PuzzleAttemptAnswer)
async def attempt(services: Shared, number: Number, column: Column, found: Found = 0) -> Any:
    """Judge a column: whether it is the one, why, and what the other side answers."""
    geometry = puzzle_by_number(bundled_puzzles().puzzles, number).geometry
    return await _ask(
        services, "puzzle_attempt", number, found, column=parse_column(column, geometry)
    )


@router.get("/hints", response_model=responses.PuzzleHintsAnswer)
async def hints(services: Shared, number: Number, found: Found = 0) -> Any:
    """Tell three hints for the next column: the idea, cells to look at, the column and why."""
    return await _ask(services, "puzzle_hints", number, found)


async def _ask(services: Services, task: str, number: int, found: int, **more: Any) -> Any:
    puzzle_by_number(bundled_puzzles().puzzles, number)
    seconds = services.settings.explain_seconds
    return await services.ask(task, seconds, number=number, found=found, **more)


def _answer(puzzle: Puzzle, count: int) -> dict[str, Any]:
    given = bundled_puzzles()
    return {"set": given.name, "digest": given.digest, "count": count, "puzzle": puzzle.as_dict()}
