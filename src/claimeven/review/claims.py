"""What a claim is: one fact about a position, which can be said and which search can check.

A claim holds its fact as plain data. Each kind of claim is a class in `disc_claims`, `score_claims`
or `win_claims`, which says its sentence and proves or refutes it, whoever made the claim.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from claimeven.game.errors import IllegalMove
from claimeven.game.notation import column_name, format_moves
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.review.threats import Cell
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end

#: The kinds of claims by name; each adds itself.
KINDS: dict[str, type[Claim]] = {}


@dataclass(frozen=True)
class Claim(ABC):
    """One fact about a position.

    `player` is whom the fact serves (0 or 1). `column` is the column it is about, None where it is
    about the position. `columns` and `cells` (column, row) are what it names, from 0. `line` are
    the moves from the position to where the fact holds; `start` is after how many of them it begins
    (a row of forced blocks, a threat that decides in the end). `before` is the score of the
    position and `after` that of the column, both for the side to move in the position.
    """

    #: The name of the kind, in JSON and in documents.
    kind: ClassVar[str]
    #: Whether it says what the column's own disc does: such sentences begin with "It".
    is_of_the_disc: ClassVar[bool] = False
    #: Whether it tells the game to its end, so that best play need not be told as well.
    tells_the_end: ClassVar[bool] = False

    player: int
    column: int | None = None
    columns: tuple[int, ...] = ()
    cells: tuple[Cell, ...] = ()
    line: tuple[int, ...] = ()
    start: int = 0
    before: int | None = None
    after: int | None = None

    def __init_subclass__(cls) -> None:
        KINDS[cls.kind] = cls

    def sentence(self, position: Position) -> str:
        """Say the claim about a position in one plain sentence."""
        text = self.said(Words(position))
        return text[:1].upper() + text[1:]

    def holds(self, position: Position, solver: ExactSolver) -> bool:
        """Whether the claim about a position is true; False too where its line cannot be played.

        Kinds that speak of scores or of best play ask the solver, the others only the rules.
        """
        if self.column is not None and self.line and self.line[0] != self.column:
            return False
        try:
            return self.is_true(position, solver)
        except IllegalMove:
            return False

    @abstractmethod
    def said(self, words: Words) -> str:
        """Say the claim; the first letter need not be a capital."""

    @abstractmethod
    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        """Prove or refute the claim. May raise `IllegalMove` where its line cannot be played."""

    def as_dict(self, position: Position) -> dict[str, Any]:
        """Return the claim as plain data; columns and rows count from 1, the line is text."""
        return {
            "kind": self.kind,
            "text": self.sentence(position),
            "player": self.player + 1,
            "column": None if self.column is None else self.column + 1,
            "columns": [column + 1 for column in self.columns],
            "cells": [[column + 1, row + 1] for column, row in self.cells],
            "line": format_moves(self.line, position.geometry),
            "start": self.start,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Words:
    """The names of things in sentences about one position; players, columns and cells from 0."""

    position: Position

    def player(self, player: int) -> str:
        return PLAYER_NAMES[player]

    def name(self, column: int) -> str:
        return column_name(column, self.position.geometry)

    def column(self, column: int) -> str:
        return f"column {self.name(column)}"

    def columns(self, columns: Iterable[int]) -> str:
        names = [self.name(column) for column in columns]
        return f"column{'s' * (len(names) > 1)} {listed(names)}"

    def columns_of(self, cells: Iterable[Cell]) -> str:
        return self.columns(column for column, _ in cells)

    def cell(self, cell: Cell) -> str:
        return f"row {cell[1] + 1} of {self.column(cell[0])}"

    def moves(self, line: Iterable[int]) -> str:
        return listed([self.name(column) for column in line])

    def number(self, place: int) -> int:
        """Return the number, among all moves of its player, of the nth move from here."""
        return (self.position.ply + place + 1) // 2

    def move(self, place: int) -> str:
        """Name the nth move from here: "Red's move 12"."""
        player = (self.position.ply + place - 1) % 2
        return f"{self.player(player)}'s move {self.number(place)}"

    def moves_to_end(self, score: int) -> int:
        """Return the moves that the winner needs; the score is for the side to move."""
        return (plies_to_end(self.position, score) + 1) // 2

    def end(self, score: int) -> str:
        """Say who wins and when; the score is for the side to move, not 0."""
        winner = self.position.turn if score > 0 else 1 - self.position.turn
        return f"{self.player(winner)} wins {self.when(score)}"

    def when(self, score: int) -> str:
        """Say in how many moves of the winner the game ends."""
        moves = self.moves_to_end(score)
        if moves == 1 and score > 0:
            return "immediately"
        return f"in {moves} move{'s' * (moves > 1)}"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as they are read out, with a word before the last.

    >>> listed(["1", "2", "3"]), listed(["4"])
    ('1, 2 and 3', '4')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def after_line(claim: Claim, position: Position) -> Position:
    """Return the position where a claim's fact holds. Raises `IllegalMove`."""
    return along(position, claim.line)[-1]


def along(position: Position, line: Iterable[int]) -> list[Position]:
    """Return the position and those after each move of a line. Raises `IllegalMove`."""
    positions = [position]
    for column in line:
        positions.append(positions[-1].play(column))
    return positions


def is_best_play(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    """Whether every move of a claim's line is worth what the claim says the first one is."""
    sign = 1
    for now in along(position, claim.line)[1:]:
        sign = -sign
        if claim.after is None or sign * solver.score(now) != claim.after:
            return False
    return True


def is_won(claim: Claim, position: Position, solver: ExactSolver) -> bool:
    """Whether a claim's line is best play to the end and wins for the claim's player."""
    outcome = after_line(claim, position).outcome
    won = outcome is not None and outcome.winner == claim.player
    return won and is_best_play(claim, position, solver)
