"""N-tuple networks in searches: alpha-beta over a network, and a network as a model with priors.

Alpha-beta is the textbook of `minimax` and a compiled twin. Values and priors look one ply ahead.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from claimeven.compiled import load
from claimeven.evaluation.registry import Evaluation
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.game.validation import instance, real_number
from claimeven.minimax.kernel import SearchState, start_search
from claimeven.minimax.search import MinimaxSearch
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words
from claimeven.networks.ntuple import SCALE, NTupleNetwork
from claimeven.networks.ntuple_kernel import evaluate_positions, search_network_slice


class NTupleSearch(MinimaxSearch):
    """Alpha-beta whose evaluation is a network, `SCALE` standing for a win.

    Depth 1 is the network without search: the column with the best value. `order` and `backend` are
    as in `MinimaxSearch`; both backends visit the same positions.

    >>> from claimeven.networks.ntuple import NTuples
    >>> search = NTupleSearch(NTupleNetwork(NTuples.random_walks(count=3, length=4)))
    >>> search.search(Position.from_moves("112233"), depth=3).plies_to_end
    1
    """

    def __init__(
        self, network: NTupleNetwork, order: str = "center", backend: str = "auto"
    ) -> None:
        instance(network, "network", NTupleNetwork, InvalidNetwork)
        summary = "a network of n-tuples"
        evaluation = Evaluation("ntuple", network.evaluate, summary, float(SCALE))
        super().__init__("alphabeta", evaluation, order, backend)
        self.network = network

    def load(self, geometry: Geometry = STANDARD) -> None:
        """Compile the search, or load it from the cache, before a clock starts."""
        if self.backend != "python":
            load(start_search, search_network_slice)

    def backend_for(self, geometry: Geometry) -> str:
        """Return which backend serves a board. Raises `InvalidNetwork` for another board."""
        if geometry != self.network.geometry:
            raise InvalidNetwork(f"the network knows {self.network.geometry}, not {geometry}")
        return "python" if self.backend == "python" else "compiled"

    def compiled_state(self, position: Position, depth: int) -> SearchState:
        """Return the compiled search of a position, ready to run."""
        return NTupleSearchState(position, depth, self.evaluation, self.order, self.network)


class NTupleSearchState(SearchState):
    """The arrays of one search over a network, ready for `run`."""

    def __init__(
        self,
        position: Position,
        depth: int,
        evaluation: Evaluation,
        order: str,
        network: NTupleNetwork,
    ) -> None:
        super().__init__(position, depth, True, evaluation, order, None, "mover")
        self.network = network
        self.root_ply: int = position.ply
        slots = network.tuples.slots
        self.indices = np.zeros((depth + 1, len(slots)), dtype=np.int64)
        self.indices[0] = network.tuples.indices(position)

    def run(self, nodes: int) -> bool:
        """Search on until the node count reaches `nodes`; return whether the search is done."""
        network = self.network.tuples.arrays, self.network.weights
        state = self.rows, self.rules, self.progress, *network, self.indices, self.root_ply
        return bool(search_network_slice(*state, nodes))


#: How much less a column may be worth than the best to be tried a third (1/e) as willingly.
SOFTNESS: Final = 0.2


class NTuplePolicyValue:
    """A `PolicyValue` made of a network of values.

    The value of a position is the value of its best column; the prior of a column falls by the
    factor e for every `softness` that its value is below the best.

    >>> from claimeven.networks.ntuple import NTuples
    >>> model = NTuplePolicyValue(NTupleNetwork(NTuples.random_walks(count=3, length=4)))
    >>> model.predict(Position())[0]
    0.0
    """

    def __init__(self, network: NTupleNetwork, softness: float = SOFTNESS) -> None:
        instance(network, "network", NTupleNetwork, InvalidNetwork)
        self.network = network
        self.softness = real_number(softness, "softness", InvalidNetwork, above=0)
        self.geometry: Geometry = network.geometry
        self._board = board_vector(network.geometry).copy()

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache."""
        load(evaluate_positions)

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return the values and priors of positions: see `PolicyValue`."""
        values = np.empty(len(mines), dtype=np.float32)
        priors = np.empty((len(mines), self.geometry.columns), dtype=np.float32)
        tuples = self.network.tuples
        boards = np.ascontiguousarray(mines), np.ascontiguousarray(masks)
        indices = np.empty(len(tuples.slots), dtype=np.int64)
        network = tuples.arrays, self.network.weights, self._board
        evaluate_positions(*network, *boards, indices, self.softness, values, priors)
        return values, priors

    def predict(self, position: Position) -> tuple[float, tuple[float, ...]]:
        """Return the value and the priors of one position. The textbook."""
        worths = self.network.column_values(position)
        best = max(worth for worth in worths if worth is not None)
        shares = [0.0 if w is None else math.exp((w - best) / self.softness) for w in worths]
        return best, tuple(share / sum(shares) for share in shares)
