"""The routes of puzzles: a random one, the daily one, attempts and hints."""

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
Rating = Annotated[int | None, Query(ge=0, le=9999, description="Choose one near this rating.")]
Exclude = Annotated[
    str, Query(max_length=2000, description="Numbers of puzzles to skip, separated by commas.")
]
Number = Annotated[int, Query(ge=1, description="Its number in the set.", examples=[1])]
Found = Annotated[int, Query(ge=0, le=100, description="Columns found so far.")]
Column = Annotated[str, Query(max_length=2, description="From 1.", examples=["4"])]
#: Maximum number of excluded puzzles.
MAX_EXCLUDED = 200


@router.get("", response_model=responses.PuzzlesAnswer)
async def puzzles(
    services: Shared,
    difficulty: Difficulty = None,
    kind: Kind = None,
    rating: Rating = None,
    number: Annotated[int | None, Query(ge=1, description="This puzzle.")] = None,
    seed: Seed = None,
    exclude: Exclude = "",
) -> dict[str, Any]:
    """Return a random puzzle of a difficulty and a kind, and the number of such puzzles."""
    options = {"difficulty": difficulty, "kind": kind, "rating": rating, "seed": seed}
    options |= {"exclude": exclude or None}
    for name, value in options.items():
        if number is not None and value is not None:
            raise InvalidPuzzles(f"number selects one puzzle: it cannot be combined with {name}")
    words = [word.strip() for word in exclude.split(",")] if exclude else []
    for word in words:
        if not (word.isascii() and word.isdecimal()):
            raise InvalidPuzzles(
                f"exclude must be numbers of puzzles like 3,17, got {exclude[:40]!r}"
            )
    chosen = filter_puzzles(bundled_puzzles().puzzles, difficulty, kind)
    if not chosen:
        raise InvalidPuzzles("the set has no puzzle of this difficulty and kind")
    if number is not None:
        return _answer(puzzle_by_number(bundled_puzzles().puzzles, number), len(chosen))
    excluded = set(map(int, words[:MAX_EXCLUDED]))
    fresh = [puzzle for puzzle in chosen if puzzle.number not in excluded] or list(chosen)
    if rating is not None:  # of the nearest twentieth
        fresh.sort(key=lambda puzzle: abs(puzzle.rating - rating))
        fresh = fresh[: max(10, len(fresh) // 20)]
    rng = np.random.default_rng(services.seed(seed))
    return _answer(fresh[int(rng.integers(len(fresh)))], len(chosen))


@router.get("/daily", response_model=responses.PuzzlesAnswer)
async def daily(
    date: Annotated[
        str | None, Query(max_length=10, description="Such as 2026-01-31; today by default.")
    ] = None,
) -> dict[str, Any]:
    """Return the puzzle of a day: the same for everyone."""
    return _answer(daily_puzzle(date), len(bundled_puzzles().puzzles))


@router.get("/attempt", response_model=responses.PuzzleAttemptAnswer)
async def attempt(
    services: Shared, number: Number, column: Column, columns_found: Found = 0
) -> Any:
    """Try a column: whether it is right, why, and the reply of the other side."""
    geometry = puzzle_by_number(bundled_puzzles().puzzles, number).geometry
    return await _ask(
        services, "puzzle_attempt", number, columns_found, column=parse_column(column, geometry)
    )


@router.get("/hints", response_model=responses.PuzzleHintsAnswer)
async def hints(services: Shared, number: Number, columns_found: Found = 0) -> Any:
    """Return three hints for the next column: the idea, cells to look at, the column and why."""
    return await _ask(services, "puzzle_hints", number, columns_found)


async def _ask(services: Services, task: str, number: int, found: int, **more: Any) -> Any:
    puzzle_by_number(bundled_puzzles().puzzles, number)
    seconds = services.settings.explain_seconds
    return await services.ask(task, seconds, number=number, found=found, **more)


def _answer(puzzle: Puzzle, count: int) -> dict[str, Any]:
    puzzles = bundled_puzzles()
    return {
        "set": puzzles.name,
        "digest": puzzles.digest,
        "count": count,
        "puzzle": puzzle.as_dict(),
    }
