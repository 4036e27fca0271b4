"""UCT on positions, phase by phase: what a student reads and a viewer steps through.

Each iteration selects a leaf, expands it, simulates a game from it and backs up the result.
`kernel` is the compiled twin: it draws the same random numbers and grows the same tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

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
    prove_immediate,
    shuffle,
)


@dataclass(eq=False)
class TreeNode:
    """A move and the position after it; totals and proofs as the player sees them who made it.

    `children` is None before the node is expanded; they stand in the order they are tried in.
    `distance` is the number of moves to the end of the game behind a proof.
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
    """A UCT search from a position that is not finished, with the randomness of a seed."""

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
        """Follow the greatest upper bound down to a leaf; on the way a leaf met again (with
        `first_play=all`: met at all) is expanded. Returns the path and the columns of new children.
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
                    prove_immediate(node, self.options)
                    return [*path, node], expanded
            node = self.best_child(node)
            path.append(node)
            if node.visits == 0:
                prove_immediate(node, self.options)
        return path, expanded

    def best_child(self, node: TreeNode) -> TreeNode:
        """Child with the greatest upper bound: see `first` and `ties` of `MonteCarloOptions`."""
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
                equals += 1  # each of them is chosen with the same chance in the end
                if self.stream.below(equals) == 0:
                    chosen = child
        return chosen

    def expand(self, node: TreeNode) -> tuple[int, ...]:
        """Give a node its children, if there is room; returns their columns, left to right."""
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
        """Count the result in every node of the path, turned round from one to the next, and
        carry proofs up as far as they reach; returns the depths proven.
        """
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
    """Node of a position at most `REUSE_PLIES` moves below a root, or None."""
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


def prune_below(root: TreeNode, room: int | None = None) -> int:
    """Keep at most `room` nodes of a tree (None: all), those next to the root; return how many.

    A node whose children find no room is a leaf again.
    """
    kept = [root]
    for node in kept:  # grows meanwhile
        children = node.children or []
        if room is not None and len(kept) + len(children) > room:
            node.children = None
        else:
            kept += children
    return len(kept)
