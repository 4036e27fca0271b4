"""Threats, and follow-up play, which profits from them.

Threats are empty cells that would complete a line; each favors a player.

A player with a threat waits until the other player must play the cell below it. When all other
columns are full, the number of discs decides which player must play in this one. On a board of even
height Yellow profits from threats in odd rows (counted from 1) and Red from threats in even rows;
`forced_below` generalizes this to any board. The count is not a proof: the game may end before.
`cornered_cells` finds the positions in which a side can only play below such cells. The rule is
from J. D. Allen, "The Complete Book of Connect 4" (2010), and V. Allis, "A Knowledge-based Approach
of Connect-Four" (1988), chapter 3. Follow-up play, after which the
package is named, answers every move in the same column.
"""

from __future__ import annotations

from functools import cache

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

Cell = tuple[int, int]
#: Maximum number of positions in a proof.
MAX_POSITIONS = 6000


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
    """Return the cells in which a player, if on turn, would complete a line."""
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
    """Return the winning cells of the other side if every move of the side to move allows one.

    One cell for each playable column, or (). Neither side can complete a line with the next disc,
    but the other side completes one on top of every disc that can be dropped. This is zugzwang.
    """
    mover, other = position.turn, 1 - position.turn
    columns = position.legal_columns
    if position.is_over or wins_now(position, mover) or wins_now(position, other):
        return ()
    above = {(column, position.height_of(column) + 1) for column in columns}
    cells = tuple(cell for cell in winning_cells(position, other) if cell in above)
    return cells if len(cells) == len(columns) else ()


def line_through(position: Position, column: int) -> tuple[Cell, ...]:
    """Return the cells of the lines that a disc in a playable column completes."""
    outcome = position.play(column).outcome
    return () if outcome is None else outcome.cells


def follow_up_reaches(
    position: Position, player: int, target: int, budget: int = MAX_POSITIONS
) -> bool | None:
    """Whether follow-up play guarantees a player (0 or 1) at least `target`: 1 a win, 0 a draw.

    The other side is to move in `position`. None if the proof needs more than `budget` positions.
    The player
    1. completes a line if possible,
    2. otherwise fills the cell in which the opponent would complete a line,
    3. otherwise answers in the column just played,
    4. and, only if that column is full, chooses another column.
    The search tries every move of the opponent, and in step 4 every column.
    """
    assert position.turn != player
    geometry, left = position.geometry, budget

    @cache
    def holds(own: int, mask: int) -> bool:
        """Whether the player with the discs `own` reaches the target; the other side is to move."""
        nonlocal left
        left -= 1
        if left < 0:
            raise _OverBudget
        playable = bitboard.playable_cells(mask, geometry)
        if not playable:
            return target <= 0
        if playable & bitboard.winning_cells(own ^ mask, mask, geometry):
            return False
        while playable:
            move = playable & -playable
            playable ^= move
            if not answered(own, mask | move, move):
                return False
        return True

    def answered(own: int, mask: int, move: int) -> bool:
        """Whether the player, to move after `move`, still reaches the target."""
        playable = bitboard.playable_cells(mask, geometry)
        if playable & bitboard.winning_cells(own, mask, geometry):
            return True
        if not playable:
            return target <= 0
        threatened = playable & bitboard.winning_cells(own ^ mask, mask, geometry)
        answers = threatened or (move << 1) & geometry.board or playable
        if threatened & (threatened - 1):
            return False
        while answers:
            answer = answers & -answers
            answers ^= answer
            if holds(own | answer, mask | answer):
                return True
        return False

    try:
        return holds(position.theirs, position.mask)
    except _OverBudget:
        return None


class _OverBudget(Exception):
    """The proof needs more positions than its budget."""
