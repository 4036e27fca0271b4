"""Read access to a forest: each tree as a whole, the columns at its root, each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import real_number
from claimeven.montecarlo import layout
from claimeven.montecarlo.engine import SAMPLE_SIZE, NodeStats, count_moves
from claimeven.montecarlo.layout import (
    DISTANCE_SHIFT,
    PROOF_MASK,
    PROOF_RESULTS,
    PROOF_SHIFT,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
)
from claimeven.montecarlo.options import InvalidOptions
from claimeven.montecarlo.puct import layout as fields
from claimeven.montecarlo.puct.options import PuctOptions
from claimeven.montecarlo.puct.policy_value import Floats, Words

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[Any]


@dataclass(frozen=True)
class PuctNodeStats(NodeStats):
    """The content of a node of a forest: see `layout`. `children` are node numbers."""

    flight: int = 0
    children: range = range(0)


class ReadableForest:
    """The arrays of a forest, and read access to them. `PuctForest` grows it."""

    def __init__(
        self, geometry: Geometry, trees: int, nodes_per_tree: int, options: PuctOptions
    ) -> None:
        self.geometry = geometry
        self.options = options
        self.nodes_per_tree = nodes_per_tree
        self._nodes, self._trees = fields.new_forest(trees, trees * nodes_per_tree)
        self._places = np.arange(trees, dtype=np.int64) * nodes_per_tree

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self._places)

    @property
    def memory(self) -> int:
        """Bytes of all nodes."""
        return len(self) * self.nodes_per_tree * fields.NODE_BYTES

    def root(self, tree: int) -> int:
        """Return the number of a tree's root, for `node`."""
        return int(self._places[tree])

    def node(self, number: int) -> PuctNodeStats:
        visits, flight, child, meta = (int(count) for count in self._nodes.counts[number])
        column, count, proof, distance = layout.unpack_meta(meta)
        return PuctNodeStats(
            column,
            visits,
            float(self._nodes.totals[number]),
            proof,
            distance,
            float(self._nodes.priors[number]),
            flight=flight,
            children=range(0) if child == fields.NO_CHILDREN else range(child, child + count),
        )

    def used(self, tree: int) -> int:
        return int(self._trees.states[tree, fields.USED])

    def depth(self, tree: int) -> int:
        """Return the depth of the deepest iteration since the root was set, in moves."""
        return int(self._trees.states[tree, fields.DEPTH])

    def expansion_counts(self, tree: int) -> tuple[int, int]:
        """Return the numbers of expanded nodes and of their children, in a sample."""
        start = self.root(tree)
        sample = self._nodes.counts[start : start + min(self.used(tree), SAMPLE_SIZE)]
        return count_moves(sample[sample[:, fields.CHILD] != fields.NO_CHILDREN, fields.META])

    def is_full(self, tree: int) -> bool:
        """Return whether the tree ran out of room since the root was set."""
        return bool(self._trees.states[tree, fields.FULL])

    def position(self, tree: int) -> Position:
        return Position(self.geometry, *self._trees.roots[tree].tolist())

    def roots(self) -> tuple[Words, Words]:
        """Return the positions at all roots, in the form of a model's arguments."""
        roots = self._trees.roots
        return roots[:, fields.MINE].copy(), roots[:, fields.MASK].copy()

    def iterations(self) -> npt.NDArray[np.int64]:
        """Return the visits of each root: the iterations of its tree, with reused ones."""
        return np.asarray(self._nodes.counts[self._places, fields.VISITS], dtype=np.int64)

    def is_over(self) -> Bools:
        """Return for each tree whether the game is over at its root."""
        metas = self._nodes.counts[self._places, fields.META]
        over: Bools = (self._proofs(self._places) != UNPROVEN) & (metas >> DISTANCE_SHIFT == 0)
        return over

    def is_decided(self) -> Bools:
        """Return for each tree whether its result is known: over or, with the solver, proven."""
        if not self.options.solver:
            return self.is_over()
        proven: Bools = self._proofs(self._places) != UNPROVEN
        return proven

    def results(self) -> npt.NDArray[np.int8]:
        """Return the proven result of each root for the side to move, 0 if unproven."""
        proofs = self._proofs(self._places)
        return -np.array(PROOF_RESULTS, dtype=np.int8)[proofs]

    def values(self) -> Doubles:
        """Return the value of each root for its side to move, -1 to 1: the mean of its iterations,
        the result of a proven root, and 0 without visits.
        """
        visits = np.maximum(self.iterations(), 1)
        means = -self._nodes.totals[self._places] / visits
        return np.where(self._proofs(self._places) != UNPROVEN, self.results(), means)

    def visits(self) -> Counts:
        """Return the visits of each column at each root, int32 (trees, columns)."""
        return self._spread(self._nodes.counts[:, fields.VISITS])

    def priors(self) -> Floats:
        """Return the prior of each column at each root, float32 (trees, columns)."""
        return self._spread(self._nodes.priors)

    def policies(self, temperature: float = 1.0, trees: Indices | None = None) -> Doubles:
        """Return the probability of each move at each root in self-play, float64 (trees, columns).

        It is proportional to visits to the power of 1 / temperature, without proven losses; with
        temperature 0 only the most visited moves count. Without visits, priors replace them. The
        nearest proven win gets 1; if every move loses, the longest defense does. Equal moves share.
        Rows of finished games and unvisited roots are zero. `trees` selects some rows.
        """
        counts = self._nodes.counts
        rows, columns, _ = self._root_children(trees)
        exists = np.zeros(self._shape(trees), dtype=np.bool_)
        exists[rows, columns] = True
        each = (counts[:, fields.VISITS], self._nodes.priors, counts[:, fields.META])
        visits, priors, metas = (self._spread(field, trees) for field in each)
        return policies(visits, priors, metas, exists, temperature, self.options.solver)

    def _shape(self, trees: Indices | None) -> tuple[int, int]:
        """Return the shape of an array with a number for each column of some trees, None: all."""
        return len(self) if trees is None else len(trees), self.geometry.columns

    def _spread(self, field: npt.NDArray[Any], trees: Indices | None = None) -> npt.NDArray[Any]:
        """Return a field of the nodes for each column at each root, 0 without a node."""
        result = np.zeros(self._shape(trees), dtype=field.dtype)
        rows, columns, nodes = self._root_children(trees)
        result[rows, columns] = field[nodes]
        return result

    def _root_children(self, trees: Indices | None = None) -> tuple[Indices, Indices, Indices]:
        """Return all children of the roots of some trees (None: all): for each the index of its
        tree among them, its column, and its number.
        """
        counts = self._nodes.counts
        places = self._places if trees is None else self._places[trees]
        firsts = counts[places, fields.CHILD].astype(np.int64)
        number = counts[places, fields.META] >> layout.COUNT_SHIFT & layout.COUNT_MASK
        number = np.where(firsts == fields.NO_CHILDREN, 0, number)
        rows, nth = np.nonzero(np.arange(self.geometry.columns) < number[:, None])
        nodes = firsts[rows] + nth
        return rows, counts[nodes, fields.META] & layout.COLUMN_MASK, nodes

    def _proofs(self, nodes: npt.NDArray[np.int64] | np.int64) -> npt.NDArray[np.int32]:
        return np.asarray(self._nodes.counts[nodes, fields.META] >> PROOF_SHIFT & PROOF_MASK)


