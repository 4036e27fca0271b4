"""What environments share: how an episode begins, the game that goes on, and what a move costs."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from claimeven.game.bitboard import has_line
from claimeven.game.encodings import places_in_planes, to_pettingzoo
from claimeven.game.errors import ClaimevenError, IllegalMove
from claimeven.game.geometry import Geometry
from claimeven.game.outcome import FIRST, SECOND
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.suggestions import no_such

if TYPE_CHECKING:
    from claimeven.solver import Solver

Mask = NDArray[np.int8]

#: Seats of a learner: who moves first or second from the empty board, or either by chance.
SEATS: Final = ("first", "second", "random")

#: Random openings drawn in vain after which there is taken to be none.
_IN_VAIN = 10_000
#: MB of the table with which moves are judged.
_TABLE_MB = 32


class InvalidEnvironment(ClaimevenError):
    """An environment that cannot be made, reset or stepped as asked."""


def space_of(geometry: Geometry) -> Any:
    """Return Gymnasium's space of what is observed on a board: discs, and what can be played."""
    from gymnasium.spaces import Box, Dict  # noqa: PLC0415 - an extra

    discs = Box(0, 1, (geometry.rows, geometry.columns, 2), np.int8)
    return Dict({"observation": discs, "action_mask": Box(0, 1, (geometry.columns,), np.int8)})


@dataclass(frozen=True)
class Beginning:
    """Where episodes begin: `start`, and so many random moves from there (`opening_plies`).

    Raises `InvalidEnvironment` where no game can begin so.

    >>> Beginning(Position(), 4).draw(np.random.default_rng(1)).ply
    4
    """

    start: Position
    opening_plies: int = 0

    def __post_init__(self) -> None:
        plies = whole_number(self.opening_plies, "opening_plies", InvalidEnvironment)
        object.__setattr__(self, "opening_plies", plies)
        most = self.start.geometry.cells - self.start.ply - 1
        if self.start.is_over:
            raise InvalidEnvironment(f"no game can begin where it is over: {self.start.outcome}")
        if not 0 <= plies <= most:
            raise InvalidEnvironment(
                f"opening_plies must be 0 to {most} from there on {self.start.geometry}, not"
                f" {plies}"
            )

    @classmethod
    def of(
        cls, geometry: Geometry, start: str | Iterable[int] | Position, opening_plies: int
    ) -> Beginning:
        """Return the beginning from a start position, or the moves to it from the empty board.

        Raises `InvalidEnvironment` for a position of another board and for what is neither, and
        what the moves raise.
        """
        if not isinstance(start, (Position, Iterable)):
            raise InvalidEnvironment(f"start is a position, or the moves to it, not {start!r}")
        if not isinstance(start, Position):
            start = Position.from_moves(start, geometry)
        if start.geometry != geometry:
            raise InvalidEnvironment(
                f"the start position is of {start.geometry}, the environment of {geometry}"
            )
        return cls(start, opening_plies)

    def changed(self, options: Mapping[str, Any]) -> Beginning:
        """Return the beginning as the options of one `reset` have it: `start`, `opening_plies`."""
        plies = options.get("opening_plies", self.opening_plies)
        if "start" in options:
            return Beginning.of(self.start.geometry, options["start"], plies)
        return replace(self, opening_plies=plies) if "opening_plies" in options else self

    def draw(self, rng: np.random.Generator) -> Position:
        """Return the position of the first decision; the game is never over there.

        Raises `InvalidEnvironment` where (almost) every game is over by then.
        """
        for _ in range(_IN_VAIN):
            position = self.start
            for _ in range(self.opening_plies):
                legal = position.legal_columns
                position = position.play_unchecked(legal[int(rng.integers(len(legal)))])
                if position.is_over:
                    break
            else:
                return position
        raise InvalidEnvironment(
            f"games of random moves are over before {self.opening_plies} plies: ask for fewer"
        )


