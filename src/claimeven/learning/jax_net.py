"""A `PolicyValue` that evaluates a net by JAX, on an accelerator if the machine has one.

It sends two words per position and computes the features, the net and the priors there, because
processors compute features more slowly than an accelerator evaluates positions. Tests compare the
features with `networks.net.features_kernel`. JAX compiles for each size of a batch, so there are
few sizes, and a batch is filled up with empty boards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.learning.forward import JaxForward
from claimeven.learning.jax_functions import JaxFunction, jax_and_optax, placed
from claimeven.learning.precision import AUTO, precision_here
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.net import Features, Net
from claimeven.networks.net.array_features import ArrayFeatures

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
        """Return the bit of each cell, as a number."""
        bits = halves[:, self._half] >> self._shift.astype(np.uint32) & 1
        return bits.astype(np.float32)


#: Batch sizes are the powers of 2 between these. A processor uses all of them. An accelerator uses
#: one: a larger batch costs little, compiling is slow, and rounding depends on the size.
_MIN_BATCH: Final = 1 << 6
_MAX_BATCH: Final = 1 << 15


class JaxNet:
    """The values and priors of `Net.evaluate`, by JAX.

    `batch` is the approximate number of positions in a batch, which all accelerators of the machine
    share: see `placed`. `precision` is one of
    `precision.PRECISIONS`; in float32 the results differ from `Net` by rounding, about 1e-6. The
    same machine gives the same results for the same batch. Raises `MissingPackage` without JAX.
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
        """Return values and priors of at most one batch of positions."""
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
