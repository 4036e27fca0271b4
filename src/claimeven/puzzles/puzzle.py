"""A puzzle: a position with only one right column.

If its kind is `win`, one column wins and no other does; if it is `hold`, one column draws and every
other loses. The solution continues while only one column is right, up to six columns. The other
side replies with the defence that lasts longest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from claimeven import markup
from claimeven.errors import ClaimevenError
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg

WIN: Final = "win"
HOLD: Final = "hold"
KINDS: Final = (WIN, HOLD)

#: Minimum number of playable columns in a puzzle: with two, every second guess would be right.
MIN_COLUMNS: Final = 3

#: Difficulties, the easiest first, and the lowest rating of each.
DIFFICULTIES: Final[Mapping[str, int]] = {
    "beginner": 0, "easy": 1200, "medium": 1400, "hard": 1600, "expert": 1850
}  # fmt: skip

#: Ideas of solutions, for the first hint. A win has one of the first four. The threats may exist
#: already, and may belong to either side.
IDEAS: Final = {
    "double": "make two threats with one disc: only one of them can be blocked",
    "stack": "make two threats one on the other: blocking the lower opens the upper",
    "forces": "make threat after threat, so that the answers are forced",
    "zugzwang": "win by a threat out of reach: the other side must play below it in the end",
    "follow_up": "find the column after which every reply in the same column is enough",
    "denies": "find the cell the other side needs for a double threat",
    "stops": "see which threat out of reach will be filled in the end, and by whom",
    "only": "see why every other column loses",
}


class InvalidPuzzles(ClaimevenError):
    """A puzzle, a file of puzzles or a request for puzzles that is invalid."""


def is_quiet(position: Position) -> bool:
    """Whether neither side can complete a line with the next disc, which would be too easy."""
    geometry = position.geometry
    playable = playable_cells(position.mask, geometry)
    return not any(
        winning_cells(discs, position.mask, geometry) & playable
        for discs in (position.mine, position.theirs)
    )


@dataclass(frozen=True)
class Puzzle:
    """A puzzle. `number` counts from 1 in its set; `moves` lead to it.

    `rating` measures the difficulty. `idea` is one of `IDEAS`. `solution` holds 0-based columns: a
    column of the side to move, the best defence, and so on. It ends with a column of the side to
    move, when the win is obvious, more than one column is right, or six columns were found.
    """

    number: int
    moves: str
    kind: str
    rating: int
    idea: str
    solution: tuple[int, ...]
    geometry: Geometry = STANDARD

    @cached_property
    def position(self) -> Position:
        return Position.from_moves(self.moves, self.geometry)

    @property
    def difficulty(self) -> str:
        """The name of the range that the rating is in."""
        return difficulty_of(self.rating)

    @property
    def length(self) -> int:
        return (len(self.solution) + 1) // 2

    @property
    def task(self) -> str:
        """The task in a sentence.

        >>> Puzzle(1, "", "hold", 1500, "only", (3,)).task
        'Yellow to move: one column holds the draw, every other loses.'
        """
        player = PLAYER_NAMES[self.position.turn]
        if self.kind == WIN:
            return f"{player} to move: one column wins, no other does."
        return f"{player} to move: one column holds the draw, every other loses."

    def _repr_html_(self) -> str:
        """Return the board, the task and the difficulty, without the solution."""
        return markup.below(
            markup.line(f"Puzzle {self.number}: {self.difficulty}, rating {self.rating}"),
            markup.drawing(draw_svg(self.position, bare=True)),
            markup.line(markup.strong(self.task)),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the puzzle as plain data; players count from 1, solution is a move string."""
        position = self.position
        return {
            "number": self.number,
            "moves": self.moves,
            "kind": self.kind,
            "difficulty": self.difficulty,
            "rating": self.rating,
            "idea": self.idea,
            "task": self.task,
            "turn": position.turn + 1,
            "ply": position.ply,
            "length": self.length,
            "solution": format_moves(self.solution, self.geometry),
        }


def difficulty_of(rating: int) -> str:
    """Return the difficulty of a rating.

    >>> difficulty_of(1199), difficulty_of(1200), difficulty_of(2500)
    ('beginner', 'easy', 'expert')
    """
    return [*DIFFICULTIES][max(0, bisect_right([*DIFFICULTIES.values()], rating) - 1)]
