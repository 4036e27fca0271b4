"""The contract of a model of a search with priors: values of positions, priors of their moves."""

from __future__ import annotations

import math
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from claimeven.errors import ClaimevenError
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import STANDARD, Geometry

Words: TypeAlias = npt.NDArray[np.uint64]
Floats: TypeAlias = npt.NDArray[np.float32]


class InvalidNetwork(ClaimevenError):
    """A model that is invalid, or does not know the board; the message says why."""


class PolicyValue(Protocol):
    """A model of a board: one call judges many positions. Threads may share it."""

    @property
    def geometry(self) -> Geometry:
        """The board it knows."""

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache, before a clock starts."""

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return the values and priors of n positions in which the game is not over.

        `mines` are the discs of the side to move, `masks` all discs, uint64 of shape (n,) each.
        Values, float32 (n,), are from -1 to 1 for the side to move; priors, float32 (n, columns),
        are the chances of each column to be the best: 0 or more, sum 1, and 0 if it is full.
        """


def evaluate_checked(model: PolicyValue, mines: Words, masks: Words) -> tuple[Floats, Floats]:
    """Return the answers of a model for positions. Raises `InvalidNetwork`, naming the model,
    unless it returns one finite value a position, and for each column a finite prior from 0.
    """
    values, priors = model.evaluate(mines, masks)
    name = getattr(model, "name", None) or type(model).__name__
    shape = (len(mines), model.geometry.columns)
    if values.shape != shape[:1] or priors.shape != shape:
        raise InvalidNetwork(
            f"the model {name} returned values of shape {values.shape} and priors of shape"
            f" {priors.shape}: expected {shape[:1]} and {shape}"
        )
    if not math.isfinite(values.sum() + priors.sum()) or priors.min(initial=0) < 0:
        raise InvalidNetwork(
            f"the model {name} returned values or priors that are not finite, or negative priors"
        )
    return values, priors


class UniformPolicyValue:
    """Untrained: every position has the value 0, and every column that is not full the same prior.

    >>> one = np.zeros(1, dtype=np.uint64)
    >>> values, priors = UniformPolicyValue(Geometry(4, 4, 3)).evaluate(one, one)
    >>> values.tolist(), priors.tolist()
    ([0.0], [[0.25, 0.25, 0.25, 0.25]])
    """

    def __init__(self, geometry: Geometry = STANDARD) -> None:
        board_vector(geometry)  # refuses boards of more than one word
        self.geometry = geometry

    def load(self) -> None:
        """There are no kernels to load."""

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return zeros and equal priors: see `PolicyValue`."""
        open_columns = playable_columns(masks, self.geometry).astype(np.float32)
        priors = open_columns / open_columns.sum(axis=1, keepdims=True, dtype=np.float32)
        return np.zeros(len(masks), dtype=np.float32), priors


def playable_columns(masks: Words, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return whether each column can be played, shape (n, columns)."""
    tops = [geometry.bit(column, geometry.rows - 1) for column in range(geometry.columns)]
    bits = np.array(tops, dtype=np.uint64)
    found: npt.NDArray[np.bool_] = (masks[:, None] >> bits & np.uint64(1)) == 0
    return found
