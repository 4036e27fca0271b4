"""The rows of a data set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimeven.game.geometry import WORD_BITS, Geometry
from claimeven.game.position import Position

#: The score of a column that is worse than the best one by an unknown amount.
WORSE = -127
#: The first fields of every row. On boards of more than 64 bits a word is two fields, its halves.
COMMON = ("game", "moves", "ply", "mine", "mask", "score", "optimal")
HALVES = ("_low", "_high")
_MINE = COMMON.index("mine")
#: Names of settings and fields in 0.2.0, and their present names; such data sets are read.
_OLD_NAMES = {
    "one_a_game": "one_per_game", "endings": "playouts_per_game", "endings_from": "branch_ply",
    "right_only": "optimal_only",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One labelled position.

    `number` is its candidate or game, and `moves` lead to it. `scores` are the scores of its
    columns for the side to move: None for a full column. A data set of the best columns has
    `WORSE` for the other columns.
    """

    number: int
    moves: str
    position: Position
    scores: tuple[int | None, ...]

    @property
    def score(self) -> int:
        """The score of the position, which is the score of its best column."""
        return max(score for score in self.scores if score is not None)

    @property
    def optimal(self) -> int:
        """The number of columns that keep the score."""
        return self.scores.count(self.score)

    def cells(self, optimal_only: bool = False) -> list[int | str | None]:
        """Return the values of the fields `field_names`."""
        at, score = self.position, self.score
        mine, mask = (fields_of_word(word, at.geometry) for word in (at.mine, at.mask))
        common: list[int | str | None]
        common = [self.number, self.moves, at.ply, *mine, *mask, score, self.optimal]
        if optimal_only:
            each = (None if column is None else int(column == score) for column in self.scores)
            return [*common, *each]
        return [*common, *self.scores]


def current_name(name: str) -> str:
    """Return the present name of a setting or field of a data set of any version.

    >>> current_name("right"), current_name("right_2"), current_name("endings"), current_name("ply")
    ('optimal', 'optimal_2', 'playouts_per_game', 'ply')
    """
    return _OLD_NAMES.get(name) or re.sub(r"^right(?=$|_\d+$)", "optimal", name)


def fields_of_word(word: int, geometry: Geometry) -> tuple[int, ...]:
    """Return a word as it is in a row: as its halves on boards of more than 64 bits."""
    return (word,) if geometry.fits_word else divmod(word, 1 << WORD_BITS)[::-1]


def discs_in(cells: Sequence[int | str | None], geometry: Geometry) -> tuple[int, int]:
    """Return mine and mask from the fields of a row."""
    parts = [int(cell or 0) for cell in cells[_MINE : common_fields(geometry).index("score")]]
    if not geometry.fits_word:
        parts = [low | high << WORD_BITS for low, high in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0], parts[1]


def common_fields(geometry: Geometry) -> tuple[str, ...]:
    """Return the first fields of a row of a board.

    >>> common_fields(Geometry(9, 7))[2:6]
    ('ply', 'mine_low', 'mine_high', 'mask_low')
    """
    words = [name + half for name in ("mine", "mask") for half in HALVES]
    return COMMON if geometry.fits_word else (*COMMON[:_MINE], *words, *COMMON[_MINE + 2 :])


def field_names(geometry: Geometry, optimal_only: bool = False) -> list[str]:
    """Return the fields of a row: `common_fields`, and for each column its score or optimality."""
    each = "optimal" if optimal_only else "score"
    columns = [f"{each}_{column + 1}" for column in range(geometry.columns)]
    return [*common_fields(geometry), *columns]
