"""The forward pass of a net: the formulas of `net`, for arrays of NumPy and for JAX to trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from claimeven.networks.net.array_features import BOARD_NUMBERS, PLANES


def _relu(numbers: Any) -> Any:
    return np.maximum(numbers, np.float32(0))


class Forward:
    """The forward pass of nets of a board.

    `xp` is the module of the arrays, `product` multiplies two matrices of hidden layers, and `relu`
    cuts numbers off at 0.
    """

    def __init__(
        self,
        features: Any,
        xp: Any = np,
        product: Callable[[Any, Any], Any] = np.matmul,
        relu: Callable[[Any], Any] = _relu,
    ) -> None:
        self.features = features
        self._xp, self._product, self._relu = xp, product, relu

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_xp": self._xp.__name__}  # a module cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "_xp": import_module(state["_xp"])})

    def rows(self, states: Any) -> dict[str, tuple[Any, Any]]:
        """Return the rows of each table, int (n, tables), of positions and mirror images."""
        board = self.features.symmetry
        lines, of_column = len(self.features.lines), self.features.column_states
        read_as = self._xp.asarray(board.read_as)
        image = read_as[np.arange(len(board.first)), states[:, board.second]]
        columns = states[:, lines:]
        own, image_rows = (
            each[:, board.left] * of_column + each[:, board.right]
            for each in (columns, columns[:, ::-1])
        )
        return {"lines": (states[:, board.first], image), "columns": (own, image_rows)}

    def look_up(self, weights: Mapping[str, Any], rows: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the numbers of `rows` of the tables, (n, tables, numbers) each."""
        tables = {name: self._xp.asarray(weights[name]) for name in rows}
        return {
            name: [tables[name][np.arange(len(tables[name])), each] for each in both]
            for name, both in rows.items()
        }

    def inputs(self, embedded: Mapping[str, Any], planes: Any) -> tuple[Any, Any]:
        """Return the inputs of the first layer, sums and differences, (n, ...) each.

        `embedded` are the numbers that `look_up` found in the tables.
        """
        xp, board, count = self._xp, self.features.symmetry, len(planes)
        columns, cells = self.features.geometry.columns, self.features.geometry.cells * PLANES
        floats = planes.astype(np.float32)
        sums, differences = [], []
        for part in (floats[:, :cells], floats[:, cells:-BOARD_NUMBERS]):
            of_sums, of_differences = board.split_pairs(part.reshape(count, columns, -1))
            sums += of_sums
            differences.append(of_differences)
        sums.append(floats[:, -BOARD_NUMBERS:])
        for name, unequal in (("lines", board.unequal), ("columns", None)):
            one, other = embedded[name]
            sums.append(one + other)
            differences.append((one - other)[:, :unequal])
        return (
            xp.concatenate([part.reshape(count, -1) for part in sums], axis=1),
            xp.concatenate([part.reshape(count, -1) for part in differences], axis=1),
        )

    def relu_pairs(self, level: Any, slant: Any, factor: Any = None) -> tuple[Any, Any]:
        """Return the sums and differences of pairs that are cut off at 0, optionally scaled."""
        one, other = self._relu(level + slant), self._relu(level - slant)
        if factor is not None:
            one, other = one * factor, other * factor
        return one + other, one - other

    def outputs(
        self, weights: Mapping[str, Any], embedded: Mapping[str, Any], planes: Any, mask: Any = None
    ) -> Any:
        """Return the outputs of n positions, (n, 2 * columns + 1), given the numbers from tables.

        With `mask`, boolean (layers, n, pairs), the pairs of hidden numbers that do not stay are
        left out, and the others count for more, by their share (dropout).
        """
        xp, product, board = self._xp, self._product, self.features.symmetry
        more = None if mask is None else mask.size / xp.count_nonzero(mask)

        def layer(name: str, number: int, sums: Any, differences: Any) -> tuple[Any, Any]:
            level = product(sums, weights[name + "sum"]) + weights[name + "bias"]
            slant = product(differences, weights[name + "difference"])
            factor = None if mask is None else xp.where(mask[number], more, 0.0)
            return self.relu_pairs(level, slant, factor)

        sums, differences = layer("in_", 0, *self.inputs(embedded, planes))
        sums, differences = sums / 2, differences / 2
        block = 0
        while f"block{block}_bias" in weights:
            more_sums, more_differences = layer(f"block{block}_", block + 1, sums, differences)
            sums, differences = sums + more_sums / 4, differences + more_differences / 4
            block += 1
        # Few numbers, which the answer depends on the most: always in full precision.
        level = sums @ weights["out_sum"] + weights["out_bias"]
        slant = differences @ weights["out_difference"]
        policy = board.join_pairs(level[:, : board.half], slant[:, : board.pairs])
        scores = board.join_pairs(level[:, board.half + 1 :], slant[:, board.pairs :])
        value = level[:, board.half : board.half + 1]
        return xp.concatenate([*policy, value, *scores], axis=1)

    def judge(self, outputs: Any, playable: Any, grading: tuple[float, float] | None) -> list[Any]:
        """Return the values, (n, 1), and the priors, (n, columns), for these outputs.

        With `grading`, a share and a scale in units of the outputs, a value consists of that share
        of tanh(best score / scale), and of the value by the outcome: see `SearchDefaults`.
        """
        xp, columns = self._xp, self.features.geometry.columns
        values = xp.tanh(outputs[:, columns : columns + 1])
        if grading is not None:
            share, scale = grading
            scores = xp.where(playable, outputs[:, columns + 1 :], np.float32(-np.inf))
            graded = xp.tanh(scores.max(axis=1, keepdims=True) / scale)
            values = values * (1 - share) + graded * share
        logits = xp.where(playable, outputs[:, :columns], np.float32(-np.inf))
        chances = xp.exp(logits - logits.max(axis=1, keepdims=True))
        return [values, chances / chances.sum(axis=1, keepdims=True)]
