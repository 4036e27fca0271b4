"""The base of the environments: the start of an episode, the game, the cost of a move, and boards
as text, as an image in an array, or as text on the terminal.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray

from claimeven.game.bitboard import has_line
from claimeven.game.drawing import draw
from claimeven.game.encodings import places_in_planes, to_pettingzoo
from claimeven.game.errors import ClaimevenError, IllegalMove
from claimeven.game.geometry import Geometry
from claimeven.game.outcome import FIRST, SECOND
from claimeven.game.position import Position, check_position
from claimeven.game.svg import BOARD, COLORS, EMPTY, LIGHT
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.suggestions import no_such

if TYPE_CHECKING:
    from claimeven.solver import Solver

RENDER_MODES: Final = ("ansi", "rgb_array", "human")

Image = NDArray[np.uint8]

#: Lengths in parts of a cell, as in the drawings in SVG.
_HOLE, _RIM, _RING, _DOT = 25 / 60, 24 / 60, 13 / 60, 6 / 60
_STROKE = 3 / 60


def rendered(position: Position, mode: str, last: int | None = None) -> Any:
    """Return a position as text ("ansi") or image ("rgb_array"), or print it ("human": None).

    `last` is the column played last.
    """
    if mode == "ansi":
        return draw(position, last=last)
    if mode == "rgb_array":
        return image(position)
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    charset = "unicode" if "utf" in (sys.stdout.encoding or "").lower() else "ascii"
    print(draw(position, charset=charset, last=last, color=color), end="\n\n", flush=True)
    return None


def image(position: Position, cell: int = 48) -> Image:
    """Return a drawing of a board: uint8 (rows * cell, columns * cell, 3), the top row first.

    Discs differ in lightness and by a ring or a dot; the discs of a line have a light rim.

    >>> image(Position.from_moves("44")).shape
    (288, 336, 3)
    """
    geometry = position.geometry
    tiles = {owner: _tile(owner, False, cell) for owner in (None, 0, 1)}
    won = set() if position.outcome is None else set(position.outcome.cells)
    rows = []
    for row in reversed(range(geometry.rows)):
        owners = position.rows[row]
        drawn = [
            _tile(owner, True, cell) if (column, row) in won else tiles[owner]
            for column, owner in enumerate(owners)
        ]
        rows.append(np.concatenate(drawn, axis=1))
    return np.concatenate(rows, axis=0)


def _tile(owner: int | None, won: bool, cell: int) -> Image:
    """Return the image of one cell, its edges softened over a pixel."""
    across = (np.arange(cell) + 0.5) / cell - 0.5
    distance = np.hypot(across[:, None], across[None, :])
    picture = np.broadcast_to(_rgb(BOARD), (cell, cell, 3))

    def disc(radius: float, color: str) -> None:
        nonlocal picture
        cover = np.clip((radius - distance) * cell + 0.5, 0.0, 1.0)[..., None]
        picture = picture * (1 - cover) + _rgb(color) * cover

    disc(_HOLE, EMPTY)
    if owner is not None:
        fill, rim, mark = COLORS[owner]
        disc(_RIM + _STROKE / 2, LIGHT if won else rim)
        disc(_RIM - _STROKE / 2, fill)
        disc(_RING + _STROKE / 2 if owner == 0 else _DOT, mark)
        if owner == 0:
            disc(_RING - _STROKE / 2, fill)
    return picture.round().astype(np.uint8)


def _rgb(color: str) -> NDArray[np.float64]:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


Mask = NDArray[np.int8]

#: Seats of a learner: moving first or second from the empty board, or either by chance.
SEATS: Final = ("first", "second", "random")

#: Random openings that end the game before an environment reports that no opening exists.
_IN_VAIN = 10_000
#: MB of the table with which moves are judged.
_TABLE_MB = 32


class InvalidEnvironment(ClaimevenError):
    """An environment that cannot be made, reset or stepped as asked."""


def space_of(geometry: Geometry) -> spaces.Dict:
    """Return the space of the observations of a board: discs, and the columns that have room."""
    discs = spaces.Box(0, 1, (geometry.rows, geometry.columns, 2), np.int8)
    mask = spaces.Box(0, 1, (geometry.columns,), np.int8)
    return spaces.Dict({"observation": discs, "action_mask": mask})


@dataclass(frozen=True)
class Beginning:
    """The start of episodes: a position, and a number of random moves from it.

    Raises `InvalidEnvironment` if no game can start so.

    >>> Beginning(Position(), 4).draw(np.random.default_rng(1)).ply
    4
    """

    start: Position
    opening_plies: int = 0

    def __post_init__(self) -> None:
        check_position(self.start, InvalidEnvironment, ongoing=True)
        most = self.start.geometry.cells - self.start.ply - 1
        what = f"opening_plies after {self.start.ply} discs"
        plies = whole_number(self.opening_plies, what, InvalidEnvironment, low=0, high=most)
        object.__setattr__(self, "opening_plies", plies)

    @classmethod
    def of(
        cls, geometry: Geometry, start: str | Iterable[int] | Position, opening_plies: int
    ) -> Beginning:
        """Return the start of episodes: a position, or the moves to it from the empty board.

        Raises `InvalidEnvironment` for a position of another board, and the errors of the moves.
        """
        if not isinstance(start, (Position, Iterable)):
            raise InvalidEnvironment(f"start must be a position, or the moves to it, got {start!r}")
        if not isinstance(start, Position):
            start = Position.from_moves(start, geometry)
        check_position(start, InvalidEnvironment, geometry)
        return cls(start, opening_plies)

    def changed(self, options: Mapping[str, Any]) -> Beginning:
        """Return this start with the options `start` and `opening_plies` of one `reset`."""
        plies = options.get("opening_plies", self.opening_plies)
        if "start" in options:
            return Beginning.of(self.start.geometry, options["start"], plies)
        return replace(self, opening_plies=plies) if "opening_plies" in options else self

    def draw(self, rng: np.random.Generator) -> Position:
        """Return the position of the first decision; the game is never over there.

        Raises `InvalidEnvironment` if (almost) every game is over by then.
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
    """A game of an environment, updated disc by disc.

    `turn` is the side to move (0 or 1), also after the end, and `last` the column played last, if
    any. The game is over when it `is_won`, by the side that moved last, or `is_full`.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry: Geometry = geometry
        self._won_from = 2 * geometry.connect - 1
        self._places: list[list[int]] = places_in_planes(geometry).tolist()
        self._started: Position | None = None
        self.begin(Position(geometry))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the state of a copy, in which two arrays would not share their numbers."""
        self.__dict__.update(state)
        self._flat = self._seen.reshape(2, -1)

    def begin(self, position: Position) -> None:
        """Start from a position that is not over."""
        self.ply, self.turn = position.ply, position.turn
        self.last: int | None = None
        self.is_won = self.is_full = False
        self._discs = list(position.discs)
        self._heights = list(position.heights)
        self._playable = np.array([h < self.geometry.rows for h in self._heights], dtype=np.int8)
        if position != self._started:
            self._started = position
            self._at_first = np.array([to_pettingzoo(position, p) for p in (FIRST, SECOND)])
        self._seen = self._at_first.copy()
        self._flat = self._seen.reshape(2, -1)

    @property
    def is_over(self) -> bool:
        return self.is_won or self.is_full

    @property
    def position(self) -> Position:
        return Position.from_discs(self.geometry, *self._discs)

    def column(self, action: Any) -> int:
        """Return an action as a column of the board. Raises `IllegalMove` for any other action."""
        try:
            column = operator.index(action)
        except TypeError:
            column = -1
        if not 0 <= column < self.geometry.columns:
            raise IllegalMove(
                f"an action must be a column, 0 to {self.geometry.columns - 1}, got {action!r}"
            )
        return column

    def can_play(self, column: int) -> bool:
        return self._heights[column] < self.geometry.rows

    def play(self, column: int) -> None:
        """Drop a disc of the side to move into a column with room; the game is not over."""
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
        """Return int8 (columns,): 1 for each column that can be played, 0 in a finished game."""
        if self.is_over:
            return np.zeros_like(self._playable)
        return self._playable.copy()


