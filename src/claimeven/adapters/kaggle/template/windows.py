"""The evaluation `windows`: every window of `connect` cells, by the discs of both sides in it.

A window with discs of both sides is worth 0. With the default weights blocking is worth one
more than making the same.
"""

from __future__ import annotations

from claimeven.adapters.kaggle.template.board import Board

#: Worth of a window by the discs that are missing to a line, 0 to 2: own, and the other side's.
OWN_WINDOW, THEIR_WINDOW = (100001, 1000, 100), (-100000, -1001, -101)


class Windows:
    """`windows` on one board; `center` is the value of an own disc in the center column."""

    def __init__(
        self,
        board: Board,
        own: tuple[int, ...] = OWN_WINDOW,
        theirs: tuple[int, ...] = THEIR_WINDOW,
        center: int = 1,
    ) -> None:
        self.own, self.theirs, self.center_worth = own, theirs, center
        self.connect: int = board.connect
        self.center: int = board.column_masks[board.columns // 2]
        self.masks = []
        for step in board.steps:
            window = sum(1 << place * step for place in range(board.connect))
            for bit in range(board.columns * board.height):
                cells = window << bit
                if cells & board.all == cells:
                    self.masks.append(cells)

    def __call__(self, mine: int, mask: int) -> int:
        theirs = mine ^ mask
        total = self.center_worth * (mine & self.center).bit_count()
        for window in self.masks:
            own, other = mine & window, theirs & window
            if own:
                if not other:
                    missing = self.connect - own.bit_count()
                    if missing <= 2:
                        total += self.own[missing]
            elif other:
                missing = self.connect - other.bit_count()
                if missing <= 2:
                    total += self.theirs[missing]
        return total
