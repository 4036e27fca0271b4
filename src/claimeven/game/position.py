"""A position of the game: immutable, hashable, of any board size."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, Any

from claimeven.game import bitboard
from claimeven.game.errors import (
    ClaimevenError,
    IllegalMove,
    InvalidNotation,
    InvalidPosition,
)
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.hints import hint_for
from claimeven.game.notation import column_name, parse_moves
from claimeven.game.outcome import Outcome
from claimeven.game.validation import instance, whole_number
from claimeven.markup import shown_by

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Position:
    """The discs on a board and the side to move, in an unfinished or a finished game.

    `mine` has the discs of the side to move and `mask` all discs, as integers in the layout of
    `geometry`. Positions are compared and hashed by their discs and geometry.

    >>> position = Position.from_moves("4455")
    >>> position.turn, position.ply, position.legal_columns
    (0, 4, (0, 1, 2, 3, 4, 5, 6))
    >>> position.play(2).play(0).play(5).outcome.winner
    0

    The board can be read cell by cell (`cell`), column by column (`heights`), row by row (`rows`)
    and as an array (`to_array`); `encodings` has the formats of other programs. Columns and rows
    count from 0; row 0 is the bottom.
    """

    __slots__ = ("_outcome", "geometry", "mask", "mine")

    geometry: Geometry
    mine: int
    mask: int
    #: False: not determined yet.
    _outcome: Outcome | bool | None

    def __init__(self, geometry: Geometry = STANDARD, mine: int = 0, mask: int = 0) -> None:
        """Make a position from its discs, the empty board by default.

        Raises `InvalidPosition` if discs float or are off the board, if the counts of discs are
        wrong, or if the side to move already has a line.
        """
        if not isinstance(geometry, Geometry):
            raise InvalidPosition(
                f"a Position takes a Geometry and discs, got {geometry!r}; for moves use"
                f" Position.from_moves({geometry!r})"
            )
        mine = whole_number(mine, "mine", InvalidPosition)
        mask = whole_number(mask, "mask", InvalidPosition)
        bitboard.check_discs(geometry, mine, mask)
        _set_geometry(self, geometry)
        _set_mine(self, mine)
        _set_mask(self, mask)
        _set_outcome(self, False)
        if bitboard.has_line(mine, geometry):
            raise InvalidPosition(
                "the side to move already has a line, so the game was over before"
            )

    @classmethod
    def unchecked(cls, geometry: Geometry, mine: int, mask: int) -> Position:
        """Make a position without checks, for discs that are known to be valid."""
        position = _new(Position)
        _set_geometry(position, geometry)
        _set_mine(position, mine)
        _set_mask(position, mask)
        _set_outcome(position, False)
        return position

    @classmethod
    def from_moves(cls, moves: str | Iterable[int] = "", geometry: Geometry = STANDARD) -> Position:
        """Play moves from the empty board: a move string ("4455"), or 0-based columns.

        Raises `InvalidNotation` unless text is a move string of this board, and `IllegalMove`,
        with the number of the move, for a move that cannot be played.
        """
        return cls.replay(moves, geometry)[-1]

    @classmethod
    def replay(
        cls, moves: str | Iterable[int] = "", geometry: Geometry = STANDARD
    ) -> tuple[Position, ...]:
        """Return every position of a game, from the empty board to the one after the last move.

        Moves and errors as for `from_moves`.

        >>> [position.ply for position in Position.replay("44")]
        [0, 1, 2]
        """
        start = cls(geometry)
        try:
            columns = iter(parse_moves(moves, geometry) if isinstance(moves, str) else moves)
        except TypeError:
            message = f"moves must be a move string or 0-based columns, got {moves!r}"
            raise InvalidNotation(message) from None
        return tuple(positions_along(start, columns))

    @classmethod
    def from_discs(cls, geometry: Geometry = STANDARD, first: int = 0, second: int = 0) -> Position:
        """Return the position of these discs; the side to move follows from their counts.

        Raises `InvalidPosition` as the constructor does.
        """
        first = whole_number(first, "first", InvalidPosition)
        second = whole_number(second, "second", InvalidPosition)
        ahead = first.bit_count() - second.bit_count()
        if ahead not in (0, 1):
            raise InvalidPosition(
                f"the first player has {first.bit_count()} discs and the second"
                f" {second.bit_count()}: players take turns"
            )
        return cls(geometry, second if ahead else first, first | second)

    @classmethod
    def from_fen(cls, text: str, connect: int = STANDARD.connect) -> Position:
        """Return the position of a FEN, whose rows give the size of the board; `repr` prints it.

        Raises `InvalidPosition` for other text, and for a board that no game reaches.

        >>> Position.from_moves("4455")
        Position.from_fen('7/7/7/7/3yy2/3rr2 r')
        """
        position: Position = _encodings().read_fen(text, connect)
        return position

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position cannot be changed; play() returns a new one ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Position cannot be changed; {name} cannot be deleted")

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
        """The side to move, also after the end of the game: 0 is the first player, 1 the second."""
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
        """0-based columns that can be played, left to right; empty after the end of the game."""
        if self._outcome is not None and self.outcome is not None:
            return ()
        geometry = self.geometry
        return bitboard.open_columns(self.mask & geometry.top, geometry.columns, geometry.rows)

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, None before its end."""
        found = self._outcome
        if isinstance(found, bool):
            found = self._find_outcome()
            _set_outcome(self, found)
        return found

    @property
    def is_over(self) -> bool:
        """Whether the game is finished: a line, or a full board."""
        found = self._outcome
        if found is not False:
            return found is not None
        geometry = self.geometry
        if bitboard.has_line(self.mine ^ self.mask, geometry) or self.mask == geometry.board:
            return True
        _set_outcome(self, None)
        return False

    @property
    def winner(self) -> int | None:
        """The winner: 0 for the first player, 1 for the second; None for a draw or before the end.

        This is faster than `outcome`, which also finds the winning cells.
        """
        return 1 - self.turn if bitboard.has_line(self.mine ^ self.mask, self.geometry) else None

    @property
    def key(self) -> int:
        """An integer that is different for every position of the same geometry."""
        return self.mine + self.mask

    @property
    def canonical_key(self) -> int:
        """The smaller key of this position and its mirror image."""
        return min(self.key, self.mirror().key)

    def height_of(self, column: int) -> int:
        """Number of discs in a column. Raises `IllegalMove` if it is not on the board."""
        column = self.geometry.check_column(column)
        return (self.mask & self.geometry.column_mask(column)).bit_count()

    @property
    def heights(self) -> tuple[int, ...]:
        """Number of discs in each column.

        >>> Position.from_moves("4455").heights
        (0, 0, 0, 2, 2, 0, 0)
        """
        return tuple(self.height_of(column) for column in range(self.geometry.columns))

    def cell(self, column: int, row: int) -> int | None:
        """The player of the disc in a cell: 0 for the first, 1 for the second, None if empty.

        Raises `InvalidPosition` for a cell that is not on the board.

        >>> position = Position.from_moves("44")
        >>> position.cell(3, 0), position.cell(3, 1), position.cell(3, 2)
        (0, 1, None)
        """
        geometry = self.geometry
        column = whole_number(column, "a column", InvalidPosition)
        row = whole_number(row, "a row", InvalidPosition)
        if not geometry.has(column, row):
            raise InvalidPosition(
                f"cell ({column}, {row}) is not on the board: columns are 0 to"
                f" {geometry.columns - 1} and rows 0 to {geometry.rows - 1}"
            )
        return self._owner(geometry.bit(column, row))

    @property
    def rows(self) -> tuple[tuple[int | None, ...], ...]:
        """The cells row by row, the bottom row first: `rows[row][column]` is `cell(column, row)`.

        >>> Position.from_moves("112", Geometry(3, 2)).rows
        ((0, 0, None), (1, None, None))
        """
        geometry = self.geometry
        return tuple(
            tuple(self._owner(geometry.bit(column, row)) for column in range(geometry.columns))
            for row in range(geometry.rows)
        )

    def to_array(self) -> npt.NDArray[np.int8]:
        """Return the cells as a new int8 array of shape (rows, columns), the bottom row first.

        `array[row, column]` is 0 for a disc of the first player, 1 for a disc of the second and
        -1 for an empty cell; `array[::-1]` is the board as drawn.

        >>> print(Position.from_moves("112", Geometry(3, 2)).to_array()[::-1])
        [[ 1 -1 -1]
         [ 0  0 -1]]
        """
        import numpy as np  # noqa: PLC0415 - positions do not need it

        array = np.full((self.geometry.rows, self.geometry.columns), -1, dtype=np.int8)
        for player, discs in enumerate(self.discs):
            for column, row in self.geometry.cells_of(discs):
                array[row, column] = player
        return array

    def is_legal(self, column: int) -> bool:
        """Whether a column, any whole number, can be played.

        >>> position = Position.from_moves("444444")
        >>> [position.is_legal(column) for column in (-1, 0, 3, 7)]
        [False, True, False, False]
        """
        if self._outcome is not None and self.outcome is not None:
            return False
        geometry = self.geometry
        if type(column) is not int:
            column = index(column)
        return 0 <= column < geometry.columns and not (
            self.mask >> (column * geometry.height + geometry.rows - 1) & 1
        )

    def check_move(self, column: int) -> None:
        """Raise `IllegalMove`, naming the column and the reason, unless it can be played."""
        geometry = self.geometry
        column = geometry.check_column(column)
        if self.outcome is not None:
            raise IllegalMove(
                f"column {column_name(column, geometry)} cannot be played: the game is over"
            )
        if self.mask >> (column * geometry.height + geometry.rows - 1) & 1:
            raise IllegalMove(f"column {column_name(column, geometry)} is full")

    def play(self, column: int) -> Position:
        """Return the position after a disc in a 0-based column.

        Raises `IllegalMove` if the column is off the board or full, or the game is over. The
        message names columns as move strings do.
        """
        self.check_move(column)
        return self.play_unchecked(int(column))

    def play_unchecked(self, column: int) -> Position:
        """`play` without checks, for a column that is known to be legal."""
        mask = self.mask
        geometry = self.geometry
        position = _new(Position)  # not by `unchecked`: the call would take as long again
        _set_geometry(position, geometry)
        _set_mine(position, self.mine ^ mask)
        _set_mask(position, mask | (mask + (1 << (column * geometry.height))))
        _set_outcome(position, False)
        return position

    def mirror(self) -> Position:
        """Return the position with its columns in reverse order."""
        discs = (bitboard.mirrored(each, self.geometry) for each in (self.mine, self.mask))
        return Position.unchecked(self.geometry, *discs)

    def with_sides_swapped(self) -> Position:
        """Return the position with `mine` and the other discs swapped, which no game reaches.

        Its evaluation is the value of this board from the view of the other side.
        """
        return Position.unchecked(self.geometry, self.theirs, self.mask)

    def __str__(self) -> str:
        return shown_by("claimeven.game.drawing", "draw")(self)

    def __repr__(self) -> str:
        connect = self.geometry.connect
        other = f", connect={connect}" if connect != STANDARD.connect else ""
        return f"Position.from_fen({_encodings().to_fen(self).rpartition(' ')[0]!r}{other})"

    if not TYPE_CHECKING:  # type checkers report attributes that are missing

        def __getattr__(self, name: str) -> Any:
            hint = hint_for(name, dir(Position))
            raise AttributeError(f"a Position has no attribute {name!r}{hint}")

    _repr_svg_ = shown_by("claimeven.game.svg", "draw_svg")
    _repr_html_ = shown_by("claimeven.game.svg", "position_html")

    def _owner(self, bit: int) -> int | None:
        if not self.mask >> bit & 1:
            return None
        return self.turn if self.mine >> bit & 1 else 1 - self.turn

    def _find_outcome(self) -> Outcome | None:
        geometry = self.geometry
        theirs = self.mine ^ self.mask
        if bitboard.has_line(theirs, geometry):
            cells = tuple(geometry.cells_of(bitboard.line_cells(theirs, geometry)))
            return Outcome(1 - self.turn, cells)
        return Outcome(None) if self.mask == geometry.board else None


