"""UCT on positions, phase by phase: the readable version, and the source of traces.

Each iteration selects a leaf, expands it, simulates a game from it and backs up the result.
`kernel` is the compiled twin: it draws the same random numbers and grows the same tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from claimeven.game import Position
from claimeven.montecarlo.formula import TOLERANCE, counted_total, log_root, upper_bound
from claimeven.montecarlo.layout import (
    MAX_VISITS,
    PROOF_RESULTS,
    PROVEN_LOSS,
    REUSE_PLIES,
    UNPROVEN,
)
from claimeven.montecarlo.textbook import (
    Step,
    TextbookSearch,
    candidate_columns,
    prove,
    prove_new,
    shuffle,
)


@dataclass(eq=False)
class TreeNode:
    """A move and the position after it; totals and proofs from the view of the mover.

    `children` is None before the node is expanded, then the order of their first visits.
    `distance` is the number of moves to the proven end of the game.
    """

    position: Position
    column: int = 0
    visits: int = 0
    total: int = 0
    proof: int = UNPROVEN
    distance: int = 0
    children: list[TreeNode] | None = None


@dataclass
class TextbookTree(TextbookSearch):
    """A UCT search from an unfinished position, with the randomness of a seed."""

    used: int = 1
    root: TreeNode = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.root = TreeNode(self.position)

    @property
    def is_done(self) -> bool:
        """Whether the root is proven (with `solver`) or has `MAX_VISITS`."""
        proven = self.options.solver and self.root.proof != UNPROVEN
        return proven or self.root.visits >= MAX_VISITS

    def step(self) -> Step:
        """Make one iteration: select, expand, simulate, back up."""
        path, expanded = self.select()
        result, moves = self.simulate(path[-1])
        proofs = self.back_up(path, result)
        self.iterations += 1
        self.depth: int = max(self.depth, len(path) - 1)
        columns = tuple(node.column for node in path[1:])
        return Step(self.iterations, columns, expanded, tuple(moves), result, proofs)

    def select(self) -> tuple[list[TreeNode], tuple[int, ...]]:
        """Follow the greatest upper bound down to a leaf. A leaf with an earlier visit (with
        `first_play=all` every leaf) is expanded. Returns the path and the columns of new children.
        """
        all_at_once = self.options.first_play == "all"
        node, path = self.root, [self.root]
        expanded: tuple[int, ...] = ()
        while node.proof == UNPROVEN or (node.children and not self.options.solver):
            if node.children is None:
                if node.visits == 0 and len(path) > 1 and not all_at_once:
                    break
                expanded = self.expand(node)
                if node.children is None:
                    break
                if all_at_once:
                    node = node.children[self.stream.below(len(node.children))]
                    prove_new(node, self.options.decisive_moves == "tree")
                    return [*path, node], expanded
            node = self.best_child(node)
            path.append(node)
            if node.visits == 0:
                prove_new(node, self.options.decisive_moves == "tree")
        return path, expanded

    def best_child(self, node: TreeNode) -> TreeNode:
        """Child with the greatest bound: see `first_play` and `ties` of `MonteCarloOptions`."""
        assert node.children
        spread = self.options.weight * log_root(node.visits) if node.visits else 0.0
        best, chosen, equals = -math.inf, node.children[0], 1
        tolerance = 0.0
        if self.options.ties == "random" and (
            node.children[-1].visits or self.options.first_play == "all"
        ):
            tolerance = TOLERANCE
        for child in node.children:
            if child.visits == 0:
                if self.options.first_play != "all":
                    return child
                bound = 1.0 + spread
            elif self.options.solver and child.proof == PROVEN_LOSS:
                continue
            else:
                total = counted_total(child.total, child.visits, self.options.min_wins)
                bound = upper_bound(total, child.visits, spread)
            if bound > best + tolerance:
                best, chosen, equals = bound, child, 1
            elif tolerance and bound >= best - tolerance:
                equals += 1  # so that each is chosen with the same chance
                if self.stream.below(equals) == 0:
                    chosen = child
        return chosen

    def expand(self, node: TreeNode) -> tuple[int, ...]:
        """Give a node its children if there is room; return their columns, left to right."""
        columns = candidate_columns(node.position, self.options)
        if self.used + len(columns) > self.options.capacity:
            self.full = True
            return ()
        self.used += len(columns)
        node.children = [TreeNode(node.position.play(column), column) for column in columns]
        if self.options.first_play != "order":
            shuffle(node.children, self.stream)
        return columns

    def back_up(self, path: list[TreeNode], result: int) -> tuple[int, ...]:
        """Count the result along the path, back up proofs, and return the proven depths."""
        proven = self.options.solver and path[-1].proof != UNPROVEN
        proofs = [len(path) - 1] if proven else []
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            if proven and depth < len(path) - 1:
                proven = prove(node, path[depth + 1], node.children or ())
                if proven:
                    result = PROOF_RESULTS[node.proof]
                    proofs.append(depth)
            node.visits += 1
            node.total += result
            result = -result
        return tuple(proofs)


def find_below(root: TreeNode, position: Position) -> TreeNode | None:
    """Return the node of a position up to `REUSE_PLIES` moves below a root, or None."""
    if not 0 <= position.ply - root.position.ply <= REUSE_PLIES:
        return None
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.position == position:
            return node
        if node.position.ply < position.ply:
            waiting += node.children or ()
    return None


def prune_below(root: Any, limit: int | None = None) -> int:
    """Reduce a tree to the `limit` nodes next to the root (None: all); return their number.

    A node without room for its children becomes a leaf again.
    """
    nodes = [root]
    for node in nodes:  # the list grows in the loop
        children = node.children or []
        if limit is not None and len(nodes) + len(children) > limit:
            node.children = None
        else:
            nodes += children
    return len(nodes)
