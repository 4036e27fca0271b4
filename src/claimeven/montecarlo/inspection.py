"""Inspection of a tree: columns, principal variation, the tree to a depth.

`Forest` combines the trees of several threads. One rule holds for all totals, means and proofs: the
numbers of a move are from the view of its mover, the numbers of the root from the view of the
player to move. The root and its columns therefore agree. Totals and means are in the chosen scale.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from itertools import count
from operator import attrgetter
from typing import Any, Final, NamedTuple

from claimeven.game import ClaimevenError, Position
from claimeven.game.validation import whole_number
from claimeven.markup import shown_by
from claimeven.montecarlo.engine import Handle, NodeStats, ReadableTree
from claimeven.montecarlo.layout import PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN, UNPROVEN
from claimeven.montecarlo.options import InvalidOptions, MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import immediate_moves

PROOF_NAMES: Final = {UNPROVEN: None, PROVEN_WIN: "win", PROVEN_LOSS: "loss", PROVEN_DRAW: "draw"}


@dataclass(frozen=True)
class Branch:
    """A node of a tree and the nodes to show below it.

    Attributes:
        column: 0-based column of the move into it (0 at the root, which has none).
        visits: N, iterations through it.
        total: T, sum of their results on the scale of the options.
        mean: Q = T / N; nan without visits.
        bonus: the exploration bonus of selection; infinite without visits (except with priors),
            None at the root and in searches without selection (flat, breadth).
        share: its part of the visits of all children of its parent, 0..1; 1 at the root.
        plain_mean: the mean on the scale -1..1; 0 without visits.
        final_mean: the criterion of `final_choice=mean`: the mean, or in flat search the sum of the
            means of the leaves below; a column that is a leaf counts once for each legal column.
        proof: one of the proofs of `layout`, UNPROVEN without a proof.
        distance: moves to the proven end of the game, including the move into the node: an
            immediate win is a win in 1.
        children: left to right.
        left_out: number of its children that the limit on nodes hides.
        prior: P, the prior of a model for the move, 0..1; None at the root and without a model.
        unvisited_value: value of an unvisited move in selection, in searches with priors.

    """

    column: int
    visits: int
    total: float
    mean: float
    bonus: float | None
    share: float
    plain_mean: float
    final_mean: float
    proof: int
    distance: int
    children: tuple[Branch, ...] = ()
    left_out: int = 0
    prior: float | None = None
    unvisited_value: float = 0.0

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal; the mean (nan) of unvisited nodes does not count."""
        if not isinstance(other, Branch):
            return NotImplemented
        same: bool = _but_the_mean(self) == _but_the_mean(other)
        return same and (not self.visits or self.mean == other.mean)

    def __hash__(self) -> int:
        return hash((self.column, self.visits, self.total, len(self.children)))

    @property
    def selection(self) -> float | None:
        """E, the sum of mean and bonus, the criterion of selection; infinite without visits (with a
        prior: `unvisited_value` and the bonus), None without a bonus.
        """
        if self.bonus is None:
            return None
        return (self.mean if self.visits else self.unvisited_value) + self.bonus


_but_the_mean = attrgetter(*(each.name for each in fields(Branch) if each.name != "mean"))


class OutdatedForest(ClaimevenError):
    """Trees were inspected after the next search had started, or in a copy of a result."""


def _raise_copied() -> None:
    raise OutdatedForest("a copy has no trees: use the result of the search in its own process")


