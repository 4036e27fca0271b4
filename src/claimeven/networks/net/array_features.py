"""The static features of positions, by matrix products.

The planes, a number for each cell:

| plane                        | 1, or the number, if a cell ...                               |
|------------------------------|---------------------------------------------------------------|
| mine, theirs                 | has a disc of the side to move, of the other side             |
| playable, above playable     | takes the next disc of its column, the one after              |
| my threat, first or second   | would complete a line of the side to move; one plane if that  |
|                              | is the first player, another if it is the second              |
| their threat, first, second  | would complete a line of the other side; by the side to move  |
| under my, their threat       | is empty and directly under such a cell                       |
| my, their near lines         | is empty and on a line of that side that lacks two discs      |
| the same, twice              | is empty and on two or more such lines                        |
| my, their far lines          | is empty and on such lines that lack three: their number, up  |
|                              | to 4                                                          |

A line belongs to a side if only that side has discs in it. A plane of the other side follows the
plane of the side to move.

The number of harmless moves decides which side has to give way: a column's **quiet** cells are the
empty ones below its lowest threat, or all empty ones without a threat. So a column has quiet cells
below my threats, below theirs, and below any. A column has the numbers

| number                      | 1 if                                                   |
|-----------------------------|--------------------------------------------------------|
| odd below my, their, any    | quiet cells of this kind are odd in number             |
| shut, all but shut          | no quiet cell is below any threat, or one              |

and the whole board has: the side to move (0 the first player, 1 the second); whether the number of
quiet cells of all columns is odd, below my, their and any threats; and the number of shut columns.

A line of cells has a state, a digit in base 4 for each cell, the first least: 0 empty and out of
reach, 1 of the side to move, 2 of the other side, 3 playable. A column has one too: a bit for each
disc in its lowest cells, plus a bit for each of these discs that belongs to the side to move.

NumPy, JAX, ONNX and exported agents share this module, which needs only NumPy. The factors are
small whole numbers or powers of 4, so sums are exact, also on accelerators that round the factors
of a product to bfloat16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

#: Numbers of a cell, of a column, and of the whole board.
PLANES: Final = 16
COLUMN_NUMBERS: Final = 5
BOARD_NUMBERS: Final = 5
#: The digits of a cell in the state of a line: empty and out of reach, mine, theirs, playable.
STATES: Final = 4
#: The cells of a column, from the lowest, that its state is made of.
SEEN_CELLS: Final = 4
#: The most far lines that are counted.
MAX_LINES: Final = 4


def lines_of(board: Any) -> Any:
    """Return the cells of every line, int64 (lines, connect), by first cell and direction."""
    columns, rows, places = board.columns, board.rows, range(board.connect)
    found = [
        [(column + n * right) * rows + row + n * up for n in places]
        for column in range(columns)
        for row in range(rows)
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        if column + places[-1] * right < columns and 0 <= row + places[-1] * up < rows
    ]
    return np.array(found, dtype=np.int64).reshape(-1, board.connect)


@dataclass(frozen=True)
class Symmetry:
    """The pairs of columns and of lines of a board.

    `middle` is 1 if there is a middle column, else 0; `pairs` counts the pairs of columns. For each
    pair of lines `first` and `second` are the numbers of its lines, int64 (n,), equal for a line
    that is its own image, and `read_as` int64 (n, states) the state of the first line in the mirror
    image for each state of the second line. The first `unequal` pairs may differ from their images;
    lines that never differ come last.

    Two columns, too, change places with two others, or with each other: `left` and `right` are the
    numbers of the columns, one of two such couples each, int64 (n,).
    """

    pairs: int
    middle: int
    first: Any
    second: Any
    read_as: Any
    unequal: int
    left: Any
    right: Any

    @property
    def half(self) -> int:
        """Columns on the left, with that in the middle."""
        return self.pairs + self.middle

    def split_pairs(self, by_column: Any) -> tuple[list[Any], Any]:
        """Return the parts of sums, the last of the middle column, and the differences.

        `by_column` are numbers of columns, (n, columns, ...), of NumPy or of JAX.
        """
        left, right = by_column[:, : self.pairs], by_column[:, ::-1][:, : self.pairs]
        return [left + right, by_column[:, self.pairs : self.half]], left - right

    def join_pairs(self, sums: Any, differences: Any) -> list[Any]:
        """Return the parts of a row for all columns: (n, half) and (n, pairs) make (n, columns).

        A pair's columns are its sum with its difference, and less it.
        """
        left, right = sums[:, : self.pairs] + differences, sums[:, : self.pairs] - differences
        return [left, sums[:, self.pairs :], right[:, ::-1]]

    @classmethod
    def of(cls, geometry: Any, lines: Any) -> Symmetry:
        """Return the symmetry of a board with these lines: see `Features.lines`."""
        columns, rows, connect = geometry.columns, geometry.rows, geometry.connect
        numbers = {frozenset(line): number for number, line in enumerate(lines.tolist())}
        found, fixed = [], []
        for first, line in enumerate(lines.tolist()):
            image = [(columns - 1 - cell // rows) * rows + cell % rows for cell in line]
            second = numbers[frozenset(image)]
            places = [image.index(cell) for cell in lines[second].tolist()]
            if first == second and places == list(range(connect)):
                fixed.append((first, second, places))
            elif first <= second:
                found.append((first, second, places))
        pairs = found + fixed
        couples = [
            (left, right)
            for left in range(columns)
            for right in range(left + 1, columns)
            if left + right < columns
        ]
        states = np.arange(STATES**connect)
        read_as = np.zeros((len(pairs), len(states)), dtype=np.int64)
        for number, (_, _, places) in enumerate(pairs):
            for place, there in enumerate(places):
                read_as[number] += states // STATES**place % STATES * STATES**there
        return cls(
            columns // 2,
            columns % 2,
            np.array([first for first, _, _ in pairs], dtype=np.int64),
            np.array([second for _, second, _ in pairs], dtype=np.int64),
            read_as,
            len(found),
            np.array([left for left, _ in couples], dtype=np.int64),
            np.array([right for _, right in couples], dtype=np.int64),
        )


class ArrayFeatures:
    """The features of one board; `xp` is the module of the arrays, `jax.numpy` for example.

    `features` has the `geometry` and its `lines`, as `Features`.
    """

    def __init__(self, features: Any, xp: Any) -> None:
        self.features = features
        self._xp = xp
        board, lines = features.geometry, features.lines
        column, row = np.divmod(np.arange(board.cells), board.rows)
        same, numbers = column[:, None] == column, np.arange(len(lines))[:, None]
        to_column = column[:, None] == np.arange(board.columns)
        bits = to_column * np.where(row < SEEN_CELLS, 2**row, 0)[:, None]
        # Each matrix leads from cells to cells, to columns or to lines.
        matrices = (same & (row[:, None] + 1 == row), same & (row[:, None] <= row), to_column, bits)
        self._to_above, self._to_higher, self._to_column, self._bits = (
            matrix.astype(np.float32) for matrix in matrices
        )
        self._on_line, self._digits = np.zeros((2, board.cells, len(lines)), dtype=np.float32)
        self._on_line[lines, numbers] = 1
        self._digits[lines, numbers] = STATES ** np.arange(board.connect)
        self._lowest = (row == 0).astype(np.float32)

    def of(self, mine: Any, theirs: Any) -> tuple[Any, Any, Any]:
        """Return planes, float32, and states, int32, as `Features.of`; and the playable columns.

        `mine` and `theirs` are the discs of both sides, float32 (n, cells), in the order of cells.
        """
        xp, columns, count = self._xp, self.features.geometry.columns, len(mine)
        discs = mine + theirs
        empty = 1 - discs
        playable = empty * (discs @ self._to_above + self._lowest)
        turn = discs.sum(axis=1, keepdims=True) % 2
        states = (mine + 2 * theirs + 3 * playable) @ self._digits
        threats, near, far = self._lines(mine, theirs, empty)
        planes = [mine, theirs, playable, empty * (playable @ self._to_above)]
        planes += [threat * is_turn for threat in threats for is_turn in (1 - turn, turn)]
        planes += [empty * (threat @ self._to_above.T) for threat in threats]
        planes += [_flag(each >= least) for least in (1, 2) for each in near]
        planes += [xp.minimum(each, np.float32(MAX_LINES)) for each in far]
        both = xp.maximum(*threats)
        quiet = [
            (empty * _flag(met @ self._to_higher == 0)) @ self._to_column
            for met in (*threats, both)
        ]
        odd, shut = [each % 2 for each in quiet], _flag(quiet[-1] == 0)
        cells = [each.reshape(count, -1, 1) for each in planes]
        numbers = [*odd, shut, _flag(quiet[-1] == 1)]
        numbers = [each.reshape(count, columns, 1) for each in numbers]
        whole = [each.sum(axis=1, keepdims=True) for each in (*odd, shut)]
        by_cell, by_column = (
            xp.concatenate(each, axis=2).reshape(count, -1) for each in (cells, numbers)
        )
        parts = [by_cell, by_column, turn, *(each % 2 for each in whole[:3]), whole[3]]
        seen = xp.concatenate([states, (mine + discs) @ self._bits], axis=1)
        return xp.concatenate(parts, axis=1), seen.astype(np.int32), empty @ self._to_column > 0

    def _lines(self, mine: Any, theirs: Any, empty: Any) -> list[list[Any]]:
        """Return the empty cells with threats, mine first, and the near and far lines."""
        connect, by_side = self.features.geometry.connect, []
        counts = [side @ self._on_line for side in (mine, theirs)]
        for own, other in (counts, counts[::-1]):
            alone = _flag(own > 0) * _flag(other == 0)
            lacking = (alone * _flag(own == connect - missing) for missing in (1, 2, 3))
            by_side.append([empty * (each @ self._on_line.T) for each in lacking])
        threats, near, far = (list(both) for both in zip(*by_side, strict=True))
        return [[_flag(each > 0) for each in threats], near, far]


def _flag(truth: Any) -> Any:
    """Return 1 for true, 0 for false."""
    return truth.astype(np.float32)
