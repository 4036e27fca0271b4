"""The features of `features_kernel` by matrix products, for arrays of JAX and for ONNX.

The factors are small whole numbers or powers of 4, so sums are exact, also on accelerators that
round the factors of a product to bfloat16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claimeven.networks.net.features import Features
from claimeven.networks.net.features_kernel import MAX_LINES, SEEN_CELLS, STATES


class ArrayFeatures:
    """The features of one board; `xp` is the module of the arrays, `jax.numpy` for example."""

    def __init__(self, features: Features, xp: Any) -> None:
        self.features, self._xp = features, xp
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
