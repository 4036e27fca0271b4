"""The evaluation `streaks`: every disc is worth the longest chain that runs through it.

Own discs count for, the other side's against. Chains longer than `connect` count as `connect`.
"""

from __future__ import annotations

from claimeven.adapters.kaggle.template.board import Board

#: Worth of a disc by its longest chain, from a single disc on; and of one in a whole line.
CHAIN_WORTH, LINE_WORTH = (1, 8, 128, 1024, 8192, 16384, 32768), 99999


class Streaks:
    """`streaks` on one board."""

    def __init__(self, board: Board) -> None:
        self.steps: tuple[int, int, int, int] = board.steps
        worth = (0, *CHAIN_WORTH[: board.connect - 1], LINE_WORTH)
        #: The gain of a disc when its chain grows to each length.
        self.gains: list[int] = [
            worth[length] - worth[length - 1] for length in range(1, len(worth))
        ]

    def __call__(self, mine: int, mask: int) -> int:
        return self._worth(mine) - self._worth(mine ^ mask)

    def _worth(self, discs: int) -> int:
        total = self.gains[0] * discs.bit_count()
        starts = dict.fromkeys(self.steps, discs)
        for length in range(2, len(self.gains) + 1):
            chained = 0
            for step in self.steps:
                begins = starts[step] = starts[step] & discs >> (length - 1) * step
                for place in range(length):
                    chained |= begins << place * step
            total += self.gains[length - 1] * chained.bit_count()
        return total
