"""The solution of a puzzle by exact scores; feedback on it, hints, and the rating of a puzzle: how
hard it is for a person.

The rating depends on the length, the moves to foresee: until the win, or the last loss of the other
columns. 1 move is worth 600 points, 2 moves 1000, 3 moves 1200, 5 moves 1400, 7 moves 1600, 10
moves 1850, and 14 moves 2200. A won ending that can be recognized after the first disc, by a
decisive threat or by replies in the same column, is worth at most 1650 points. Ideas that are hard
to see add up to 75 points, a line to block 100, and each column to find after the first 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from claimeven.game.position import Position, positions_along
from claimeven.puzzles.puzzle import (
    AT_ONCE,
    HOLD,
    IDEAS,
    MIN_COLUMNS,
    WIN,
    InvalidPuzzles,
    Puzzle,
    is_quiet,
)
from claimeven.review.claims import Claim, Wording, join_words
from claimeven.review.columns import ColumnClaims
from claimeven.review.explain import explain_columns
from claimeven.review.threats import Cell
from claimeven.review.win_claims import FollowUp, Zugzwang
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end

#: Maximum number of columns to find.
MAX_SOLUTION_LENGTH = 6
#: Claims that explain why the only column holds the draw, the most specific first.
_HOLDING = ("follow_up", "denies", "stops")
#: Numbers of moves to foresee and their points, interpolated in between.
MOVES, POINTS = (1, 2, 3, 5, 7, 10, 14), (600, 1000, 1200, 1400, 1600, 1850, 2200)
#: Maximum points for an ending that can be recognized.
MAX_RECOGNIZED = 1650
#: Points that an idea adds, and each column after the first.
IDEA_POINTS: Final = {
    "line": 0, "double": 0, "forces": 0, "stack": 15, "denies": 25, "only": 50, "follow_up": 50,
    "zugzwang": 75, "stops": 75, "block": 100,
}  # fmt: skip
COLUMN_POINTS = 10


def kind_of(scores: tuple[int | None, ...]) -> str | None:
    """Return the kind of puzzle of a position with these scores, or None.

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


def right_columns(scores: tuple[int | None, ...], kind: str) -> tuple[int, ...]:
    """Return the right columns, 0-based."""
    low = 1 if kind == WIN else 0
    return tuple(n for n, score in enumerate(scores) if score is not None and score >= low)


def is_obvious(played: Position, kind: str, solver: ExactSolver) -> bool:
    """Whether the game is over after a right column, or the next disc wins after every reply."""
    if played.is_over:
        return True
    return kind == WIN and plies_to_end(played, solver.score(played)) == 2


def best_reply(played: Position, kind: str, solver: ExactSolver) -> int:
    """Return the 0-based column of the defence that lasts longest against a right column.

    Of equally good ones it is the one with the fewest right answers, then the most central one.
    """
    scores = solver.scores(played)
    best = max(score for score in scores if score is not None)
    columns = [c for c in played.geometry.center_order if scores[c] == best]
    if len(columns) == 1:
        return columns[0]

    def count_right_columns(column: int) -> int:
        after = played.play(column)
        return 0 if after.is_over else len(right_columns(solver.scores(after), kind))

    return min(columns, key=count_right_columns)


def solution_of(position: Position, kind: str, solver: ExactSolver) -> tuple[int, ...]:
    """Return the solution of a puzzle: see `Puzzle.solution`."""
    line: list[int] = []
    while len(line) < 2 * MAX_SOLUTION_LENGTH:
        good = right_columns(solver.scores(position), kind)
        if len(good) != 1:
            break
        played = position.play(good[0])
        line.append(good[0])
        if is_obvious(played, kind, solver) or not (line[1:] or is_quiet(position)):
            return tuple(line)
        reply = best_reply(played, kind, solver)
        position = played.play(reply)
        line.append(reply)
        if position.is_over:
            break
    return tuple(line[: len(line) - 1 + len(line) % 2])


def idea_of(position: Position, kind: str, column: int, solver: ExactSolver) -> str:
    """Return the idea behind the only right column: a name in `IDEAS`."""
    if not is_quiet(position):
        return AT_ONCE[not position.play(column).is_over]
    column_claims = ColumnClaims(position, column, solver)
    if kind == WIN:
        return column_claims.ending.kind
    kinds = [claim.kind for claim in column_claims.claims()]
    return next((kind for kind in _HOLDING if kind in kinds), "only")


def check_solution(puzzle: Puzzle, solver: ExactSolver) -> None:
    """Raise `InvalidPuzzles` unless each column to find is the only right one."""
    position = puzzle.position
    for place, column in enumerate(puzzle.solution):
        if place % 2 == 0 and right_columns(solver.scores(position), puzzle.kind) != (column,):
            raise InvalidPuzzles(
                f"puzzle {puzzle.number} is invalid: its solution is not the only column that"
                f" {'wins' if puzzle.kind == WIN else 'draws'}"
            )
        position = position.play(column)


