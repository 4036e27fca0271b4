"""The protocol of models for searches with priors: values of positions, priors of their moves."""

from __future__ import annotations

import math
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry, check_geometry

#: The greatest value, with rounding.
MAX_VALUE: Final = 1.001

Words: TypeAlias = npt.NDArray[np.uint64]
Floats: TypeAlias = npt.NDArray[np.float32]


class InvalidNetwork(ClaimevenError):
    """An invalid model, or a model for another board; the message says why."""


class PolicyValue(Protocol):
    """A model of a board: one call evaluates many positions. Threads may share it."""

    @property
    def geometry(self) -> Geometry:
        """The board it knows."""

    def load(self) -> None:
        """Compile the kernels of `evaluate`, or load them from the cache, before a clock starts."""

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return the values and priors of n unfinished positions.

        `mines` contains the discs of the side to move, `masks` all discs, each uint64 (n,). Values,
        float32 (n,), are from -1 to 1 for the side to move. Priors, float32 (n, columns), are the
        probabilities that each column is the best, 0 for full columns.
        """


def evaluate_checked(model: PolicyValue, mines: Words, masks: Words) -> tuple[Floats, Floats]:
    """Return the values and priors of a model. Raises `InvalidNetwork`, with its name, unless the
    model returns a value from -1 to 1 for each position and finite priors from 0 for its columns.
    """
    values, priors = model.evaluate(mines, masks)
    name = getattr(model, "name", None) or type(model).__name__
    shape = (len(mines), model.geometry.columns)
    if values.shape != shape[:1] or priors.shape != shape:
        raise InvalidNetwork(
            f"the model {name} returned values of shape {values.shape} and priors of shape"
            f" {priors.shape}: expected {shape[:1]} and {shape}"
        )
    is_valid = abs(values).max(initial=0) <= MAX_VALUE and priors.min(initial=0) >= 0
    if not (is_valid and math.isfinite(priors.sum())):
        raise InvalidNetwork(
            f"the model {name} returned values from {values.min():g} to {values.max():g} and priors"
            f" from {priors.min():g} to {priors.max():g}: expected values from -1 to 1 and finite"
            " priors of 0 or more"
        )
    return values, priors


def bind_board(model: PolicyValue, geometry: Geometry) -> None:
    """Give a board to a model of each board: such a model has a method `bind`."""
    bind = getattr(model, "bind", None)
    if bind is not None:
        bind(geometry)


class UniformPolicyValue:
    """A model without knowledge: each value is 0, and all playable columns are equal.

    >>> one = np.zeros(1, dtype=np.uint64)
    >>> values, priors = UniformPolicyValue(Geometry(4, 4, 3)).evaluate(one, one)
    >>> values.tolist(), priors.tolist()
    ([0.0], [[0.25, 0.25, 0.25, 0.25]])
    """

    def __init__(self, geometry: Geometry = STANDARD) -> None:
        check_geometry(geometry)
        geometry.check_fits_word("a model")
        self.geometry = geometry

    def load(self) -> None:
        """Do nothing: this model has no kernels."""

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return zeros and equal priors: see `PolicyValue`."""
        open_columns = playable_columns(masks, self.geometry).astype(np.float32)
        priors = open_columns / open_columns.sum(axis=1, keepdims=True, dtype=np.float32)
        return np.zeros(len(masks), dtype=np.float32), priors


def playable_columns(masks: Words, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return whether each column can be played, shape (n, columns)."""
    tops = [geometry.bit(column, geometry.rows - 1) for column in range(geometry.columns)]
    bits = np.array(tops, dtype=np.uint64)
    return np.asarray((masks[:, None] >> bits & np.uint64(1)) == 0)
