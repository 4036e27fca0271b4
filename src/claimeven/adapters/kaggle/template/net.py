"""A neural net that judges positions: layers of weights over the features of each.

Mirroring the board mirrors its answer: columns, lines and hidden numbers come in pairs that change
places, and a layer gets the sum and the difference of each pair. Weights lead only from sums to
sums and from differences to differences; only the cut at 0 distinguishes the two of a pair.

The packed form: three bytes (columns, rows, connect), and compressed the rest: a line of JSON
with the sizes of the net, whether it has scores, and the name, type and shape of every array; then
the bytes of the arrays, one after the other. Weights are whole numbers of a unit, which follows
under their name and `_unit`, one for each output.

The features of a position are of its cells, columns and lines.

Cells are numbered column by column from the left, each from the bottom. A cell has these planes,
each 0 or 1 but for the last two; a line counts for a side if only that side has discs in it:

| plane  | a cell ...                                                              |
|--------|-------------------------------------------------------------------------|
| 0, 1   | has a disc of the side to move; of the other side                       |
| 2, 3   | takes the next disc of its column; the one after                        |
| 4, 5   | is all that a line of the side to move lacks, a *threat*; that is the   |
|        | first player, the second                                                |
| 6, 7   | the same of the other side, by the side to move as well                 |
| 8, 9   | is directly under such a cell of the side to move; of the other side    |
| 10, 11 | is empty and on a line that lacks two discs: of the side to move,       |
|        | of the other                                                            |
| 12, 13 | is empty and on two or more of these lines                              |
| 14, 15 | is empty and on lines that lack three discs: their number, up to 4      |

A column has five numbers, for the empty cells below its lowest threat, or all if it has no threat.
Three are 1 if their number is odd: below threats of the side to move, of the other, of either. The
last two are 1 if the third number of cells is 0, or 1. The board has five more: the side to move (0
the first player), the oddness of the three kinds in all columns together, and how many columns have
no such cell.

The state of a line has a digit in base 4 for each cell, the first least: 0 empty and out of reach,
1 of the side to move, 2 of the other side, 3 playable. The state of a column has a bit for each
disc in its lowest cells, plus a bit for each of these discs that belongs to the side to move.
"""

from __future__ import annotations

import json
import lzma
import math
from typing import Any

import numpy as np

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock

PLANES, COLUMN_NUMBERS, DIGITS, MAX_FAR_LINES, SEEN_CELLS = 16, 5, 4, 4, 4
#: Positions that pass through a layer at a time, and products in a piece of a layer. NumPy works at
#: pieces so small in one thread; a whole layer it would share out among threads, which take longer
#: to find each other than to do their part.
ROWS, PIECE = 16, 1 << 18


