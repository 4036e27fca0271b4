"""What a net sees of a position: static features of its cells and lines. Nothing looks ahead.

Cells are numbered column by column from the left, each from the bottom. A cell has these planes,
each 0 or 1 but for the last two; "lacks" is said of lines with discs of one side alone:

| plane  | a cell ...                                                              |
|--------|-------------------------------------------------------------------------|
| 0, 1   | has a disc of the side to move; of the other side                       |
| 2, 3   | takes the next disc of its column; the one after                        |
| 4, 5   | lies on a line of the side to move that lacks only it; that is the      |
|        | first player, the second                                                |
| 6, 7   | the same of the other side, by the side to move as well                 |
| 8, 9   | lies directly under such a cell of the side to move; of the other side  |
| 10, 11 | lies on a line that lacks two discs: of the side to move, of the other  |
| 12, 13 | lies on two or more of these                                            |
| 14, 15 | lies on lines that lack three discs: how many, up to 4                  |

After the planes of all cells comes who is to move, 0 for the first player. The state of a line has
a digit in base 4 for each cell, the first least: 0 empty and out of reach, 1 of the side to move,
2 of the other side, 3 playable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.adapters.kaggle.parts.board import Board

PLANES, DIGITS, MOST_FAR_LINES = 16, 4, 4


class Features:
    """The features of one board of at most 64 bits."""

    def __init__(self, board: Board) -> None:
        self.board = board
        rows = board.rows
        cells = [(c, r) for c in range(board.columns) for r in range(rows)]
        self.shifts = np.array([c * board.height + r for c, r in cells], dtype=np.uint64)
        #: The cells of every line, by the cell they begin at and then by their direction.
        self.lines = np.array(
            [
                [(column + n * right) * rows + row + n * up for n in range(board.connect)]
                for column, row in cells
                for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
                if column + (board.connect - 1) * right < board.columns
                and 0 <= row + (board.connect - 1) * up < rows
            ],
            dtype=np.int64,
        ).reshape(-1, board.connect)
        self.powers = DIGITS ** np.arange(board.connect)
        #: Which cells lie on which lines, as 0 and 1.
        self.lies_on = np.zeros((len(self.lines), len(cells)), dtype=np.float32)
        for number, line in enumerate(self.lines):
            self.lies_on[number, line] = 1

    def discs(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return where discs of the side to move lie, and of the other: 0 and 1, a row each."""
        mines, masks = np.array(positions, dtype=np.uint64).reshape(-1, 2).T
        one = np.uint64(1)
        mine = (mines[:, None] >> self.shifts & one).astype(np.int64)
        return mine, (masks[:, None] >> self.shifts & one).astype(np.int64) - mine

    def mirrored(self, cells: Any) -> Any:
        """Return rows of cells as they are in the mirror image."""
        columns = cells.reshape(len(cells), self.board.columns, self.board.rows)[:, ::-1]
        return columns.reshape(cells.shape)

    def of(self, mine: Any, theirs: Any) -> tuple[Any, Any]:
        """Return the planes, a row of numbers for each position, and the states of the lines."""
        count, cells = mine.shape
        by_column = (count, self.board.columns, self.board.rows)
        empty = 1 - mine - theirs
        turn = (cells - empty.sum(axis=1)) & 1
        under_discs = np.zeros(by_column, dtype=np.int64)
        under_discs[:, :, 1:] = empty.reshape(by_column)[:, :, :-1]
        playable = empty - empty * under_discs.reshape(count, cells)
        above = np.zeros(by_column, dtype=np.int64)
        above[:, :, 1:] = playable.reshape(by_column)[:, :, :-1]

        planes = np.zeros((count, cells * PLANES + 1), dtype=np.float32)
        planes[:, -1] = turn
        of_cells = planes[:, :-1].reshape(count, cells, PLANES)  # a view
        of_cells[:, :, 0], of_cells[:, :, 1], of_cells[:, :, 2] = mine, theirs, playable
        of_cells[:, :, 3] = above.reshape(count, cells)
        digits = (mine + 2 * theirs + 3 * playable)[:, self.lines]
        for owner in (0, 1):
            own = (digits == 1 + owner).sum(axis=2)
            other = (digits == 2 - owner).sum(axis=2)
            lacks = np.where(other == 0, self.board.connect - own, 0)
            lacks[own == 0] = 0
            one, two, three = (empty * ((lacks == n) @ self.lies_on) for n in (1, 2, 3))
            threat = one > 0
            of_cells[:, :, 4 + 2 * owner] = threat & (turn == 0)[:, None]
            of_cells[:, :, 5 + 2 * owner] = threat & (turn == 1)[:, None]
            below = np.zeros(by_column, dtype=bool)
            below[:, :, :-1] = threat.reshape(by_column)[:, :, 1:]
            of_cells[:, :, 8 + owner] = below.reshape(count, cells) & (empty > 0)
            of_cells[:, :, 10 + owner] = two > 0
            of_cells[:, :, 12 + owner] = two > 1
            of_cells[:, :, 14 + owner] = np.minimum(three, MOST_FAR_LINES)
        return planes, digits @ self.powers
