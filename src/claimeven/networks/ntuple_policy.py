"""An n-tuple network as a model for a search with priors: it looks one ply ahead for both."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from claimeven.compiled import load
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.ntuple import NTupleNetwork
from claimeven.networks.ntuple_kernel import judge_positions

#: How much less a column may be worth than the best to be tried a third (1/e) as willingly.
SOFTNESS: Final = 0.2


class NTuplePolicyValue:
    """A `PolicyValue` made of a network of values.

    A position is worth what its best column leads to; the prior of a column falls by the factor e
    for every `softness` that it is worth less than the best.

    >>> from claimeven.networks.ntuple import NTuples
    >>> model = NTuplePolicyValue(NTupleNetwork(NTuples.drawn(count=3, length=4)))
    >>> model.predict(Position())[0]
    0.0
    """

    def __init__(self, network: NTupleNetwork, softness: float = SOFTNESS) -> None:
        if not 0.0 < softness < math.inf:
            raise InvalidNetwork(f"softness must be a number above 0, not {softness!r}")
        self.network = network
        self.softness = softness
        self._board = board_vector(network.geometry).copy()

    @property
    def geometry(self) -> Geometry:
        """The board it knows."""
        return self.network.geometry

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache."""
        load(judge_positions)

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return the values and priors of positions: see `PolicyValue`."""
        values = np.empty(len(mines), dtype=np.float32)
        priors = np.empty((len(mines), self.geometry.columns), dtype=np.float32)
        judge_positions(
            self.network.tuples.arrays,
            self.network.weights,
            self._board,
            np.ascontiguousarray(mines),
            np.ascontiguousarray(masks),
            np.empty(len(self.network.tuples.slots), dtype=np.int64),
            self.softness,
            values,
            priors,
        )
        return values, priors

    def predict(self, position: Position) -> tuple[float, tuple[float, ...]]:
        """Return the value and the priors of one position. The textbook."""
        worths = self.network.column_values(position)
        best = max(worth for worth in worths if worth is not None)
        shares = [0.0 if w is None else math.exp((w - best) / self.softness) for w in worths]
        return best, tuple(share / sum(shares) for share in shares)
