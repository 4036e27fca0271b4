"""How hard a puzzle is for a person: how far one must see, what the solution turns on, its length.

A win needs so many moves until the line is complete; where the draw is held, so many moves until
the last of the other columns has lost. 2 moves are worth 1000 points, 4 moves 1200, 6 moves 1400,
9 moves 1600, 12 moves 1850, and 17 moves 2200. A won ending that shows after the first disc, by a
threat that decides it or by answering in the same column, need not be counted out: it is worth 1650
points at most. Motifs that are hard to see add up to 75 points, and each column to be found after
the first adds 10.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from claimeven.game.position import Position
from claimeven.practice.puzzle import WIN
from claimeven.review.columns import ColumnClaims
from claimeven.review.win_claims import FollowUp, Zugzwang
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end

#: Moves that must be seen, and the points of a puzzle for them; in between in proportion.
MOVES, POINTS = (2, 4, 6, 9, 12, 17), (1000, 1200, 1400, 1600, 1850, 2200)
#: Points at most for an ending that is recognized.
MAX_RECOGNIZED = 1650
#: Points that an idea adds, and each column after the first.
IDEA_POINTS: Final = {
    "double": 0, "forces": 0, "stack": 15, "denies": 25, "only": 50, "follow_up": 50,
    "zugzwang": 75, "stops": 75,
}  # fmt: skip
COLUMN_POINTS = 10


def moves_to_see(position: Position, kind: str, scores: tuple[int | None, ...]) -> int:
    """Return until which move a person must see: the win's, or the last wrong column's loss."""
    known = [score for score in scores if score is not None]
    if kind == WIN:
        return (plies_to_end(position, max(known)) + 1) // 2
    return max(plies_to_end(position, score) // 2 for score in known if score < 0)


def rate(
    position: Position, kind: str, idea: str, solution: tuple[int, ...], solver: ExactSolver
) -> int:
    """Return the rating of a puzzle with this idea and solution.

    >>> from claimeven.solver import Solver
    >>> rate(Position.from_moves("4455"), "win", "stack", (2,), Solver(table_mb=1))
    1015
    """
    scores = solver.scores(position)
    points = float(np.interp(moves_to_see(position, kind, scores), MOVES, POINTS))
    if points > MAX_RECOGNIZED and kind == WIN:
        best = max(score for score in scores if score is not None)
        if _is_recognized(ColumnClaims(position, solution[0], scores, best, solver)):
            points = MAX_RECOGNIZED
    return round(points + IDEA_POINTS[idea] + COLUMN_POINTS * (len(solution) // 2))


def _is_recognized(column: ColumnClaims) -> bool:
    """Whether the won ending shows once the column is played."""
    ending = column.ending
    if isinstance(ending, Zugzwang) and ending.start <= 1:
        return True
    return any(isinstance(claim, FollowUp) for claim in column.claims())
