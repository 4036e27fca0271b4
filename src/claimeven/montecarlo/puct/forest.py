"""Many searches side by side, whose leaves are judged by the model together.

A model judges a hundred positions in little more time than one, and self-play has hundreds of games
to think about: a forest is a tree for each of them. It works in lockstep:

```text
    mines, masks = forest.gather(leaves=1)          leaves of all trees that wait for the model
    forest.back_up(*model.evaluate(mines, masks))   their values and priors
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game.errors import IllegalMove, InvalidPosition
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.game.validation import real_number, whole_number
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import (
    MAX_VISITS,
    NO_NODE,
    PROOF_SHIFT,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    REUSE_PLIES,
    UNPROVEN,
)
from claimeven.montecarlo.options import InvalidOptions
from claimeven.montecarlo.puct import layout as fields
from claimeven.montecarlo.puct.inspection import ReadableForest
from claimeven.montecarlo.puct.kernel import (
    advance_roots,
    back_up_leaves,
    gather_leaves,
    keep_subtree,
)
from claimeven.montecarlo.puct.options import BOUNDS, DEFAULT, PuctOptions
from claimeven.montecarlo.puct.policy_value import (
    Floats,
    PolicyValue,
    Words,
    evaluate_checked,
    playable_columns,
)
from claimeven.parallel import interrupts

#: The most nodes of all trees, and the most trees and leaves of one tree in a batch.
MAX_NODES: Final = 1 << 30
MAX_TREES: Final = 1 << 16
MAX_LEAVES: Final = 1 << 12
#: The bounds of the concentration of noise, which must be above 0.
DIRICHLET_ALPHA_BOUNDS: Final = (0.001, 1000)

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]


#: Calls the evaluation of the model, as `SafeMoment.interruptible` does while Ctrl-C is postponed.
ModelCaller: TypeAlias = Callable[[Callable[[], tuple[Floats, Floats]]], tuple[Floats, Floats]]


def call_directly(ask: Callable[[], tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Ask the model, Ctrl-C or not."""
    return ask()


