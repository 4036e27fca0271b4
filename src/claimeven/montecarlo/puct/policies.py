"""From what a search found at many roots to how likely each move is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.montecarlo.layout import (
    DISTANCE_SHIFT,
    PROOF_MASK,
    PROOF_SHIFT,
    PROVEN_LOSS,
    PROVEN_WIN,
)
from claimeven.montecarlo.options import InvalidOptions, is_number


def policies(
    visits: npt.NDArray[np.int32],
    priors: npt.NDArray[np.float32],
    metas: npt.NDArray[np.int32],
    there: npt.NDArray[np.bool_],
    temperature: float,
    solver: bool,
) -> npt.NDArray[np.float64]:
    """Return how likely each move is made, float64 (roots, columns), the shape of the arrays given.

    `visits` and `priors` of each column, `metas` with their proofs (see `montecarlo.layout`), and
    whether there is such a child at all. See `PuctForest.policies`. Raises `InvalidOptions`.
    """
    if not is_number(temperature) or not 0.0 <= temperature <= 1000.0:
        raise InvalidOptions(f"temperature must be a number from 0 to 1000, not {temperature!r}")
    proofs, distances = metas >> PROOF_SHIFT & PROOF_MASK, metas >> DISTANCE_SHIFT
    won, lost = there & (proofs == PROVEN_WIN), there & (proofs == PROVEN_LOSS)
    live = there & ~lost
    weights = np.where(live, visits, 0.0)
    for instead in (priors, np.ones_like(priors)):
        untold = weights.sum(axis=1, keepdims=True) == 0.0
        weights = np.where(untold & live, instead, weights)
    weights = _sharpened(weights, temperature)
    if solver:
        longest = np.where(lost, distances, -1)
        weights = np.where((lost == there).all(axis=1, keepdims=True), _best(longest, 0), weights)
        nearest = np.where(won, -distances, -(1 << 20))
        weights = np.where(won.any(axis=1, keepdims=True), _best(nearest, 1 - (1 << 20)), weights)
    sums = weights.sum(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = weights / np.where(sums > 0.0, sums, 1.0)
    return shares


def _sharpened(weights: npt.NDArray[Any], temperature: float) -> npt.NDArray[np.float64]:
    """Return weights to the power of 1 / temperature, as parts of the greatest."""
    most = weights.max(axis=1, keepdims=True)
    parts: npt.NDArray[np.float64] = weights / np.where(most > 0.0, most, 1.0)
    return _best(parts, 1) if temperature == 0.0 else parts ** (1.0 / temperature)


def _best(numbers: npt.NDArray[Any], least: int) -> npt.NDArray[np.float64]:
    """Return 1 for the greatest numbers of each row that are at least `least`, else 0."""
    best = (numbers == numbers.max(axis=1, keepdims=True)) & (numbers >= least)
    found: npt.NDArray[np.float64] = best.astype(np.float64)
    return found
