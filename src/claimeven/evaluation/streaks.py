"""The evaluations of chains: `streaks`, and `triples`, own runs one disc short of a line.

In `streaks` every disc is worth the longest chain that runs through it.

A chain is an unbroken run of one player's discs along one of the four directions; chains longer
than `connect` count as `connect`. Own discs add to the value, the opponent's subtract. The weights
1, 8, 128 and 99999 of the four lengths are from the AIFour notebook. On boards with a longer
connect the lengths below it continue with 1024, 8192, 16384, 32768.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, popcount, prepared
from claimeven.evaluation.counting import count_by_length
from claimeven.game.bitboard import run_starts as python_run_starts
from claimeven.game.bitboard_kernel import CONNECT, HEIGHT, ONE, ZERO, direction_step, run_starts
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position, check_position

LINE_WEIGHT = 99999
CHAIN_WEIGHTS = (1, 8, 128, 1024, 8192, 16384, 32768)


def chain_weights(connect: int) -> tuple[int, ...]:
    """Return the worth of a disc by the length of its longest chain, 1 to `connect`."""
    return (*CHAIN_WEIGHTS[: connect - 1], LINE_WEIGHT)


def streaks(position: Position) -> int:
    """Evaluate a position for the side to move.

    >>> streaks(Position.from_moves("4455"))
    0
    """
    check_position(position)
    geometry = position.geometry
    return _value_of(position.mine, geometry) - _value_of(position.theirs, geometry)


def _value_of(discs: int, geometry: Geometry) -> int:
    total, worth_before = 0, 0
    for length, weight in enumerate(chain_weights(geometry.connect), start=1):
        in_chain = 0
        for step in geometry.steps:
            starts = python_run_starts(discs, step, length)
            for i in range(length):
                in_chain |= starts << (i * step)
        total += (weight - worth_before) * in_chain.bit_count()
        worth_before = weight
    return total


@prepared
def streaks_kernel(mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    """Compiled twin of `streaks`; `weights` come from `chain_weights`."""
    return _value_kernel(mine, words, weights) - _value_kernel(mine ^ mask, words, weights)


@inlined
def _value_kernel(discs: Word, words: Words, weights: Ints) -> Int:
    height, connect = words[HEIGHT], words[CONNECT]
    total = weights[0] * np.int64(popcount(discs))
    for length in range(2, np.int64(connect) + 1):
        in_chain = ZERO
        for direction in range(4):
            step = direction_step(direction, height)
            starts = run_starts(discs, step, np.uint64(length))
            if starts:
                for i in range(length):
                    in_chain |= starts << (step * np.uint64(i))
        if in_chain == ZERO:
            break
        total += (weights[length - 1] - weights[length - 2]) * np.int64(popcount(in_chain))
    return total


def triples(position: Position) -> int:
    """Evaluate a position for the side to move: own windows of `connect - 1` discs minus theirs.

    >>> triples(Position.from_moves("112233"))
    0
    """
    check_position(position)
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
