"""Claims: facts about a position, with a sentence for each and a check by search.

A claim stores its fact as plain data. Each kind of claim is a class in `column_claims`
or `win_claims`, which writes its sentence and proves or refutes it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from claimeven.game.errors import IllegalMove
from claimeven.game.notation import column_name, format_moves
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position, positions_along
from claimeven.review.threats import Cell
from claimeven.solver.protocols import ExactSolver
from claimeven.solver.scores import plies_to_end

#: The kinds of claims by name; each class adds itself.
KINDS: dict[str, type[Claim]] = {}


@dataclass(frozen=True)
class Claim(ABC):
    """One fact about a position.

    `player` benefits from the fact (0 or 1). `column` is the column that the fact is about,
    None if it is about the position. `columns` and `cells` (column, row), from 0, are the ones in
    the sentence. `line` is the moves from the position to the one in which the fact holds; `start`
    is the number of moves after which it starts (a row of forced blocks, a threat that decides in
    the end). `before` is the score of the position and `after` the score of the column, both for
    the side to move in the position.
    """

    #: The name of the kind, in JSON and in documents.
    kind: ClassVar[str]
    #: Whether the sentence is about the disc in the column: it starts with "It".
    concerns_disc: ClassVar[bool] = False
    #: Whether the sentence covers the rest of the game, so that best play is left out.
    covers_ending: ClassVar[bool] = False

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
        """Return the claim about a position as a sentence."""
        text = self._phrase(Wording(position))
        return text[:1].upper() + text[1:]

    def holds(self, position: Position, solver: ExactSolver) -> bool:
        """Whether the claim about a position is true; False also if its line cannot be played.

        Claims about scores or best play use the solver, the others only the rules.
        """
        if self.column is not None and self.line and self.line[0] != self.column:
            return False
        try:
            return self.is_true(position, solver)
        except IllegalMove:
            return False

    @abstractmethod
    def _phrase(self, words: Wording) -> str:
        """Return the sentence; the first letter may be lower case."""

    @abstractmethod
    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        """Prove or refute the claim. Raises `IllegalMove` if its line cannot be played."""

    def after_line(self, position: Position) -> Position:
        """Return the position in which the fact holds. Raises `IllegalMove`."""
        return positions_along(position, self.line)[-1]

    def is_best_play(self, position: Position, solver: ExactSolver) -> bool:
        """Whether every move of the line has the score that the claim gives the first one."""
        sign = 1
        for now in positions_along(position, self.line)[1:]:
            sign = -sign
            if self.after is None or sign * solver.score(now) != self.after:
                return False
        return True

    def is_won(self, position: Position, solver: ExactSolver) -> bool:
        """Whether the line is best play to the end and wins for the claim's player."""
        outcome = self.after_line(position).outcome
        won = outcome is not None and outcome.winner == self.player
        return won and self.is_best_play(position, solver)

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
class Wording:
    """Names in sentences about one position; players, columns and cells count from 0."""

    position: Position

    def player(self, player: int) -> str:
        return PLAYER_NAMES[player]

    def name(self, column: int) -> str:
        return column_name(column, self.position.geometry)

    def column(self, column: int) -> str:
        return f"column {self.name(column)}"

    def columns(self, columns: Iterable[int]) -> str:
        names = [self.name(column) for column in columns]
        return f"column{'s' * (len(names) > 1)} {join_words(names)}"

    def columns_of(self, cells: Iterable[Cell]) -> str:
        return self.columns(column for column, _ in cells)

    def cell(self, cell: Cell) -> str:
        return f"row {cell[1] + 1} of {self.column(cell[0])}"

    def moves(self, line: Iterable[int]) -> str:
        return join_words([self.name(column) for column in line])

    def number(self, place: int) -> int:
        """Return the number, among all moves of its player, of the nth move from here."""
        return (self.position.ply + place + 1) // 2

    def move(self, place: int) -> str:
        """Name the nth move from here: "Red's move 12"."""
        player = (self.position.ply + place - 1) % 2
        return f"{self.player(player)}'s move {self.number(place)}"

    def moves_to_end(self, score: int) -> int:
        return (plies_to_end(self.position, score) + 1) // 2

    def end(self, score: int) -> str:
        """Name the winner and the number of moves; the score is for the side to move, not 0."""
        winner = self.position.turn if score > 0 else 1 - self.position.turn
        return f"{self.player(winner)} wins {self.when(score)}"

    def when(self, score: int) -> str:
        """Say in how many moves of the winner the game ends."""
        moves = self.moves_to_end(score)
        if moves == 1 and score > 0:
            return "immediately"
        return f"in {moves} move{'s' * (moves > 1)}"


def join_words(names: Iterable[str], word: str = "and") -> str:
    """Join names with commas, and with a word before the last.

    >>> join_words(["1", "2", "3"]), join_words(["4"])
    ('1, 2 and 3', '4')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
