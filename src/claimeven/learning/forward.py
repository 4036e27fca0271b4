"""The forward pass of `networks.net` in JAX, and how its slopes are found quickly.

Products of matrices may be taken in bfloat16 (see `precision`); sums, weights and all else stay
float32. JAX finds the slopes of the numbers that were looked up in tables, not of the tables: what
a table gets of them is added up afterwards (`slopes_of_table`), by a kernel where JAX works on the
processor, since its own way takes longer there than all the rest. A function of JAX that called the
kernel could not be kept on disk, either.

Rounding that learning knows of: the pass sees each weight as the file will hold it, and the slope
goes by as if there were no rounding. Source: Bengio, Leonard and Courville, "Estimating or
propagating gradients through stochastic neurons for conditional computation" (2013). Leaving hidden
numbers out: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, "Dropout: a simple way to
prevent neural networks from overfitting" (JMLR 15, 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from claimeven.learning.extras import jax_and_optax
from claimeven.learning.precision import FLOAT32, product_in
from claimeven.learning.table_kernel import add_slopes
from claimeven.networks.net import Features
from claimeven.networks.net.file import FAR, MOST_STEPS, steps_for
from claimeven.networks.net.planes import BOARD_NUMBERS, PLANES


class Slopes(NamedTuple):
    """What a loss gets by each weight, as JAX finds it.

    `dense` are the slopes of all weights but tables, by name. Of each table, by name: `rows` are
    those that were looked up in it, once in each orientation, int32 (positions, tables), and
    `taken` the slopes of their numbers, float32 (positions, tables, numbers).
    """

    dense: dict[str, Any]
    rows: dict[str, list[Any]]
    taken: dict[str, list[Any]]

    def of_weights(self, weights: Any) -> dict[str, Any]:
        """Return the slopes of all weights by name, in the order of the weights."""
        return {
            name: self.dense[name]
            if name in self.dense
            else slopes_of_table(array.shape, self.rows[name], self.taken[name])
            for name, array in weights.items()
        }


class Forward:
    """The forward pass of nets of a board, for JAX to trace."""

    def __init__(self, features: Features, precision: str = FLOAT32) -> None:
        self._jax, _ = jax_and_optax()
        self.features = features
        self._product = product_in(precision)

    def outputs(self, weights: Any, planes: Any, states: Any, stays: Any = None) -> Any:
        """Return what `Net.raw` returns for positions of such features, by JAX.

        With `stays` some hidden numbers are left out: see `_outputs`.
        """
        return self._outputs(weights, _looked_up(weights, self._rows(states)), planes, stays)

    def slopes(
        self, lose: Callable[[Any], Any], weights: Any, planes: Any, states: Any, stays: Any = None
    ) -> tuple[Any, Slopes]:
        """Return what `lose` makes of the `outputs`, a loss and more, and the loss's slopes."""
        rows = self._rows(states)
        dense = {name: array for name, array in weights.items() if name not in rows}

        def lost(dense: Any, taken: Any) -> Any:
            return lose(self._outputs(dense, taken, planes, stays))

        found, slopes = self._jax.value_and_grad(lost, argnums=(0, 1), has_aux=True)(
            dense, _looked_up(weights, rows)
        )
        return found, Slopes(slopes[0], rows, slopes[1])

    def slopes_in_parts(
        self, lose: Callable[[Any, Any], Any], weights: Any, batch: Any, stays: Any, parts: int
    ) -> tuple[Any, Slopes]:
        """Return what `slopes` returns, found of so many equal parts of a batch in turn.

        On a processor that is quicker: what a part makes in all layers stays near it. `lose` takes
        a part and its outputs; the losses, and the rest of what it makes, are summed up.
        """
        jax, jnp = self._jax, self._jax.numpy

        def of_part(part: tuple[Any, Any]) -> tuple[Any, Any]:
            batch, stays = part
            (loss, more), slopes = self.slopes(
                partial(lose, batch), weights, batch.planes, batch.states, stays
            )
            return (loss, more, slopes.dense), (slopes.rows, slopes.taken)

        def add_part(total: Any, part: Any) -> tuple[Any, Any]:
            summed, looked_up = of_part(part)
            return jax.tree.map(jnp.add, total, summed), looked_up

        # All sizes are told: of arrays without numbers, as one column has, -1 would say nothing.
        each = len(batch.planes) // parts
        split = jax.tree.map(lambda array: array.reshape(parts, each, *array.shape[1:]), batch)
        if stays is not None:
            layers, _, pairs = stays.shape
            stays = jnp.moveaxis(stays.reshape(layers, parts, each, pairs), 1, 0)
        like, _ = jax.eval_shape(of_part, jax.tree.map(lambda array: array[0], (split, stays)))
        nothing = jax.tree.map(lambda array: jnp.zeros(array.shape, array.dtype), like)
        (loss, more, dense), looked_up = jax.lax.scan(add_part, nothing, (split, stays))
        rows, taken = jax.tree.map(
            lambda array: array.reshape(parts * each, *array.shape[2:]), looked_up
        )
        return (loss, more), Slopes(dense, rows, taken)

    def _outputs(self, weights: Any, taken: Any, planes: Any, stays: Any) -> Any:
        """Return the outputs, given the numbers `taken` from tables.

        With `stays`, boolean (layers, n, pairs), every pair of hidden numbers that does not stay is
        left out, and the others count for more, by how many stay: so no pair comes to lean on
        another.
        """
        jnp, relu, product = self._jax.numpy, self._jax.nn.relu, self._product
        more = None if stays is None else stays.size / jnp.count_nonzero(stays)

        def kept(one: Any, other: Any, layer: int) -> tuple[Any, Any]:
            if stays is None:
                return one, other
            factor = jnp.where(stays[layer], more, 0.0)
            return one * factor, other * factor

        board = self.features.mirroring
        sums, differences = self._inputs(taken, planes)
        level = product(sums, weights["in_sum"]) + weights["in_bias"]
        slant = product(differences, weights["in_difference"])
        one, other = kept(relu(level + slant), relu(level - slant), 0)
        sums, differences = (one + other) / 2, (one - other) / 2
        block = 0
        while f"block{block}_bias" in weights:
            name = f"block{block}_"
            level = product(sums, weights[name + "sum"]) + weights[name + "bias"]
            slant = product(differences, weights[name + "difference"])
            block += 1
            one, other = kept(relu(level + slant), relu(level - slant), block)
            sums, differences = sums + (one + other) / 4, differences + (one - other) / 4
        # Few numbers, which the answer depends on the most: always in full precision.
        level = sums @ weights["out_sum"] + weights["out_bias"]
        slant = differences @ weights["out_difference"]

        policy = board.put_together(level[:, : board.half], slant[:, : board.pairs])
        scores = board.put_together(level[:, board.half + 1 :], slant[:, board.pairs :])
        value = level[:, board.half : board.half + 1]
        return jnp.concatenate([*policy, value, *scores], axis=1)

    def _rows(self, states: Any) -> dict[str, list[Any]]:
        """Return which rows of each table positions look up, in either orientation."""
        jnp, board = self._jax.numpy, self.features.mirroring
        lines, of_column = len(self.features.lines), self.features.column_states
        which = np.arange(len(board.first))
        image = jnp.asarray(board.read_as)[which, states[:, board.second]]
        columns = (
            each[:, board.left] * of_column + each[:, board.right]
            for each in (states[:, lines:], states[:, lines:][:, ::-1])
        )
        rows = {"lines": (states[:, board.first], image), "columns": columns}
        return {name: [each.astype(jnp.int32) for each in both] for name, both in rows.items()}

    def _inputs(self, taken: Any, planes: Any) -> tuple[Any, Any]:
        """Return what `Net.inputs` returns."""
        jnp, board, count = self._jax.numpy, self.features.mirroring, len(planes)
        columns, cells = self.features.geometry.columns, self.features.geometry.cells * PLANES
        floats = planes.astype(jnp.float32)
        sums, differences = [], []
        for part in (floats[:, :cells], floats[:, cells:-BOARD_NUMBERS]):
            by_column = part.reshape(count, columns, -1)
            of_sums, of_differences = board.taken_apart(by_column)
            sums += of_sums
            differences.append(of_differences)
        sums.append(floats[:, -BOARD_NUMBERS:])
        one, other = taken["lines"]
        sums.append(one + other)
        differences.append((one - other)[:, : board.unequal])
        one, other = taken["columns"]
        sums.append(one + other)
        differences.append(one - other)
        return (
            jnp.concatenate([part.reshape(count, -1) for part in sums], axis=1),
            jnp.concatenate([part.reshape(count, -1) for part in differences], axis=1),
        )


