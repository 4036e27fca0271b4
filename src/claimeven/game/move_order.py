"""From a board to moves: an order in which its discs can have been played."""

from __future__ import annotations

from claimeven.game.bitboard import has_line
from claimeven.game.errors import InvalidPosition
from claimeven.game.position import Position


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
