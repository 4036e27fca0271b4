"""Nets in JAX, on an accelerator if the machine has one: gradients, values and priors.

JAX computes the gradients of the rows that were looked up in tables. `table_gradient` adds them up
afterwards: on a processor by a kernel, because the sum by JAX takes longer than all other work
there. JAX cannot store a function on disk that calls the kernel.

Quantization-aware training: the pass uses each weight as rounded in the file, and its gradient
ignores the rounding. Sources: Bengio, Leonard and Courville, "Estimating or propagating gradients
through stochastic neurons for conditional computation" (2013); Srivastava, Hinton, Krizhevsky,
Sutskever and Salakhutdinov, "Dropout: a simple way to prevent neural networks from overfitting"
(JMLR 15, 2014).

`JaxNet` sends two words per position and computes the features there, because processors compute
features more slowly than an accelerator evaluates positions. Tests compare the features with
`networks.net.features_kernel`. JAX compiles for each size of a batch, so there are few sizes, and a
batch is filled up with empty boards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.learning.jax_functions import (
    AUTO,
    FLOAT32,
    JaxFunction,
    jax_and_optax,
    placed,
    precision_here,
    product_in,
)
from claimeven.learning.table_kernel import add_gradients
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.net import Features, Net
from claimeven.networks.net.array_features import ArrayFeatures
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


#: Bits of the words that JAX uses by default.
_HALF_BITS = 32


def halves_of(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return each word as two halves, uint32 (n, 2), the lower one first."""
    lower = words.astype(np.uint32)
    return np.stack([lower, (words >> np.uint64(_HALF_BITS)).astype(np.uint32)], axis=1)


class JaxFeatures(ArrayFeatures):
    """The features of one board, for JAX to trace."""

    def __init__(self, features: Features) -> None:
        super().__init__(features, jax_and_optax()[0].numpy)
        board = features.geometry
        places = [board.bit(column, row) for column, row in np.ndindex(board.columns, board.rows)]
        self._half, self._shift = np.divmod(np.array(places), _HALF_BITS)

    def of_halves(self, mines: Any, masks: Any) -> tuple[Any, Any, Any]:
        """Return the result of `of` for positions as words in halves."""
        mine, discs = (self._cells(halves) for halves in (mines, masks))
        return self.of(mine, discs - mine)

    def _cells(self, halves: Any) -> Any:
        bits = halves[:, self._half] >> self._shift.astype(np.uint32) & 1
        return bits.astype(np.float32)


#: Batch sizes are the powers of 2 between these. A processor uses all of them. An accelerator uses
#: one: a larger batch costs little, compiling is slow, and rounding depends on the size.
_MIN_BATCH: Final = 1 << 6
_MAX_BATCH: Final = 1 << 15


class JaxNet:
    """The values and priors of `Net.evaluate`, by JAX.

    `batch` is the approximate number of positions in a batch, which all accelerators of the machine
    share: see `placed`. `precision` is one of `PRECISIONS`; in float32 the results differ from
    `Net` by rounding, about 1e-6. The same machine gives the same results for the same batch.
    Raises `MissingPackage` without JAX.
    """

    def __init__(self, net: Net, batch: int = 1 << 13, precision: str = AUTO) -> None:
        jax, _ = jax_and_optax()
        self._jax, self._precision = jax, precision_here(precision)
        sizes = [_MIN_BATCH]
        while sizes[-1] < min(batch, _MAX_BATCH):
            sizes.append(2 * sizes[-1])
        self._sizes = sizes if jax.default_backend() == "cpu" else sizes[-1:]
        self.use(net)

    def use(self, net: Net) -> None:
        """Use another net from now on."""
        self.geometry: Geometry = net.geometry
        self._weights = placed(self._jax.device_put(net.arrays), self._sizes[0], None)
        self._predict = _compiled(net.geometry, self._precision, net.grading)

    def load(self) -> None:
        """Compile for all batch sizes."""
        for size in self._sizes:
            self.evaluate(*np.zeros((2, size), dtype=np.uint64))

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        Raises `InvalidNetwork` if a result is not a finite number.
        """
        values = np.empty(len(mines), dtype=np.float32)
        priors = np.empty((len(mines), self.geometry.columns), dtype=np.float32)
        for start in range(0, len(mines), self._sizes[-1]):
            part = slice(start, start + self._sizes[-1])
            values[part], priors[part] = self._part(mines[part], masks[part])
        if not (np.isfinite(values).all() and np.isfinite(priors).all()):
            raise InvalidNetwork("the net has infinite values: its weights are too large")
        return values, priors

    def _part(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        count = len(mines)
        size = next(size for size in self._sizes if size >= count)
        filled = np.zeros((2, size), dtype=np.uint64)
        filled[0, :count], filled[1, :count] = mines, masks
        halves = placed([halves_of(words) for words in filled], size)
        found = np.asarray(self._predict(self._weights, *halves))
        return found[:count, 0], found[:count, 1:]


@lru_cache(maxsize=8)
def _compiled(
    geometry: Geometry, precision: str, grading: tuple[float, float] | None
) -> JaxFunction:
    """Return the function for rows of value and priors; `grading` is as in `Forward.judge`."""
    jax, _ = jax_and_optax()
    features = JaxFeatures(Features(geometry))
    forward = JaxForward(features.features, precision)

    def predict(weights: Any, mines: Any, masks: Any) -> Any:
        planes, states, playable = features.of_halves(mines, masks)
        outputs = forward.of_features(weights, planes, states)
        return jax.numpy.concatenate(forward.judge(outputs, playable, grading), axis=1)

    return JaxFunction("learning.jax_net.predict", predict)
