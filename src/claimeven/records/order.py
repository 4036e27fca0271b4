"""The order in which the discs of a board may have fallen, where a file does not tell it."""

from __future__ import annotations

from claimeven.game.errors import InvalidPosition
from claimeven.game.position import Position
from claimeven.game.tactics import has_line

Heights = tuple[int, ...]


def order_of(position: Position) -> tuple[int, ...]:
    """Return 0-based columns that lead from the empty board to a position, players taking turns.

    Of all such orders it is the one whose last moves lie farthest to the left. Taking discs away
    from the top, the player of the last ply first, is tried depth first; heights that led nowhere
    are not tried again, so there are at most (rows + 1) ** columns steps. Raises `InvalidPosition`
    for a position that no order leads to.

    >>> order_of(Position.from_moves("4455"))
    (4, 4, 3, 3)
    """
    owners = [
        [int(position.cell(column, row) or 0) for row in range(position.height_of(column))]
        for column in range(position.geometry.columns)
    ]
    heights = tuple(len(column) for column in owners)
    taken: list[int] = []
    tried: list[int] = [0]
    dead: set[Heights] = set()
    while True:
        ply = sum(heights)
        if not ply:
            return tuple(reversed(taken))
        column = _next_column(owners, heights, tried[-1], (ply - 1) % 2, dead)
        if column is not None and ply == position.ply and not _is_last(position, column):
            tried[-1] = column + 1
            continue
        if column is not None:
            tried[-1] = column + 1
            taken.append(column)
            tried.append(0)
            heights = _with(heights, column, -1)
        elif taken:
            dead.add(heights)
            tried.pop()
            heights = _with(heights, taken.pop(), 1)
        else:
            raise InvalidPosition(
                "no order of moves in which players take turns leads to this board"
            )


def _next_column(
    owners: list[list[int]], heights: Heights, begin: int, player: int, dead: set[Heights]
) -> int | None:
    """Return the first column from `begin` on whose top disc is this player's and may go."""
    for column in range(begin, len(heights)):
        height = heights[column]
        is_theirs = height > 0 and owners[column][height - 1] == player
        if is_theirs and _with(heights, column, -1) not in dead:
            return column
    return None


def _is_last(position: Position, column: int) -> bool:
    """Whether the top disc of a column may have been the last: before it nobody had a line."""
    geometry = position.geometry
    bit = 1 << geometry.bit(column, position.height_of(column) - 1)
    return not any(has_line(discs & ~bit, geometry) for discs in position.discs)


def _with(heights: Heights, column: int, change: int) -> Heights:
    return (*heights[:column], heights[column] + change, *heights[column + 1 :])