class Features:
    """The features of one board of at most 64 bits."""

    def __init__(self, board: Board) -> None:
        self.board = board
        rows = board.rows
        cells = [(c, r) for c in range(board.columns) for r in range(rows)]
        self.shifts = np.array([c * board.height + r for c, r in cells], dtype=np.uint64)
        #: The cells of every line, by their first cell and then by their direction.
        self.lines = np.array(
            [
                [(column + n * right) * rows + row + n * up for n in range(board.connect)]
                for column, row in cells
                for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
                if column + (board.connect - 1) * right < board.columns
                and 0 <= row + (board.connect - 1) * up < rows
            ],
            dtype=np.int64,
        ).reshape(-1, board.connect)
        self.seen: int = min(rows, SEEN_CELLS)
        self.column_states: int = 2 << self.seen
        #: 1 for each cell of a line: shape (cells, lines).
        self.lies_on = np.zeros((len(self.lines), len(cells)), dtype=np.float32)
        for number, line in enumerate(self.lines):
            self.lies_on[number, line] = 1

    def of(self, positions: list[tuple[int, int]]) -> tuple[Any, Any, Any, Any, Any]:
        """Return the features of positions, each (mine, mask): the planes of the cells of each
        column, the numbers of each column and of the board, the digits of the cells, and the states
        of the columns.

        Shapes: (n, columns, rows * PLANES), (n, columns, 5), (n, 5), (n, cells), (n, columns).
        """
        mines, masks = np.array(positions, dtype=np.uint64).reshape(-1, 2).T
        by_column = (len(mines), self.board.columns, self.board.rows)
        mine, discs = (
            (words[:, None] >> self.shifts & np.uint64(1)).astype(np.int64)
            for words in (mines, masks)
        )
        empty = (1 - discs).reshape(by_column)
        playable, above = np.zeros_like(empty), np.zeros_like(empty)
        playable[:, :, 0] = empty[:, :, 0]
        playable[:, :, 1:] = empty[:, :, 1:] - empty[:, :, :-1]
        above[:, :, 1:] = playable[:, :, :-1]
        turn = discs.sum(axis=1) & 1

        planes = np.zeros((*by_column, PLANES), dtype=np.float32)
        planes[..., 0] = mine.reshape(by_column)
        planes[..., 1] = (discs - mine).reshape(by_column)
        planes[..., 2], planes[..., 3] = playable, above
        digits = 2 * discs - mine + 3 * playable.reshape(discs.shape)
        in_lines = digits[:, self.lines]
        quiet = []
        for owner in (0, 1):
            own = (in_lines == 1 + owner).sum(axis=2)
            other = (in_lines == 2 - owner).sum(axis=2)
            lacks = np.where((own > 0) & (other == 0), self.board.connect - own, 0)
            one, two, three = (
                empty * ((lacks == n) @ self.lies_on).reshape(by_column) for n in (1, 2, 3)
            )
            threat = one > 0
            planes[..., 4 + 2 * owner] = threat & (turn == 0)[:, None, None]
            planes[..., 5 + 2 * owner] = threat & (turn == 1)[:, None, None]
            planes[:, :, :-1, 8 + owner] = threat[:, :, 1:] & (empty[:, :, :-1] > 0)
            planes[..., 10 + owner] = two > 0
            planes[..., 12 + owner] = two > 1
            planes[..., 14 + owner] = np.minimum(three, MAX_FAR_LINES)
            quiet.append(empty * (np.cumsum(threat, axis=2) == 0))
        quiet.append(quiet[0] * quiet[1])

        counts = np.stack(quiet, axis=3).sum(axis=2)
        any_kind = counts[..., 2:]
        of_columns = np.concatenate([counts & 1, any_kind == 0, any_kind == 1], axis=2)
        odd, shut = counts.sum(axis=1) & 1, (any_kind == 0).sum(axis=1)
        of_board = np.concatenate([turn[:, None], odd, shut], axis=1)
        stacks = (discs + mine).reshape(by_column)[:, :, : self.seen]
        return (
            planes.reshape(*by_column[:2], -1),
            of_columns.astype(np.float32),
            of_board.astype(np.float32),
            digits,
            stacks @ (1 << np.arange(self.seen)),
        )


