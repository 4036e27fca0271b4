"""The evaluation `sequences`: the runs that the side to move could make with one more disc.

The evaluation looks at both ends of each straight run of the side to move, of length 1 to
`connect`. If the cell there is on the board and empty, a disc there would make a run of `n` discs:
the run, the new disc, and the own discs directly beyond it, at most `connect`. If that completes a
line and the cell is playable, the evaluation is `SEQUENCE_WIN`. Otherwise it adds `n * (n - e)`,
with `e` empty cells below the cell.

The idea is from a notebook of 2021 (Politecnico di Torino).
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Word, Words, bits_of, inlined, popcount, prepared
from claimeven.evaluation.counting import sequence_list
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT, ONE, ZERO
from claimeven.game.position import Position, check_position

#: The value of a position in which the side to move can complete a line.
SEQUENCE_WIN = 1_000_000


def sequences(position: Position) -> int:
    """Evaluate a position for the side to move; at most `SEQUENCE_WIN`, draws near 0.

    >>> sequences(Position.from_moves("1122"))
    15
    >>> sequences(Position.from_moves("112233"))
    1000000
    """
    check_position(position)
    geometry, own = position.geometry, position.mine
    total = 0
    for run in sequence_list(position, position.turn):
        if run.length == geometry.connect:
            return SEQUENCE_WIN
        for outward in (-1, 1):
            dc, dr = outward * run.step[0], outward * run.step[1]
            first = run.length if outward == 1 else 1
            column = run.start[0] + first * dc
            row = run.start[1] + first * dr
            if not geometry.has(column, row) or row < position.height_of(column):
                continue
            new_length = run.length + 1
            while new_length < geometry.connect:
                ahead = new_length - run.length
                beyond = (column + ahead * dc, row + ahead * dr)
                if not geometry.has(*beyond) or not own >> geometry.bit(*beyond) & 1:
                    break
                new_length += 1
            empty_below = row - position.height_of(column)
            if new_length == geometry.connect and empty_below == 0:
                return SEQUENCE_WIN
            total += new_length * (new_length - empty_below)
    return total


@prepared
def sequences_kernel(mine: Word, mask: Word, words: Words) -> Int:
    """Compiled twin of `sequences`; the side to move owns `mine`."""
    height, board = words[HEIGHT], words[BOARD]
    connect = np.int64(words[CONNECT])
    empty = board & ~mask
    playable = (mask + words[BOTTOM]) & board
    total = np.int64(0)
    for direction in range(4):
        step = bitboard_kernel.direction_step(direction, height)
        if bitboard_kernel.run_starts(mine, step, words[CONNECT]):
            return np.int64(SEQUENCE_WIN)
        starts = mine
        for length in range(1, connect):
            # Step 1. All runs of `length`, and the empty cells at their two ends.
            reach = step * np.uint64(length)
            if length > 1:
                starts &= mine >> (reach - step) if reach - step < bits_of(mine) else ZERO
            if starts == ZERO:
                break
            after = (starts << reach) & empty if reach < bits_of(mine) else ZERO
            before = (starts >> step) & empty
            # Step 2. Split the ends by the number of own discs met directly beyond them.
            for beyond in range(connect - length):
                new_length = length + 1 + beyond
                shift = step * np.uint64(beyond + 1)
                after_grows = ZERO
                before_grows = ZERO
                if new_length < connect and shift < bits_of(mine):
                    after_grows = after & (mine >> shift)
                    before_grows = before & (mine << shift)
                elif new_length == connect and (after | before) & playable:
                    return np.int64(SEQUENCE_WIN)
                total += _ends_value(after & ~after_grows, empty, new_length)
                total += _ends_value(before & ~before_grows, empty, new_length)
                after = after_grows
                before = before_grows
    return total


@inlined
def _ends_value(ends: Word, empty: Word, new_length: Int) -> Int:
    """Sum of n * (n - empty cells below) over a mask of end cells."""
    if ends == ZERO:
        return np.int64(0)
    total = np.int64(new_length) * np.int64(new_length) * np.int64(popcount(ends))
    below = empty
    reaching = ends
    while True:
        # `reaching` has the end cells with one more empty cell below them in each round.
        below = empty & (below << ONE)
        reaching &= below
        if reaching == ZERO:
            return total
        total -= np.int64(new_length) * np.int64(popcount(reaching))