class Episode:
    """A game going on, kept up to date disc by disc: what a step of an environment needs.

    `turn` is who is to move (0 or 1), after the end whose turn it would be, and `last` the column
    played last, if any. It is over when it `is_won`, by the side that moved last, or `is_full`.
    """

    __slots__ = (
        "_at_first", "_begun", "_discs", "_flat", "_heights", "_places", "_playable", "_seen",
        "_won_from",
        "geometry", "is_full", "is_won", "last", "ply", "turn",
    )  # fmt: skip

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self._won_from = 2 * geometry.connect - 1
        self._places: list[list[int]] = places_in_planes(geometry).tolist()
        self._begun: Position | None = None
        self.begin(Position(geometry))

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Take over what a copy is made of, where two arrays no longer share their numbers."""
        for name, value in state[1].items():
            setattr(self, name, value)
        self._flat = self._seen.reshape(2, -1)

    def begin(self, position: Position) -> None:
        """Go on from a position that is not over."""
        self.ply, self.turn = position.ply, position.turn
        self.last: int | None = None
        self.is_won = self.is_full = False
        self._discs = list(position.discs)
        self._heights = list(position.heights)
        self._playable = np.array([h < self.geometry.rows for h in self._heights], dtype=np.int8)
        if position != self._begun:
            self._begun = position
            self._at_first = np.array([to_pettingzoo(position, p) for p in (FIRST, SECOND)])
        self._seen = self._at_first.copy()
        self._flat = self._seen.reshape(2, -1)

    @property
    def position(self) -> Position:
        """The game as a position."""
        return Position.from_discs(self.geometry, *self._discs)

    def column(self, action: Any) -> int:
        """Return an action as a column of the board. Raises `IllegalMove` for what is none."""
        try:
            column = operator.index(action)
        except TypeError:
            column = -1
        if not 0 <= column < self.geometry.columns:
            raise IllegalMove(
                f"an action is a column from 0 to {self.geometry.columns - 1}, not {action!r}"
            )
        return column

    def can_play(self, column: int) -> bool:
        """Whether a column of the board has room."""
        return self._heights[column] < self.geometry.rows

    def play(self, column: int) -> None:
        """Drop a disc of the side to move into a column that has room, while the game goes on."""
        geometry, player, row = self.geometry, self.turn, self._heights[column]
        place = self._places[column][row]
        self._flat[player, place] = self._flat[1 - player, place + 1] = 1
        self._heights[column] = row + 1
        if row + 1 == geometry.rows:
            self._playable[column] = 0
        discs = self._discs[player] | 1 << geometry.bit(column, row)
        self._discs[player] = discs
        self.last, self.turn = column, 1 - player
        self.ply += 1
        if self.ply >= self._won_from and has_line(discs, geometry):
            self.is_won = True
        elif self.ply == geometry.cells:
            self.is_full = True

    def observation(self, player: int) -> NDArray[np.int8]:
        """Return `encodings.to_pettingzoo` as a player (0 or 1) sees the board."""
        seen: NDArray[np.int8] = self._seen[player].copy()
        return seen

    def action_mask(self) -> Mask:
        """Return int8 (columns,): 1 where the side to move can play, nowhere once it is over."""
        if self.is_won or self.is_full:
            return np.zeros_like(self._playable)
        return self._playable.copy()


class Judge:
    """What a move costs in exact score: 0 for one of the best columns.

    Raises `InvalidSolve` for boards of over 64 bits.
    """

    def __init__(self, geometry: Geometry) -> None:
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        self.solver: Solver = Solver(geometry, _TABLE_MB)
        self.solver.load()

    def loss(self, position: Position, column: int) -> int:
        """Return by how much a legal column's score falls short of the position's."""
        scores = self.solver.scores(position)
        mine = scores[column]
        assert mine is not None
        return max(score for score in scores if score is not None) - mine


def judge_of(shaping: float, geometry: Geometry) -> Judge | None:
    """Return who tells what moves cost, None where that is not asked for.

    Raises `InvalidEnvironment` for a factor that is no number from 0 on, and `InvalidSolve`.
    """
    if isinstance(shaping, bool) or not isinstance(shaping, Real) or not 0 <= shaping < 1e9:
        raise InvalidEnvironment(
            "shaping is a number from 0 on, taken off the reward for each point of score that a"
            f" move loses, not {shaping!r}"
        )
    return Judge(geometry) if shaping else None


def check_seat(seat: object) -> str:
    """Return a seat of the learner. Raises `InvalidEnvironment` for one there is not."""
    if seat not in SEATS:
        raise InvalidEnvironment(no_such("seat", str(seat), SEATS))
    return str(seat)


def check_options(options: Mapping[str, Any] | None, known: Iterable[str]) -> Mapping[str, Any]:
    """Return the options of a reset; warn of those that mean nothing here.

    The checkers of other projects hand in an unknown one and expect no error.
    """
    import gymnasium  # noqa: PLC0415 - an extra

    for name in options or ():
        if name not in known:
            gymnasium.logger.warn(no_such("reset option", str(name), known))
    return options or {}
