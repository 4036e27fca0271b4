"""The evaluation of a trained network: a value looked up in many tables, one for a group of cells.

A cell has one of four digits: empty and out of reach, a disc of the first or of the second player,
or empty and playable by the next disc. The digits of a group's cells make an index in base 4, the
first cell least, into its table of weights; its mirror image looks into the same table. The value
for the first player is the hyperbolic tangent of the sum of the weights looked up.

All indices of a position are fields of one large integer. The sum that the discs of a column add to
it is prepared for each state of the column.

The packed form has columns, rows, connect, then two bytes, the number of groups, lowest first. Each
group has its length and its cells, numbered column by column from the bottom. The unit of the
weights follows, a little-endian float of four bytes. Then, compressed, the distances from each
weight that is not 0 to the next in four bytes, the first counted from 1, and those weights as
signed numbers of two bytes: all lowest bytes, then all of the next. There is a table a group for
the first player to move, then one for the second.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from array import array
from collections.abc import Callable
from itertools import accumulate

from claimeven.adapters.kaggle.template.board import Board

#: Digits of a cell that is not empty and out of reach.
FIRST_DIGIT, SECOND_DIGIT, PLAYABLE_DIGIT = 1, 2, 3
#: Bits of an index in the large integer, and the value 1 as the whole number that is compared.
FIELD, ONE = 32, 1_000_000

Evaluator = Callable[[int, int], int]


def learnt_or(board: Board, packed: bytes, other: Evaluator) -> Evaluator:
    """Return the packed network on its own board, the other evaluation on any other."""
    return NTuple(board, packed) if board.owns(packed) else other


class NTuple:
    """The value of a position, -1 to 1 for the side to move, times `ONE`."""

    def __init__(self, board: Board, packed: bytes) -> None:
        groups, place = [], 5
        for _ in range(packed[3] | packed[4] << 8):
            groups.append(list(packed[place + 1 : place + 1 + packed[place]]))
            place += 1 + packed[place]
        (unit,) = struct.unpack_from("<f", packed, place)
        slots: list[tuple[int, list[tuple[int, int]]]] = []
        self.size = 0
        for group in groups:
            cells = [divmod(cell, board.rows) for cell in group]
            image = [(board.columns - 1 - column, row) for column, row in cells]
            slots += [(self.size, cells), (self.size, image)]
            self.size += 4 ** len(cells)
        self.weights = weights_of(zlib.decompress(packed[place + 4 :]), unit, 2 * self.size)
        self.bytes: int = len(slots) * FIELD // 8
        #: The first weight of the tables of the side to move, for either side.
        begin = sum(table << FIELD * slot for slot, (table, _) in enumerate(slots))
        every = sum(1 << FIELD * slot for slot in range(len(slots)))
        self.begins: tuple[int, int] = begin, begin + self.size * every
        #: For each column, the sum that its discs add, by its bits in the number of a position.
        self.height: int = board.height
        self.columns: list[list[int]] = [
            added_by_column(board, slots, column) for column in range(board.columns)
        ]

    def __call__(self, mine: int, mask: int) -> int:
        turn = mask.bit_count() & 1
        key = ((mine ^ mask) if turn else mine) + mask
        low = (1 << self.height) - 1
        total = self.begins[turn]
        for added in self.columns:
            total += added[key & low]
            key >>= self.height
        indices = memoryview(total.to_bytes(self.bytes, sys.byteorder)).cast("I")
        value = math.tanh(sum(map(self.weights.__getitem__, indices)))
        return round(ONE * (-value if turn else value))


def added_by_column(
    board: Board, slots: list[tuple[int, list[tuple[int, int]]]], column: int
) -> list[int]:
    """Return the sums of a column, by its bits in the first player's discs + mask."""
    worth = [0] * board.rows
    for slot, (_, cells) in enumerate(slots):
        for number, cell in enumerate(cells):
            if cell[0] == column:
                worth[cell[1]] += 4**number << FIELD * slot
    added = [0] * (1 << board.height)
    for discs in range(board.rows + 1):
        for first in range(1 << discs):
            total = sum(
                worth[row] * (FIRST_DIGIT if first >> row & 1 else SECOND_DIGIT)
                for row in range(discs)
            )
            if discs < board.rows:
                total += worth[discs] * PLAYABLE_DIGIT
            added[first + (1 << discs) - 1] = total
    return added


def weights_of(unpacked: bytes, unit: float, size: int) -> array[float]:
    """Return all weights from the distances and the numbers of those that are not 0."""
    count = len(unpacked) // 6
    distances, numbers = array("I"), array("h")
    for numbers_of, width, first in ((distances, 4, 0), (numbers, 2, 4)):
        mixed = bytearray(width * count)
        for byte in range(width):
            mixed[byte::width] = unpacked[(first + byte) * count : (first + byte + 1) * count]
        numbers_of.frombytes(bytes(mixed))
        if sys.byteorder == "big":
            numbers_of.byteswap()
    weights = array("f", bytes(4 * size))
    for place, number in zip(accumulate(distances), numbers, strict=True):
        weights[place - 1] = number * unit
    return weights
