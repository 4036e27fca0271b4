"""A position of the game: immutable, hashable, of any board size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Final

from claimeven.game import tactics
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import Geometry

#: The two players, as `Position.turn` and `Outcome.winner` give them.
FIRST: Final = 0
SECOND: Final = 1
PLAYER_NAMES: Final = ("first player", "second player")

STANDARD: Final = Geometry()


@dataclass(frozen=True)
class Outcome:
    """How a finished game ended.

    `winner` is 0 for the first player, 1 for the second, None for a draw. `cells` are the cells
    of every winning line as (column, row), column by column, bottom up; empty for a draw.
    """

    winner: int | None
    cells: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return "draw" if self.winner is None else f"{PLAYER_NAMES[self.winner]} wins"


class Position:
    """Discs on a board and whose turn it is; finished games included.

    `mine` holds the discs of the side to move and `mask` all discs, as integers in the layout of
    `geometry`. Positions are compared and hashed by their discs and geometry.

    >>> position = Position.from_moves("4455")
    >>> position.turn, position.ply, position.legal_columns
    (0, 4, (0, 1, 2, 3, 4, 5, 6))
    >>> position.play(2).play(0).play(5).outcome.winner
    0
    """

    __slots__ = ("_outcome", "geometry", "mask", "mine")

    geometry: Geometry
    mine: int
    mask: int
    _outcome: Outcome | bool | None

    def __init__(self, geometry: Geometry = STANDARD, mine: int = 0, mask: int = 0) -> None:
        """Make a position from its discs, the empty board by default.

        Raises `InvalidPosition` when discs float or lie off the board, when the counts of the
        two sides do not fit their turns, or when the side to move already has a line.
        """
        mine, mask = int(mine), int(mask)
        _check_discs(geometry, mine, mask)
        _set(self, geometry, mine, mask)
        if tactics.has_line(mine, geometry):
            raise InvalidPosition(
                "the side to move already has a line, so the game was over before"
            )

    @classmethod
    def from_moves(cls, moves: str | Iterable[int] = "", geometry: Geometry = STANDARD) -> Position:
        """Play moves from the empty board: a move string ("4455"), or 0-based columns.

        Raises `InvalidNotation` for text that is not a move string of this board and
        `IllegalMove`, naming the move by its number, for one that cannot be played.
        """
        return cls.replay(moves, geometry)[-1]

    @classmethod
    def replay(
        cls, moves: str | Iterable[int] = "", geometry: Geometry = STANDARD
    ) -> tuple[Position, ...]:
        """Return every position of a game, from the empty board to the one after the last move.

        Moves and errors are those of `from_moves`.

        >>> [position.ply for position in Position.replay("44")]
        [0, 1, 2]
        """
        from claimeven.game.notation import parse_moves  # noqa: PLC0415 - notation knows positions

        columns = parse_moves(moves, geometry) if isinstance(moves, str) else moves
        positions = [cls(geometry)]
        for number, column in enumerate(columns, start=1):
            try:
                positions.append(positions[-1].play(column))
            except IllegalMove as error:
                raise IllegalMove(f"move {number}: {error}") from None
        return tuple(positions)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position cannot be changed; play() returns a new one ({name})")

    def __reduce__(self) -> tuple[type[Position], tuple[Geometry, int, int]]:
        return Position, (self.geometry, self.mine, self.mask)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Position)
            and self.mask == other.mask
            and self.mine == other.mine
            and self.geometry == other.geometry
        )

    def __hash__(self) -> int:
        return hash((self.mine, self.mask, self.geometry.columns, self.geometry.rows))

    @property
    def ply(self) -> int:
        """Number of discs on the board."""
        return self.mask.bit_count()

    @property
    def turn(self) -> int:
        """Whose turn it is: 0 the first player, 1 the second (also after the end of the game)."""
        return self.mask.bit_count() & 1

    @property
    def theirs(self) -> int:
        """Discs of the side that is not to move."""
        return self.mine ^ self.mask

    @property
    def discs(self) -> tuple[int, int]:
        """Discs of the first and of the second player."""
        return (self.theirs, self.mine) if self.turn else (self.mine, self.theirs)

    @property
    def legal_columns(self) -> tuple[int, ...]:
        """0-based columns that can be played, left to right; none once the game is over."""
        if self.outcome is not None:
            return ()
        mask, height, top = self.mask, self.geometry.height, self.geometry.rows - 1
        return tuple(
            column
            for column in range(self.geometry.columns)
            if not mask >> (column * height + top) & 1
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        found = self._outcome
        if isinstance(found, bool):
            found = self._find_outcome()
            object.__setattr__(self, "_outcome", found)
        return found

    @property
    def is_over(self) -> bool:
        """Whether the game is finished: a line, or a full board."""
        return self.outcome is not None

    @property
    def key(self) -> int:
        """An integer that no other position of the same geometry shares."""
        return self.mine + self.mask

    @property
    def canonical_key(self) -> int:
        """The smaller key of this position and its mirror image."""
        return min(self.key, self.mirror().key)

    def height_of(self, column: int) -> int:
        """Number of discs in a column."""
        return (self.mask & self.geometry.column_mask(column)).bit_count()

    def check_move(self, column: int) -> None:
        """Raise `IllegalMove`, naming the column and the reason, unless it can be played."""
        geometry = self.geometry
        if not isinstance(column, Integral) or isinstance(column, bool):
            raise IllegalMove(f"a column is a whole number, not {column!r}")
        column = int(column)
        if not 0 <= column < geometry.columns:
            raise IllegalMove(
                f"column {column + 1} is not on the board: choose from 1 to {geometry.columns}"
            )
        if self.outcome is not None:
            raise IllegalMove(f"column {column + 1} cannot be played: the game is over")
        if self.mask >> (column * geometry.height + geometry.rows - 1) & 1:
            raise IllegalMove(f"column {column + 1} is full")

    def play(self, column: int) -> Position:
        """Return the position after a disc in a 0-based column.

        Raises `IllegalMove` naming the column (1-based) when it is off the board or full, or when
        the game is over.
        """
        self.check_move(column)
        return self.play_unchecked(int(column))

    def play_unchecked(self, column: int) -> Position:
        """`play` for a column known to be legal: no check is made."""
        mask = self.mask
        after = object.__new__(Position)
        _set(
            after,
            self.geometry,
            self.mine ^ mask,
            mask | (mask + (1 << (column * self.geometry.height))),
        )
        return after

    def mirror(self) -> Position:
        """Return the position with its columns in reverse order."""
        image = object.__new__(Position)
        geometry = self.geometry
        _set(
            image,
            geometry,
            tactics.mirrored(self.mine, geometry),
            tactics.mirrored(self.mask, geometry),
        )
        return image

    def swapped(self) -> Position:
        """Return the board with every disc given to the other side, which no game reaches.

        `mine` are the discs of the side not to move here: an evaluation of it says how the same
        board looks from the other side.
        """
        image = object.__new__(Position)
        _set(image, self.geometry, self.theirs, self.mask)
        return image

    def __str__(self) -> str:
        from claimeven.game.drawing import draw  # noqa: PLC0415 - drawing knows positions

        return draw(self)

    def __repr__(self) -> str:
        g = self.geometry
        return (
            f"Position(Geometry({g.columns}, {g.rows}, {g.connect}),"
            f" mine={self.mine:#x}, mask={self.mask:#x})"
        )

    def _repr_svg_(self) -> str:
        from claimeven.game.svg import draw_svg  # noqa: PLC0415 - drawing knows positions

        return draw_svg(self)

    def _find_outcome(self) -> Outcome | None:
        geometry = self.geometry
        theirs = self.theirs
        if tactics.has_line(theirs, geometry):
            cells = tuple(geometry.cells_of(tactics.line_cells(theirs, geometry)))
            return Outcome(1 - self.turn, cells)
        return Outcome(None) if self.mask == geometry.board else None


def _set(position: Position, geometry: Geometry, mine: int, mask: int) -> None:
    """Fill the slots of a new position; `_outcome` False means not looked for yet."""
    put = object.__setattr__
    put(position, "geometry", geometry)
    put(position, "mine", mine)
    put(position, "mask", mask)
    put(position, "_outcome", False)


def _check_discs(geometry: Geometry, mine: int, mask: int) -> None:
    if mask & ~geometry.board or mine & ~mask or mine < 0 or mask < 0:
        raise InvalidPosition("discs lie off the board, or a disc of mine is not in the mask")
    for column in range(geometry.columns):
        stack = (mask & geometry.column_mask(column)) >> (column * geometry.height)
        if stack & (stack + 1):
            raise InvalidPosition(f"a disc floats above an empty cell in column {column + 1}")
    own, others = mine.bit_count(), (mine ^ mask).bit_count()
    if others - own != mask.bit_count() % 2:
        raise InvalidPosition(
            f"the side to move has {own} discs and the other {others}: sides take turns"
        )