def policies(
    visits: npt.NDArray[np.int32],
    priors: npt.NDArray[np.float32],
    metas: npt.NDArray[np.int32],
    exists: npt.NDArray[np.bool_],
    temperature: float,
    solver: bool,
) -> npt.NDArray[np.float64]:
    """Return the probability of each move, float64 (roots, columns), the shape of the arguments.

    The arguments are `visits` and `priors` of each column, `metas` with their proofs (see
    `montecarlo.layout`), and whether it exists. See `PuctForest.policies`. Raises `InvalidOptions`.
    """
    real_number(temperature, "temperature", InvalidOptions, low=0, high=1000)
    proofs, distances = metas >> PROOF_SHIFT & PROOF_MASK, metas >> DISTANCE_SHIFT
    won, lost = exists & (proofs == PROVEN_WIN), exists & (proofs == PROVEN_LOSS)
    live = exists & ~lost
    weights = np.where(live, visits, 0.0)
    for instead in (priors, np.ones_like(priors)):
        is_empty = weights.sum(axis=1, keepdims=True) == 0.0
        weights = np.where(is_empty & live, instead, weights)
    largest = weights.max(axis=1, keepdims=True)
    weights = weights / np.where(largest > 0.0, largest, 1.0)
    weights = _best(weights, 1) if temperature == 0.0 else weights ** (1.0 / temperature)
    if solver:
        longest = np.where(lost, distances, -1)
        weights = np.where((lost == exists).all(axis=1, keepdims=True), _best(longest, 0), weights)
        nearest = np.where(won, -distances, -(1 << 20))
        weights = np.where(won.any(axis=1, keepdims=True), _best(nearest, 1 - (1 << 20)), weights)
    sums = weights.sum(axis=1, keepdims=True)
    return np.asarray(weights / np.where(sums > 0.0, sums, 1.0))


def _best(numbers: npt.NDArray[Any], minimum: int) -> npt.NDArray[np.float64]:
    """Return 1 for the greatest numbers of each row that are at least `minimum`, else 0."""
    best = (numbers == numbers.max(axis=1, keepdims=True)) & (numbers >= minimum)
    return np.asarray(best, dtype=np.float64)
