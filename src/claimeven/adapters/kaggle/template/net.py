"""A neural net that judges positions: layers of weights over the features of each.

Mirroring the board mirrors its answer: columns, lines and hidden numbers come in pairs that change
places, and a layer gets the sum and the difference of each pair. Weights lead only from sums to
sums and from differences to differences; only the cut at 0 distinguishes the two of a pair.

The packed form: three bytes (columns, rows, connect), and compressed the rest: a line of JSON
with the sizes of the net, whether it has scores, and the name, type and shape of every array; then
the bytes of the arrays, one after the other. Weights are whole numbers of a unit, which follows
under their name and `_unit`, one for each output.
"""

from __future__ import annotations

import json
import lzma
import math
from typing import Any

import numpy as np

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock
from claimeven.networks.net.array_features import (
    SEEN_CELLS,
    ArrayFeatures,
    Symmetry,
    lines_of,
)
from claimeven.networks.net.forward import Forward

#: Positions that pass through a layer at a time, and products in a piece of a layer. NumPy works at
#: pieces so small in one thread; a whole layer it would share out among threads, which take longer
#: to find each other than to do their part.
ROWS, PIECE = 16, 1 << 18


class Features:
    """The features of one board of at most 64 bits.

    Cells are numbered column by column from the left, each from the bottom.
    """

    def __init__(self, board: Board) -> None:
        self.geometry = board
        places = [c * board.height + r for c in range(board.columns) for r in range(board.rows)]
        self.shifts = np.array(places, dtype=np.uint64)
        self.lines = lines_of(board)
        self.column_states: int = 2 << min(board.rows, SEEN_CELLS)
        self.symmetry: Symmetry = Symmetry.of(board, self.lines)
        self._arrays = ArrayFeatures(self, np)

    def of(self, positions: list[tuple[int, int]]) -> tuple[Any, Any, Any]:
        """Return planes, states and playable columns of positions, each (mine, mask)."""
        words = np.array(positions, dtype=np.uint64).reshape(-1, 2)
        bits = (words[:, :, None] >> self.shifts & np.uint64(1)).astype(np.float32)
        mine, discs = bits[:, 0], bits[:, 1]
        return self._arrays.of(mine, discs - mine)


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
        header, self.arrays = unpacked_net(packed)
        for name, array in self.arrays.items():
            if array.ndim == 2 and not name.startswith("out_"):
                self.arrays[name] = in_pieces(array)
        self.features: Features = Features(board)
        self.forward: Forward = Forward(self.features, np, product)
        #: Partly the value of the best column's score, so that a search wins soon and loses late.
        scores = header["score_share"], header["score_scale"]
        self.grading = scores if header["knows_scores"] else None

    def judge(self, positions: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Return values from -1 to 1 for the side to move, and priors, a row with one for
        each column, which sum to 1. Every position must have a move.
        """
        parts = [self._part(positions[i : i + ROWS]) for i in range(0, len(positions), ROWS)]
        values, priors = (np.concatenate(each) for each in zip(*parts, strict=True))
        return values[:, 0], priors

    def _part(self, positions: list[tuple[int, int]]) -> list[Any]:
        planes, states, playable = self.features.of(positions)
        embedded = self.forward.look_up(self.arrays, self.forward.rows(states))
        outputs = self.forward.outputs(self.arrays, embedded, planes)
        return self.forward.judge(outputs, playable, self.grading)


class OneLook:
    """Plays the column that a net likes best, the leftmost of equal ones, without any search."""

    spends_bank = False

    def __init__(self, net: Net) -> None:
        self.net = net

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play."""
        _, priors = self.net.judge([(mine, mask)])
        return int(priors[0].argmax())