def moves_to_foresee(position: Position, kind: str, scores: tuple[int | None, ...]) -> int:
    """Return the number of moves to foresee: to the win, or to the last loss of a wrong column."""
    known = [score for score in scores if score is not None]
    if kind == WIN:
        return (plies_to_end(position, max(known)) + 1) // 2
    return max(plies_to_end(position, score) // 2 for score in known if score < 0)


def puzzle_at(
    number: int, moves: str, position: Position, kind: str, solver: ExactSolver
) -> Puzzle:
    """Return the puzzle of a position of this kind."""
    solution = solution_of(position, kind, solver)
    idea = idea_of(position, kind, solution[0], solver)
    length = moves_to_foresee(position, kind, solver.scores(position))
    rating = rate(position, kind, idea, solution, solver)
    return Puzzle(number, moves, kind, rating, idea, solution, position.geometry, length)


def rate(
    position: Position, kind: str, idea: str, solution: tuple[int, ...], solver: ExactSolver
) -> int:
    """Return the rating of a puzzle with this idea and solution.

    >>> from claimeven.solver import Solver
    >>> rate(Position.from_moves("4455"), "win", "stack", (2,), Solver(table_mb=1))
    1015
    """
    scores = solver.scores(position)
    points = float(np.interp(moves_to_foresee(position, kind, scores), MOVES, POINTS))
    if points > MAX_RECOGNIZED and kind == WIN:
        column = ColumnClaims(position, solution[0], solver, scores)
        ending = column.ending
        is_close = isinstance(ending, Zugzwang) and ending.start <= 1
        if is_close or any(isinstance(claim, FollowUp) for claim in column.claims()):
            points = MAX_RECOGNIZED
    return round(points + IDEA_POINTS[idea] + COLUMN_POINTS * (len(solution) // 2))


#: Maximum number of cells that a hint names.
MAX_CELLS = 3


@dataclass(frozen=True)
class Attempt:
    """A column chosen as the next one of a solution.

    `correct`: it is the right column. `solved`: it was also the last column to find. `reply` is the
    0-based column that the other side answers in, or None. `text` explains the result in
    sentences; `claims` are the facts behind them, about the position before the column.
    """

    column: int
    correct: bool
    solved: bool
    reply: int | None
    text: str
    claims: tuple[Claim, ...]

    def as_dict(self, position: Position) -> dict[str, Any]:
        """Return plain data; columns count from 1, `position` is the one before the column."""
        return {
            "column": self.column + 1,
            "correct": self.correct,
            "solved": self.solved,
            "reply": None if self.reply is None else self.reply + 1,
            "text": self.text,
            "claims": [claim.as_dict(position) for claim in self.claims],
        }


@dataclass(frozen=True)
class Hint:
    """One of three steps: `idea`, `cells`, `column`.

    The step `cells` names cells to look at, or columns to rule out. `cells` (column, row) and
    `columns` are the ones that the text names, from 0.
    """

    step: str
    text: str
    cells: tuple[Cell, ...] = ()
    columns: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain data; columns and rows count from 1."""
        return {
            "step": self.step,
            "text": self.text,
            "cells": [[column + 1, row + 1] for column, row in self.cells],
            "columns": [column + 1 for column in self.columns],
        }


def position_after(puzzle: Puzzle, found: int) -> Position:
    """Return the position after `found` columns of a solution and the replies to them.

    Raises `InvalidPuzzles` unless a column is left to find.
    """
    count = puzzle.columns_to_find
    if not 0 <= found < count:
        raise InvalidPuzzles(
            f"puzzle {puzzle.number} has {count} column{'s' * (count > 1)} to find: the number"
            f" found so far must be 0 to {count - 1}, got {found}"
        )
    return positions_along(puzzle.position, puzzle.solution[: 2 * found])[-1]


def try_column(puzzle: Puzzle, found: int, column: int, solver: ExactSolver) -> Attempt:
    """Judge a 0-based column, chosen after `found` columns of the solution.

    Raises `IllegalMove` for a column that cannot be played.
    """
    position = position_after(puzzle, found)
    played = position.play(column)
    column = position.geometry.check_column(column)
    (explained,) = explain_columns(position, [column], solver)
    correct = column == puzzle.solution[2 * found]
    solved = correct and found + 1 == puzzle.columns_to_find
    if correct:
        reply = None if solved else puzzle.solution[2 * found + 1]
        claims = explained.claims if solved else explained.claims[:1]
    else:
        line = () if played.is_over else solver.principal_variation(played)
        reply, claims = line[0] if line else None, explained.claims
    text = " ".join(claim.sentence(position) for claim in claims)
    return Attempt(column, correct, solved, reply, text, claims)


def hints_for(puzzle: Puzzle, found: int, solver: ExactSolver) -> tuple[Hint, ...]:
    """Return three hints for the next column of a solution, each one more specific."""
    position = position_after(puzzle, found)
    column = puzzle.solution[2 * found]
    (explained,) = explain_columns(position, [column], solver)
    idea = idea_of(position, puzzle.kind, column, solver)
    words = Wording(position)
    return (
        Hint("idea", f"{IDEAS[idea][:1].upper()}{IDEAS[idea][1:]}."),
        _cells_hint(position, column, explained.claims, words),
        Hint("column", explained.text(position), columns=(column,)),
    )


def _cells_hint(position: Position, column: int, claims: tuple[Claim, ...], words: Wording) -> Hint:
    # The cells that the claims name, without cells of the right column itself.
    named = dict.fromkeys(cell for claim in claims for cell in claim.cells if cell[0] != column)
    cells = tuple(named)[:MAX_CELLS]
    if cells:
        places = join_words([words.cell(cell) for cell in cells])
        return Hint("cells", f"Look at {places}.", cells=cells)
    others = [other for other in position.legal_columns if other != column]
    wrong = tuple(others[: (len(others) + 1) // 2])
    return Hint("cells", f"It is not in {words.columns(wrong)}.", columns=wrong)
