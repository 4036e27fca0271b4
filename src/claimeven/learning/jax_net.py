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
from claimeven.learning.jax_functions import JaxFunction, jax_and_optax
from claimeven.learning.precision import AUTO, precision_here
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.net import Features, Net
from claimeven.networks.net.features_kernel import MAX_LINES, SEEN_CELLS, STATES

#: Bits of the words that JAX uses by default.
_HALF_BITS = 32


def halves_of(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return each word as two halves, uint32 (n, 2), the lower one first."""
    lower = words.astype(np.uint32)
    return np.stack([lower, (words >> np.uint64(_HALF_BITS)).astype(np.uint32)], axis=1)


class JaxFeatures:
    """The features of one board, for JAX to trace."""

    def __init__(self, features: Features) -> None:
        self._jax, _ = jax_and_optax()
        self.features = features
        geometry = features.geometry
        places = [
            geometry.bit(column, row)
            for column in range(geometry.columns)
            for row in range(geometry.rows)
        ]
        self._half, self._shift = np.divmod(np.array(places), _HALF_BITS)
        on_line = np.zeros((len(features.lines), geometry.cells), dtype=np.float32)
        on_line[np.arange(len(features.lines))[:, None], features.lines] = 1
        self._on_line = on_line

    def of(self, mines: Any, masks: Any) -> tuple[Any, Any]:
        """Return planes and states like `Features.of`, both int32, from words in halves."""
        jnp = self._jax.numpy
        mine, discs = (self._cells(halves) for halves in (mines, masks))
        theirs, empty = discs & ~mine, ~discs
        playable = empty & self._below(discs, True)
        above = empty & self._below(playable, False)
        turn = discs.sum(axis=1) % 2 == 1
        lines, states = self._lines(mine, theirs, playable)
        threats, near, twice, far = (
            [count * empty for count in both] for both in zip(*lines, strict=True)
        )
        threats = [threat > 0 for threat in threats]
        turns = [~turn[:, None], turn[:, None]]
        planes = [mine, theirs, playable, above]
        planes += [threat & is_turn for threat in threats for is_turn in turns]
        planes += [empty & self._above(threat) for threat in threats]
        planes += [*near, *twice, *far]
        numbers, whole = self._columns(empty, threats)
        by_cell = jnp.stack([plane.astype(jnp.int32) for plane in planes], axis=2)
        count = len(turn)
        parts = (by_cell.reshape(count, -1), numbers, turn[:, None].astype(jnp.int32), whole)
        both = jnp.concatenate([states, self._column_states(mine, discs)], axis=1)
        return jnp.concatenate(parts, axis=1), both

    def playable_columns(self, masks: Any) -> Any:
        """Return whether each column has an empty cell: (n, columns)."""
        return ~self._by_column(self._cells(masks))[:, :, -1]

    def _cells(self, halves: Any) -> Any:
        """Return whether each cell's bit is set."""
        jnp = self._jax.numpy
        shifts = jnp.asarray(self._shift, dtype=jnp.uint32)
        return (halves[:, self._half] >> shifts & 1) == 1

    def _by_column(self, cells: Any) -> Any:
        """Return the values of cells by column: (n, columns, rows)."""
        return cells.reshape(len(cells), self.features.geometry.columns, -1)

    def _below(self, cells: Any, ground: bool) -> Any:
        """Return the value of the cell below each cell, `ground` below the lowest cell."""
        jnp, columns = self._jax.numpy, self._by_column(cells)
        lowest = jnp.full_like(columns[:, :, :1], ground)
        return jnp.concatenate([lowest, columns[:, :, :-1]], axis=2).reshape(cells.shape)

    def _above(self, cells: Any) -> Any:
        """Return the value of the cell above each cell, 0 above the highest cell."""
        jnp, columns = self._jax.numpy, self._by_column(cells)
        return jnp.pad(columns[:, :, 1:], ((0, 0), (0, 0), (0, 1))).reshape(cells.shape)

    def _lines(self, mine: Any, theirs: Any, playable: Any) -> tuple[list[Any], Any]:
        """Return four planes of threats for each side, mine first, and the states of all lines."""
        jnp, lines = self._jax.numpy, self.features.lines
        connect = lines.shape[1]
        digits = mine + 2 * theirs + 3 * playable
        states = (digits[:, lines] * STATES ** np.arange(connect)).sum(axis=2)
        counts = [side[:, lines].sum(axis=2) for side in (mine, theirs)]
        found = []
        for own, other in (counts, counts[::-1]):
            one_sided = (own > 0) & (other == 0)
            threats, near, far = (
                (one_sided & (own == connect - missing)).astype(jnp.float32) @ self._on_line
                for missing in (1, 2, 3)
            )
            found.append((threats, near >= 1, near >= 2, jnp.minimum(far, MAX_LINES)))
        return found, states.astype(jnp.int32)

    def _columns(self, empty: Any, threats: list[Any]) -> tuple[Any, Any]:
        """Return the numbers of the columns and of the whole board, without the side to move."""
        jnp = self._jax.numpy
        mine, theirs = (self._by_column(threat) for threat in threats)
        quiet = [
            (self._by_column(empty) & (jnp.cumsum(met, axis=2) == 0)).sum(axis=2)
            for met in (mine, theirs, mine | theirs)
        ]
        odd, both = [count % 2 for count in quiet], quiet[-1]
        numbers = jnp.stack([*odd, both == 0, both == 1], axis=2)
        whole = [each.sum(axis=1) % 2 for each in odd]
        whole.append((both == 0).sum(axis=1))
        flat = numbers.reshape(len(empty), -1)
        return flat.astype(jnp.int32), jnp.stack(whole, axis=1).astype(jnp.int32)

    def _column_states(self, mine: Any, discs: Any) -> Any:
        """Return the states of columns."""
        jnp = self._jax.numpy
        bits = 1 << np.arange(min(self.features.geometry.rows, SEEN_CELLS))
        seen = (self._by_column(each)[:, :, : len(bits)] for each in (mine, discs))
        return sum((each * bits).sum(axis=2) for each in seen).astype(jnp.int32)


#: Batch sizes are the powers of 2 between these. A processor uses all of them. An accelerator uses
#: one: a larger batch costs little, compiling is slow, and rounding depends on the size.
_MIN_BATCH: Final = 1 << 6
_MAX_BATCH: Final = 1 << 15


class JaxNet:
    """The values and priors of `Net.evaluate`, by JAX.

    `batch` is the approximate number of positions in a batch. `precision` is one of
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
        self._weights = self._jax.device_put(net.arrays)
        grading = (net.search_defaults.score_share, net.search_defaults.score_scale)
        self._predict = _compiled(
            net.geometry, self._precision, grading if net.knows_scores else None
        )

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
        found = np.asarray(self._predict(self._weights, *(halves_of(words) for words in filled)))
        return found[:count, 0], found[:count, 1:]


@lru_cache(maxsize=8)
def _compiled(
    geometry: Geometry, precision: str, grading: tuple[float, float] | None
) -> JaxFunction:
    """Return the function for rows of value and priors; `grading` is weight and scale of scores."""
    jax, _ = jax_and_optax()
    jnp, columns = jax.numpy, geometry.columns
    features = JaxFeatures(Features(geometry))
    forward = JaxForward(features.features, precision)

    def predict(weights: Any, mines: Any, masks: Any) -> Any:
        outputs = forward.of_features(weights, *features.of(mines, masks))
        playable = features.playable_columns(masks)
        logits = jnp.where(playable, outputs[:, :columns], -jnp.inf)
        values = jnp.tanh(outputs[:, columns : columns + 1])
        if grading is not None:
            share, scale = grading
            scores = jnp.where(playable, outputs[:, columns + 1 :], -jnp.inf)
            best = scores.max(axis=1, keepdims=True) * Net.SCORE_UNIT
            values = values * (1 - share) + jnp.tanh(best / scale) * share
        return jnp.concatenate([values, jax.nn.softmax(logits, axis=1)], axis=1)

    return JaxFunction("learning.jax_net.predict", predict)
