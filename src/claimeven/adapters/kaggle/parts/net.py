"""A neural net that judges positions: layers of weights over the features of each.

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

from claimeven.adapters.kaggle.parts.board import Board
from claimeven.adapters.kaggle.parts.clock import Clock
from claimeven.adapters.kaggle.parts.features import Features

#: Points of score that are 1 in the output.
SCORE_UNIT = 10.0
#: Rows of numbers that pass through a layer at a time, a position and its image each, and products
#: in a piece of a layer. NumPy works at pieces so small in one thread; a whole layer it would share
#: out among threads, which take longer to find each other than to do their part.
ROWS, PIECE = 16, 1 << 18


def knows(packed: bytes, board: Board) -> bool:
    """Whether a packed net is one of a board."""
    return tuple(packed[:3]) == (board.columns, board.rows, board.connect)


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
    """Return a matrix cut up into one of few columns after the other, side by side no more."""
    height, width = weights.shape
    columns = max(1, min(width, PIECE // (ROWS * height)))
    while width % columns:
        columns -= 1
    return np.ascontiguousarray(weights.reshape(height, -1, columns).transpose(1, 0, 2))


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
        self.blocks = int(self.told["shape"]["blocks"])
        self.which_line = np.arange(len(self.features.lines))

    def raw(self, mine: Any, theirs: Any) -> Any:
        """Return the output for rows of cells: of each column a logit, then the value before its
        hyperbolic tangent, then of each column the score.
        """
        arrays = self.arrays
        planes, states = self.features.of(mine, theirs)
        numbers = arrays["lines"][self.which_line, states].reshape(len(mine), -1)
        inputs = np.concatenate([planes, numbers], axis=1)
        hidden = np.maximum(product(inputs, arrays["in"]) + arrays["in_bias"], 0)
        for block in range(self.blocks):
            added = product(hidden, arrays[f"block{block}"]) + arrays[f"block{block}_bias"]
            hidden += np.maximum(added, 0) / 2
        return product(hidden, arrays["out"]) + arrays["out_bias"]

    def outputs(self, positions: list[tuple[int, int]]) -> Any:
        """Return the outputs, averaged over each position and its mirror image."""
        mirrored, columns = self.features.mirrored, self.board.columns
        both = [
            np.concatenate([cells, mirrored(cells)]) for cells in self.features.discs(positions)
        ]
        plain, image = np.split(self.raw(*both), 2)
        mirror = [*range(columns - 1, -1, -1), columns, *range(2 * columns, columns, -1)]
        return (plain + image[:, mirror]) / 2

    def judge(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return values from -1 to 1 for the side to move, and priors, a row of one for each
        column, which sum to 1. None of the positions may be over.
        """
        columns, step = self.board.columns, ROWS // 2
        outputs = np.concatenate(
            [self.outputs(positions[i : i + step]) for i in range(0, len(positions), step)]
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
            # Halfway to the score of the best column: a search wins soon then, and loses late.
            scores = np.where(is_open, outputs[:, columns + 1 :], np.float32(-np.inf)).max(axis=1)
            most = np.float32(self.board.cells / 2)
            values = (values + np.clip(scores * np.float32(SCORE_UNIT) / most, -1, 1)) / 2
        return values, chances / chances.sum(axis=1, keepdims=True)


class OneLook:
    """Plays the column that a net likes best, the leftmost of equal ones, without any search."""

    spends_bank = False

    def __init__(self, net: Net) -> None:
        self.net = net

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        _, priors = self.net.judge([(mine, mask)])
        return int(priors[0].argmax())
