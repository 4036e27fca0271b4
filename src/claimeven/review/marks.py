"""Judgements of moves, by the expected result before and after a move.

A draw is worth 0.5. A win is worth 0.5 + 0.5 * 0.9 ** (m - 1) if the winner needs m more moves: 1
for an immediate win, 0.74 for a win in 8 moves, 0.56 for a win in 21: little more than a draw. A
loss is worth 1 minus the opponent's win. The judgements:

- `perfect`: keeps the score: no column is better;
- `good`: loses less than 0.1 and keeps the outcome (win, draw or loss with best play);
- `inaccurate` (?!): loses 0.1 or more, or changes the outcome;
- `mistake` (?): loses 0.15 or more, or misses an immediate win;
- `blunder` (??): loses 0.3 or more.
"""

from __future__ import annotations

from bisect import bisect_right

from claimeven.game.position import Position
from claimeven.solver.scores import plies_to_end

PERFECT, GOOD, INACCURATE, MISTAKE, BLUNDER = JUDGEMENTS = (
    "perfect", "good", "inaccurate", "mistake", "blunder"
)  # fmt: skip
#: The mark of each judgement, as in chess notation.
MARKS = {PERFECT: "", GOOD: "", INACCURATE: "?!", MISTAKE: "?", BLUNDER: "??"}
#: Minimum losses of expected result for an inaccurate move, a mistake, a blunder.
LIMITS = (0.1, 0.15, 0.3)
#: Discount of a win for each more move that it takes.
DISCOUNT = 0.9


def expected_result(position: Position, score: int) -> float:
    """Return the expected result of the side to move, from 0 to 1 (an immediate win).

    >>> expected_result(Position.from_moves("4455"), 18), expected_result(Position(), 0)
    (0.95, 0.5)
    """
    if score == 0:
        return 0.5
    moves = (plies_to_end(position, score) + 1) // 2
    worth = 0.5 * DISCOUNT ** (moves - 1)
    return 0.5 + worth if score > 0 else 0.5 - worth


def judge(position: Position, before: int, after: int) -> str:
    """Return the judgement of a move: one of `JUDGEMENTS`.

    `before` is the score of the position, `after` of the column played, for the side to move.

    >>> judge(Position(), 1, 0), judge(Position.from_moves("543465"), -4, -17)
    ('inaccurate', 'blunder')
    """
    if after == before:
        return PERFECT
    lost = expected_result(position, before) - expected_result(position, after)
    misses = before > 0 and plies_to_end(position, before) == 1
    minimum = 2 if misses else steps_lost(before, after) > 0
    return JUDGEMENTS[1 + max(minimum, bisect_right(LIMITS, lost))]


def steps_lost(before: int, after: int) -> int:
    """Return by how many steps (win, draw, loss) a move changes the outcome: 0, 1 or 2."""
    return sign(before) - sign(after)


def sign(score: int) -> int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return (score > 0) - (score < 0)


def signed(score: int) -> str:
    """Return a score with its sign: +3, 0, -3."""
    return f"{score:+d}" if score else "0"
