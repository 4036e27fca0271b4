"""Threats: the empty cells that would complete a line, and who profits from each.

A player who holds such a cell waits until the other one must play the cell below it. Whether that
day comes is a matter of counting: when every other column is full, the number of discs on the
board says who must go on in this one. On a board of even height the first player profits from
threats in odd rows (counted from 1) and the second from even ones; `forced_below` counts it for any
board. The rule is J. D. Allen's, "The Complete Book of Connect 4" (2010), and V. Allis's, "A
Knowledge-based Approach of Connect-Four" (1988), chapter 3.
"""

from __future__ import annotations

from claimeven.game import bitboards
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

Cell = tuple[int, int]


def winning_cells(position: Position, player: int) -> tuple[Cell, ...]:
    """Return the empty cells, playable or not, that would complete a line for a player (0 or 1).

    Cells are (column, row) from 0, column by column, bottom up.
    """
    cells = bitboards.winning_cells(position.discs[player], position.mask, position.geometry)
    return tuple(position.geometry.cells_of(cells))


def is_playable(position: Position, cell: Cell) -> bool:
    """Whether the next disc of the cell's column falls there."""
    column, row = cell
    return row == position.height_of(column)


def wins_now(position: Position, player: int) -> tuple[Cell, ...]:
    """Return the cells where a player would complete a line at once if it were their turn."""
    return tuple(cell for cell in winning_cells(position, player) if is_playable(position, cell))


def wins_later(position: Position, player: int) -> tuple[Cell, ...]:
    """Return the winning cells of a player that no disc can reach yet."""
    cells = winning_cells(position, player)
    return tuple(cell for cell in cells if not is_playable(position, cell))


def forced_below(geometry: Geometry, cell: Cell) -> int:
    """Return the player (0 or 1) to move when all is full but the column of a cell from below it.

    That player must play the cell below. `row` of the cell is at least 1.
    """
    _, row = cell
    discs = (geometry.columns - 1) * geometry.rows + row - 1
    return discs % 2


def zugzwang_cells(position: Position, player: int) -> tuple[Cell, ...]:
    """Return the cells a player wins in the end if nothing else happens, lowest row first.

    Such a cell completes a line for the player, cannot be reached yet, no winning cell of either
    side lies below it in its column, and counting says that the other side must play below it.
    """
    geometry = position.geometry
    lowest: dict[int, Cell] = {}
    for cell in winning_cells(position, 0) + winning_cells(position, 1):
        column, row = cell
        if column not in lowest or row < lowest[column][1]:
            lowest[column] = cell
    found = (
        cell
        for cell in wins_later(position, player)
        if lowest[cell[0]] == cell and forced_below(geometry, cell) != player
    )
    return tuple(sorted(found, key=lambda cell: (cell[1], cell[0])))


def line_through(position: Position, column: int) -> tuple[Cell, ...]:
    """Return the cells of the lines that a disc in a column completes, () where it completes none.

    The disc is one of the side to move, the column can be played.
    """
    outcome = position.play(column).outcome
    return () if outcome is None else outcome.cells