def _looked_up(weights: Any, rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the numbers of rows of tables: (tables, n, numbers) by (positions, tables)."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy
    return {
        name: [jnp.asarray(weights[name])[np.arange(len(weights[name])), each] for each in both]
        for name, both in rows.items()
    }


def slopes_of_table(shape: tuple[int, ...], rows: Sequence[Any], taken: Sequence[Any]) -> Any:
    """Return the slopes of a table of a shape whose `rows` had the slopes `taken`: see `Slopes`."""
    jax, _ = jax_and_optax()
    if jax.default_backend() != "cpu":
        return _compiled_sum()(shape, rows, taken)
    found = np.zeros(shape, dtype=np.float32)
    for each, slopes in zip(rows, taken, strict=True):
        add_slopes(np.asarray(each), np.asarray(slopes), found)
    return found


@lru_cache(maxsize=1)
def _compiled_sum() -> Any:
    """Return the same as a function of JAX, for accelerators."""
    jax, _ = jax_and_optax()

    def added(shape: tuple[int, ...], rows: Sequence[Any], taken: Sequence[Any]) -> Any:
        found, tables = jax.numpy.zeros(shape), np.arange(shape[0])
        for each, slopes in zip(rows, taken, strict=True):
            found = found.at[tables, each].add(slopes)
        return found

    return jax.jit(added, static_argnums=0)


def as_rounded(weights: Any, steps: int) -> Any:
    """Return weights as a file of so many steps holds them."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy

    def rounded(matrix: Any, steps: int) -> Any:
        table = matrix.reshape(-1, matrix.shape[-1])
        usual = jnp.sqrt((table**2).mean(axis=0))
        greatest = jnp.abs(table).max(axis=0)
        unit = jnp.maximum(jnp.minimum(greatest, FAR * usual) / steps, greatest / MOST_STEPS)
        unit = jnp.where(unit == 0, 1.0, unit)
        return jnp.clip(jnp.rint(matrix / unit), -MOST_STEPS, MOST_STEPS) * unit

    return {
        name: rounded(array, steps_for(name, steps)) if array.ndim > 1 and array.size else array
        for name, array in weights.items()
    }
