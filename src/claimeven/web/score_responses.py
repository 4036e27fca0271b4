"""Exact scores as the server tells them; those of the first plies come from the opening book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from claimeven.game.position import Position
from claimeven.solver import protocols
from claimeven.solver.protocols import USUAL_BOOK, OpeningBook
from claimeven.solver.scores import (
    column_in_words,
    final_score,
    outcome_word,
    plies_to_end,
)

Scores = Sequence["int | None"]


def scores_json(
    position: Position,
    scores: Scores,
    *,
    nodes: int = 0,
    seconds: float = 0.0,
    complete: bool = True,
    book: bool = False,
) -> dict[str, Any]:
    """Return the scores of a position's columns as plain data.

    Where the search was not `complete` the score of the position is None, whatever is known of its
    columns.
    """
    known = [score for score in scores if score is not None]
    score = max(known) if complete and known else None
    return {
        "score": score,
        "scores": list(scores),
        "words": [None if s is None else column_in_words(position, s) for s in scores],
        "best": [
            column + 1
            for column in position.geometry.centre_order
            if score is not None and scores[column] == score
        ],
        "outcome": None if score is None else outcome_word(score),
        "plies_to_end": None if score is None else plies_to_end(position, score),
        "complete": complete,
        "book": book,
        "nodes": nodes,
        "seconds": seconds,
    }


def told_columns(position: Position, scores: Scores, told: set[int]) -> Iterator[dict[str, Any]]:
    """Yield what is known of the columns that were not told yet; they are `told` from then on."""
    for column, score in enumerate(scores):
        if score is not None and column not in told:
            told.add(column)
            yield {
                "column": column + 1,
                "score": score,
                "words": column_in_words(position, score),
            }


def book_scores(position: Position) -> tuple[int | None, ...] | None:
    """Return the scores of all columns if the book that comes along holds them, None if not."""
    book = protocols.open_book(position.geometry, USUAL_BOOK)
    if book is None or position.is_over:
        return None
    scores: list[int | None] = [None] * position.geometry.columns
    for column in position.legal_columns:
        known = _known(book, position.play_unchecked(column))
        if known is None:
            return None
        scores[column] = -known
    return tuple(scores)


def _known(book: OpeningBook, position: Position) -> int | None:
    return final_score(position) if position.is_over else book.look_up(position)
