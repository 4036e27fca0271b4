"""Plain data that the server and its workers share: jobs, warm-up steps, and exact scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from claimeven.game.position import Position
from claimeven.solver import protocols
from claimeven.solver.protocols import DEFAULT_BOOK, OpeningBook
from claimeven.solver.scores import column_in_words, final_score, outcome_word, plies_to_end

Scores = Sequence["int | None"]

#: Memory limit of a worker in MB.
MEMORY_MB = 2048


class WarmupStep(NamedTuple):
    """A warm-up step: its name on the page, and the spec of an agent that makes one move.

    The step compiles the kernels of the agent, or loads them from disk. Other agents and requests
    use the same kernels: after all steps a worker compiles no more code.
    """

    name: str
    agent: str


#: In the order in which a first visitor needs them. The first step is for the page as it opens: its
#: default opponent, hints, scores, puzzles.
WARMUP_STEPS = (
    WarmupStep("the solver", "perfect:level=4"),
    WarmupStep("UCT", "uct:iterations=20"),
    WarmupStep("alpha-beta", "alphabeta:depth=2"),
    WarmupStep("the net", "net"),
    WarmupStep("search with the net", "puct:iterations=20"),
    WarmupStep("flat Monte Carlo", "flat:iterations=50"),
    WarmupStep("breadth-first Monte Carlo", "breadth:iterations=20"),
    WarmupStep("UCT with a table", "uct-itu-table:iterations=20"),
    WarmupStep("the n-tuple network", "ntuple"),
)


def scores_json(
    position: Position,
    scores: Scores,
    *,
    nodes: int = 0,
    seconds: float = 0.0,
    complete: bool = True,
    from_book: bool = False,
) -> dict[str, Any]:
    """Return scores as plain data; the score of the position is None unless `complete`."""
    known = [score for score in scores if score is not None]
    score = max(known) if complete and known else None
    return {
        "score": score,
        "scores": list(scores),
        "words": words_of(position, scores),
        "best": best_columns(position, score, scores),
        "outcome": None if score is None else outcome_word(score),
        "plies_to_end": None if score is None else plies_to_end(position, score),
        "complete": complete,
        "from_book": from_book,
        "nodes": nodes,
        "seconds": seconds,
    }


def words_of(position: Position, scores: Scores) -> list[str | None]:
    return [None if score is None else column_in_words(position, score) for score in scores]


def best_columns(position: Position, score: int | None, scores: Scores) -> list[int]:
    """Return the columns, from 1, that keep the score of a position, center-most first."""
    order = position.geometry.center_order
    return [column + 1 for column in order if score is not None and scores[column] == score]


def new_columns(position: Position, scores: Scores, seen: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the score of each newly known column, and add it to `seen`."""
    for column, score in enumerate(scores):
        if score is not None and column not in seen:
            seen.add(column)
            words = column_in_words(position, score)
            yield {"column": column + 1, "score": score, "words": words}


def book_scores(position: Position) -> list[int | None]:
    """Return the score of each column by the rules or the bundled book, None if unknown."""
    book = protocols.open_book(position.geometry, DEFAULT_BOOK)
    scores: list[int | None] = [None] * position.geometry.columns
    for column in position.legal_columns:
        known = known_score(book, position.play_unchecked(column))
        scores[column] = None if known is None else -known
    return scores


def known_score(book: OpeningBook | None, position: Position) -> int | None:
    """Return the score of a position by the rules or a book, None if unknown."""
    if position.is_over:
        return final_score(position)
    return None if book is None else book.look_up(position)
