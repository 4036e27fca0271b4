"""The worst moves of each agent, drawn and explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from claimeven.arena.accuracy.metrics import Blunder
from claimeven.arena.report.context import Contents
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.svg import draw_svg
from claimeven.solver.protocols import ExactSolver

#: Blunders shown on a page, and of one agent.
_MOST, _MOST_OF_ONE = 24, 3
#: Cells of a drawing in pixels.
_CELL = 36


@dataclass(frozen=True)
class Card:
    """A blunder as the page shows it; games and discs count from 1."""

    agent: str
    blunder: Blunder
    played: str
    right: str

    @property
    def game(self) -> int:
        """The number of its game."""
        return (self.blunder.game or 0) + 1

    @cached_property
    def disc(self) -> int:
        """Discs on the board once it was played."""
        return self.blunder.move.ply + 1

    @property
    def moves(self) -> int:
        """Moves of the game once it was played: fewer than discs where the start has some."""
        return len(self.blunder.moves) + 1

    @property
    def column(self) -> str:
        """The column played."""
        move = self.blunder.move
        return column_name(move.column, move.position.geometry)

    @property
    def drawing(self) -> Markup:
        """The board with the disc played, and above it what each column was worth."""
        move = self.blunder.move
        after = move.position.play(move.column)
        return Markup(draw_svg(after, move.column, move.scores, _CELL, bare=True))


def cards(contents: Contents, solver: Callable[[Geometry], ExactSolver]) -> list[Card]:
    """Return the worst moves of each agent, in the order of the ladder."""
    if contents.accuracy is None:
        return []
    each = max(1, min(_MOST_OF_ONE, _MOST // len(contents.ranking)))
    found = []
    for agent in contents.ranking:
        for blunder in contents.accuracy[agent.label].blunders(each):
            played, right = blunder.explained(solver(contents.geometry))
            position = blunder.move.position
            found.append(
                Card(contents.label[agent.id], blunder, played.text(position), right.text(position))
            )
    return found
