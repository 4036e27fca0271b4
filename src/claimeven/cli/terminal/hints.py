"""A hint in words: what each column leads to where that is known exactly, else an opinion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from claimeven.agents import Decision
from claimeven.game.notation import column_name
from claimeven.game.position import Position


def hint_lines(decision: Decision, position: Position, helper: str) -> Iterator[str]:
    """Yield what a decision says to the person to move.

    Moves are counted for the side that wins, the one on the board by then included.
    """
    details = decision.details
    name = column_name(decision.column, position.geometry)
    scores = details.get("values") if details.get("values_are") == "score" else None
    if scores is not None and decision.score is not None and scores[decision.column] is not None:
        yield from _exact_lines(decision.column, scores, position)
        return
    worth = "" if decision.value is None else f", at {decision.value:+.2f} (-1 lost, +1 won)"
    yield f"column {name} is what {helper} would play{worth}"
    if scores is not None:
        yield "it could not work all columns out in the time it has"


def _exact_lines(best: int, scores: Sequence[int | None], position: Position) -> Iterator[str]:
    """Yield what is best, and then what the other columns lead to."""
    best_score = scores[best]
    assert best_score is not None
    name = column_name(best, position.geometry)
    if best_score < 0:
        yield f"every column loses; column {name} holds out longest: {_when(best_score, position)}"
    else:
        yield f"column {name} {_verdict(best_score, position)}"
    known = [(score, c) for c, score in enumerate(scores) if score is not None and c != best]
    others = [
        f"{column_name(column, position.geometry)} {_verdict(score, position)}"
        for score, column in sorted(known, key=lambda pair: (-pair[0], pair[1]))
    ]
    if others:
        yield "others: " + ", ".join(others)


def _verdict(score: int, position: Position) -> str:
    if score == 0:
        return "draws"
    return f"{'wins' if score > 0 else 'loses'} {_when(score, position)}"


def _when(score: int, position: Position) -> str:
    from claimeven.solver import plies_to_end  # noqa: PLC0415 - for a quick start

    moves = (plies_to_end(position, score) + 1) // 2
    return f"in {moves} move{'s' * (moves != 1)}"
