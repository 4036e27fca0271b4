"""UCT on positions, phase by phase: what a student reads and a viewer steps through.

Each iteration selects a leaf, expands it, simulates a game from it and backs up the result.
`tree_kernel` is the compiled twin: it draws the same random numbers and grows the same tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from claimeven.compiled.randomness import Stream
from claimeven.game import Position
from claimeven.montecarlo.formula import log_root, upper_bound
from claimeven.montecarlo.layout import (
    MOST_VISITS,
    PROOF_RESULTS,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    REUSE_PLIES,
    UNPROVEN,
)
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import Replies, play_out, safe_columns, winning_columns


class HasProof(Protocol):
    """A position and what is proven of it."""

    position: Position
    proof: int
    distance: int


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


@dataclass(frozen=True)
class Step:
    """What one iteration did, phase by phase.

    `path` is the columns selected from the root down; `expanded` the columns of the children a
    leaf was given, none when it was not expanded; `simulated` the moves of the playout, none
    where the leaf was proven; `result` what was backed up from the leaf, +1, 0 or -1 as the
    player sees it who moved into it; `proofs` the depths along `path` (0 the root) proven by it.
    """

    iteration: int
    path: tuple[int, ...]
    expanded: tuple[int, ...]
    simulated: tuple[int, ...]
    result: int
    proofs: tuple[int, ...]


@dataclass
class TextbookTree:
    """A UCT search from a position that is not finished, with the randomness of a seed."""

    position: Position
    options: MonteCarloOptions
    seed: int
    iterations: int = 0
    depth: int = 0
    used: int = 1
    full: bool = False
    root: TreeNode = field(init=False)
    stream: Stream = field(init=False)
    replies: Replies = field(default_factory=Replies)

    def __post_init__(self) -> None:
        self.root = TreeNode(self.position)
        self.stream = Stream(self.seed)

    def run(self, iterations: int) -> int:
        """Make iterations; returns how many were made: fewer where the search ends before."""
        return sum(1 for _ in self.steps(iterations))

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did; none once the root is proven (with
        `solver`) or has `MOST_VISITS`.
        """
        for _ in range(iterations):
            proven = self.options.solver and self.root.proof != UNPROVEN
            if proven or self.root.visits >= MOST_VISITS:
                return
            yield self.step()

    def step(self) -> Step:
        """Make one iteration: select, expand, simulate, back up."""
        path, expanded = self.select()
        leaf = path[-1]
        moves: list[int] = []
        if leaf.proof != UNPROVEN:
            result = PROOF_RESULTS[leaf.proof]
        else:
            result, moves = self.playout(leaf.position)
            result = -result
        proofs = self.back_up(path, result)
        self.iterations += 1
        self.depth = max(self.depth, len(path) - 1)
        columns = tuple(node.column for node in path[1:])
        return Step(self.iterations, columns, expanded, tuple(moves), result, proofs)

    def playout(self, position: Position) -> tuple[int, list[int]]:
        """Simulate a game: its result for the side to move, and its moves."""
        options = self.options
        return play_out(position, options.playout, self.stream, options.cut, self.replies)

    def select(self) -> tuple[list[TreeNode], tuple[int, ...]]:
        """Follow the greatest upper bound down to a leaf; on the way a leaf met again (with
        `first=all`: met at all) is expanded. Returns the path and the columns of new children.
        """
        all_at_once = self.options.first == "all"
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
                    glance(node, self.options)
                    return [*path, node], expanded
            node = self.best_child(node)
            path.append(node)
            if node.visits == 0:
                glance(node, self.options)
        return path, expanded

    def best_child(self, node: TreeNode) -> TreeNode:
        """Child with the greatest upper bound: see `MonteCarloOptions.first` for untried ones."""
        assert node.children
        spread = self.options.weight * log_root(node.visits) if node.visits else 0.0
        best, chosen = -math.inf, node.children[0]
        for child in node.children:
            if child.visits == 0:
                if self.options.first != "all":
                    return child
                bound = 1.0 + spread
            elif self.options.solver and child.proof == PROVEN_LOSS:
                continue
            else:
                bound = upper_bound(child.total, child.visits, spread)
            if bound > best:
                best, chosen = bound, child
        return chosen

    def expand(self, node: TreeNode) -> tuple[int, ...]:
        """Give a node its children, if there is room; returns their columns, left to right."""
        position = node.position
        decisive = self.options.decisive == "tree"
        columns = safe_columns(position) if decisive else position.legal_columns
        if self.used + len(columns) > self.options.nodes:
            self.full = True
            return ()
        self.used += len(columns)
        children = [TreeNode(position.play(column), column) for column in columns]
        if self.options.first != "order":
            for last in range(len(children) - 1, 0, -1):
                other = self.stream.below(last + 1)
                children[last], children[other] = children[other], children[last]
        node.children = children
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
                proven = prove(node, path[depth + 1])
                if proven:
                    result = PROOF_RESULTS[node.proof]
                    proofs.append(depth)
            node.visits += 1
            node.total += result
            result = -result
        return tuple(proofs)


def prove(node: TreeNode, child: TreeNode) -> bool:
    """Prove a node from its newly proven child, where possible; returns whether it is proven.

    A won child is a lost node; a node is won when all its children are lost, drawn when the best
    of them is drawn.
    """
    assert node.children
    if child.proof == PROVEN_WIN:
        node.proof, node.distance = PROVEN_LOSS, child.distance + 1
        return True
    if any(other.proof == UNPROVEN for other in node.children):
        return False
    drawn = [other for other in node.children if other.proof == PROVEN_DRAW]
    node.proof = PROVEN_DRAW if drawn else PROVEN_WIN
    node.distance = 1 + max(other.distance for other in drawn or node.children)
    return True


def glance(node: HasProof, options: MonteCarloOptions) -> None:
    """Give a new node the proof that its position shows at a glance, if any."""
    outcome = node.position.outcome
    if outcome is not None:
        node.proof = PROVEN_DRAW if outcome.winner is None else PROVEN_WIN
    elif options.decisive == "tree":
        if winning_columns(node.position):
            node.proof, node.distance = PROVEN_LOSS, 1
        elif not safe_columns(node.position):
            node.proof, node.distance = PROVEN_WIN, 2


def find_below(root: TreeNode, position: Position) -> TreeNode | None:
    """TreeNode of a position at most `REUSE_PLIES` moves below a root, or None."""
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


def keep_below(root: TreeNode, room: int | None = None) -> int:
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
