"""The last positions of self-play, which batches are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.learning.net_training import Batch
from claimeven.learning.selfplay_games import Positions, joined
from claimeven.montecarlo.puct.policy_value import playable_columns
from claimeven.networks.net import Features


class Replay:
    """A window of the `most` last positions, the oldest first."""

    def __init__(self, most: int, geometry: Geometry) -> None:
        self.most, self.geometry = most, geometry
        self.features = Features(geometry)
        none, columns = np.zeros(0, dtype=np.uint64), geometry.columns
        shares = np.zeros((0, columns), dtype=np.float32)
        nothing = np.zeros(0, dtype=np.float32)
        self.positions = Positions(none, none, shares, nothing, nothing)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions.mines)

    def add(self, positions: Positions) -> None:
        """Take positions in; the oldest ones leave."""
        both = joined([self.positions, positions])
        self.positions = _picked(both, slice(-self.most, None))

    def batch(self, size: int, rng: np.random.Generator) -> Batch:
        """Return positions drawn evenly, with replacement.

        No exact score is known of any: `scored` is False everywhere.
        """
        mines, masks, policies, values, scores = _picked(
            self.positions, rng.integers(0, len(self), size)
        )
        playable = playable_columns(masks, self.geometry)
        nothing = np.zeros(playable.shape, dtype=np.float32)
        planes, states = self.features.of(mines, masks)
        unknown = np.zeros_like(playable)
        counts = np.ones(size, dtype=np.float32)
        return Batch(planes, states, policies, values, nothing, unknown, playable, scores, counts)

    def as_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return it for a checkpoint."""
        return {f"replay_{name}": array for name, array in self.positions._asdict().items()}

    def take_up(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take a checkpoint's."""
        self.positions = Positions(*(arrays[f"replay_{name}"] for name in Positions._fields))


def _picked(positions: Positions, which: slice | npt.NDArray[np.int64]) -> Positions:
    """Return some of the rows."""
    rows: list[Any] = [array[which] for array in positions]
    return Positions(*rows)
