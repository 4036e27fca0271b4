"""Compiled counting of games and positions on boards of up to 128 bits.

A layer, all positions after a number of plies, is a sorted array of keys. The key mine + mask has
`height` bits for each column:

    2**h - 1 + (the bits of mine in the column)        for h discs

So the highest bit of key + 1 is at h, and the lower bits are the bits of mine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from claimeven.compiled import bits_of, for_bits, inlined, kernel, leading_zeros, popcount
from claimeven.compiled.types import Int, Word, Words, int64, read_only, uint64, void
from claimeven.compiled.wide import word, words
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT, ONE, ZERO
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Positions whose children are made in one step, which limits the memory for duplicates.
CHUNK = 1 << 20
#: Plies of move sequences that one call counts: some hundredths of a second on 7x6.
PLIES_AT_ONCE = 9

_READ: Final = read_only(uint64[::1])
_MINE, _MASK, _MOVES = 0, 1, 2


def count_sequences(position: Position, depth: int, at_once: int = PLIES_AT_ONCE) -> int:
    """Return the number of sequences of `depth` >= 1 moves from a position that is not over.

    One call of compiled code counts only the last `at_once` plies, so that Ctrl-C works between
    calls.
    """
    if depth > at_once:
        children = map(position.play_unchecked, position.legal_columns)
        return sum(count_sequences(p, depth - 1, at_once) for p in children if not p.is_over)
    bits = position.geometry.bits
    board, stack = bitboard_kernel.board_vector(position.geometry), words((depth + 1, 3), bits)
    discs = word(position.mine, bits), word(position.mask, bits)
    return int(for_bits(_count, bits)(*discs, depth, board, stack))


def layers(position: Position, depth: int, chunk: int = CHUNK) -> Iterator[Words]:
    """Yield the sorted keys of all positions 0, 1, .. `depth` plies ahead."""
    columns, bits = position.geometry.columns, position.geometry.bits
    board, make = bitboard_kernel.board_vector(position.geometry), for_bits(_make_children, bits)
    keys = words(1, bits)
    keys[0] = position.key
    yield keys
    for _ in range(depth):
        parts = []
        for start in range(0, len(keys), chunk):
            parents = keys[start : start + chunk]
            children = words(len(parents) * columns, bits)
            parts.append(sort_unique(children[: make(parents, board, children)]))
        if len(parts) == 1:
            keys = parts[0]
        elif parts:
            keys = sort_unique(np.concatenate(parts))
        yield keys


def discs_of_keys(keys: Words, geometry: Geometry) -> tuple[Words, Words]:
    """Return `mine` and `mask` of every key."""
    mine, mask = np.empty_like(keys), np.empty_like(keys)
    split = for_bits(_split, geometry.bits)
    split(np.asanyarray(keys, order="C"), bitboard_kernel.board_vector(geometry), mine, mask)
    return mine, mask


def sort_unique(keys: Words) -> Words:
    """Return the sorted unique keys; the order of the given array changes."""
    keys.sort()
    is_first = np.ones(len(keys), dtype=bool)
    is_first[1:] = keys[1:] != keys[:-1]
    return keys[is_first]


@inlined
def split_key(key: Word, height: Word, bottom: Word) -> tuple[Word, Word]:
    """Return mine and mask of a position's key."""
    column_bits = (ONE << height) - ONE
    mine, mask = ZERO, ZERO
    while bottom:
        # The lowest bit still in `bottom` is the bottom cell of the next column.
        cell = bottom & (~bottom + ONE)
        bottom ^= cell
        shift = popcount(cell - ONE)
        part = ((key >> shift) & column_bits) + ONE
        filled = (ONE << (bits_of(part) - ONE - np.uint64(leading_zeros(part)))) - ONE
        mask |= filled << shift
        mine |= (part & filled) << shift
    return mine, mask


@kernel(void(_READ, _READ, uint64[::1], uint64[::1]))
def _split(keys: Words, words: Words, mine: Words, mask: Words) -> None:
    """Fill `mine` and `mask` from keys, all of one length."""
    for i in range(len(keys)):
        mine[i], mask[i] = split_key(keys[i], words[HEIGHT], words[BOTTOM])


@kernel(int64(_READ, _READ, uint64[::1]))
def _make_children(keys: Words, words: Words, children: Words) -> Int:
    """Write the keys of all children of unfinished positions, with duplicates; return their number.

    `children` has room for one key for each column of each position.
    """
    count = 0
    for i in range(len(keys)):
        mine, mask = split_key(keys[i], words[HEIGHT], words[BOTTOM])
        theirs = mine ^ mask
        if bitboard_kernel.has_line(theirs, words[HEIGHT], words[CONNECT]):
            continue
        moves = bitboard_kernel.playable_cells(mask, words[BOTTOM], words[BOARD])
        while moves:
            move = moves & (~moves + ONE)
            moves ^= move
            children[count] = theirs + (mask | move)
            count += 1
    return count


@kernel(int64(uint64, uint64, int64, _READ, uint64[:, ::1]))
def _count(mine: Word, mask: Word, depth: Int, words: Words, stack: Words) -> Int:
    """Count the move sequences of length `depth` >= 1 from a position that is not over.

    `stack` is (depth + 1, 3): for each level of the search the discs, and the moves not tried.
    """
    height, connect, bottom, board = words[HEIGHT], words[CONNECT], words[BOTTOM], words[BOARD]
    moves = bitboard_kernel.playable_cells(mask, bottom, board)
    # Step 1. One move: each move is a sequence.
    if depth == 1:
        return np.int64(popcount(moves))
    top = bottom << (height - np.uint64(2))
    total = np.int64(0)
    level = 0
    stack[0, _MINE], stack[0, _MASK], stack[0, _MOVES] = mine, mask, moves
    while level >= 0:
        mine, mask, moves = stack[level, _MINE], stack[level, _MASK], stack[level, _MOVES]
        # Step 2. Winning moves end the game: continue only with the others.
        moves &= ~bitboard_kernel.winning_cells(mine, mask, height, connect, board)
        # Step 3. Two moves from the end: each open column is a second move, except the column
        # of the first move if that move filled it.
        if level == depth - 2:
            columns_open = popcount(bitboard_kernel.playable_cells(mask, bottom, board))
            total += np.int64(popcount(moves) * columns_open - popcount(moves & top))
            level -= 1
            continue
        # Step 4. Take the next move, or go back a level if all are done.
        if moves == ZERO:
            level -= 1
            continue
        move = moves & (~moves + ONE)
        stack[level, _MOVES] = moves ^ move
        mask |= move
        level += 1
        stack[level, _MINE], stack[level, _MASK] = mine ^ (mask ^ move), mask
        stack[level, _MOVES] = bitboard_kernel.playable_cells(mask, bottom, board)
    return total
