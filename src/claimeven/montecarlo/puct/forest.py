"""Many searches in parallel, whose leaves the model evaluates together.

A model evaluates a hundred positions in little more time than one, and self-play has hundreds of
games at the same time. A forest contains a tree for each game and works in lockstep:

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
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.position import Position, check_position
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

#: The maximum of nodes of all trees, of trees, and of leaves of one tree in a batch.
MAX_NODES: Final = 1 << 30
MAX_TREES: Final = 1 << 16
MAX_LEAVES: Final = 1 << 12
#: The bounds of the parameter of the Dirichlet noise, which must be above 0.
DIRICHLET_ALPHA_BOUNDS: Final = (0.001, 1000)

#: A function that calls the model, such as `SafeMoment.interruptible`, which handles Ctrl-C.
ModelCaller: TypeAlias = Callable[[Callable[[], tuple[Floats, Floats]]], tuple[Floats, Floats]]


def call_directly(ask: Callable[[], tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Call the model without a check for Ctrl-C."""
    return ask()


class PuctForest(ReadableForest):
    """Compiled trees of searches with priors. All trees start at the empty board.

    The memory is allocated on creation and does not grow: 28 bytes a node, `nodes_per_tree` nodes
    for every tree, and the positions of one batch. An iteration uses at most one node a column. A
    full tree stops growing, and its iterations continue at its leaves. Raises `InvalidOptions` for
    sizes out of range, `InvalidGeometry` for boards of over 64 bits.

    >>> from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
    >>> forest = PuctForest(trees=2, nodes_per_tree=1000)
    >>> forest.reset(1, Position.from_moves("44"))
    >>> forest.run(UniformPolicyValue(), iterations=50)
    100
    >>> forest.visits().sum(axis=1).tolist()  # the first iteration evaluates the root itself
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
        check_geometry(geometry, InvalidOptions)
        geometry.check_fits_word("a model")
        whole_number(trees, "trees", InvalidOptions, low=1, high=MAX_TREES)
        low, high = 1 + geometry.columns, MAX_NODES // trees
        whole_number(nodes_per_tree, "nodes_per_tree", InvalidOptions, low=low, high=high)
        super().__init__(geometry, trees, nodes_per_tree, options)
        self.waiting = 0
        self._batch: fields.Leaves = fields.new_batch(trees, geometry)
        self._rules = fields.rules_of(options, geometry)
        for tree in range(trees):
            self.reset(tree)

    @classmethod
    def load(cls) -> None:
        """Compile the kernels, or load them from the cache, before a clock starts."""
        load(*cls.kernels)

    def reset(self, tree: int, position: Position | None = None) -> None:
        """Drop a tree and start another at a position, by default the empty board.

        Raises `InvalidPosition` for a position of another board or a finished one.
        """
        self._check_rests(tree)
        position = Position(self.geometry) if position is None else position
        check_position(position, InvalidPosition, self.geometry, ongoing=True)
        self._start_at(tree, NO_NODE, position)

    def gather(
        self, leaves: int = 1, until: int | npt.ArrayLike = MAX_VISITS
    ) -> tuple[Words, Words]:
        """Make up to `leaves` iterations in each tree, and return the positions that wait for the
        model: the discs of the side to move, and all discs.

        A tree stops at `until` visits of its root (one number, or one for each tree), at the end of
        the game, and with a proof (of a win only if no other move could win sooner). It makes fewer
        iterations if it reaches a leaf that waits already. Iterations with a proven leaf are backed
        up immediately without the model; `iterations` counts them too.
        """
        whole_number(leaves, "leaves", InvalidOptions, low=1, high=MAX_LEAVES)
        if self.waiting:
            raise InvalidOptions("the last leaves still wait: back them up first")
        if len(self._batch.leaves) < len(self) * leaves:
            self._batch = fields.new_batch(len(self) * leaves, self.geometry)
        self._trees.targets[:] = np.minimum(until, MAX_VISITS)
        count = gather_leaves(self._nodes, self._trees, self._batch, self._rules, leaves)
        self.waiting = int(count)
        return self._batch.mines[: self.waiting], self._batch.masks[: self.waiting]

    def back_up(self, values: Floats, priors: Floats) -> None:
        """Back up the values and priors of the model for the last positions.

        Raises `InvalidOptions` for arrays of another shape or type than `PolicyValue.evaluate` has.
        """
        for name, array, shape in (
            ("values", values, (self.waiting,)),
            ("priors", priors, (self.waiting, self.geometry.columns)),
        ):
            if array.shape != shape or array.dtype != np.float32:
                raise InvalidOptions(
                    f"the model's {name} must be float32 of shape {shape},"
                    f" got {array.dtype} of {array.shape}"
                )
        arrays = np.ascontiguousarray(values), np.ascontiguousarray(priors)
        back_up_leaves(self._nodes, self._batch, self._rules, *arrays)
        self.waiting = 0

    def drop(self) -> None:
        """Drop the waiting leaves; the search continues as before their selection."""
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
        """Make one batch: `gather`, the model, `back_up`. Return its iterations, 0 at the end.

        Ctrl-C between these parts would leave waiting leaves. Defer it around a step (as `run`
        does), except during the model's time: `call_model` calls the model.
        """
        made = int(self.iterations().sum())
        mines, masks = self.gather(leaves, until)
        if self.waiting:
            try:
                evaluated = call_model(lambda: evaluate_checked(model, mines, masks))
            except BaseException:
                self.drop()
                raise
            self.back_up(*evaluated)
        return int(self.iterations().sum()) - made

    def run(self, model: PolicyValue, iterations: int | npt.ArrayLike, leaves: int = 1) -> int:
        """Make iterations in every tree (one number, or one for each tree), `leaves` of them in
        each batch. Return their number: fewer if a tree is proven (see `gather`).
        """
        until = self.iterations() + np.asarray(iterations, dtype=np.int64)
        total = 0
        with interrupts.deferred() as safe_moment:
            while made := self.step(model, leaves, until, safe_moment.interruptible):
                total += made
                safe_moment()
        return total

    def advance(self, tree: int, column: int) -> None:
        """Make a move at the root of a tree: keep its subtree and drop the other nodes.

        Raises `IllegalMove` for an unplayable column and after the end of the game.
        """
        self._check_rests(tree)
        if self.is_over()[tree]:
            raise IllegalMove("the game is over")
        self.position(tree).check_move(column)
        self._advance(np.array([tree]), np.array([column]))

    def advance_all(self, trees: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> None:
        """Make a move at the root of each of these trees: see `advance`.

        Raises `IllegalMove`, or `InvalidOptions` for an unknown or repeated tree, before any move.
        """
        for tree in {int(trees.min(initial=0)), int(trees.max(initial=0))}:
            self._check_rests(tree)
        if len(np.unique(trees)) < len(trees):
            raise InvalidOptions("each tree makes one move at a time: pass it once")
        on_board = (columns >= 0) & (columns < self.geometry.columns)
        playable = playable_columns(self._trees.roots[trees, fields.MASK], self.geometry)
        legal = on_board & playable[np.arange(len(trees)), np.where(on_board, columns, 0)]
        for tree, column in zip(trees[~legal], columns[~legal], strict=True):
            self.position(int(tree)).check_move(int(column))
        if self.is_over()[trees].any():
            raise IllegalMove("the game is over")
        self._advance(trees, columns)

    def _advance(self, trees: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> None:
        scratch = np.empty(self.nodes_per_tree, dtype=np.int32)
        advance_roots(self._nodes, self._trees, self._rules, trees, columns, scratch)

    def move_to(self, tree: int, position: Position, keep: int | None = None) -> None:
        """Make a position the root of a tree, with its subtree if it is up to 4 moves below the
        last root. At most the oldest `keep` nodes are read, to limit the time, and the others
        dropped. Raises `InvalidPosition` for a position of another board.
        """
        self._check_rests(tree)
        check_position(position, InvalidPosition, self.geometry)
        self._start_at(tree, self._find(tree, position), position, keep)

    def _find(self, tree: int, position: Position) -> int:
        """Return the node of a position up to `REUSE_PLIES` moves below a root, or NO_NODE."""
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
            count = int(state[fields.USED])
            if keep is not None:
                count = min(count, max(keep, node - root + 1))
            scratch = np.empty(count, dtype=np.int32)
            state[fields.USED] = keep_subtree(self._nodes, scratch, root, node)
        if counts[root, fields.CHILD] == fields.NO_CHILDREN:
            # The root needs children, which will prove it again if it was proven without them.
            outcome, proof = position.outcome, UNPROVEN
            if outcome is not None:
                proof = PROVEN_DRAW if outcome.winner is None else PROVEN_WIN
            column, _, _, _ = layout.unpack_meta(int(counts[root, fields.META]))
            counts[root, fields.META] = column | proof << PROOF_SHIFT

    def add_noise(
        self,
        rng: np.random.Generator,
        fraction: float,
        alpha: float,
        trees: Iterable[int] | None = None,
    ) -> None:
        """Mix noise into the priors at the roots, so that self-play explores other moves.

        A `fraction` of the priors is replaced by a draw from a symmetric Dirichlet distribution
        with the parameter `alpha` over the children without a proven loss. Each of `trees`
        (default: all) gets one draw, trees with few such children first. Trees with an unvisited or
        proven root stay unchanged. Raises `InvalidOptions` for a fraction outside 0 to 1, or an
        alpha outside 0.001 to 1000.
        """
        for name, number, (low, high) in (
            ("fraction", fraction, BOUNDS["noise"]),
            ("alpha", alpha, DIRICHLET_ALPHA_BOUNDS),
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
            noise = rng.dirichlet([alpha] * count, size=int((counts == count).sum()))
            children = nodes[counts[rows] == count]
            mixed = (1.0 - fraction) * priors[children].astype(np.float64)
            mixed += fraction * noise.ravel()
            priors[children] = mixed.astype(np.float32)

    def _check_rests(self, tree: int) -> None:
        whole_number(tree, "tree", InvalidOptions, low=0, high=len(self) - 1)
        if self.waiting:
            raise InvalidOptions("leaves wait for the model: back them up first")