# A new position sets its slots with these, because `__setattr__` raises.
_set_geometry, _set_mine, _set_mask, _set_outcome = (
    getattr(Position, name).__set__ for name in ("geometry", "mine", "mask", "_outcome")
)
_new = object.__new__


def positions_along(start: Position, columns: Iterable[int]) -> list[Position]:
    """Return a position and the positions after each of some moves.

    Raises `IllegalMove`, with the number of the move, for a move that cannot be played.
    """
    positions = [start]
    for number, column in enumerate(columns, start=1):
        try:
            positions.append(positions[-1].play(column))
        except IllegalMove as error:
            raise IllegalMove(f"move {number}: {error}") from None
    return positions


def _encodings() -> Any:
    """Return the module of FEN, which imports NumPy."""
    return import_module("claimeven.game.encodings")


def check_position(
    position: Position,
    error: type[ClaimevenError] = InvalidPosition,
    geometry: Geometry | None = None,
    *,
    ongoing: bool = False,
) -> None:
    """Raise `error` unless this is a position, of this board, and of an unfinished game."""
    instance(position, "position", Position, error)
    if geometry is not None and position.geometry != geometry:
        raise error(f"the board must be {geometry}, got {position.geometry}")
    if ongoing and position.is_over:
        raise error(f"the game is over: {position.outcome}")