def unpacked_net(packed: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header of a packed net, and its arrays of float32."""
    content = lzma.decompress(packed[3:])
    place = content.index(b"\n") + 1
    header, arrays = json.loads(content[:place]), {}
    for name, kind, shape in header["arrays"]:
        arrays[name] = np.frombuffer(content, kind, math.prod(shape), place).reshape(shape)
        place += arrays[name].nbytes
    for name in [name for name in arrays if name + "_unit" in arrays]:
        arrays[name] = arrays[name].astype(np.float32) * arrays.pop(name + "_unit")
    return header, arrays


def in_pieces(weights: Any) -> Any:
    """Return a matrix as a stack of matrices of few columns."""
    height, width = weights.shape
    columns = max(1, min(width, PIECE // (ROWS * max(1, height))))
    while width % columns:
        columns -= 1
    stack = weights.reshape(height, width // columns, columns).transpose(1, 0, 2)
    return np.ascontiguousarray(stack)


def product(rows: Any, pieces: Any) -> Any:
    """Return rows times a matrix in pieces."""
    return np.matmul(rows, pieces).transpose(1, 0, 2).reshape(len(rows), -1)


class Net:
    """The values and priors of positions, as lists of (mine, mask)."""

    def __init__(self, board: Board, packed: bytes) -> None:
        self.board = board
        self.header, self.arrays = unpacked_net(packed)
        for name, array in self.arrays.items():
            if array.ndim == 2:
                self.arrays[name] = in_pieces(array)
        self.features: Features = Features(board)
        #: Pairs of columns, and columns on the left with that in the middle.
        self.pairs, self.half = board.columns // 2, (board.columns + 1) // 2
        #: The cells of a line of each pair and of its image; lines that are their own come last.
        lines, columns, rows = self.features.lines, board.columns, board.rows
        images = (columns - 1 - lines // rows) * rows + lines % rows
        numbers = {frozenset(line): number for number, line in enumerate(lines.tolist())}
        second = np.array([numbers[frozenset(image)] for image in images.tolist()], dtype=np.int64)
        fixed = (lines == images).all(axis=1)
        either = np.nonzero((np.arange(len(lines)) <= second) & ~fixed)[0]
        chosen = np.concatenate([either, np.nonzero(fixed)[0]])
        self.lines, self.unequal = (lines[chosen], images[chosen]), len(either)
        #: Every two columns, of such two and their image but one.
        couples = [(a, b) for a in range(columns) for b in range(a + 1, columns) if a + b < columns]
        self.left, self.right = np.array(couples, dtype=np.int64).reshape(-1, 2).T

    def inputs(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return the inputs of the first layer, a row for each position: sums and differences."""
        planes, of_columns, of_board, digits, stacks = self.features.of(positions)
        sums, differences = [], []
        for part in (planes, of_columns):
            left, right = part[:, : self.pairs], part[:, ::-1][:, : self.pairs]
            sums += [left + right, part[:, self.pairs : self.half]]
            differences.append(left - right)
        sums.append(of_board)
        worth = DIGITS ** np.arange(self.board.connect)
        of_lines = [digits[:, cells] @ worth for cells in self.lines]
        of_couples = [
            each[:, self.left] * self.features.column_states + each[:, self.right]
            for each in (stacks, stacks[:, ::-1])
        ]
        for name, states in (("lines", of_lines), ("columns", of_couples)):
            tables = self.arrays[name]
            which = np.arange(len(tables))
            one, other = (tables[which, each] for each in states)
            sums.append(one + other)
            differences.append((one - other)[:, : self.unequal if name == "lines" else None])
        count = len(positions)
        return (
            np.concatenate([part.reshape(count, -1) for part in sums], axis=1),
            np.concatenate([part.reshape(count, -1) for part in differences], axis=1),
        )

    def layer(self, name: str, sums: Any, differences: Any) -> tuple[Any, Any]:
        """Return the sums and differences after a layer, before the cut at 0."""
        arrays = self.arrays
        level = product(sums, arrays[f"{name}_sum"]) + arrays[f"{name}_bias"]
        return level, product(differences, arrays[f"{name}_difference"])

    def raw(self, positions: list[tuple[int, int]]) -> Any:
        """Return the output for positions: of each column a logit, then the value before its
        hyperbolic tangent, then of each column the score.
        """
        sums, differences = halves_cut_off(*self.layer("in", *self.inputs(positions)))
        for block in range(self.header["shape"]["blocks"]):
            added = halves_cut_off(*self.layer(f"block{block}", sums, differences))
            sums, differences = sums + added[0] / 2, differences + added[1] / 2
        level, slant = self.layer("out", sums, differences)
        pairs, half = self.pairs, self.half
        policy = put_together(level[:, :half], slant[:, :pairs])
        scores = put_together(level[:, half + 1 :], slant[:, pairs:])
        return np.concatenate([policy, level[:, half : half + 1], scores], axis=1)

    def judge(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return values from -1 to 1 for the side to move, and priors, a row with one for
        each column, which sum to 1. Every position must have a move.
        """
        columns = self.board.columns
        outputs = np.concatenate(
            [self.raw(positions[i : i + ROWS]) for i in range(0, len(positions), ROWS)]
        )
        is_open = np.array(
            [
                [self.board.playable(mask) & column != 0 for column in self.board.column_masks]
                for _, mask in positions
            ]
        )
        logits = np.where(is_open, outputs[:, :columns], np.float32(-np.inf))
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        values = np.tanh(outputs[:, columns])
        if self.header["knows_scores"]:
            # Partly the value of the best column's score, so that a search wins soon and loses
            # late.
            share, scale = (
                np.float32(self.header[name]) for name in ("score_share", "score_scale")
            )
            scores = np.where(is_open, outputs[:, columns + 1 :], np.float32(-np.inf))
            values = values * (1 - share) + np.tanh(scores.max(axis=1) / scale) * share
        return values, chances / chances.sum(axis=1, keepdims=True)


def halves_cut_off(level: Any, slant: Any) -> tuple[Any, Any]:
    """Return half the sum and half the difference of the two of each pair, no number below 0."""
    one, other = np.maximum(level + slant, 0), np.maximum(level - slant, 0)
    return (one + other) / 2, (one - other) / 2


def put_together(sums: Any, differences: Any) -> Any:
    """Return the numbers of all columns from the numbers of their pairs and the middle."""
    pairs = differences.shape[1]
    left, right = sums[:, :pairs] + differences, sums[:, :pairs] - differences
    return np.concatenate([left, sums[:, pairs:], right[:, ::-1]], axis=1)


class OneLook:
    """Plays the column that a net likes best, the leftmost of equal ones, without any search."""

    spends_bank = False

    def __init__(self, net: Net) -> None:
        self.net = net

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        _, priors = self.net.judge([(mine, mask)])
        return int(priors[0].argmax())
