"""Alpha-beta over an n-tuple network: the textbook of `minimax` and a compiled twin of its own."""

from __future__ import annotations

import numpy as np

from claimeven.compiled import load
from claimeven.evaluation.registry import Evaluation
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.minimax.kernel import SearchState, start_search
from claimeven.minimax.search import MinimaxSearch
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.ntuple import SCALE, NTupleNetwork
from claimeven.networks.ntuple_kernel import search_network_slice


class NTupleSearch(MinimaxSearch):
    """Alpha-beta whose evaluation is a network, `SCALE` standing for a win.

    Depth 1 is the network alone: the column whose position it likes best. `order` and `backend` are
    those of `MinimaxSearch`; both backends visit the same positions.

    >>> from claimeven.networks.ntuple import NTuples
    >>> search = NTupleSearch(NTupleNetwork(NTuples.drawn(count=3, length=4)))
    >>> search.search(Position.from_moves("112233"), depth=3).plies_to_end
    1
    """

    def __init__(
        self, network: NTupleNetwork, order: str = "centre", backend: str = "auto"
    ) -> None:
        summary = "a network of n-tuples"
        evaluation = Evaluation("ntuple", network.evaluate, summary, float(SCALE))
        super().__init__("alphabeta", evaluation, order, backend)
        self.network = network

    def load(self) -> None:
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
        self.root_ply = position.ply
        slots = network.tuples.slots
        self.indices = np.zeros((depth + 1, len(slots)), dtype=np.int64)
        self.indices[0] = network.tuples.indices(position)

    def run(self, nodes: int) -> bool:
        """Search on until the node count reaches `nodes`; return whether the search is done."""
        return bool(
            search_network_slice(
                self.rows,
                self.rules,
                self.progress,
                self.network.tuples.arrays,
                self.network.weights,
                self.indices,
                self.root_ply,
                nodes,
            )
        )
