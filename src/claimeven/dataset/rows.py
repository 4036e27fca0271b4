"""The rows of a data set."""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Stands for the score of a column that is worse than the best one, where no more was asked.
WORSE = -127
#: The fields that rows of every kind begin with.
COMMON = ("game", "moves", "ply", "mine", "mask", "score", "right")


@dataclass(frozen=True)
class Row:
    """One labelled position.

    `number` is the candidate or game it came from, `moves` lead to it, `scores` are those of its
    columns for the side to move, None where none can be played, and `WORSE` for the columns that
    are not right where only these were asked for.
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

    def cells(self, right_only: bool = False) -> list[int | str | None]:
        """Return the fields under `field_names`."""
        at, score = self.position, self.score
        told: list[int | str | None]
        told = [self.number, self.moves, at.ply, at.mine, at.mask, score, self.right]
        if right_only:
            return [*told, *(None if each is None else int(each == score) for each in self.scores)]
        return [*told, *self.scores]


def field_names(geometry: Geometry, right_only: bool = False) -> list[str]:
    """Return the fields of a row.

    They are game, moves, ply, mine, mask, score, right, and one a column from 1: its score, or with
    `right_only` whether it is right, 1 or 0.
    """
    each = "right" if right_only else "score"
    columns = [f"{each}_{column + 1}" for column in range(geometry.columns)]
    return [*COMMON, *columns]
