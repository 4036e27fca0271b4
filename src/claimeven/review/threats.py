"""Threats: the empty cells that would complete a line, and who profits from each.

A player who holds such a cell waits until the other one must play the cell below it. When every
other column is full, the number of discs on the board says who must go on in this one: on a board
of even height the first player profits from threats in odd rows (counted from 1) and the second
from even ones; `forced_below` counts it for any board. Counting alone decides nothing, for the game
may end before, or the cell may be given up for a greater gain; `cornered_cells` finds the moment at
which a side really has nothing left but to play below such cells. The rule of odd and even rows is
J. D. Allen's, "The Complete Book of Connect 4" (2010), and V. Allis's, "A Knowledge-based Approach
of Connect-Four" (1988), chapter 3.
"""

from __future__ import annotations

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

Cell = tuple[int, int]


def winning_cells(position: Position, player: int) -> tuple[Cell, ...]:
    """Return the empty cells, playable or not, that would complete a line for a player (0 or 1).

    Cells are (column, row) from 0, column by column, bottom up.
    """
    cells = bitboard.winning_cells(position.discs[player], position.mask, position.geometry)
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


def cornered_cells(position: Position) -> tuple[Cell, ...]:
    """Return where the other side wins on top of whatever the side to move plays, or none.

    One cell for each column that can be played: nobody can complete a line at once, but on top of
    every disc the side to move can drop the other side will. That is zugzwang.
    """
    mover, other = position.turn, 1 - position.turn
    columns = position.legal_columns
    if position.is_over or wins_now(position, mover) or wins_now(position, other):
        return ()
    above = {(column, position.height_of(column) + 1) for column in columns}
    cells = tuple(cell for cell in winning_cells(position, other) if cell in above)
    return cells if len(cells) == len(columns) else ()


def line_through(position: Position, column: int) -> tuple[Cell, ...]:
    """Return the cells of the lines that a disc in a column completes, () where it completes none.

    The disc is one of the side to move, the column can be played.
    """
    outcome = position.play(column).outcome
    return () if outcome is None else outcome.cells
