"""Players that do not search: any legal column, or the longest run."""

from __future__ import annotations

import random
from dataclasses import dataclass

from claimeven.adapters.kaggle.template.board import Board, bits_of
from claimeven.adapters.kaggle.template.kaggle_api import Clock


@dataclass(eq=False)
class AnyColumn:
    """Plays any legal column with equal chance."""

    spends_bank = False

    board: Board
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        return self.random.choice(self.board.legal_columns(mask))


@dataclass(eq=False)
class Greedy:
    """Plays the leftmost column that makes its longest run; with `win` and `block` a win first."""

    spends_bank = False

    board: Board
    win: bool = False
    block: bool = False

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        board, moves = self.board, self.board.playable(mask)
        for wanted, discs in ((self.win, mine), (self.block, mine ^ mask)):
            wins = board.winning_cells(discs, mask) & moves
            if wanted and wins:
                return board.column_of(wins & -wins)
        return board.column_of(max(bits_of(moves), key=lambda move: board.longest_run(mine, move)))