class PuctForest(ReadableForest):
    """Compiled trees of searches with priors. All trees start at the empty board.

    The memory is allocated on creation and does not grow: 28 bytes a node, `nodes_per_tree` nodes
    for every tree, and the positions of one batch. An iteration uses at most one node a column. A
    full tree stops growing, and its iterations continue at its leaves.

    Raises `InvalidOptions` for sizes out of range, `InvalidGeometry` for boards of over 64 bits.

    >>> from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
    >>> forest = PuctForest(trees=2, nodes_per_tree=1000)
    >>> forest.reset(1, Position.from_moves("44"))
    >>> forest.run(UniformPolicyValue(), iterations=50)
    100
    >>> forest.visits().sum(axis=1).tolist()  # the first iteration judges the root itself
    [49, 49]
    """

    kernels = (gather_leaves, back_up_leaves, keep_subtree, advance_roots)

    def __init__(
        self,
        geometry: Geometry = STANDARD,
        trees: int = 1,
        nodes_per_tree: int = 10_000,
        options: PuctOptions = DEFAULT,
    ) -> None:
        geometry.check_fits_word()
        whole_number(trees, "trees", InvalidOptions, low=1, high=MAX_TREES)
        low, high = 1 + geometry.columns, MAX_NODES // trees
        whole_number(nodes_per_tree, "nodes_per_tree", InvalidOptions, low=low, high=high)
        super().__init__(geometry, trees, nodes_per_tree, options)
        self.waiting = 0
        self._batch: fields.Batch = fields.new_batch(trees, geometry)
        self._rules = fields.rules_of(options, geometry)
        for tree in range(trees):
            self.reset(tree)

    @classmethod
    def load(cls) -> None:
        """Compile the kernels of a forest, or load them from the cache, before a clock starts."""
        load(*cls.kernels)

    def reset(self, tree: int, position: Position | None = None) -> None:
        """Forget a tree and start another at a position, by default the empty board.

        Raises `InvalidPosition` for another board's and for one whose game is over.
        """
        self._check_rests(tree)
        position = Position(self.geometry) if position is None else position
        self._check_board(position)
        if position.is_over:
            raise InvalidPosition("the game is over here, so there is no move to search for")
        self._start_at(tree, NO_NODE, position)

    def gather(
        self, leaves: int = 1, until: int | npt.ArrayLike = MAX_VISITS
    ) -> tuple[Words, Words]:
        """Make up to `leaves` iterations in each tree, and return the positions that wait for the
        model: the discs of the side to move, and all discs.

        A tree stops when its root has `until` visits (one number, or one for each tree), is over,
        or is proven (for a win: when no other move could win sooner). It makes fewer iterations
        when it reaches a leaf that waits already. An iteration that ends in a proven leaf is backed
        up immediately without the model, so there may be iterations and no positions: see
        `iterations`.
        """
        whole_number(leaves, "leaves", InvalidOptions, low=1, high=MAX_LEAVES)
        if self.waiting:
            raise InvalidOptions("the leaves gathered before wait still: back them up first")
        if len(self._batch.leaves) < len(self) * leaves:
            self._batch = fields.new_batch(len(self) * leaves, self.geometry)
        self._trees.targets[:] = np.minimum(until, MAX_VISITS)
        found = gather_leaves(self._nodes, self._trees, self._batch, self._rules, leaves)
        self.waiting = int(found)
        return self._batch.mines[: self.waiting], self._batch.masks[: self.waiting]

    def back_up(self, values: Floats, priors: Floats) -> None:
        """Take the model's answers for the positions gathered last, and count them.

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
        arrays = np.ascontiguousarray(values), np.ascontiguousarray(priors)
        back_up_leaves(self._nodes, self._batch, self._rules, *arrays)
        self.waiting = 0

    def drop(self) -> None:
        """Forget the leaves that wait; the search continues as if they had not been gathered."""
        for leaf in range(self.waiting):
            depth = self._batch.leaves[leaf, fields.LENGTH]
            self._nodes.counts[self._batch.paths[leaf, : depth + 1], fields.FLIGHT] -= 1
        self.waiting = 0

    def step(
        self,
        model: PolicyValue,
        leaves: int = 1,
        until: int | npt.ArrayLike = MAX_VISITS,
        call_model: ModelCaller = call_directly,
    ) -> int:
        """Make one batch: `gather`, the model, `back_up`. Returns how many iterations were made; 0
        when all trees are done.

        Ctrl-C between these would leave leaves waiting: postpone it around a step (as `run` does),
        except for the time of the model, which `call_model` calls.
        """
        made = int(self.iterations().sum())
        mines, masks = self.gather(leaves, until)
        if self.waiting:
            try:
                found = call_model(lambda: evaluate_checked(model, mines, masks))
            except BaseException:
                self.drop()
                raise
            self.back_up(*found)
        return int(self.iterations().sum()) - made

    def run(self, model: PolicyValue, iterations: int | npt.ArrayLike, leaves: int = 1) -> int:
        """Make iterations in every tree (one number, or one for each tree), `leaves` of them a
        batch; returns the number of iterations, fewer if a tree is proven: see `gather`.
        """
        until = self.iterations() + np.asarray(iterations, dtype=np.int64)
        total = 0
        with interrupts.deferred() as safe_moment:
            while made := self.step(model, leaves, until, safe_moment.interruptible):
                total += made
                safe_moment()
        return total

    def advance(self, tree: int, column: int) -> None:
        """Make a move at the root of a tree: the part below it stays, the rest is forgotten.

        Raises `IllegalMove` for a column that cannot be played, and when the game is over.
        """
        self._check_rests(tree)
        if self.is_over()[tree]:
            raise IllegalMove("the game is over")
        self.position(tree).check_move(column)
        self._advance(np.array([tree]), np.array([column]))

    def advance_all(self, trees: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> None:
        """Make a move at the root of each of these trees in one call: see `advance`.

        Raises `IllegalMove` if one cannot be played, and `InvalidOptions` for a tree that is not
        there, or named twice; no move is made then.
        """
        for tree in {int(trees.min(initial=0)), int(trees.max(initial=0))}:
            self._check_rests(tree)
        if len(np.unique(trees)) < len(trees):
            raise InvalidOptions("a tree is named twice: it makes one move at a time")
        on_board = (columns >= 0) & (columns < self.geometry.columns)
        playable = playable_columns(self._trees.roots[trees, fields.MASK], self.geometry)
        legal = on_board & playable[np.arange(len(trees)), np.where(on_board, columns, 0)]
        for tree, column in zip(trees[~legal], columns[~legal], strict=True):
            self.position(int(tree)).check_move(int(column))
        if self.is_over()[trees].any():
            raise IllegalMove("the game is over")
        self._advance(trees, columns)

    def _advance(self, trees: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> None:
        moved = np.empty(self.nodes_per_tree, dtype=np.int32)
        advance_roots(self._nodes, self._trees, self._rules, trees, columns, moved)

    def move_to(self, tree: int, position: Position, keep: int | None = None) -> None:
        """Make a position the root of a tree, with its part of this tree if it is in it, up to 4
        moves on. With many nodes this takes time: at most `keep` of them are searched, the oldest,
        and the others forgotten. Raises `InvalidPosition` for another board's.
        """
        self._check_rests(tree)
        self._check_board(position)
        self._start_at(tree, self._find(tree, position), position, keep)

    def _find(self, tree: int, position: Position) -> int:
        """Return the node of a position at most `REUSE_PLIES` moves below a root, else NO_NODE."""
        waiting = [(self.root(tree), self.position(tree))]
        if not 0 <= position.ply - waiting[0][1].ply <= REUSE_PLIES:
            return NO_NODE
        for node, at in waiting:  # the list grows in the loop
            if at == position:
                return node
            if at.ply < position.ply and at.mask & ~position.mask == 0:
                below = self.node(node).children
                waiting += [(n, at.play_unchecked(self.node(n).column)) for n in below]
        return NO_NODE

    def _start_at(self, tree: int, node: int, position: Position, keep: int | None = None) -> None:
        counts, state, root = self._nodes.counts, self._trees.states[tree], self.root(tree)
        self._trees.roots[tree] = position.mine, position.mask
        state[fields.DEPTH] = state[fields.FULL] = 0
        if node == NO_NODE:
            counts[root] = 0, 0, fields.NO_CHILDREN, 0
            self._nodes.totals[root] = 0.0
            state[fields.USED] = 1
        elif node != root:
            looked = int(state[fields.USED])
            if keep is not None:
                looked = min(looked, max(keep, node - root + 1))
            moved = np.empty(looked, dtype=np.int32)
            state[fields.USED] = keep_subtree(self._nodes, moved, root, node)
        if counts[root, fields.CHILD] == fields.NO_CHILDREN:
            # Its children are needed here, and will prove it again.
            outcome, proof = position.outcome, UNPROVEN
            if outcome is not None:
                proof = PROVEN_DRAW if outcome.winner is None else PROVEN_WIN
            column, _, _, _ = layout.unpack_meta(int(counts[root, fields.META]))
            counts[root, fields.META] = column | proof << PROOF_SHIFT

    def add_noise(
        self,
        rng: np.random.Generator,
        share: float,
        concentration: float,
        trees: Iterable[int] | None = None,
    ) -> None:
        """Mix noise into the priors at the roots, so that self-play tries moves that the model
        would not.

        `share` of them becomes a draw from a symmetric Dirichlet distribution, over the children
        that are not known to lose; one draw for each of `trees` (all), first for those with the
        fewest such children. Trees whose root has not been visited, or is proven, are left as they
        are. Raises `InvalidOptions` for a
        share that is not 0 to 1, or a concentration that is not 0.001 to 1000.
        """
        for name, number, (low, high) in (
            ("share", share, BOUNDS["noise"]),
            ("concentration", concentration, DIRICHLET_ALPHA_BOUNDS),
        ):
            real_number(number, name, InvalidOptions, low=low, high=high)
        which = np.arange(len(self)) if trees is None else np.fromiter(trees, dtype=np.int64)
        open_ones = (self.iterations() > 0) & (self._proofs(self._places) == UNPROVEN)
        which = which[open_ones[which]]
        rows, _, nodes = self._root_children(which)
        live = self._proofs(nodes) != PROVEN_LOSS
        rows, nodes = rows[live], nodes[live]
        counts = np.bincount(rows, minlength=len(which))
        priors = self._nodes.priors
        for count in np.unique(counts[counts > 0]):
            noise = rng.dirichlet([concentration] * count, size=int((counts == count).sum()))
            children = nodes[counts[rows] == count]
            mixed = (1.0 - share) * priors[children].astype(np.float64) + share * noise.ravel()
            priors[children] = mixed.astype(np.float32)

    def _check_board(self, position: Position) -> None:
        """Raise unless a position is of the board of the forest."""
        if position.geometry != self.geometry:
            raise InvalidPosition(f"the forest is of {self.geometry}, not {position.geometry}")

    def _check_rests(self, tree: int) -> None:
        """Raise unless there is such a tree, and no leaf waits."""
        whole_number(tree, "tree", InvalidOptions, low=0, high=len(self) - 1)
        if self.waiting:
            raise InvalidOptions("leaves wait for the model: back them up first")
