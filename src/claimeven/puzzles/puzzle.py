"""What a puzzle is: a position in which one column alone keeps what the side to move has.

Of the kind `win` one column wins and no other does; of the kind `hold` one column draws and every
other loses. The solution goes on while that stays so, up to six columns: the side to move plays the
only column, the other side answers with the defence that holds out longest.
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

#: Columns that can be played in a puzzle, at least: with two a guess is half the solution.
MIN_COLUMNS: Final = 3

#: Plain names of how hard puzzles are, the easiest first, and the rating each begins at.
BANDS: Final[Mapping[str, int]] = {
    "beginner": 0, "easy": 1200, "medium": 1400, "hard": 1600, "expert": 1850
}  # fmt: skip

#: What a solution turns on, for the first hint. A winning one ends in one of the first four. A
#: threat below may stand already, and may be either side's.
IDEAS: Final = {
    "double": "make two threats at once: only one of them can be blocked",
    "stack": "make two threats one on the other: blocking the lower opens the upper",
    "forces": "make threat after threat, so that the answers are forced",
    "zugzwang": "win by a threat out of reach below which the other side must play in the end",
    "follow_up": "find the column after which answering in the same column is enough",
    "denies": "find the cell the other side needs for two threats at once",
    "stops": "see which threat out of reach will be filled in the end, and by whom",
    "only": "look for what each other column would allow",
}


class InvalidPuzzles(ClaimevenError):
    """Puzzles that cannot be read, made or asked for."""


def is_quiet(position: Position) -> bool:
    """Whether nobody can complete a line with the next disc: else the move is plain."""
    geometry = position.geometry
    playable = playable_cells(position.mask, geometry)
    return not any(
        winning_cells(discs, position.mask, geometry) & playable
        for discs in (position.mine, position.theirs)
    )


@dataclass(frozen=True)
class Puzzle:
    """A puzzle. `number` counts from 1 in its set; `moves` lead to it.

    `rating` says how hard it is (`difficulty`). `idea` is one of `IDEAS`. `solution` holds 0-based
    columns: the side to move's, the best defence, and so on; the last one is the
    side to move's, after which the win is plain, there is more than one way, or six of its columns
    were found.
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
    def band(self) -> str:
        """The plain name of how hard it is."""
        return band_of(self.rating)

    @property
    def length(self) -> int:
        return (len(self.solution) + 1) // 2

    @property
    def task(self) -> str:
        """What is to be done, in a sentence.

        >>> Puzzle(1, "", "hold", 1500, "only", (3,)).task
        'Yellow to move: one column holds the draw, every other loses.'
        """
        who = PLAYER_NAMES[self.position.turn]
        if self.kind == WIN:
            return f"{who} to move: one column wins, no other does."
        return f"{who} to move: one column holds the draw, every other loses."

    def _repr_html_(self) -> str:
        """Return the board, the task and how hard it is; the solution is not shown."""
        return markup.below(
            markup.line(f"Puzzle {self.number}: {self.band}, rating {self.rating}"),
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
            "band": self.band,
            "rating": self.rating,
            "idea": self.idea,
            "task": self.task,
            "turn": position.turn + 1,
            "ply": position.ply,
            "length": self.length,
            "solution": format_moves(self.solution, self.geometry),
        }


def band_of(rating: int) -> str:
    """Return the band of a rating.

    >>> band_of(1199), band_of(1200), band_of(2500)
    ('beginner', 'easy', 'expert')
    """
    return [*BANDS][max(0, bisect_right([*BANDS.values()], rating) - 1)]
