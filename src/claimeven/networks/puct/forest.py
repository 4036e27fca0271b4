"""Many searches side by side, whose leaves are judged by the model together.

A model judges a hundred positions in little more time than one, and self-play has hundreds of games
to think about at once: a forest is a tree for each of them. It works in lockstep:

```text
    mines, masks = forest.gather(leaves=1)          leaves of all trees that wait for the model
    forest.back_up(*model.evaluate(mines, masks))   their values and priors
```
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import (
    DISTANCE_SHIFT,
    MOST_VISITS,
    PROOF_MASK,
    PROOF_SHIFT,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
)
from claimeven.montecarlo.options import InvalidOptions, check_whole, is_number
from claimeven.networks.policy_value import Floats, PolicyValue, Words
from claimeven.networks.puct.kernel import back_up_leaves, gather_leaves, keep_subtree
from claimeven.networks.puct.layout import (
    CHILD,
    DEPTH,
    FLIGHT,
    FULL,
    LENGTH,
    MASK,
    META,
    MINE,
    NO_CHILDREN,
    NODE_BYTES,
    USED,
    VISITS,
    Batch,
    new_batch,
    new_nodes,
    new_trees,
    rules_of,
)
from claimeven.networks.puct.options import DEFAULT, PuctOptions
from claimeven.networks.puct.policies import policies

#: The most nodes of all trees, and the most trees and leaves of one tree in a batch.
MOST_NODES: Final = 1 << 30
MOST_TREES: Final = 1 << 16
MOST_LEAVES: Final = 1 << 12

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]


class NodeFacts(NamedTuple):
    """What a node of a forest knows: see `layout`. `children` are the numbers of its children."""

    column: int
    visits: int
    total: float
    prior: float
    flight: int
    proof: int
    distance: int
    children: range


class PuctForest:
    """Trees of searches with priors, compiled. All begin at the empty board.

    Its memory is set aside at once and does not grow: 28 bytes a node, `nodes_each` for every tree,
    and the positions of one batch. An iteration uses at most a node a column; a tree without room
    grows no further, its iterations go on at its leaves.

    Raises `InvalidOptions` for sizes out of range, `InvalidGeometry` for boards of over 64 bits.

    >>> from claimeven.networks.policy_value import UniformPolicyValue
    >>> forest = PuctForest(trees=2, nodes_each=1000)
    >>> forest.reset(1, Position.from_moves("44"))
    >>> forest.run(UniformPolicyValue(), iterations=50)
    100
    >>> forest.visits().sum(axis=1).tolist()  # the first iteration judges the root itself
    [49, 49]
    """

    kernels = (gather_leaves, back_up_leaves, keep_subtree)

    def __init__(
        self,
        geometry: Geometry = STANDARD,
        trees: int = 1,
        nodes_each: int = 10_000,
        options: PuctOptions = DEFAULT,
    ) -> None:
        geometry.check_fits_word()
        check_whole("trees", trees, 1, MOST_TREES)
        check_whole("nodes_each", nodes_each, 1 + geometry.columns, MOST_NODES // trees)
        self.geometry = geometry
        self.options = options
        self.nodes_each = nodes_each
        self.waiting = 0
        self._nodes = new_nodes(trees * nodes_each)
        self._trees = new_trees(trees)
        self._batch: Batch = new_batch(trees, geometry)
        self._rules = rules_of(options, geometry)
        self._places = np.arange(trees, dtype=np.int64) * nodes_each
        for tree in range(trees):
            self.reset(tree)

    @classmethod
    def load(cls) -> None:
        """Compile what a forest calls, or load it from the cache, before a clock starts."""
        load(*cls.kernels)

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self._places)

    @property
    def memory(self) -> int:
        """Bytes of all nodes."""
        return len(self) * self.nodes_each * NODE_BYTES

    def reset(self, tree: int, position: Position | None = None) -> None:
        """Forget a tree and begin another at a position, the empty board where none is given.

        Raises `InvalidPosition` for another board's and for one whose game is over.
        """
        self._check_rests(tree)
        position = Position(self.geometry) if position is None else position
        if position.geometry != self.geometry:
            raise InvalidPosition(f"the forest is of {self.geometry}, not {position.geometry}")
        if position.is_over:
            raise InvalidPosition("the game is over here, so there is no move to search for")
        self._trees.roots[tree] = position.mine, position.mask
        root = self._places[tree]
        self._nodes.counts[root] = 0, 0, NO_CHILDREN, 0
        self._nodes.totals[root] = 0.0
        self._trees.states[tree] = 1, 0, 0

    def gather(
        self, leaves: int = 1, until: int | npt.ArrayLike = MOST_VISITS
    ) -> tuple[Words, Words]:
        """Make up to `leaves` iterations in each tree, and return the positions that wait for the
        model: the discs of the side to move, and all discs.

        A tree takes no more part when its root has `until` visits (one number, or one for each
        tree), is proven, or over; it makes fewer iterations when it comes upon a leaf that waits
        already. What ends in a proven leaf is backed up at once and asks nothing, so that there may
        be iterations and no positions: see `iterations`.
        """
        check_whole("leaves", leaves, 1, MOST_LEAVES)
        if self.waiting:
            raise InvalidOptions("the leaves gathered before wait still: back them up first")
        if len(self._batch.leaves) < len(self) * leaves:
            self._batch = new_batch(len(self) * leaves, self.geometry)
        self._trees.targets[:] = np.minimum(until, MOST_VISITS)
        self.waiting = int(
            gather_leaves(self._nodes, self._trees, self._batch, self._rules, leaves)
        )
        return self._batch.mines[: self.waiting], self._batch.masks[: self.waiting]

    def back_up(self, values: Floats, priors: Floats) -> None:
        """Take what the model says of the positions gathered last, and count it.

        Raises `InvalidOptions` for arrays of another shape or type than `PolicyValue.evaluate` has.
        """
        for name, array, shape in (
            ("values", values, (self.waiting,)),
            ("priors", priors, (self.waiting, self.geometry.columns)),
        ):
            if array.shape != shape or array.dtype != np.float32:
                raise InvalidOptions(
                    f"the model's {name} must be float32 of shape {shape},"
                    f" not {array.dtype} of {array.shape}"
                )
        back_up_leaves(
            self._nodes,
            self._batch,
            np.ascontiguousarray(values),
            np.ascontiguousarray(priors),
        )
        self.waiting = 0

    def drop(self) -> None:
        """Forget the leaves that wait; the search can go on as if they had not been gathered."""
        for leaf in range(self.waiting):
            depth = self._batch.leaves[leaf, LENGTH]
            self._nodes.counts[self._batch.paths[leaf, : depth + 1], FLIGHT] -= 1
        self.waiting = 0

    def run(self, model: PolicyValue, iterations: int | npt.ArrayLike, leaves: int = 1) -> int:
        """Make iterations in every tree (one number, or one for each tree), `leaves` of them a
        batch; returns how many were made, fewer where a tree is proven.
        """
        before = self.iterations()
        until = before + np.asarray(iterations, dtype=np.int64)
        while True:
            made = self.iterations()
            mines, masks = self.gather(leaves, until)
            if self.waiting:
                try:
                    judged = model.evaluate(mines, masks)
                except BaseException:
                    self.drop()
                    raise
                self.back_up(*judged)
            elif np.array_equal(made, self.iterations()):
                return int((made - before).sum())

    def advance(self, tree: int, column: int) -> None:
        """Make a move at the root of a tree: what is below it is kept, the rest forgotten.

        Raises `IllegalMove` for a column that cannot be played, and when the game is over.
        """
        self._check_rests(tree)
        if self._proofs(self._places[tree]) != UNPROVEN and self.is_over()[tree]:
            raise IllegalMove("the game is over")
        position = self.position(tree).play(column)
        root = self.root(tree)
        below = [n for n in self.node(root).children if self.node(n).column == column]
        self._trees.roots[tree] = position.mine, position.mask
        state = self._trees.states[tree]
        if not below:
            self._nodes.counts[root] = 0, 0, NO_CHILDREN, 0
            self._nodes.totals[root] = 0.0
            state[USED] = 1
        else:
            moved = np.empty(state[USED], dtype=np.int32)
            state[USED] = keep_subtree(self._nodes, moved, root, below[0])
        state[DEPTH] = state[FULL] = 0
        if self._nodes.counts[root, CHILD] == NO_CHILDREN:
            # What it showed at a glance its children will show again, and they are needed here.
            outcome = position.outcome
            proof = UNPROVEN
            if outcome is not None:
                proof = PROVEN_DRAW if outcome.winner is None else PROVEN_WIN
            self._nodes.counts[root, META] = column | proof << PROOF_SHIFT

    def add_noise(self, rng: np.random.Generator, share: float, concentration: float) -> None:
        """Mix noise into the priors at the roots, so that self-play tries what the model would not.

        `share` of them becomes a draw from a symmetric Dirichlet distribution, over the children
        that are not known to lose; one draw a tree, in their order. Trees whose root has not been
        visited, or is proven, are left as they are.
        """
        for name, number in (("share", share), ("concentration", concentration)):
            if not is_number(number) or not 0.0 <= number <= 1000.0:
                raise InvalidOptions(f"{name} must be a number of at least 0, not {number!r}")
        priors = self._nodes.priors
        for tree in range(len(self)):
            root = self.node(self.root(tree))
            children = np.array(root.children, dtype=np.int64)
            live = children[self._proofs(children) != PROVEN_LOSS]
            if root.visits and root.proof == UNPROVEN and len(live):
                noise = rng.dirichlet([concentration] * len(live))
                mixed = (1.0 - share) * priors[live].astype(np.float64) + share * noise
                priors[live] = mixed.astype(np.float32)

    def root(self, tree: int) -> int:
        """Return the number of a tree's root, for `node`."""
        return int(self._places[tree])

    def node(self, number: int) -> NodeFacts:
        """Return what a node knows."""
        visits, flight, child, meta = (int(count) for count in self._nodes.counts[number])
        column, count, proof, distance = layout.unpacked(meta)
        return NodeFacts(
            column,
            visits,
            float(self._nodes.totals[number]),
            float(self._nodes.priors[number]),
            flight,
            proof,
            distance,
            range(0) if child == NO_CHILDREN else range(child, child + count),
        )

    def used(self, tree: int) -> int:
        """Return how many nodes a tree has."""
        return int(self._trees.states[tree, USED])

    def depth(self, tree: int) -> int:
        """Return the depth of the deepest iteration since the root was set, in moves."""
        return int(self._trees.states[tree, DEPTH])

    def is_full(self, tree: int) -> bool:
        """Return whether there was no room for a node since the root was set."""
        return bool(self._trees.states[tree, FULL])

    def position(self, tree: int) -> Position:
        """Return the position at the root of a tree."""
        mine, mask = (int(word) for word in self._trees.roots[tree])
        discs = mine, mine ^ mask
        return Position.from_discs(self.geometry, *(discs[::-1] if mask.bit_count() % 2 else discs))

    def roots(self) -> tuple[Words, Words]:
        """Return the positions at all roots, as a model takes them."""
        roots = self._trees.roots
        return roots[:, MINE].copy(), roots[:, MASK].copy()

    def iterations(self) -> npt.NDArray[np.int64]:
        """Return the visits of each root: the iterations of its tree, kept ones included."""
        visits: npt.NDArray[np.int64] = self._nodes.counts[self._places, VISITS].astype(np.int64)
        return visits

    def is_over(self) -> Bools:
        """Return for each tree whether the game is over at its root."""
        metas = self._nodes.counts[self._places, META]
        over: Bools = (self._proofs(self._places) != UNPROVEN) & (metas >> DISTANCE_SHIFT == 0)
        return over

    def is_done(self) -> Bools:
        """Return for each tree whether there is nothing left to search: over or, with the solver,
        proven.
        """
        if not self.options.solver:
            return self.is_over()
        done: Bools = self._proofs(self._places) != UNPROVEN
        return done

    def results(self) -> npt.NDArray[np.int8]:
        """Return what is proven of each root for the side to move: 1, -1, or 0 for a draw and for
        one that is not proven.
        """
        proofs = self._proofs(self._places)
        found: npt.NDArray[np.int8] = (proofs == PROVEN_LOSS).astype(np.int8) - (
            proofs == PROVEN_WIN
        ).astype(np.int8)
        return found

    def values(self) -> Doubles:
        """Return what each root is worth to its side to move, -1 to 1: the mean of its iterations,
        the result where it is proven, and 0 where it has not been visited.
        """
        visits = np.maximum(self.iterations(), 1)
        means = -self._nodes.totals[self._places] / visits
        values: Doubles = np.where(self._proofs(self._places) != UNPROVEN, self.results(), means)
        return values

    def visits(self) -> Counts:
        """Return the visits of each column at each root, int32 (trees, columns)."""
        return self._spread(self._nodes.counts[:, VISITS])

    def priors(self) -> Floats:
        """Return the prior of each column at each root, float32 (trees, columns)."""
        return self._spread(self._nodes.priors)

    def policies(self, temperature: float = 1.0) -> Doubles:
        """Return how likely self-play makes each move at each root, float64 (trees, columns).

        Visits to the power of 1 / temperature, of those not proven lost; 0: the most visited alone.
        Priors stand for visits where there are none. A proven win is played for certain, the
        nearest one; where every move loses the longest defence is. Equals share. Zeros where the
        game is over, or the root has not been visited.
        """
        counts = self._nodes.counts
        there, metas = self._there(), self._spread(counts[:, META])
        return policies(
            self.visits(), self.priors(), metas, there, temperature, self.options.solver
        )

    def _there(self) -> Bools:
        """Return whether the root of each tree has a child for each column."""
        there: Bools = self._spread(np.ones(len(self._nodes.counts), dtype=np.bool_))
        return there

    def _spread(self, field: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return what a field of the nodes says of each column at each root, 0 where none."""
        counts = self._nodes.counts
        firsts = counts[self._places, CHILD].astype(np.int64)
        number = counts[self._places, META] >> layout.COUNT_SHIFT & layout.COUNT_MASK
        number = np.where(firsts == NO_CHILDREN, 0, number)
        tree, nth = np.nonzero(np.arange(self.geometry.columns) < number[:, None])
        children = firsts[tree] + nth
        found = np.zeros((len(self), self.geometry.columns), dtype=field.dtype)
        found[tree, counts[children, META] & layout.COLUMN_MASK] = field[children]
        return found

    def _proofs(self, nodes: npt.NDArray[np.int64] | np.int64) -> npt.NDArray[np.int32]:
        found: npt.NDArray[np.int32] = self._nodes.counts[nodes, META] >> PROOF_SHIFT & PROOF_MASK
        return found

    def _check_rests(self, tree: int) -> None:
        """Raise unless there is such a tree, and no leaf waits."""
        check_whole("tree", tree, 0, len(self) - 1)
        if self.waiting:
            raise InvalidOptions("leaves wait for the model: back them up first")
