"""Feedback on the solution of a puzzle: whether a column is right and why, and hints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from claimeven.game.position import Position
from claimeven.puzzles.puzzle import IDEAS, InvalidPuzzles, Puzzle
from claimeven.puzzles.solutions import idea_of
from claimeven.review.claims import Claim, Wording, join_words
from claimeven.review.explain import explain_columns
from claimeven.review.threats import Cell
from claimeven.solver.protocols import ExactSolver

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
    if not 0 <= found < puzzle.length:
        raise InvalidPuzzles(
            f"puzzle {puzzle.number} has {puzzle.length} columns to find: the number found so far"
            f" must be 0 to {puzzle.length - 1}, got {found}"
        )
    position = puzzle.position
    for column in puzzle.solution[: 2 * found]:
        position = position.play(column)
    return position


def try_column(puzzle: Puzzle, found: int, column: int, solver: ExactSolver) -> Attempt:
    """Judge a 0-based column, chosen after `found` columns of the solution.

    Raises `IllegalMove` for a column that cannot be played.
    """
    position = position_after(puzzle, found)
    played = position.play(column)
    column = position.geometry.check_column(column)
    (explained,) = explain_columns(position, [column], solver)
    correct = column == puzzle.solution[2 * found]
    solved = correct and found + 1 == puzzle.length
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
    cells = tuple(islice(_revealing_cells(claims, column), MAX_CELLS))
    if cells:
        places = join_words([words.cell(cell) for cell in cells])
        return Hint("cells", f"Look at {places}.", cells=cells)
    others = [other for other in position.legal_columns if other != column]
    wrong = tuple(others[: (len(others) + 1) // 2])
    return Hint("cells", f"It is not in {words.columns(wrong)}.", columns=wrong)


def _revealing_cells(claims: tuple[Claim, ...], column: int) -> Iterator[Cell]:
    """Yield the cells that the claims name, without cells of the right column itself."""
    seen = set()
    for claim in claims:
        for cell in claim.cells:
            if cell[0] != column and cell not in seen:
                seen.add(cell)
                yield cell
