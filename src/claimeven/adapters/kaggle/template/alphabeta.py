"""Alpha-beta with a table of the positions met, deepened ply by ply until the time is over.

A win is worth `WIN_VALUE` less the plies to it. Of equally good columns the first in the order is
played. The table answers for positions reached by another order of moves; it changes the speed and
not the value of a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock, OutOfTime

WIN_VALUE = 10**9
#: Beyond this, either way, a value is a proven win or loss.
PROVEN_VALUE = WIN_VALUE - 10**4
#: Entries at which the table is emptied.
MAX_ENTRIES = 600_000
#: Positions between two looks at the clock.
CLOCK_EVERY = 64


@dataclass(eq=False)
class AlphaBeta:
    """A search on one board with an evaluation, a function of (mine, mask).

    `depth` is the most plies it looks ahead, `nodes` the most positions, `seconds` the most time
    for a move; None is unlimited. `order` lists the columns as they are tried. With
    `root_view` the evaluation is for the side to move at the root, not at the leaf.
    With `center_start` the first two plies of a game are played in the center.
    """

    spends_bank = False

    board: Board
    evaluate: Callable[[int, int], int]
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    left_first: bool = False
    root_view: bool = False
    center_start: bool = False

    def __post_init__(self) -> None:
        board = self.board
        self.order: list[int] = (
            list(range(board.columns)) if self.left_first else board.center_order
        )
        self.masks: list[int] = [board.column_masks[column] for column in self.order]
        #: Bounds of the positions met at the present depth, and the best moves of all depths.
        self.table: dict[int, tuple[float, float]] = {}
        self.best_moves: dict[int, int] = {}
        self.visited = 0
        self.clock = Clock(0.0)

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play: the best at the last depth that was searched to its end."""
        board = self.board
        columns = [c for c in self.order if c in board.legal_columns(mask)]
        if self.center_start and mask.bit_count() < 2 and board.center_order[0] in columns:
            return board.center_order[0]
        self.clock = clock if self.seconds is None else Clock(min(clock.left, self.seconds))
        self.visited = 0
        column = columns[0]
        try:
            plies = board.cells - mask.bit_count()
            for depth in range(1, min(plies, self.depth or plies) + 1):
                column, value = self.best_column(mine, mask, depth)
                if abs(value) > PROVEN_VALUE:
                    break
        except OutOfTime:
            pass
        return column

    def best_column(self, mine: int, mask: int, depth: int) -> tuple[int, float]:
        """Return the best column at a depth, the first of equals, and its value."""
        self.table.clear()  # values depend on the depth left and on the plies from the root
        best, chosen = -float("inf"), -1
        playable = self.board.playable(mask)
        for column in self.order:
            move = playable & self.board.column_masks[column]
            if move:
                value = -self.value(mine ^ mask, mask | move, depth - 1, 1, -float("inf"), -best)
                if value > best:
                    best, chosen = value, column
        return chosen, best

    def value(self, mine: int, mask: int, depth: int, ply: int, alpha: float, beta: float) -> float:
        """Return the value for the side to move, `ply` plies below the root; fail-soft."""
        self.visited += 1
        if self.nodes is not None and self.visited > self.nodes:
            raise OutOfTime
        if not self.visited % CLOCK_EVERY:
            self.clock.check()
        theirs = mine ^ mask
        if self.board.has_line(theirs):
            return ply - WIN_VALUE
        if mask == self.board.all:
            return 0
        if depth == 0:
            if self.root_view and ply % 2:
                return -self.evaluate(theirs, mask)
            return self.evaluate(mine, mask)
        key = mine + mask
        low, high = self.table.get(key, (-float("inf"), float("inf")))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        best, best_move, floor = -float("inf"), 0, alpha
        for move in self.moves(mask, key):
            value = -self.value(theirs, mask | move, depth - 1, ply + 1, -beta, -alpha)
            if value > best:
                best, best_move = value, move
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        if len(self.table) >= MAX_ENTRIES:
            self.table.clear()
        self.table[key] = (best if best > floor else low, best if best < beta else high)
        if len(self.best_moves) >= MAX_ENTRIES:
            self.best_moves.clear()
        self.best_moves[key] = best_move
        return best

    def moves(self, mask: int, key: int) -> list[int]:
        """Return the moves of a position, the best one of the depth before in front."""
        playable = self.board.playable(mask)
        moves = [move for column in self.masks if (move := playable & column)]
        known = self.best_moves.get(key, 0)
        if known & playable and moves[0] != known:
            moves.remove(known)
            moves.insert(0, known)
        return moves
