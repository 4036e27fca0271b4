"""The forward pass of `networks.net` in JAX, and how its slopes are found quickly.

Products of matrices may be taken in bfloat16, numbers of 8 bits of precision, which accelerators
and processors with matrix units (AMX) or products of bfloat16 (AVX-512) multiply many times faster;
sums, weights and all else stay float32. What a table gets of the slopes is added up by a kernel
where JAX works on the processor: its own way takes longer there than the rest of the step.

Rounding that learning knows of: the pass sees each weight as the file will hold it, and the slope
goes by as if there were no rounding. Source: Bengio, Leonard and Courville, "Estimating or
propagating gradients through stochastic neurons for conditional computation" (2013). Leaving hidden
numbers out: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, "Dropout: a simple way to
prevent neural networks from overfitting" (JMLR 15, 2014).
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from claimeven.learning.extras import jax_and_optax
from claimeven.learning.table_kernel import add_slopes
from claimeven.networks.net import Features
from claimeven.networks.net.file import FAR
from claimeven.networks.net.planes import BOARD_NUMBERS, PLANES

FLOAT32: Final = "float32"
BFLOAT16: Final = "bfloat16"
#: In which numbers matrices are multiplied; `AUTO` is bfloat16 where that is quick.
AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, FLOAT32, BFLOAT16)
#: What processors are that multiply matrices of bfloat16 in instructions of their own, as Linux
#: names it.
_QUICK: Final = ("amx_bf16", "avx512_bf16")


def precision_here(precision: str) -> str:
    """Return what a precision means on this machine: `FLOAT32` or `BFLOAT16`."""
    if precision != AUTO:
        return precision
    jax, _ = jax_and_optax()
    return BFLOAT16 if jax.default_backend() != "cpu" or _is_quick_here() else FLOAT32


def _is_quick_here() -> bool:
    """Whether the processor says that it multiplies matrices of bfloat16."""
    if platform.system() != "Linux":
        return False
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False
    return any(name in told for name in _QUICK)


class Forward:
    """The forward pass of nets of a board, for JAX to trace."""

    def __init__(self, features: Features, precision: str = FLOAT32) -> None:
        self._jax, _ = jax_and_optax()
        self.features = features
        self._product = self._make_product(precision)
        self._looked_up = self._make_looked_up()

    def outputs(self, weights: Any, planes: Any, states: Any, stays: Any = None) -> Any:
        """Return what `Net.raw` returns for positions of such features, by JAX.

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
        sums, differences = self._inputs(weights, planes, states)
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

    def _inputs(self, weights: Any, planes: Any, states: Any) -> tuple[Any, Any]:
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
        lines, of_column = len(self.features.lines), self.features.column_states
        which = np.arange(len(board.first))
        image = jnp.asarray(board.read_as)[which, states[:, board.second]]
        one = self._looked_up(weights["lines"], states[:, board.first])
        other = self._looked_up(weights["lines"], image)
        sums.append(one + other)
        differences.append((one - other)[:, : board.unequal])
        one, other = (
            self._looked_up(
                weights["columns"], each[:, board.left] * of_column + each[:, board.right]
            )
            for each in (states[:, lines:], states[:, lines:][:, ::-1])
        )
        sums.append(one + other)
        differences.append(one - other)
        return (
            jnp.concatenate([part.reshape(count, -1) for part in sums], axis=1),
            jnp.concatenate([part.reshape(count, -1) for part in differences], axis=1),
        )

    def _make_product(self, precision: str) -> Callable[[Any, Any], Any]:
        """Return the product of two matrices of float32."""
        jax, jnp = self._jax, self._jax.numpy
        if precision == FLOAT32:
            return jnp.matmul  # type: ignore[no-any-return]  # JAX is not typed here
        on_processor = jax.default_backend() == "cpu"
        if on_processor:
            from jax.experimental.layout import (  # noqa: PLC0415 - an extra
                Layout,
                with_layout_constraint,
            )

            constrained: Callable[..., Any] = with_layout_constraint

        def short(matrix: Any) -> Any:
            matrix = jnp.asarray(matrix).astype(jnp.bfloat16)
            # Row by row: a product of matrices that lie otherwise is as slow as in float32.
            return constrained(matrix, Layout((0, 1))) if on_processor else matrix

        def times(left: Any, right: Any) -> Any:
            return jnp.dot(left, right, preferred_element_type=jnp.float32)

        @jax.custom_vjp  # type: ignore[untyped-decorator]  # likewise
        def product(left: Any, right: Any) -> Any:
            return times(short(left), short(right))

        def forth(left: Any, right: Any) -> Any:
            left, right = short(left), short(right)
            return times(left, right), (left, right)

        def back(kept: Any, slopes: Any) -> Any:
            (left, right), slopes = kept, short(slopes)
            return times(slopes, short(right.T)), times(short(left.T), slopes)

        product.defvjp(forth, back)
        return product  # type: ignore[no-any-return]  # likewise

    def _make_looked_up(self) -> Callable[[Any, Any], Any]:
        """Return what looks rows up in tables: (tables, n, numbers) by (positions, tables)."""
        jax, jnp = self._jax, self._jax.numpy

        def plain(tables: Any, states: Any) -> Any:
            return tables[np.arange(tables.shape[0]), states]

        if jax.default_backend() != "cpu":
            return plain
        looked_up = jax.custom_vjp(plain)

        def forth(tables: Any, states: Any) -> Any:
            return plain(tables, states), (tables, states)

        def back(kept: Any, slopes: Any) -> Any:
            tables, states = kept
            found = jax.ShapeDtypeStruct(tables.shape, jnp.float32)
            add = partial(slopes_of_tables, tables.shape)
            return jax.pure_callback(add, found, states.astype(jnp.int32), slopes), None

        looked_up.defvjp(forth, back)
        return looked_up  # type: ignore[no-any-return]  # likewise


def slopes_of_tables(shape: tuple[int, ...], states: Any, slopes: Any) -> Any:
    """Return the slopes of tables whose rows of such states had such slopes, float32 of a shape."""
    found = np.zeros(shape, dtype=np.float32)
    # What JAX gives cannot be written to, and kernels take only such as can.
    add_slopes(np.require(states, None, ["C", "W"]), np.require(slopes, None, ["C", "W"]), found)
    return found


def as_rounded(weights: Any, steps: int) -> Any:
    """Return weights as a file of so many steps holds them, whose slopes are those of `weights`."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy

    def rounded(matrix: Any) -> Any:
        table = matrix.reshape(-1, matrix.shape[-1])
        usual = jnp.sqrt((table**2).mean(axis=0))
        unit = jnp.minimum(jnp.abs(table).max(axis=0), FAR * usual) / steps
        unit = jnp.where(unit == 0, 1.0, unit)
        held = jnp.clip(jnp.rint(matrix / unit), -steps, steps) * unit
        return matrix + jax.lax.stop_gradient(held - matrix)

    return {
        name: rounded(array) if array.ndim > 1 and array.size else array
        for name, array in weights.items()
    }