class Forest:
    """The trees of all threads of a search, combined.

    The lock `busy` protects them. `check` and the methods raise `OutdatedForest` after a change.
    """

    _repr_html_ = shown_by("claimeven.montecarlo.tree_text", "forest_html")

    def __init__(
        self,
        position: Position,
        options: MonteCarloOptions,
        trees: tuple[ReadableTree, ...],
        busy: AbstractContextManager[object] | None = None,
        check: Callable[[], object] = lambda: None,
    ) -> None:
        self.position = position
        self.options = options
        self.trees = trees
        # The lock itself: in a Python function that acquires it, Ctrl-C could leave it locked.
        self.busy: AbstractContextManager[object, bool | None] = (
            nullcontext() if busy is None else busy
        )
        self.check = check

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has no trees: they can be large, and the search still uses them."""
        return Forest, (self.position, self.options, (), None, _raise_copied)

    def root_visits(self) -> int:
        with self.busy:
            self.check()
            return self._root().facts.visits

    def branch(
        self, depth: int | None = 2, limit: int | None = None, path: Sequence[int] = ()
    ) -> Branch:
        """Return the tree to a depth in moves (None: all), with the `limit` most visited nodes.

        With a limit only visited or proven nodes are shown. Nodes on a `path` of columns and their
        siblings come first, and the path continues beyond the depth. Raises `InvalidOptions` for a
        negative depth or a limit below 1.
        """
        if depth is not None:
            whole_number(depth, "depth", InvalidOptions, low=0, high=1_000)
        if limit is not None:
            whole_number(limit, "limit", InvalidOptions, low=1, high=1_000_000)
        with self.busy:
            self.check()
            order = count()
            root = _Display(self._root(), 0, bool(path))
            waiting: list[tuple[float, int, _Display, _Display]] = [(0, next(order), root, root)]
            left = math.inf if limit is None else limit
            while waiting and left > 0:
                _, _, shown, parent = heapq.heappop(waiting)
                left -= 1
                if shown is not parent:
                    parent.children.append(shown)
                    parent.left_out -= 1
                if depth is not None and shown.depth >= depth and not shown.is_on_path:
                    continue
                onward = path[shown.depth] if shown.is_on_path else None
                for child in _children(shown.node):
                    shown.left_out += 1  # until it is shown
                    if child.is_known or limit is None:
                        follows = child.facts.column == onward and shown.depth + 1 < len(path)
                        below = _Display(child, shown.depth + 1, follows)
                        rank = -math.inf if shown.is_on_path else -child.facts.visits
                        heapq.heappush(waiting, (rank, next(order), below, shown))
            return self._as_branch(root, None, 0)

    def line(self, column: int) -> tuple[int, ...]:
        """Return a column and the likeliest moves after it, as far as the tree reaches.

        The winner of a proof takes the nearest win, the loser the longest defense. Otherwise the
        most visited move follows. Immediate wins, and blocks in lost positions, end a proven line.
        """
        columns: list[int] = []
        position, proof = self.position, UNPROVEN
        with self.busy:
            self.check()
            node = self._root()
            while True:
                known = [child for child in _children(node) if child.is_known]
                if not columns:
                    known = [child for child in known if child.facts.column == column]
                if not known:
                    break
                node = max(known, key=lambda child: _likelihood(child.facts))
                proof = node.facts.proof
                columns.append(node.facts.column)
                position = position.play(node.facts.column)
        if not columns:
            return (column,)
        if proof != UNPROVEN and self.options.decisive_moves == "tree":
            columns += immediate_moves(position)
        return tuple(columns)

    def _root(self) -> _MergedNode:
        handles = [(tree, tree.root()) for tree in self.trees]
        root = _MergedNode(_merge([tree.facts(handle) for tree, handle in handles]), handles)
        if len(self.trees) > 1 and self.options.solver:
            root = root._replace(facts=_proven_root(root))
        return root

    def _as_branch(self, shown: _Display, parent: NodeStats | None, siblings: int) -> Branch:
        """`parent`: None at the root; `siblings`: visits of all its children, 0 at the root."""
        facts = shown.node.facts
        if parent is None:
            facts = _flip(facts)
        options = self.options
        visits, total = facts.visits, float(facts.total)
        plain = total / visits if visits else 0.0
        bonus, untried, share = None, 0.0, 1.0
        distance = facts.distance + (parent is not None and facts.proof != UNPROVEN)
        if parent is not None:
            share = visits / siblings if siblings else 0.0
            if options.method == "uct":
                bonus, untried = self.bonus(parent, facts)
        if options.width == 2.0:
            total = (total + visits) / 2
        mean = total / visits if visits else math.nan
        leaf_mean, total_below = plain, 0
        by_leaves = options.method == "flat" and shown.depth == 1
        if shown.children or by_leaves:
            below = [child.facts for child in _children(shown.node)]
            total_below = sum(child.visits for child in below)
            if by_leaves and below:
                leaf_mean = -sum(leaf.total / leaf.visits for leaf in below if leaf.visits)
            elif by_leaves:
                leaf_mean *= len(self.position.legal_columns)
        children = sorted(
            (self._as_branch(child, shown.node.facts, total_below) for child in shown.children),
            key=lambda child: child.column,
        )
        return Branch(
            facts.column, visits, total, mean, bonus, share, plain, leaf_mean, facts.proof,
            distance, tuple(children), shown.left_out, None if parent is None else facts.prior,
            untried,
        )  # fmt: skip

    def bonus(self, parent: NodeStats, child: NodeStats) -> tuple[float, float]:
        """Return the bonus of a child in selection, and its value in selection without visits."""
        if not child.visits:
            return math.inf, 0.0
        options, visits = self.options, child.visits
        lift = max(0.0, 2 * options.min_wins - visits - child.total) / visits
        seen = parent.visits if parent.seen is None else parent.seen
        bonus = options.weight * math.sqrt(math.log(max(seen, 1)) / visits)
        return (bonus + lift) / options.width, 0.0


class _MergedNode(NamedTuple):
    """A node of all trees together: its content, and its handle in every tree that contains it."""

    facts: NodeStats
    handles: list[tuple[ReadableTree, Handle]]

    @property
    def is_known(self) -> bool:
        return bool(self.facts.visits or self.facts.proof)


def _children(node: _MergedNode) -> list[_MergedNode]:
    columns: dict[int, tuple[list[NodeStats], list[tuple[ReadableTree, Handle]]]] = {}
    for tree, handle in node.handles:
        for child in tree.children(handle):
            facts = tree.facts(child)
            known, handles = columns.setdefault(facts.column, ([], []))
            known.append(facts)
            handles.append((tree, child))
    return [_MergedNode(_merge(known), handles) for _, (known, handles) in sorted(columns.items())]


def _merge(facts: Sequence[NodeStats]) -> NodeStats:
    """Combine a node's content in all trees: sums, and the nearest proof."""
    if len(facts) == 1:
        return facts[0]
    proven = sorted((f for f in facts if f.proof != UNPROVEN), key=attrgetter("distance"))
    seen = [fact.seen for fact in facts if fact.seen is not None]
    return NodeStats(
        facts[0].column,
        sum(fact.visits for fact in facts),
        sum(fact.total for fact in facts),
        proven[0].proof if proven else UNPROVEN,
        proven[0].distance if proven else 0,
        seen=sum(seen) if seen else None,
    )