class BoardEnvironment:
    """The common part of environments of one game: its board, its start, its moves, its display."""

    def __init__(
        self,
        geometry: Geometry,
        start: str | Iterable[int] | Position,
        opening_plies: int,
        shaping: float,
        render_mode: str | None,
    ) -> None:
        self.geometry = geometry
        self.beginning: Beginning = Beginning.of(geometry, start, opening_plies)
        self.render_mode: str | None = render_mode and one_of(
            render_mode, "render mode", RENDER_MODES, InvalidEnvironment
        )
        self.shaping: float = real_number(shaping, "shaping", InvalidEnvironment, low=0)
        self._episode = Episode(geometry)
        self._solver: Solver | None = None
        if self.shaping:
            from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

            self._solver = Solver(geometry, _TABLE_MB)
            self._solver.load()

    @property
    def position(self) -> Position:
        """The present position."""
        return self._episode.position

    def render(self) -> Any:
        """Return the board as text or image, or print it, as `render_mode` says."""
        if self.render_mode is None:
            logger.warn("render() needs a render_mode: ansi, rgb_array or human")
            return None
        return rendered(self._episode.position, self.render_mode, self._episode.last)

    def _move(self, column: int) -> tuple[float, dict[str, Any]]:
        """Play a column for the side to move; return its reward, and facts about the move.

        A full column is not played: it is the fact "illegal_action", and its reward is -1. With
        `shaping` the points of exact score lost are the fact "loss".
        """
        episode, facts, reward = self._episode, dict[str, Any](), 0.0
        if not episode.can_play(column):
            return -1.0, {"illegal_action": column}
        if self._solver is not None:
            scores = self._solver.scores(episode.position)
            best, mine = max(score for score in scores if score is not None), scores[column]
            assert mine is not None
            facts["loss"] = best - mine
            reward -= self.shaping * facts["loss"]
        episode.play(column)
        return reward + episode.is_won, facts

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def check_options(options: Mapping[str, Any] | None, known: Iterable[str]) -> Mapping[str, Any]:
    """Return the options of a reset; warn of unknown ones.

    The checkers of other projects hand in an unknown one and expect no error.
    """
    for name in options or ():
        if name not in known:
            logger.warn(no_such("reset option", str(name), known))
    return options or {}
