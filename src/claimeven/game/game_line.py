"""A line of play, with undo and redo; and from a board to moves that lead to it."""

from __future__ import annotations

from collections.abc import Iterable

from claimeven.game.bitboard import has_line
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.notation import format_moves
from claimeven.game.position import Position, positions_along
from claimeven.game.validation import instance, items_of, whole_number
from claimeven.markup import shown_by


class GameLine:
    """A sequence of moves from a start position, with undo and redo.

    >>> line = GameLine(Position())
    >>> line.play(3).play(3).undo().moves
    '4'
    >>> line.redo().moves
    '44'
    """

    def __init__(self, start: Position | None = None, columns: Iterable[int] = ()) -> None:
        start = Position() if start is None else start
        instance(start, "start", Position, InvalidPosition)
        played = items_of(columns, "columns", IllegalMove)
        self._positions = positions_along(start, played)
        self._columns = [int(column) for column in played]
        self._cursor = len(played)

    @property
    def start(self) -> Position:
        """The position the line starts from."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[self._cursor]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions from the start to the current one, without undone moves."""
        return tuple(self._positions[: self._cursor + 1])

    @property
    def columns(self) -> tuple[int, ...]:
        """The 0-based columns played so far, without undone moves."""
        return tuple(self._columns[: self._cursor])

    @property
    def moves(self) -> str:
        """The move string of `columns`."""
        return format_moves(self.columns, self.start.geometry)

    @property
    def last_column(self) -> int | None:
        """The column played last, None at the start."""
        return self._columns[self._cursor - 1] if self._cursor else None

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return self._cursor > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a move to redo."""
        return self._cursor < len(self._columns)

    _repr_html_ = shown_by("claimeven.game.svg", "line_html")

    def play(self, column: int) -> GameLine:
        """Play a column; undone moves are discarded. Raises `IllegalMove`."""
        after = self.position.play(column)
        del self._columns[self._cursor :], self._positions[self._cursor + 1 :]
        self._columns.append(int(column))
        self._positions.append(after)
        self._cursor += 1
        return self

    def undo(self, count: int = 1) -> GameLine:
        """Undo moves. Raises `IllegalMove` if there are fewer."""
        count = whole_number(count, "the number of moves", IllegalMove)
        if not 0 <= count <= self._cursor:
            raise IllegalMove("there is no move to take back")
        self._cursor -= count
        return self

    def redo(self, count: int = 1) -> GameLine:
        """Redo moves. Raises `IllegalMove` if fewer were undone."""
        count = whole_number(count, "the number of moves", IllegalMove)
        if not 0 <= count <= len(self._columns) - self._cursor:
            raise IllegalMove("there is no move to play again")
        self._cursor += count
        return self


def moves_to(position: Position) -> tuple[int, ...]:
    """Return 0-based columns that lead from the empty board to a position.

    Many games lead to most positions; the result depends only on the position. Raises
    `InvalidPosition` for a board that no game reaches, such as one with only two discs of the first
    player at the bottom of a column and two of the second above them.

    >>> moves_to(Position.from_moves("4435"))
    (2, 4, 3, 3)
    """
    geometry = position.geometry
    order = geometry.center_order[::-1]
    seen = {position.mask}
    # Remove discs, the last one first. A way has the discs left and the columns removed so far.
    ways: list[tuple[int, int, tuple[int, ...]]] = [(position.mine, position.mask, ())]
    while ways:
        mine, mask, taken = ways.pop()
        if not mask:
            return taken[::-1]
        for column in order:
            top = geometry.column_mask(column) & mask
            if not top:
                continue
            disc = 1 << (top.bit_length() - 1)
            left = mask ^ disc
            if mine & disc or left in seen:
                continue  # a disc of the side to move was not the last
            if not taken and position.is_over and has_line(left ^ mine, geometry):
                continue  # the game would have been over before
            seen.add(left)
            ways.append((left ^ mine, left, (*taken, column)))
    raise InvalidPosition("no game leads to this board")
