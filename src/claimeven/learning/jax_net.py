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
from claimeven.learning.forward import JaxForward
from claimeven.learning.jax_features import FeaturesInJax, halves_of
from claimeven.learning.jax_functions import JaxFunction, jax_and_optax
from claimeven.learning.precision import AUTO, precision_here
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.net import Features, Net

#: The sizes of batches are the powers of 2 between these. A processor has all of them, an
#: accelerator one: it takes hardly longer for more, it compiles slowly, and what it makes of a
#: position depends on the size of the batch, by rounding.
_LEAST: Final = 1 << 6
_MOST: Final = 1 << 15


class NetInJax:
    """The values and priors of a net, by JAX: those of `Net.evaluate`.

    `most` is how many positions are judged at a time, about. `precision` is one of
    `precision.PRECISIONS`; in float32 it differs from the net by rounding alone, about 1e-6.
    The same machine says the same of the same positions asked together. Raises `MissingPackage`
    without JAX.
    """

    def __init__(self, net: Net, most: int = 1 << 13, precision: str = AUTO) -> None:
        jax, _ = jax_and_optax()
        self._jax, self._precision = jax, precision_here(precision)
        sizes = [_LEAST]
        while sizes[-1] < min(most, _MOST):
            sizes.append(2 * sizes[-1])
        self._sizes = sizes if jax.default_backend() == "cpu" else sizes[-1:]
        self.take(net)

    def take(self, net: Net) -> None:
        """Judge by another net from now on."""
        self.geometry = net.geometry
        self._weights = self._jax.device_put(net.arrays)
        grading = (net.searching.score_share, net.searching.score_scale)
        self._judge = _compiled(
            net.geometry, self._precision, grading if net.knows_scores else None
        )

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
def _compiled(
    geometry: Geometry, precision: str, grading: tuple[float, float] | None
) -> JaxFunction:
    """Return the function that judges positions by weights: a value, then the priors, in a row.

    `grading` are the share and the scale of scores in values, where they have any: see `Searching`.
    """
    jax, _ = jax_and_optax()
    jnp, columns = jax.numpy, geometry.columns
    features = FeaturesInJax(Features(geometry))
    forward = JaxForward(features.features, precision)

    def judged(weights: Any, mines: Any, masks: Any) -> Any:
        outputs = forward.of_features(weights, *features.of(mines, masks))
        playable = features.playable_columns(masks)
        logits = jnp.where(playable, outputs[:, :columns], -jnp.inf)
        values = jnp.tanh(outputs[:, columns : columns + 1])
        if grading is not None:
            share, scale = grading
            told = jnp.where(playable, outputs[:, columns + 1 :], -jnp.inf)
            best = told.max(axis=1, keepdims=True) * Net.SCORE_UNIT
            values = values * (1 - share) + jnp.tanh(best / scale) * share
        return jnp.concatenate([values, jax.nn.softmax(logits, axis=1)], axis=1)

    return JaxFunction("learning.net_in_jax.judged", judged)