def _proven_root(root: _MergedNode) -> NodeStats:
    """Prove a root by its columns in all trees together, if possible."""
    moves = [child.facts for child in _children(root)]
    won = [move.distance for move in moves if move.proof == PROVEN_WIN]
    if won:
        return replace(root.facts, proof=PROVEN_LOSS, distance=1 + min(won))
    if not moves or any(move.proof == UNPROVEN for move in moves):
        return root.facts
    drawn = [move.distance for move in moves if move.proof == PROVEN_DRAW]
    longest = max(drawn or [move.distance for move in moves])
    return replace(root.facts, proof=PROVEN_DRAW if drawn else PROVEN_WIN, distance=1 + longest)


@dataclass
class _Display:
    """A node to show, and whether a path continues through it."""

    node: _MergedNode
    depth: int
    is_on_path: bool
    children: list[_Display] = field(default_factory=list)
    left_out: int = 0


def _flip(facts: NodeStats) -> NodeStats:
    """Return the content of the root from the view of the player to move: the sign reversed."""
    proof = {PROVEN_WIN: PROVEN_LOSS, PROVEN_LOSS: PROVEN_WIN}.get(facts.proof, facts.proof)
    return replace(facts, total=-facts.total or 0.0, proof=proof)


def _likelihood(facts: NodeStats) -> tuple[int, int, int]:
    """Return the rank of a move in a line: nearest proven win, visits, farthest proven loss."""
    if facts.proof == PROVEN_WIN:
        return 1, -facts.distance, facts.visits
    if facts.proof == PROVEN_LOSS:
        return -1, facts.distance, facts.visits
    return 0, facts.visits, 0
