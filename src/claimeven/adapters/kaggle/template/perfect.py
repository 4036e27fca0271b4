"""The player that keeps the exact score: a book for hard positions, and the exact solver.

If the solver does not finish in time, the bounds it has found for each column decide, and
alpha-beta with an evaluation decides between columns with equal bounds.

A packed book has hard positions of one board, each with a best column. It is three bytes (columns,
rows, connect) and the compressed numbers of the positions in ascending order, each as its distance
from the one before, times the columns, plus the column to play. A number has seven bits a byte, the
lowest first, all bytes but its last with the top bit set. A position and its mirror image share the
smaller number of the two.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

from claimeven.adapters.kaggle.template.alphabeta import AlphaBeta
from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.exact import FAR_APART, ExactSolver
from claimeven.adapters.kaggle.template.kaggle_api import Clock, OutOfTime

#: Parts of the time left for a first try of the solver, and then for the heuristic search.
FIRST_TRY, HEURISTIC = 0.35, 0.3


class MoveBook:
    """The moves of a packed book; empty on another board."""

    def __init__(self, board: Board, packed: bytes) -> None:
        self.board = board
        self.columns: dict[int, int] = unpacked(packed) if board.owns(packed) else {}

    def find(self, mine: int, mask: int) -> int | None:
        """Return the column to play in a position, None if it is not in the book."""
        key = mine + mask
        image = self.board.mirrored(key)
        column = self.columns.get(min(key, image))
        return self.board.columns - 1 - column if column is not None and image < key else column


def unpacked(packed: bytes) -> dict[int, int]:
    """Return the column of each position of a packed book."""
    columns = packed[0]
    found: dict[int, int] = {}
    key = number = shift = 0
    for byte in zlib.decompress(packed[3:]):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            key += number // columns
            found[key] = number % columns
            number = shift = 0
    return found


@dataclass(eq=False)
class RootColumn:
    """A column that can be played: the position after it, and the bounds of its score."""

    column: int
    mine: int
    mask: int
    low: int
    high: int


class Perfect:
    """A player on one board; `book` is a packed book, or b""."""

    spends_bank = True

    def __init__(
        self, board: Board, evaluate: Callable[[int, int], int], book: bytes = b""
    ) -> None:
        self.board = board
        self.solver: ExactSolver = ExactSolver(board)
        self.heuristic: AlphaBeta = AlphaBeta(board, evaluate)
        self.book: MoveBook | None = MoveBook(board, book) if book else None
        #: Whether the last column was known to keep the exact score.
        self.is_exact = False

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        self.is_exact = True
        if self.book is not None:
            column = self.book.find(mine, mask)
            if column is not None:
                return column
        columns = self.root_columns(mine, mask)
        if len(columns) == 1:
            return columns[0].column
        if self.settle(columns, clock.share(FIRST_TRY)):
            return self.best_known(columns)
        first = self.heuristic.choose(mine, mask, clock.share(HEURISTIC))
        columns.sort(key=lambda known: known.column != first)
        self.is_exact = self.settle(columns, clock)
        return self.best_known(columns)

    def root_columns(self, mine: int, mask: int) -> list[RootColumn]:
        """Return the columns that can be played, with the bounds that need no search."""
        board, solver = self.board, self.solver
        wins = board.winning_cells(mine, mask)
        win_score = solver.score_range(mask)[1]
        found = []
        for column in board.legal_columns(mask):
            move = board.playable(mask) & board.column_masks[column]
            low, high = solver.score_range(mask | move)
            known = RootColumn(column, mine ^ mask, mask | move, -high, -low)
            if move & wins:
                known.low = known.high = win_score
            elif mask | move == board.all:
                known.low = known.high = 0
            found.append(known)
        return found

    def settle(self, columns: list[RootColumn], clock: Clock) -> bool:
        """Narrow the bounds of the columns until a best one is known; False if time runs out."""
        self.solver.clock = clock
        try:
            guess, tries = 0, 0
            while True:
                low = max(known.low for known in columns)
                high = max(known.high for known in columns)
                if low >= high:
                    return True
                # Short wins first, on either side: they are cheap. Then from 0 to the score.
                alpha = guess
                if high - low > FAR_APART and tries < 2:
                    alpha = high // 2 if tries else -(-low // 2)
                tries += 1
                alpha = max(low, min(high - 1, alpha))
                value = self.test(columns, alpha)
                guess = value if value > alpha else value - 1
                if tries < 3:
                    guess = 0
        except OutOfTime:
            return False

    def test(self, columns: list[RootColumn], alpha: int) -> int:
        """Test whether some column is worth more than `alpha`, noting the bounds of each."""
        for known in columns:
            if known.high > alpha:
                value = -self.solver.test(known.mine, known.mask, -alpha - 1)
                if value > alpha:
                    known.low = max(known.low, value)
                    return value
                known.high = min(known.high, value)
        return max(known.high for known in columns)

    def best_known(self, columns: list[RootColumn]) -> int:
        """Return the column to play by the bounds known, the first of equals.

        A proven win or draw is taken. Otherwise a column that may still win is better than one
        that cannot, and one that may draw is better than one that is known to lose.
        """
        low = max(known.low for known in columns)
        high = max(known.high for known in columns)
        if low >= min(0, high):
            return next(known.column for known in columns if known.low == low)
        open_ones = [known for known in columns if known.high > low and known.high >= 0]
        if not open_ones:
            open_ones = [known for known in columns if known.high == high]
        return max(open_ones, key=lambda known: min(known.high, 1)).column
