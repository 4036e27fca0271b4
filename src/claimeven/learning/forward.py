"""The forward pass of `networks.net` traced by JAX, and how its gradients are found quickly.

Products of matrices may be taken in bfloat16 (see `precision`); sums, weights and all else stay
float32. JAX finds the gradients of the numbers that were looked up in tables, not of the tables:
`table_gradient` adds these up afterwards, by a kernel if JAX works on the processor, since its own
way takes longer there than all the rest. A function of JAX that called the kernel could not be
stored on disk, either.

Quantization-aware training: the pass sees each weight as the file will hold it, and the gradient
passes as if there were no rounding. Source: Bengio, Leonard and Courville, "Estimating or
propagating gradients through stochastic neurons for conditional computation" (2013). Leaving hidden
numbers out: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, "Dropout: a simple way to
prevent neural networks from overfitting" (JMLR 15, 2014).
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
    """The gradients of a loss, as JAX finds them.

    `dense` are those of all weights but tables, by name. Of each table, by name: `rows` are the
    rows that were looked up in it, once in each orientation, int32 (positions, tables), and `taken`
    the gradients of their numbers, float32 (positions, tables, numbers).
    """

    dense: dict[str, Any]
    rows: dict[str, list[Any]]
    taken: dict[str, list[Any]]

    def of_weights(self, weights: Any) -> dict[str, Any]:
        """Return the gradients of all weights by name, in the order of the weights."""
        return {
            name: self.dense[name]
            if name in self.dense
            else table_gradient(array.shape, self.rows[name], self.taken[name])
            for name, array in weights.items()
        }


class JaxForward(Forward):
    """The forward pass of nets of a board, for JAX to trace."""

    def __init__(self, features: Features, precision: str = FLOAT32) -> None:
        jax, _ = jax_and_optax()
        super().__init__(features, jax.numpy, product_in(precision), jax.nn.relu)
        self._jax = jax

    def rows(self, states: Any) -> dict[str, Any]:
        """Return the rows that `Forward.rows` does, int32."""
        found = super().rows(states)
        return {name: [each.astype(np.int32) for each in both] for name, both in found.items()}

    def of_features(self, weights: Any, planes: Any, states: Any, stays: Any = None) -> Any:
        """Return the outputs for positions of such features: see `Forward.outputs`."""
        return self.outputs(weights, self.look_up(weights, self.rows(states)), planes, stays)

    def gradients(
        self, lose: Callable[[Any], Any], weights: Any, planes: Any, states: Any, stays: Any = None
    ) -> tuple[Any, Gradients]:
        """Return what `lose` makes of the outputs, a loss and more, and the loss's gradients."""
        rows = self.rows(states)
        dense = {name: array for name, array in weights.items() if name not in rows}

        def lost(dense: Any, taken: Any) -> Any:
            return lose(self.outputs(dense, taken, planes, stays))

        found, (of_dense, of_taken) = self._jax.value_and_grad(lost, argnums=(0, 1), has_aux=True)(
            dense, self.look_up(weights, rows)
        )
        return found, Gradients(of_dense, rows, of_taken)

    def gradients_in_parts(
        self, lose: Callable[[Any, Any], Any], weights: Any, batch: Any, stays: Any, parts: int
    ) -> tuple[Any, Gradients]:
        """Return what `gradients` does, found of equal parts of a batch one after the other.

        That is quicker on a processor: the numbers of a part stay near it in all layers. `lose`
        takes a part and its outputs; the losses, and the rest of what it returns, are summed up.
        """
        jax, jnp = self._jax, self._jax.numpy

        def of_part(part: tuple[Any, Any]) -> tuple[Any, Any]:
            batch, stays = part
            (loss, more), found = self.gradients(
                partial(lose, batch), weights, batch.planes, batch.states, stays
            )
            return (loss, more, found.dense), (found.rows, found.taken)

        def add_part(total: Any, part: Any) -> tuple[Any, Any]:
            summed, looked_up = of_part(part)
            return jax.tree.map(jnp.add, total, summed), looked_up

        # All sizes are given: arrays without numbers, as one column has, leave -1 undecided.
        each = len(batch.planes) // parts
        split = jax.tree.map(lambda array: array.reshape(parts, each, *array.shape[1:]), batch)
        if stays is not None:
            layers, _, pairs = stays.shape
            stays = jnp.moveaxis(stays.reshape(layers, parts, each, pairs), 1, 0)
        like, _ = jax.eval_shape(of_part, jax.tree.map(lambda array: array[0], (split, stays)))
        zeros = jax.tree.map(lambda array: jnp.zeros(array.shape, array.dtype), like)
        (loss, more, dense), looked_up = jax.lax.scan(add_part, zeros, (split, stays))
        rows, taken = jax.tree.map(
            lambda array: array.reshape(parts * each, *array.shape[2:]), looked_up
        )
        return (loss, more), Gradients(dense, rows, taken)


def table_gradient(shape: tuple[int, ...], rows: Sequence[Any], taken: Sequence[Any]) -> Any:
    """Return the gradient of a table whose `rows` had the gradients `taken`: see `Gradients`."""
    jax, _ = jax_and_optax()
    if jax.default_backend() != "cpu":
        return _compiled_sum()(shape, rows, taken)
    found = np.zeros(shape, dtype=np.float32)
    for each, gradients in zip(rows, taken, strict=True):
        add_gradients(np.asarray(each), np.asarray(gradients), found)
    return found


@lru_cache(maxsize=1)
def _compiled_sum() -> Any:
    """Return `table_gradient` as a function of JAX, for accelerators."""
    jax, _ = jax_and_optax()

    def added(shape: tuple[int, ...], rows: Sequence[Any], taken: Sequence[Any]) -> Any:
        found, tables = jax.numpy.zeros(shape), np.arange(shape[0])
        for each, gradients in zip(rows, taken, strict=True):
            found = found.at[tables, each].add(gradients)
        return found

    return jax.jit(added, static_argnums=0)


def as_rounded(weights: Any, steps: int) -> Any:
    """Return weights as a file with this number of quantization steps holds them."""
    jax, _ = jax_and_optax()
    jnp = jax.numpy

    def rounded(matrix: Any, steps: int) -> Any:
        table = matrix.reshape(-1, matrix.shape[-1])
        usual = jnp.sqrt((table**2).mean(axis=0))
        greatest = jnp.abs(table).max(axis=0)
        unit = jnp.maximum(jnp.minimum(greatest, FAR * usual) / steps, greatest / MAX_STEPS)
        unit = jnp.where(unit == 0, 1.0, unit)
        return jnp.clip(jnp.rint(matrix / unit), -MAX_STEPS, MAX_STEPS) * unit

    return {
        name: rounded(array, steps_for(name, steps)) if array.ndim > 1 and array.size else array
        for name, array in weights.items()
    }
