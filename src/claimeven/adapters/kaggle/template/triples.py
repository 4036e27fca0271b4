"""The evaluation `triples`: own runs one disc short of a line, less the other side's."""

from __future__ import annotations

from claimeven.adapters.kaggle.template.board import Board


class Triples:
    """`triples` on one board."""

    def __init__(self, board: Board) -> None:
        self.steps: tuple[int, int, int, int] = board.steps
        self.length: int = board.connect - 1

    def __call__(self, mine: int, mask: int) -> int:
        return self._runs(mine) - self._runs(mine ^ mask)

    def _runs(self, discs: int) -> int:
        total = 0
        for step in self.steps:
            starts = discs
            for place in range(1, self.length):
                starts &= discs >> place * step
            total += starts.bit_count()
        return total
