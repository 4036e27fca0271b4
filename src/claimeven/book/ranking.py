"""Ranking: a computed number for every position of the first plies, instead of stored keys.

The number of a position depends on the heights of its columns, and then on the owners of its discs:

    number = start of the ply + block of the heights * ways to color + rank of the coloring

A **block** is one way to spread the discs of a ply over the columns. Of two mirror images only the
spread whose heights come first, read from the left, has a block; a position with the other spread
is looked up as its mirror image. The discs, column by column and from the bottom, make a word with
a bit for each disc of the side to move. The **rank** of a coloring is the place of its word, in
ascending order, among the words with the same number of bits.

Numbers of different positions differ. A position with a symmetric spread, and its image, have
separate numbers in one block. Some numbers are unused: of discs that no game reaches, or of
finished games. Files depend on the numbers (see `mmap_book`), so they must not change.

The kernel takes one int64 array, the **tables**:

```text
    COLUMNS HEIGHT ROWS PLIES | starts | colorings | blocks at | before | blocks | ranks
```

`starts`, `colorings` and `blocks at` have an entry per ply, `before` has the shape (columns,
plies + 1, rows + 1). `blocks` of ply p start at `blocks at`[p], `ranks` of ply p at 2**p - 1.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from claimeven.book.book import InvalidBook
from claimeven.compiled import bits_of, for_bits, inlined, kernel, leading_zeros
from claimeven.compiled.types import Int, Ints, Word, Words, int64, read_only, uint64, void
from claimeven.game.batch import Boards, disc_counts
from claimeven.game.geometry import Geometry

COLUMNS, HEIGHT, ROWS, PLIES, LISTS = range(5)
#: The number of a position with too many discs.
BEYOND = -1

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def _column(key: Word, column: Int, height: Int) -> tuple[Int, Word]:
    """Return the number of discs of a column and the own discs as bits, from a key."""
    part = ((key >> np.uint64(column * height)) & ((_ONE << np.uint64(height)) - _ONE)) + _ONE
    discs = np.int64(bits_of(part)) - 1 - np.int64(leading_zeros(part))
    return discs, part ^ (_ONE << np.uint64(discs))


@inlined
def _spread_and_word(key: Word, tables: Ints, first: Int, step: Int, ply: Int) -> tuple[Int, Word]:
    """Return the number of the spread and the word of the coloring, from either side."""
    columns, height, rows, plies = tables[COLUMNS], tables[HEIGHT], tables[ROWS], tables[PLIES]
    before = LISTS + 3 * (plies + 1)
    spread, left, discs, word = np.int64(0), ply, np.int64(0), _ZERO
    for place in range(columns):
        count, own = _column(key, first + step * place, height)
        spread += tables[before + (place * (plies + 1) + left) * (rows + 1) + count]
        word |= own << np.uint64(discs)
        left -= count
        discs += count
    return spread, word


@kernel(void(read_only(uint64[::1]), read_only(int64[::1]), int64[::1]))
def number_all(keys: Words, tables: Ints, numbers: Ints) -> None:
    """Fill in the number of each position by its key, `BEYOND` for later plies."""
    columns, height, rows, plies = tables[COLUMNS], tables[HEIGHT], tables[ROWS], tables[PLIES]
    lists = plies + 1
    blocks = LISTS + 3 * lists + columns * lists * (rows + 1)
    ranks = len(tables) - ((np.int64(1) << lists) - 1)
    for i in range(len(keys)):
        key = keys[i]
        ply = np.int64(0)
        for column in range(columns):
            count, _ = _column(key, column, height)
            ply += count
        if ply > plies:
            numbers[i] = BEYOND
            continue
        spread, word = _spread_and_word(key, tables, np.int64(0), np.int64(1), ply)
        image, other = _spread_and_word(key, tables, columns - 1, np.int64(-1), ply)
        if image < spread:
            spread, word = image, other
        block = tables[blocks + tables[LISTS + 2 * lists + ply] + spread]
        rank = tables[ranks + (np.int64(1) << ply) - 1 + np.int64(word)]
        numbers[i] = tables[LISTS + ply] + block * tables[LISTS + lists + ply] + rank


Numbers = npt.NDArray[np.int64]

#: The greatest number of spreads of a ply, which take a few hundred MB.
MAX_SPREADS = 1 << 22


class PositionRanking:
    """The numbers of the positions of plies 0 .. `plies` of a board of at most 128 bits.

    `starts[ply]` is the first number of a ply; the last entry is the count of all numbers.

    >>> PositionRanking(Geometry(), 12).starts[-1]
    11040401
    """

    def __init__(self, geometry: Geometry, plies: int) -> None:
        """Raise `InvalidBook` if there are too many ways to spread the discs."""
        self.geometry = geometry
        self.plies = plies
        # ways[c][s]: of spreading s discs over the columns from c on.
        ways = _ways(geometry.columns, geometry.rows, plies)
        if max(ways[0]) > MAX_SPREADS:
            raise InvalidBook(
                f"there are too many ways to spread {plies} discs over {geometry}"
                " for a book that is looked up in its file"
            )
        self.spreads: list[int] = ways[0]
        self.colorings: list[int] = [comb(ply, ply // 2) for ply in range(plies + 1)]
        self.blocks: list[int] = [
            (self.spreads[ply] + _even_spreads(geometry, ply)) // 2 for ply in range(plies + 1)
        ]
        self.starts: list[int] = [0]
        for blocks, colorings in zip(self.blocks, self.colorings, strict=True):
            self.starts.append(self.starts[-1] + blocks * colorings)
        # before[c][s][h]: spreads of s discs over the columns from c on with fewer than h in c.
        rows = geometry.rows
        self._before = [
            [
                [sum(after[max(0, discs - height + 1) : discs + 1]) for height in range(rows + 1)]
                for discs in range(plies + 1)
            ]
            for after in ways[1:]
        ]

    def number(self, mine: int, mask: int) -> int:
        """Return the number of one position of at most `plies` discs."""
        board = self.geometry
        height, part = board.height, (1 << board.height) - 1
        shifts = range(0, board.bits, height)
        heights = [(mask >> shift & part).bit_length() for shift in shifts]
        columns = list(zip(heights, (mine >> shift & part for shift in shifts), strict=True))
        if heights[::-1] < heights:
            columns.reverse()
        ply = left = sum(heights)
        spread = word = discs = 0
        for before, (count, own) in zip(self._before, columns, strict=True):
            spread += before[left][count]
            word |= own << discs
            left -= count
            discs += count
        return (
            self.starts[ply]
            + int(_blocks(board.columns, board.rows, ply)[spread]) * self.colorings[ply]
            + int(_ranks(ply)[word])
        )

    def numbers(self, keys: Boards) -> Numbers:
        """Return the numbers of positions by their keys; `BEYOND` for later plies."""
        found = np.empty(len(keys), dtype=np.int64)
        number = for_bits(number_all, self.geometry.bits)
        number(np.require(keys, requirements="C"), self._tables, found)
        return found

    @cached_property
    def _tables(self) -> Numbers:
        """The tables for the kernel, see above."""
        board = self.geometry
        blocks = [_blocks(board.columns, board.rows, ply) for ply in range(self.plies + 1)]
        blocks_at = np.cumsum([0, *self.spreads[:-1]])
        head = np.array([board.columns, board.height, board.rows, self.plies])
        ranks = [_ranks(ply) for ply in range(self.plies + 1)]
        lists = [np.array(self.starts[:-1]), np.array(self.colorings), blocks_at]
        before = np.array(self._before)
        parts = [head, *lists, before.reshape(-1), *blocks, *ranks]
        return np.concatenate([part.astype(np.int64) for part in parts])


def _ways(columns: int, rows: int, plies: int) -> list[list[int]]:
    """Return for each column the ways to spread 0 .. `plies` discs from that column on."""
    ways = [[1] + [0] * plies]
    for _ in range(columns):
        after = ways[0]
        ways.insert(0, [sum(after[max(0, discs - rows) : discs + 1]) for discs in range(plies + 1)])
    return ways


def _even_spreads(geometry: Geometry, discs: int) -> int:
    """Return the number of spreads that are their own mirror images."""
    pairs = _ways(geometry.columns // 2, geometry.rows, discs // 2)[0]
    if geometry.columns % 2 == 0:
        return pairs[discs // 2] if discs % 2 == 0 else 0
    middle = range(discs % 2, min(geometry.rows, discs) + 1, 2)
    return sum(pairs[(discs - height) // 2] for height in middle)


@lru_cache(maxsize=64)
def _blocks(columns: int, rows: int, ply: int) -> npt.NDArray[np.int32]:
    """Return the block of each spread of `ply` discs by its number, undefined if it has none."""
    heights = _spreads(columns, rows, ply)
    has_block = np.zeros(len(heights), dtype=bool)
    undecided = np.ones(len(heights), dtype=bool)
    for column in range(columns // 2):
        left, right = heights[:, column], heights[:, columns - 1 - column]
        has_block |= undecided & (left < right)
        undecided &= left == right
    return np.cumsum(has_block | undecided, dtype=np.int32) - np.int32(1)


def _spreads(columns: int, rows: int, discs: int) -> npt.NDArray[np.int8]:
    """Return every spread of discs over columns, shape (n, columns), in ascending order."""
    spreads = np.zeros((1, 0), dtype=np.int8)
    left = np.array([discs], dtype=np.int64)
    for column in range(columns):
        lowest = np.maximum(0, left - rows * (columns - 1 - column))
        choices = np.maximum(0, np.minimum(rows, left) - lowest + 1)
        which = np.repeat(np.arange(len(left)), choices)
        first = np.cumsum(choices) - choices
        heights = np.arange(len(which)) - first[which] + lowest[which]
        spreads = np.column_stack([spreads[which], heights.astype(np.int8)])
        left = left[which] - heights
    return spreads


@lru_cache(maxsize=32)
def _ranks(ply: int) -> npt.NDArray[np.int32]:
    """Return the rank of each word of `ply` bits among words with the mover's number of discs."""
    words = np.arange(1 << ply, dtype=np.uint64)
    own = np.flatnonzero(disc_counts(words) == ply // 2)
    ranks = np.zeros(1 << ply, dtype=np.int32)
    ranks[own] = np.arange(len(own), dtype=np.int32)
    return ranks
