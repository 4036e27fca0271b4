"""Players with the slip of an original left in, where a published result comes from it."""

from __future__ import annotations

from functools import cache

from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch

#: Plies that the negamax of the AIFour notebook looks ahead.
_DEPTH = 4


def last_of_the_line(position: Position) -> int:
    """Play as the negamax of the AIFour notebook as printed: the last column of its best line.

    Its text describes the first.
    """
    result = _search().search(position, depth=_DEPTH)
    last = result.line[-1]
    return last if last in position.legal_columns else result.column


@cache
def _search() -> MinimaxSearch:
    return MinimaxSearch("minimax", "streaks", order="left")
