"""What a person who solves a puzzle is told: whether a column is right, why, and hints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from claimeven.game.position import Position
from claimeven.practice.puzzle import IDEAS, InvalidPuzzles, Puzzle
from claimeven.practice.solutions import idea_of
from claimeven.review.claims import Claim, Words, listed
from claimeven.review.explain import explain_columns
from claimeven.review.threats import Cell
from claimeven.solver.protocols import ExactSolver

#: Cells that a hint names at most.
MOST_CELLS = 3


@dataclass(frozen=True)
class Verdict:
    """What a column is worth as the next one of a solution.

    `right` says whether it is the one, `solved` whether it was the last. `answer` is the 0-based
    column of the other side's reply, None if there is none. `text` says why in
    sentences; `claims` are their facts about the position in which the column was chosen.
    """

    column: int
    right: bool
    solved: bool
    answer: int | None
    text: str
    claims: tuple[Claim, ...]

    def as_dict(self, position: Position) -> dict[str, Any]:
        """Return it as plain data; columns count from 1, `position` is where it was chosen."""
        return {
            "column": self.column + 1,
            "right": self.right,
            "solved": self.solved,
            "answer": None if self.answer is None else self.answer + 1,
            "text": self.text,
            "claims": [claim.as_dict(position) for claim in self.claims],
        }


@dataclass(frozen=True)
class Hint:
    """One of three steps: `idea`, `cells`, `column`.

    The second names cells to look at, or columns to rule out. `cells` are (column, row) and
    `columns` the columns that it names, from 0.
    """

    step: str
    text: str
    cells: tuple[Cell, ...] = ()
    columns: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; columns and rows count from 1."""
        return {
            "step": self.step,
            "text": self.text,
            "cells": [[column + 1, row + 1] for column, row in self.cells],
            "columns": [column + 1 for column in self.columns],
        }


def position_at(puzzle: Puzzle, found: int) -> Position:
    """Return the position after so many columns of a solution were found, and answered.

    Raises `InvalidPuzzles` unless one is left to find.
    """
    if not 0 <= found < puzzle.length:
        raise InvalidPuzzles(
            f"puzzle {puzzle.number} has {puzzle.length} columns to find: 0 to"
            f" {puzzle.length - 1} may be found already, not {found}"
        )
    position = puzzle.position
    for column in puzzle.solution[: 2 * found]:
        position = position.play(column)
    return position


def verdict_on(puzzle: Puzzle, found: int, column: int, solver: ExactSolver) -> Verdict:
    """Judge a 0-based column chosen after so many were found.

    Raises `IllegalMove` for one that cannot be played.
    """
    position = position_at(puzzle, found)
    played = position.play(column)
    column = position.geometry.check_column(column)
    (told,) = explain_columns(position, [column], solver)
    right = column == puzzle.solution[2 * found]
    solved = right and found + 1 == puzzle.length
    if right:
        answer = None if solved else puzzle.solution[2 * found + 1]
        claims = told.claims if solved else told.claims[:1]
    else:
        line = () if played.is_over else solver.principal_variation(played)
        answer, claims = line[0] if line else None, told.claims
    text = " ".join(claim.sentence(position) for claim in claims)
    return Verdict(column, right, solved, answer, text, claims)


def hints_for(puzzle: Puzzle, found: int, solver: ExactSolver) -> tuple[Hint, ...]:
    """Return the hints for the next column of a solution, each telling more than the one before."""
    position = position_at(puzzle, found)
    column = puzzle.solution[2 * found]
    (told,) = explain_columns(position, [column], solver)
    idea = idea_of(position, puzzle.kind, column, solver)
    words = Words(position)
    return (
        Hint("idea", f"{IDEAS[idea][:1].upper()}{IDEAS[idea][1:]}."),
        _cells_hint(position, column, told.claims, words),
        Hint("column", told.text(position), columns=(column,)),
    )


def _cells_hint(position: Position, column: int, claims: tuple[Claim, ...], words: Words) -> Hint:
    cells = tuple(islice(_telling_cells(claims, column), MOST_CELLS))
    if cells:
        where = listed([words.cell(cell) for cell in cells])
        return Hint("cells", f"Look at {where}.", cells=cells)
    others = [other for other in position.legal_columns if other != column]
    wrong = tuple(others[: (len(others) + 1) // 2])
    return Hint("cells", f"It is not in {words.columns(wrong)}.", columns=wrong)


def _telling_cells(claims: tuple[Claim, ...], column: int) -> Iterator[Cell]:
    """Yield the cells that claims about the only column name, but none of that column itself."""
    seen = set()
    for claim in claims:
        for cell in claim.cells:
            if cell[0] != column and cell not in seen:
                seen.add(cell)
                yield cell
