"""A net that judges by JAX, on an accelerator where there is one: a `PolicyValue` of many at once.

It is told two words a position and does all the rest there: features, net, priors. Positions are
judged in batches of a few sizes, since JAX compiles for each; a batch is filled up with empty
boards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from claimeven.game.geometry import Geometry
from claimeven.learning.extras import jax_and_optax
from claimeven.learning.features_in_jax import FeaturesInJax, halves_of
from claimeven.learning.forward import Forward
from claimeven.learning.jax_functions import JaxFunction
from claimeven.learning.precision import AUTO, precision_here
from claimeven.networks.errors import InvalidNetwork
from claimeven.networks.net import Features, Net
from claimeven.networks.policy_value import Floats, Words

#: The size of the least batch, and how many times as many the next one holds: on a processor, and
#: on an accelerator, which takes no longer for more and compiles slowly.
_OF_PROCESSORS: Final = (1 << 6, 2)
_OF_ACCELERATORS: Final = (1 << 9, 4)
#: The most positions of a batch.
_MOST: Final = 1 << 13


class NetInJax:
    """The values and priors of a net, by JAX: those of `Net.evaluate`, scores left out of them.

    `most` is how many positions are judged at a time, about. `precision` is one of
    `precision.PRECISIONS`; in float32 it differs from the net by rounding alone, about 1e-6.
    The same machine says the same of the same positions asked together. Raises `MissingPackage`
    without JAX.
    """

    def __init__(self, net: Net, most: int = _MOST, precision: str = AUTO) -> None:
        jax, _ = jax_and_optax()
        self.geometry = net.geometry
        is_processor = jax.default_backend() == "cpu"
        least, times = _OF_PROCESSORS if is_processor else _OF_ACCELERATORS
        self._sizes = [least]
        while self._sizes[-1] < min(most, _MOST):
            self._sizes.append(times * self._sizes[-1])
        self._weights = jax.device_put(net.arrays)
        self._judge = _compiled(net.geometry, precision_here(precision))

    def load(self) -> None:
        """Compile for all sizes of batches."""
        for size in self._sizes:
            self.evaluate(*np.zeros((2, size), dtype=np.uint64))

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        Raises `InvalidNetwork` where what it says is no number.
        """
        values = np.empty(len(mines), dtype=np.float32)
        priors = np.empty((len(mines), self.geometry.columns), dtype=np.float32)
        for begin in range(0, len(mines), self._sizes[-1]):
            part = slice(begin, begin + self._sizes[-1])
            values[part], priors[part] = self._part(mines[part], masks[part])
        if not (np.isfinite(values).all() and np.isfinite(priors).all()):
            raise InvalidNetwork("the numbers of the net grow beyond all bounds: it is no use")
        return values, priors

    def _part(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of no more positions than a batch holds."""
        count = len(mines)
        size = next(size for size in self._sizes if size >= count)
        filled = np.zeros((2, size), dtype=np.uint64)
        filled[0, :count], filled[1, :count] = mines, masks
        found = np.asarray(self._judge(self._weights, *(halves_of(words) for words in filled)))
        return found[:count, 0], found[:count, 1:]


@lru_cache(maxsize=8)
def _compiled(geometry: Geometry, precision: str) -> JaxFunction:
    """Return the function that judges positions by weights: a value, then the priors, in a row."""
    jax, _ = jax_and_optax()
    jnp, columns = jax.numpy, geometry.columns
    features = FeaturesInJax(Features(geometry))
    forward = Forward(features.features, precision)

    def judged(weights: Any, mines: Any, masks: Any) -> Any:
        outputs = forward.outputs(weights, *features.of(mines, masks))
        logits = jnp.where(features.playable_columns(masks), outputs[:, :columns], -jnp.inf)
        values = jnp.tanh(outputs[:, columns : columns + 1])
        return jnp.concatenate([values, jax.nn.softmax(logits, axis=1)], axis=1)

    return JaxFunction("learning.net_in_jax.judged", judged)
