"""The forward pass of `networks.net` for JAX, with fast gradients.

JAX computes the gradients of the rows that were looked up in tables. `table_gradient` adds them up
afterwards: on a processor by a kernel, because the sum by JAX takes longer than all other work
there. JAX cannot store a function on disk that calls the kernel.

Quantization-aware training: the pass uses each weight as rounded in the file, and its gradient
ignores the rounding. Sources: Bengio, Leonard and Courville, "Estimating or propagating gradients
through stochastic neurons for conditional computation" (2013); Srivastava, Hinton, Krizhevsky,
Sutskever and Salakhutdinov, "Dropout: a simple way to prevent neural networks from overfitting"
(JMLR 15, 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from claimeven.learning.jax_functions import jax_and_optax
from claimeven.learning.precision import FLOAT32, product_in
from claimeven.learning.table_kernel import add_gradients
from claimeven.networks.net import Features
from claimeven.networks.net.file import FAR, MAX_STEPS, steps_for
from claimeven.networks.net.forward import Forward


class Gradients(NamedTuple):
    """The gradients of a loss, as JAX returns them.

    `dense` has the gradients of all weights except tables, by name. For each table, by name,
    `rows` are the indices of the looked-up rows, once for each orientation, int32 (positions,
    tables), and `looked_up` the gradients of these rows, float32 (positions, tables, numbers).
    """

    dense: dict[str, Any]
    rows: dict[str, list[Any]]
    looked_up: dict[str, list[Any]]

    def of_weights(self, weights: Any) -> dict[str, Any]:
        """Return the gradients of all weights by name, in the order of the weights."""
        return {
            name: self.dense[name]
            if name in self.dense
            else table_gradient(array.shape, self.rows[name], self.looked_up[name])
            for name, array in weights.items()
        }


class JaxForward(Forward):
    """The forward pass of nets of a board, for JAX to trace."""

    def __init__(self, features: Features, precision: str = FLOAT32) -> None:
        jax, _ = jax_and_optax()
        super().__init__(features, jax.numpy, product_in(precision), jax.nn.relu)
        self._jax = jax

    def rows(self, states: Any) -> dict[str, Any]:
        """Return the rows of `Forward.rows` as int32."""
        found = super().rows(states)
        return {name: [each.astype(np.int32) for each in both] for name, both in found.items()}

    def of_features(self, weights: Any, planes: Any, states: Any, mask: Any = None) -> Any:
        """Return the outputs for the features of positions: see `Forward.outputs`."""
        return self.outputs(weights, self.look_up(weights, self.rows(states)), planes, mask)

    def gradients(
        self, loss: Callable[[Any], Any], weights: Any, planes: Any, states: Any, mask: Any = None
    ) -> tuple[Any, Gradients]:
        """Return the result of `loss` and its gradients; `mask` are the units without dropout."""
        rows = self.rows(states)
        dense = {name: array for name, array in weights.items() if name not in rows}

        def loss_of(dense: Any, looked_up: Any) -> Any:
            return loss(self.outputs(dense, looked_up, planes, mask))

        gradient = self._jax.value_and_grad(loss_of, argnums=(0, 1), has_aux=True)
        found, (of_dense, of_looked_up) = gradient(dense, self.look_up(weights, rows))
        return found, Gradients(of_dense, rows, of_looked_up)

    def gradients_in_parts(
        self, loss: Callable[[Any, Any], Any], weights: Any, batch: Any, mask: Any, parts: int
    ) -> tuple[Any, Gradients]:
        """Return the result of `gradients`, summed over equal parts of a batch.

        A processor is faster with parts, because the numbers of a part stay in its cache. `loss`
        gets a part and its outputs.
        """
        jax, jnp = self._jax, self._jax.numpy

        def of_part(part: tuple[Any, Any]) -> tuple[Any, Any]:
            batch, mask = part
            (total, more), found = self.gradients(
                partial(loss, batch), weights, batch.planes, batch.states, mask
            )
            return (total, more, found.dense), (found.rows, found.looked_up)

        def add_part(total: Any, part: Any) -> tuple[Any, Any]:
            summed, of_tables = of_part(part)
            return jax.tree.map(jnp.add, total, summed), of_tables

        # A size of -1 would be ambiguous for empty arrays, which a board of one column has.
        each = len(batch.planes) // parts
        split = jax.tree.map(lambda array: array.reshape(parts, each, *array.shape[1:]), batch)
        if mask is not None:
            layers, _, pairs = mask.shape
            mask = jnp.moveaxis(mask.reshape(layers, parts, each, pairs), 1, 0)
        like, _ = jax.eval_shape(of_part, jax.tree.map(lambda array: array[0], (split, mask)))
        zeros = jax.tree.map(lambda array: jnp.zeros(array.shape, array.dtype), like)
        (total, more, dense), of_tables = jax.lax.scan(add_part, zeros, (split, mask))
        rows, looked_up = jax.tree.map(
            lambda array: array.reshape(parts * each, *array.shape[2:]), of_tables
        )
        return (total, more), Gradients(dense, rows, looked_up)


def table_gradient(shape: tuple[int, ...], rows: Sequence[Any], looked_up: Sequence[Any]) -> Any:
    """Return the gradient of a table from the gradients of its rows: see `Gradients`."""
    jax, _ = jax_and_optax()
    if jax.default_backend() != "cpu":
        return _compiled_sum()(shape, rows, looked_up)
    found = np.zeros(shape, dtype=np.float32)
    for each, gradients in zip(rows, looked_up, strict=True):
        add_gradients(np.asarray(each), np.asarray(gradients), found)
    return found


@lru_cache(maxsize=1)
def _compiled_sum() -> Any:
    """Return `table_gradient` as a function of JAX, for accelerators."""
    jax, _ = jax_and_optax()

    def add(shape: tuple[int, ...], rows: Sequence[Any], looked_up: Sequence[Any]) -> Any:
        found, tables = jax.numpy.zeros(shape), np.arange(shape[0])
        for each, gradients in zip(rows, looked_up, strict=True):
            found = found.at[tables, each].add(gradients)
        return found

    return jax.jit(add, static_argnums=0)


def quantized(weights: Any, levels: int) -> Any:
    """Return weights rounded to this number of levels on each side of 0, as in a file."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy

    def round_matrix(matrix: Any, levels: int) -> Any:
        table = matrix.reshape(-1, matrix.shape[-1])
        spread = jnp.sqrt((table**2).mean(axis=0))
        greatest = jnp.abs(table).max(axis=0)
        unit = jnp.maximum(jnp.minimum(greatest, FAR * spread) / levels, greatest / MAX_STEPS)
        unit = jnp.where(unit == 0, 1.0, unit)
        return jnp.clip(jnp.rint(matrix / unit), -MAX_STEPS, MAX_STEPS) * unit

    return {
        name: round_matrix(array, steps_for(name, levels))
        if array.ndim > 1 and array.size
        else array
        for name, array in weights.items()
    }
