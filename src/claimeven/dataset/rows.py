"""The rows of a data set."""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


@dataclass(frozen=True)
class Row:
    """One labelled position.

    `number` is the candidate or game it came from, `moves` lead to it, `scores` are those of its
    columns for the side to move, None where none can be played.
    """

    number: int
    moves: str
    position: Position
    scores: tuple[int | None, ...]

    @property
    def score(self) -> int:
        """Score of the position: its best column's."""
        return max(score for score in self.scores if score is not None)

    @property
    def right(self) -> int:
        """Columns that keep the score."""
        return self.scores.count(self.score)

    def cells(self) -> list[int | str | None]:
        """Return the fields under `field_names`."""
        at = self.position
        told: list[int | str | None]
        told = [self.number, self.moves, at.ply, at.mine, at.mask, self.score, self.right]
        return [*told, *self.scores]


def field_names(geometry: Geometry) -> list[str]:
    """Return the fields of a row.

    They are game, moves, ply, mine, mask, score, right, and one score a column from 1.
    """
    columns = [f"score_{column + 1}" for column in range(geometry.columns)]
    return ["game", "moves", "ply", "mine", "mask", "score", "right", *columns]
