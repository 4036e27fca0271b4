"""What a net sees of a position: static features of its cells, columns and lines.

Cells are numbered column by column from the left, each from the bottom. A cell has these planes,
each 0 or 1 but for the last two; a line counts for a side that has discs in it while the other has
none:

| plane  | a cell ...                                                              |
|--------|-------------------------------------------------------------------------|
| 0, 1   | has a disc of the side to move; of the other side                       |
| 2, 3   | takes the next disc of its column; the one after                        |
| 4, 5   | is all that a line of the side to move lacks, a *threat*; that is the   |
|        | first player, the second                                                |
| 6, 7   | the same of the other side, by the side to move as well                 |
| 8, 9   | lies directly under such a cell of the side to move; of the other side  |
| 10, 11 | is empty and lies on a line that lacks two discs: of the side to move,  |
|        | of the other                                                            |
| 12, 13 | is empty and lies on two or more of these                               |
| 14, 15 | is empty and lies on lines that lack three discs: how many, up to 4     |

Of a column the empty cells below its lowest threat count, or all: five numbers say whether they are
odd in number below threats of the side to move, of the other, of any; and whether of the last there
are none, or one. Five more are of the board: who is to move (0 the first player), the oddness of
the three kinds in all columns together, and how many columns have none.

The state of a line has a digit in base 4 for each cell, the first least: 0 empty and out of reach,
1 of the side to move, 2 of the other side, 3 playable. That of a column has a bit for each disc in
its lowest cells, and added to that a bit for each of them that is of the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.adapters.kaggle.template.board import Board

PLANES, COLUMN_NUMBERS, DIGITS, MOST_FAR_LINES, SEEN_CELLS = 16, 5, 4, 4, 4


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
        self.seen = min(rows, SEEN_CELLS)
        self.column_states = 2 << self.seen
        #: Which cells lie on which lines, as 0 and 1.
        self.lies_on = np.zeros((len(self.lines), len(cells)), dtype=np.float32)
        for number, line in enumerate(self.lines):
            self.lies_on[number, line] = 1

    def of(self, positions: list[tuple[int, int]]) -> tuple[Any, Any, Any, Any, Any]:
        """Return of positions, each (mine, mask): the planes of the cells of each column, the
        numbers of each column, those of the board, the digits of the cells, and the states of the
        columns.

        Shapes: (n, columns, rows * PLANES), (n, columns, 5), (n, 5), (n, cells), (n, columns).
        """
        mines, masks = np.array(positions, dtype=np.uint64).reshape(-1, 2).T
        by_column = (len(mines), self.board.columns, self.board.rows)
        mine, discs = (
            (words[:, None] >> self.shifts & np.uint64(1)).astype(np.int64)
            for words in (mines, masks)
        )
        empty = (1 - discs).reshape(by_column)
        playable, above = np.zeros_like(empty), np.zeros_like(empty)
        playable[:, :, 0] = empty[:, :, 0]
        playable[:, :, 1:] = empty[:, :, 1:] - empty[:, :, :-1]
        above[:, :, 1:] = playable[:, :, :-1]
        turn = discs.sum(axis=1) & 1

        planes = np.zeros((*by_column, PLANES), dtype=np.float32)
        planes[..., 0] = mine.reshape(by_column)
        planes[..., 1] = (discs - mine).reshape(by_column)
        planes[..., 2], planes[..., 3] = playable, above
        digits = 2 * discs - mine + 3 * playable.reshape(discs.shape)
        in_lines = digits[:, self.lines]
        quiet = []
        for owner in (0, 1):
            own = (in_lines == 1 + owner).sum(axis=2)
            other = (in_lines == 2 - owner).sum(axis=2)
            lacks = np.where((own > 0) & (other == 0), self.board.connect - own, 0)
            one, two, three = (
                empty * ((lacks == n) @ self.lies_on).reshape(by_column) for n in (1, 2, 3)
            )
            threat = one > 0
            planes[..., 4 + 2 * owner] = threat & (turn == 0)[:, None, None]
            planes[..., 5 + 2 * owner] = threat & (turn == 1)[:, None, None]
            planes[:, :, :-1, 8 + owner] = threat[:, :, 1:] & (empty[:, :, :-1] > 0)
            planes[..., 10 + owner] = two > 0
            planes[..., 12 + owner] = two > 1
            planes[..., 14 + owner] = np.minimum(three, MOST_FAR_LINES)
            quiet.append(empty * (np.cumsum(threat, axis=2) == 0))
        quiet.append(quiet[0] * quiet[1])

        counts = np.stack(quiet, axis=3).sum(axis=2)
        any_kind = counts[..., 2:]
        of_columns = np.concatenate([counts & 1, any_kind == 0, any_kind == 1], axis=2)
        odd, shut = counts.sum(axis=1) & 1, (any_kind == 0).sum(axis=1)
        of_board = np.concatenate([turn[:, None], odd, shut], axis=1)
        stacks = (discs + mine).reshape(by_column)[:, :, : self.seen]
        return (
            planes.reshape(*by_column[:2], -1),
            of_columns.astype(np.float32),
            of_board.astype(np.float32),
            digits,
            stacks @ (1 << np.arange(self.seen)),
        )
