"""The solution of a puzzle, found by exact scores, and how hard it is for a person.

A rating says how far one must see, what the solution turns on, its length. A win needs so many
moves until the line is complete; where the draw is held, so many moves until the last of the other
columns has lost. 2 moves are worth 1000 points, 4 moves 1200, 6 moves 1400, 9 moves 1600, 12 moves
1850, and 17 moves 2200. A won ending that shows after the first disc, by a threat that decides it
or by answering in the same column, need not be counted out: it is worth 1650 points at most. Motifs
that are hard to see add up to 75 points, and each column to be found after the first adds 10.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from claimeven.game.position import Position
from claimeven.puzzles.puzzle import HOLD, MIN_COLUMNS, WIN, InvalidPuzzles, Puzzle, is_quiet
from claimeven.review.columns import ColumnClaims
from claimeven.review.win_claims import FollowUp, Zugzwang
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end

#: Columns the side to move has to find, at most.
MAX_SOLUTION_LENGTH = 6
#: Claims about the only column that holds which say why, the most telling first.
_HOLDING = ("follow_up", "denies", "stops")
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


def kind_of(scores: tuple[int | None, ...]) -> str | None:
    """Return the kind of puzzle a position with these scores of its columns is, None for none.

    >>> kind_of((-3, 2, 0, None)), kind_of((-3, -2, 0, None)), kind_of((1, 2, -1))
    ('win', 'hold', None)
    """
    known = sorted(score for score in scores if score is not None)
    if len(known) < MIN_COLUMNS or known[-1] < 0:
        return None
    best, next_best = known[-1], known[-2]
    if best > 0:
        return WIN if next_best <= 0 else None
    return HOLD if next_best < 0 else None


def keeps(score: int | None, kind: str) -> bool:
    """Whether a column with this score keeps what the puzzle is about.

    >>> keeps(1, "win"), keeps(0, "win"), keeps(0, "hold"), keeps(None, "hold")
    (True, False, True, False)
    """
    return score is not None and score >= (1 if kind == WIN else 0)


def keeping(scores: tuple[int | None, ...], kind: str) -> tuple[int, ...]:
    """Return the 0-based columns that keep what the puzzle is about."""
    return tuple(column for column, score in enumerate(scores) if keeps(score, kind))


def is_plain(played: Position, kind: str, solver: ExactSolver) -> bool:
    """Whether nothing is left to find after a good column.

    The game is over, or whatever the answer is the next disc wins.
    """
    if played.is_over:
        return True
    return kind == WIN and plies_to_end(played, solver.score(played)) == 2


def best_answer(played: Position, kind: str, solver: ExactSolver) -> int:
    """Return the 0-based column of the defence that holds out longest against a good column.

    Of equally good ones the one that leaves the fewest good answers, then the most central one.
    """
    scores = solver.scores(played)
    best = max(score for score in scores if score is not None)
    columns = [c for c in played.geometry.center_order if scores[c] == best]
    if len(columns) == 1:
        return columns[0]

    def good_answers(column: int) -> int:
        after = played.play(column)
        return 0 if after.is_over else len(keeping(solver.scores(after), kind))

    return min(columns, key=good_answers)


def solution_of(position: Position, kind: str, solver: ExactSolver) -> tuple[int, ...]:
    """Return the solution of a puzzle: see `Puzzle.solution`."""
    line: list[int] = []
    while len(line) < 2 * MAX_SOLUTION_LENGTH:
        good = keeping(solver.scores(position), kind)
        if len(good) != 1:
            break
        played = position.play(good[0])
        line.append(good[0])
        if is_plain(played, kind, solver):
            return tuple(line)
        answer = best_answer(played, kind, solver)
        position = played.play(answer)
        line.append(answer)
        if position.is_over:
            break
    return tuple(line[: len(line) - 1 + len(line) % 2])


def idea_of(position: Position, kind: str, column: int, solver: ExactSolver) -> str:
    """Return what the only column turns on: a name in `IDEAS`."""
    scores = solver.scores(position)
    best = max(score for score in scores if score is not None)
    told = ColumnClaims(position, column, scores, best, solver)
    if kind == WIN:
        return told.ending.kind
    made = [claim.kind for claim in told.claims()]
    return next((kind for kind in _HOLDING if kind in made), "only")


def check_solution(puzzle: Puzzle, solver: ExactSolver) -> None:
    """Raise `InvalidPuzzles` unless each column to be found alone keeps the win, or the draw."""
    position = puzzle.position
    for place, column in enumerate(puzzle.solution):
        if place % 2 == 0 and keeping(solver.scores(position), puzzle.kind) != (column,):
            raise InvalidPuzzles(
                f"puzzle {puzzle.number} is none: its solution is not the only column that keeps"
                f" the {'win' if puzzle.kind == WIN else 'draw'}"
            )
        position = position.play(column)


def faults_of(puzzle: Puzzle, solver: ExactSolver) -> list[str]:
    """Return sentences about what is wrong with a puzzle by exact scores; empty if nothing is."""
    position = puzzle.position
    if position.is_over or not is_quiet(position):
        return [f"puzzle {puzzle.number} is plain: a line can be completed at once"]
    found = kind_of(solver.scores(position))
    if found != puzzle.kind:
        return [f"puzzle {puzzle.number} is {found or 'none'}, not {puzzle.kind}"]
    line = solution_of(position, puzzle.kind, solver)
    if line != puzzle.solution:
        return [f"puzzle {puzzle.number} is solved by {line}, not {puzzle.solution}"]
    idea = idea_of(position, puzzle.kind, line[0], solver)
    if idea != puzzle.idea:
        return [f"puzzle {puzzle.number} turns on {idea}"]
    rating = rate(position, puzzle.kind, idea, line, solver)
    return [] if rating == puzzle.rating else [f"puzzle {puzzle.number} is rated {rating}"]


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
