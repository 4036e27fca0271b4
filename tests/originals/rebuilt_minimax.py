"""The depth-first searches of Polito, Lund and AIFour, rebuilt from their texts.

Values are for the player at the root. As in claimeven, and unlike in the originals, a win is
worth more the sooner it comes; no other code is shared with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.originals.rebuilt_boards import (
    COLUMNS,
    CONNECT,
    ROWS,
    WINDOWS,
    Cells,
    board_of,
    sequences,
    streaks,
    windows,
    windows_symmetric,
)

#: A win immediately is worth this, less one for each move until it.
WIN = 10**9

#: By cell: the sets of four that it is in.
_FOURS_OF = [
    [tuple(window) for _, window in WINDOWS[CONNECT] if cell in window]
    for cell in range(COLUMNS * ROWS)
]


@dataclass
class Search:
    """Minimax to a depth, columns from the left, the first of equal ones.

    `cuts`: columns are skipped as soon as the bounds meet. `of_root`: every position is evaluated
    for the player at the root, else for the side to move. `center`: the first two discs of a game
    go to the center.
    """

    evaluation: Callable[[Cells, int], int]
    depth: int
    cuts: bool = False
    of_root: bool = False
    center: bool = False
    evaluations: int = field(default=0, init=False)

    def choose(self, moves: list[int]) -> tuple[list[int], int | None, int]:
        """Return the best line, its value, and the number of evaluations."""
        if self.center and len(moves) < 2:
            return [COLUMNS // 2], None, 0
        self.evaluations = 0
        cells, self._root = board_of(moves), 1 + len(moves) % 2
        value, line = self._value(cells, 0, -1, -math.inf, math.inf)
        return line, int(value), self.evaluations

    def _value(
        self, cells: Cells, ply: int, last: int, alpha: float, beta: float
    ) -> tuple[float, list[int]]:
        mover = self._root if ply % 2 == 0 else 3 - self._root
        sign = 1 if ply % 2 == 0 else -1
        if last >= 0 and any(
            cells[a] == cells[b] == cells[c] == cells[d] for a, b, c, d in _FOURS_OF[last]
        ):
            return sign * (ply - WIN), []
        if 0 not in cells:
            return 0, []
        if ply == self.depth:
            self.evaluations += 1
            if self.of_root:
                return self.evaluation(cells, self._root), []
            return sign * self.evaluation(cells, mover), []
        best, line = -sign * math.inf, [-1]
        for column in range(COLUMNS):
            top = (column + 1) * ROWS
            if cells[top - 1]:
                continue
            cell = cells.index(0, column * ROWS)
            cells[cell] = mover
            value, below = self._value(cells, ply + 1, cell, alpha, beta)
            cells[cell] = 0
            if sign * value > sign * best:
                best, line = value, [column, *below]
            if self.cuts:
                alpha, beta = (max(alpha, best), beta) if sign > 0 else (alpha, min(beta, best))
                if alpha >= beta:
                    break
        return best, line


#: By the spec of the agent: the same search, rebuilt.
PLAYERS = {
    "minimax-polito": Search(sequences, 3, center=True),
    "alphabeta-polito": Search(sequences, 3, cuts=True, center=True),
    "minimax:depth=3,eval=windows,order=left,view=root": Search(windows, 3, of_root=True),
    "alphabeta-lund": Search(windows, 5, cuts=True, of_root=True),
    "alphabeta:depth=2,eval=windows-symmetric,order=left": Search(windows_symmetric, 2, cuts=True),
    "negamax-aifour": Search(streaks, 4),
    "negamax-aifour-code": Search(streaks, 4),
}
