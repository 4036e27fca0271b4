"""A book of moves: the hard positions of one board, each with a best column.

The packed form is three bytes (columns, rows, connect) and the compressed numbers of the positions
in ascending order, each as its distance from the one before, times the columns, plus the column to
play; seven bits a byte, the lowest first, all bytes but a number's last with the top bit set. A
position stands for its mirror image too: the smaller number of the two.
"""

from __future__ import annotations

import zlib

from claimeven.adapters.kaggle.template.board import Board


class MoveBook:
    """The moves of a packed book; none on any other board than its own."""

    def __init__(self, board: Board, packed: bytes) -> None:
        self.board = board
        self.columns = unpacked(packed) if board.owns(packed) else {}

    def find(self, mine: int, mask: int) -> int | None:
        """Return the column to play in a position, None where the book does not know it."""
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
