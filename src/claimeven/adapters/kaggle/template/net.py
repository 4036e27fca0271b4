"""A neural net that judges positions: layers of weights over the features of each.

Mirroring the board mirrors its answer: columns, lines and hidden numbers come in pairs that change
places, and of each pair a layer is given the sum and the difference. Weights lead from sums to sums
and from differences to differences alone; only where numbers are cut off at 0 the two of a pair are
told apart.

The packed form: three bytes (columns, rows, connect), and compressed the rest: a line of JSON that
tells the sizes of the net, whether it knows scores, and the name, type and shape of every array;
then the bytes of the arrays, one after the other. Weights are whole numbers of a unit, which
follows under their name and `_unit`, one for each output.
"""

from __future__ import annotations

import json
import lzma
import math
from typing import Any

import numpy as np

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.features import DIGITS, Features
from claimeven.adapters.kaggle.template.kaggle_api import Clock

#: Positions that pass through a layer at a time, and products in a piece of a layer. NumPy works at
#: pieces so small in one thread; a whole layer it would share out among threads, which take longer
#: to find each other than to do their part.
ROWS, PIECE = 16, 1 << 18


def unpacked_net(packed: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a packed net tells of itself, and its arrays of float32."""
    content = lzma.decompress(packed[3:])
    place = content.index(b"\n") + 1
    told, arrays = json.loads(content[:place]), {}
    for name, kind, shape in told["arrays"]:
        arrays[name] = np.frombuffer(content, kind, math.prod(shape), place).reshape(shape)
        place += arrays[name].nbytes
    for name in [name for name in arrays if name + "_unit" in arrays]:
        arrays[name] = arrays[name].astype(np.float32) * arrays.pop(name + "_unit")
    return told, arrays


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
        self.told, self.arrays = unpacked_net(packed)
        for name, array in self.arrays.items():
            if array.ndim == 2:
                self.arrays[name] = in_pieces(array)
        self.features = Features(board)
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
        """Return what the first layer sees of positions, a row each: sums and differences."""
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
        """Return the sums and differences that a layer makes of others, nothing cut off yet."""
        arrays = self.arrays
        level = product(sums, arrays[f"{name}_sum"]) + arrays[f"{name}_bias"]
        return level, product(differences, arrays[f"{name}_difference"])

    def raw(self, positions: list[tuple[int, int]]) -> Any:
        """Return the output for positions: of each column a logit, then the value before its
        hyperbolic tangent, then of each column the score.
        """
        sums, differences = halves_cut_off(*self.layer("in", *self.inputs(positions)))
        for block in range(self.told["shape"]["blocks"]):
            added = halves_cut_off(*self.layer(f"block{block}", sums, differences))
            sums, differences = sums + added[0] / 2, differences + added[1] / 2
        level, slant = self.layer("out", sums, differences)
        pairs, half = self.pairs, self.half
        policy = put_together(level[:, :half], slant[:, :pairs])
        scores = put_together(level[:, half + 1 :], slant[:, pairs:])
        return np.concatenate([policy, level[:, half : half + 1], scores], axis=1)

    def judge(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return values from -1 to 1 for the side to move, and priors, a row of one for each
        column, which sum to 1. None of the positions may be over.
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
        if self.told["knows_scores"]:
            # Partly that of the best column's score: a search wins soon then, and loses late.
            share, scale = (np.float32(self.told[name]) for name in ("score_share", "score_scale"))
            scores = np.where(is_open, outputs[:, columns + 1 :], np.float32(-np.inf))
            values = values * (1 - share) + np.tanh(scores.max(axis=1) / scale) * share
        return values, chances / chances.sum(axis=1, keepdims=True)


def halves_cut_off(level: Any, slant: Any) -> tuple[Any, Any]:
    """Return half the sum and half the difference of the two of each pair, no number below 0."""
    one, other = np.maximum(level + slant, 0), np.maximum(level - slant, 0)
    return (one + other) / 2, (one - other) / 2


def put_together(sums: Any, differences: Any) -> Any:
    """Return the numbers of all columns from those of their pairs and, last, the middle one."""
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
