"""The opening book, looked up."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from claimeven.game.position import Position
from claimeven.solver import protocols
from claimeven.solver.protocols import USUAL_BOOK
from claimeven.solver.scores import column_in_words, final_score
from claimeven.web.responses import BookAnswer
from claimeven.web.routes.common import PROBLEMS, InQuery

router = APIRouter(prefix="/api", tags=["book"], responses=PROBLEMS)


@router.get("/book", response_model=BookAnswer)
async def book(query: InQuery) -> dict[str, Any]:
    """Look a position up in the opening book: what it holds of each column, without any search."""
    asked = query.asked()
    now = asked.position
    found = protocols.open_book(asked.geometry, USUAL_BOOK)
    scores: list[int | None] = [None] * asked.geometry.columns

    def known(position: Position) -> int | None:
        if position.is_over:
            return final_score(position)
        return None if found is None else found.look_up(position)

    score = known(now)
    for column in now.legal_columns:
        after = known(now.play_unchecked(column))
        scores[column] = None if after is None else -after
    plies = getattr(found, "plies", None)
    return {
        "moves": asked.moves,
        "plies": plies,
        "known": score is not None,
        "score": score,
        "scores": scores,
        "words": [None if s is None else column_in_words(now, s) for s in scores],
        "best": [
            column + 1
            for column in asked.geometry.centre_order
            if score is not None and scores[column] == score
        ],
    }
