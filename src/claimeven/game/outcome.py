"""The two players, and how a game ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: The two players, as `Position.turn` and `Outcome.winner` give them.
FIRST: Final = 0
SECOND: Final = 1
#: Names of the players in texts, after the colors of their discs.
PLAYER_NAMES: Final = ("Yellow", "Red")


@dataclass(frozen=True)
class Outcome:
    """The result of a finished game.

    `winner` is 0 for the first player, 1 for the second, None for a draw. `cells` are the cells
    of every winning line as (column, row), column by column, bottom up; empty for a draw.
    """

    winner: int | None
    cells: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return "draw" if self.winner is None else f"{PLAYER_NAMES[self.winner]} wins"


def winner_by_score(score: int, turn: int) -> int | None:
    """Return the player that wins a position of an exact score; None for a draw."""
    return None if score == 0 else turn if score > 0 else 1 - turn
