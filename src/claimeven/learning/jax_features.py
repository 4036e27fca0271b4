"""The static features of positions in JAX: what `networks.net.features_kernel` writes, from words.

An accelerator judges more positions a second than processors can describe to it, so it is told two
words a position and finds out the rest. Tests hold it equal to the kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.learning.jax_functions import jax_and_optax
from claimeven.networks.net import Features
from claimeven.networks.net.planes import MOST_LINES, SEEN_CELLS, STATES

#: Bits of the words that JAX works with unless it is told otherwise.
_HALF_BITS = 32


def halves_of(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return each word as two halves, uint32 (n, 2), the lower one first."""
    lower = words.astype(np.uint32)
    return np.stack([lower, (words >> np.uint64(_HALF_BITS)).astype(np.uint32)], axis=1)


class FeaturesInJax:
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
        lies_on = np.zeros((len(features.lines), geometry.cells), dtype=np.float32)
        lies_on[np.arange(len(features.lines))[:, None], features.lines] = 1
        self._lies_on = lies_on

    def of(self, mines: Any, masks: Any) -> tuple[Any, Any]:
        """Return planes and states as `Features.of` does, both int32, of words in halves."""
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
        planes += [threat & when for threat in threats for when in turns]
        planes += [empty & self._above(threat) for threat in threats]
        planes += [*near, *twice, *far]
        numbers, whole = self._columns(empty, threats)
        by_cell = jnp.stack([plane.astype(jnp.int32) for plane in planes], axis=2)
        count = len(turn)
        parts = (by_cell.reshape(count, -1), numbers, turn[:, None].astype(jnp.int32), whole)
        both = jnp.concatenate([states, self._column_states(mine, discs)], axis=1)
        return jnp.concatenate(parts, axis=1), both

    def playable_columns(self, masks: Any) -> Any:
        """Return whether each column is not full: (n, columns)."""
        return ~self._by_column(self._cells(masks))[:, :, -1]

    def _cells(self, halves: Any) -> Any:
        """Return whether each cell's bit is set."""
        jnp = self._jax.numpy
        shifts = jnp.asarray(self._shift, dtype=jnp.uint32)
        return (halves[:, self._half] >> shifts & 1) == 1

    def _by_column(self, cells: Any) -> Any:
        """Return what cells have, column by column: (n, columns, rows)."""
        return cells.reshape(len(cells), self.features.geometry.columns, -1)

    def _below(self, cells: Any, ground: bool) -> Any:
        """Return for each cell what the one below it has; below the lowest is the `ground`."""
        jnp, columns = self._jax.numpy, self._by_column(cells)
        lowest = jnp.full_like(columns[:, :, :1], ground)
        return jnp.concatenate([lowest, columns[:, :, :-1]], axis=2).reshape(cells.shape)

    def _above(self, cells: Any) -> Any:
        """Return for each cell what the one above it has, nothing for the highest."""
        jnp, columns = self._jax.numpy, self._by_column(cells)
        return jnp.pad(columns[:, :, 1:], ((0, 0), (0, 0), (0, 1))).reshape(cells.shape)

    def _lines(self, mine: Any, theirs: Any, playable: Any) -> tuple[list[Any], Any]:
        """Return of either side, mine first, on how many of its lines each cell lies that lack a
        disc, on one or more that lack two, on two or more of these, on how many that lack three;
        and the states of all lines.
        """
        jnp, lines = self._jax.numpy, self.features.lines
        connect = lines.shape[1]
        digits = mine + 2 * theirs + 3 * playable
        states = (digits[:, lines] * STATES ** np.arange(connect)).sum(axis=2)
        counts = [side[:, lines].sum(axis=2) for side in (mine, theirs)]
        found = []
        for own, other in (counts, counts[::-1]):
            one_sided = (own > 0) & (other == 0)
            threats, near, far = (
                (one_sided & (own == connect - missing)).astype(jnp.float32) @ self._lies_on
                for missing in (1, 2, 3)
            )
            found.append((threats, near >= 1, near >= 2, jnp.minimum(far, MOST_LINES)))
        return found, states.astype(jnp.int32)

    def _columns(self, empty: Any, threats: list[Any]) -> tuple[Any, Any]:
        """Return the numbers of columns, and those of the whole board but for who is to move."""
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
