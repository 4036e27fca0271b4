"""The evaluation `windows`: a score for every window of `connect` cells.

A window with discs of both players scores 0. The default weights are from a student report (Lund,
EDAP01): a block is worth one more than the same number of own discs. The reviewer of the report
used symmetric weights without a bonus for the center.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, bits_of, inlined, popcount, prepared
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import CENTER, CONNECT, HEIGHT, ONE, STARTS, ZERO
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position, check_position

#: Four words of a direction, and the bits of a half of a wide word.
Four: TypeAlias = tuple[Word, Word, Word, Word]
_HALF = np.uint64(64)


@dataclass(frozen=True)
class WindowWeights:
    """Weights of windows with discs of one player, by their number.

    `line` is for `connect` discs, `three` for one less, `two` for two less (at least one disc);
    `center` for each own disc in the center column. The opponent's weights are negative.
    """

    line: int = 100001
    three: int = 1000
    two: int = 100
    their_two: int = -101
    their_three: int = -1001
    their_line: int = -100000
    center: int = 1


SYMMETRIC = WindowWeights(10, 5, 2, -2, -5, -10, 0)


def windows(position: Position, weights: WindowWeights | None = None) -> int:
    """Evaluate a position for the side to move: the sum over all windows.

    >>> windows(Position.from_moves("444"))
    1
    """
    check_position(position)
    chosen = WindowWeights() if weights is None else weights
    geometry, own, theirs = position.geometry, position.mine, position.theirs
    connect = geometry.connect
    total = 0
    for window in _window_masks(geometry):
        mine, others = (own & window).bit_count(), (theirs & window).bit_count()
        if mine and not others:
            missing = connect - mine
            total += (chosen.line, chosen.three, chosen.two)[missing] if missing <= 2 else 0
        elif others and not mine:
            missing = connect - others
            if missing <= 2:
                total += (chosen.their_line, chosen.their_three, chosen.their_two)[missing]
    center = geometry.column_mask(geometry.columns // 2)
    return total + chosen.center * (own & center).bit_count()


@prepared
def windows_kernel(mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    """Compiled twin of `windows`; the side to move owns `mine`, `weights` is a `WindowWeights`."""
    height, connect = words[HEIGHT], words[CONNECT]
    theirs = mine ^ mask
    total = weights[6] * np.int64(popcount(mine & words[CENTER]))
    if connect == np.uint64(4) and bits_of(mine) > np.uint64(64):
        return total + _fours_of_halves(mine, theirs, words, weights)
    for direction in range(4):
        step = bitboard_kernel.direction_step(direction, height)
        starts = words[STARTS + direction]
        if connect == np.uint64(4):
            any_mine, line, three, two = _fours(mine, step)
            any_theirs, their_line, their_three, their_two = _fours(theirs, step)
        else:
            any_mine, line, three, two = _tally(mine, step, connect)
            any_theirs, their_line, their_three, their_two = _tally(theirs, step, connect)
        free = starts & ~any_theirs
        total += weights[0] * np.int64(popcount(line & free))
        total += weights[1] * np.int64(popcount(three & free))
        total += weights[2] * np.int64(popcount(two & free))
        free = starts & ~any_mine
        total += weights[3] * np.int64(popcount(their_two & free))
        total += weights[4] * np.int64(popcount(their_three & free))
        total += weights[5] * np.int64(popcount(their_line & free))
    return total


@inlined
def _fours_of_halves(mine: Word, theirs: Word, words: Words, weights: Ints) -> Int:
    """Value of the windows of four cells on a wide board, by halves of words: LLVM computes all
    directions together, as vectors of 64 bits.
    """
    total = np.int64(0)
    for direction in range(4):
        step = np.uint64(bitboard_kernel.direction_step(direction, words[HEIGHT]))
        my_low, my_high = _shifted_halves(mine, step)
        their_low, their_high = _shifted_halves(theirs, step)
        starts = words[STARTS + direction]
        low, high = np.uint64(starts), np.uint64(starts >> _HALF)
        total += _weighted(_counted(*my_low), _counted(*their_low), low, weights)
        total += _weighted(_counted(*my_high), _counted(*their_high), high, weights)
    return total


@inlined
def _shifted_halves(discs: Word, step: Word) -> tuple[Four, Four]:
    """Discs shifted by no step to three steps, less than 64 bits: their lower and upper halves."""
    low, high = np.uint64(discs), np.uint64(discs >> _HALF)
    two, three = step + step, step + step + step
    return (
        (
            low,
            low >> step | high << (_HALF - step),
            low >> two | high << (_HALF - two),
            low >> three | high << (_HALF - three),
        ),
        (high, high >> step, high >> two, high >> three),
    )


@inlined
def _weighted(mine: Four, theirs: Four, starts: Word, weights: Ints) -> Int:
    """Value of the windows of a direction with these first cells, from both players' counts.

    Boards of 64 bits have the same lines in their loop, which is faster there by 6 %.
    """
    any_mine, line, three, two = mine
    any_theirs, their_line, their_three, their_two = theirs
    free = starts & ~any_theirs
    total = weights[0] * np.int64(popcount(line & free))
    total += weights[1] * np.int64(popcount(three & free))
    total += weights[2] * np.int64(popcount(two & free))
    free = starts & ~any_mine
    total += weights[3] * np.int64(popcount(their_two & free))
    total += weights[4] * np.int64(popcount(their_three & free))
    total += weights[5] * np.int64(popcount(their_line & free))
    return total


@inlined
def _fours(discs: Word, step: Word) -> Four:
    """Counts of `_counted` along a step."""
    second = discs >> step
    return _counted(discs, second, discs >> (step + step), second >> (step + step))


@inlined
def _counted(first: Word, second: Word, third: Word, fourth: Word) -> Four:
    """Windows of four cells, by first cell: any disc in them, four, three, two (bit-sliced)."""
    low_any, low_both, low_one = first | second, first & second, first ^ second
    high_any, high_both, high_one = third | fourth, third & fourth, third ^ fourth
    return (
        low_any | high_any,
        low_both & high_both,
        (low_both & high_one) | (low_one & high_both),
        (low_both & ~high_any) | (high_both & ~low_any) | (low_one & high_one),
    )


@inlined
def _tally(discs: Word, step: Word, connect: Word) -> Four:
    """`_fours` for any window length: a bit-sliced counter of the discs in each window."""
    ones, twos, fours, eights = ZERO, ZERO, ZERO, ZERO
    # Shifts are defined only if such a window fits.
    if step * (connect - ONE) >= bits_of(discs):
        return ZERO, ZERO, ZERO, ZERO
    for i in range(np.int64(connect)):
        add = discs >> (step * np.uint64(i))
        carry = ones & add
        ones ^= add
        add = twos & carry
        twos ^= carry
        carry = fours & add
        fours ^= add
        eights |= carry
    found_any = ones | twos | fours | eights
    return (
        found_any,
        _equals(ones, twos, fours, eights, connect),
        _equals(ones, twos, fours, eights, connect - ONE),
        _equals(ones, twos, fours, eights, connect - np.uint64(2)) & found_any,
    )


@inlined
def _equals(ones: Word, twos: Word, fours: Word, eights: Word, number: Word) -> Word:
    """Bits whose sliced counter equals `number` (0 to 8)."""
    same = ~(ones ^ (ZERO - (number & ONE)))
    same &= ~(twos ^ (ZERO - ((number >> ONE) & ONE)))
    same &= ~(fours ^ (ZERO - ((number >> np.uint64(2)) & ONE)))
    return same & ~(eights ^ (ZERO - ((number >> np.uint64(3)) & ONE)))


@lru_cache(maxsize=64)
def _window_masks(geometry: Geometry) -> tuple[int, ...]:
    return tuple(
        sum(1 << geometry.bit(column, row) for column, row in window)
        for window in geometry.windows(geometry.connect)
    )
