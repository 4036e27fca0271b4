"""The evaluation `triples`: own runs one disc short of a line, less the opponent's."""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Word, Words, popcount, prepared
from claimeven.evaluation.counting import count_by_length
from claimeven.game.bitboard_kernel import CONNECT, HEIGHT, ONE, direction_step, run_starts
from claimeven.game.position import Position


def triples(position: Position) -> int:
    """Evaluate a position for the side to move: windows of `connect - 1` own discs less theirs.

    >>> triples(Position.from_moves("112233"))
    0
    """
    length = position.geometry.connect - 1
    own, other = position.turn, 1 - position.turn
    return count_by_length(position, own, length) - count_by_length(position, other, length)


@prepared
def triples_kernel(mine: Word, mask: Word, words: Words) -> Int:
    """Compiled twin of `triples`; the side to move owns `mine`."""
    height, length = words[HEIGHT], words[CONNECT] - ONE
    theirs = mine ^ mask
    total = np.int64(0)
    for direction in range(4):
        step = direction_step(direction, height)
        total += np.int64(popcount(run_starts(mine, step, length)))
        total -= np.int64(popcount(run_starts(theirs, step, length)))
    return total
