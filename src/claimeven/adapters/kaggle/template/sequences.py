"""The evaluation `sequences`: the runs of the side to move after one more disc.

For each straight run of the side to move and each of its two ends: when the cell there is empty,
the run would grow to `n` discs, own discs beyond it included. If that completes a line now, the
position is won; otherwise it adds `n * (n - e)`, where `e` is the number of empty cells below.
"""

from __future__ import annotations

from claimeven.adapters.kaggle.template.board import Board

#: Value of a position in which the side to move completes a line immediately.
SEQUENCE_WIN = 1_000_000


class Sequences:
    """`sequences` on one board."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def __call__(self, mine: int, mask: int) -> int:
        board = self.board
        if board.has_line(mine) or board.winning_cells(mine, mask) & board.playable(mask):
            return SEQUENCE_WIN
        empty = board.all & ~mask
        total = 0
        for step in board.steps:
            starts = mine
            for length in range(1, board.connect):
                if not starts:
                    break
                # Ends of all runs of this length, then split by the own discs directly beyond.
                after, before = starts << length * step & empty, starts >> step & empty
                for grown in range(length + 1, board.connect + 1):
                    beyond = (grown - length) * step
                    more_after = after & mine >> beyond if grown < board.connect else 0
                    more_before = before & mine << beyond if grown < board.connect else 0
                    total += _ends_worth(after ^ more_after, empty, grown)
                    total += _ends_worth(before ^ more_before, empty, grown)
                    after, before = more_after, more_before
                starts &= mine >> length * step
        return total


def _ends_worth(ends: int, empty: int, grown: int) -> int:
    """Return the sum of n * (n - empty cells below) over some end cells."""
    total = grown * grown * ends.bit_count()
    below = empty
    while ends:
        # `ends` keeps the cells that have at least this number of empty cells below them.
        below = empty & below << 1
        ends &= below
        total -= grown * ends.bit_count()
    return total
