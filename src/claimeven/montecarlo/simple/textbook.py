"""Flat and breadth-first Monte Carlo on positions: searches without a selection formula.

`simple_kernels` holds the compiled twins, which draw the same random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from claimeven.compiled.randomness import Stream
from claimeven.game import Position
from claimeven.montecarlo.layout import MOST_VISITS, PROOF_RESULTS, UNPROVEN
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import Replies, play_out
from claimeven.montecarlo.tree.textbook import Step, TreeNode, glance


@dataclass
class TextbookSimple:
    """What flat and breadth-first search share: nodes in the order they were made, one result of
    a node at a time, counted in it and in all above.
    """

    position: Position
    options: MonteCarloOptions
    seed: int
    iterations: int = 0
    depth: int = 0
    full: bool = False
    cursor: int = 0
    leaf: int = 0
    root: TreeNode = field(init=False)
    nodes: list[tuple[TreeNode, ...]] = field(init=False)
    stream: Stream = field(init=False)
    replies: Replies = field(default_factory=Replies)

    def __post_init__(self) -> None:
        self.root = TreeNode(self.position)
        self.nodes = [(self.root,)]  # each with the nodes above it, the root first
        self.stream = Stream(self.seed)

    @property
    def used(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    def run(self, iterations: int) -> int:
        """Make iterations; returns how many were made."""
        return sum(1 for _ in self.steps(iterations))

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did."""
        raise NotImplementedError

    def expand(self, path: tuple[TreeNode, ...]) -> tuple[int, ...]:
        """Give a node its children, if there is room; returns their columns."""
        node = path[-1]
        columns = node.position.legal_columns
        if self.used + len(columns) > self.options.nodes:
            self.full = True
            return ()
        node.children = [TreeNode(node.position.play(column), column) for column in columns]
        self.nodes += [(*path, child) for child in node.children]
        return columns

    def next_leaf(self) -> tuple[TreeNode, ...]:
        """Path to the leaf whose turn it is: they take turns in the order they were made."""
        while self.nodes[self.leaf][-1].children is not None:
            self.leaf = (self.leaf + 1) % self.used
        path = self.nodes[self.leaf]
        self.leaf = (self.leaf + 1) % self.used
        return path

    def playout(self, position: Position) -> tuple[int, list[int]]:
        """Simulate a game: its result for the side to move, and its moves."""
        options = self.options
        return play_out(position, options.playout, self.stream, options.cut, self.replies)

    def simulate_and_back_up(self, path: tuple[TreeNode, ...], expanded: tuple[int, ...]) -> Step:
        """One result of the last node of a path, by its proof or a playout, counted in all."""
        leaf, moves = path[-1], list[int]()
        if leaf.proof != UNPROVEN:
            result = PROOF_RESULTS[leaf.proof]
        else:
            result, moves = self.playout(leaf.position)
            result = -result
        self.iterations += 1
        self.depth = max(self.depth, len(path) - 1)
        columns = tuple(node.column for node in path[1:])
        step = Step(self.iterations, columns, expanded, tuple(moves), result, ())
        for node in reversed(path):
            node.visits += 1
            node.total += result
            result = -result
        return step


class TextbookBreadth(TextbookSimple):
    """Take nodes in the order they were made: expand each and play once from it.

    When there is no room for children, nodes are taken without being expanded. Once every node
    has been taken, the leaves of a full tree are played from in turn, round after round, and a
    tree that holds every line of play ends the search.
    """

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did."""
        for _ in range(min(iterations, MOST_VISITS - self.root.visits)):
            expanded: tuple[int, ...] = ()
            if self.cursor < self.used:
                path = self.nodes[self.cursor]
                self.cursor += 1
                glance(path[-1], self.options)
                if path[-1].proof == UNPROVEN:
                    expanded = self.expand(path)
            elif self.full:
                path = self.next_leaf()
            else:
                return
            yield self.simulate_and_back_up(path, expanded)


class TextbookFlat(TextbookSimple):
    """Play from each leaf of a tree of two plies in turn, round after round."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for path in self.nodes:  # grows meanwhile
            glance(path[-1], self.options)
            if path[-1].proof == UNPROVEN and len(path) <= 2:
                self.expand(path)
            self.depth = max(self.depth, len(path) - 1)

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did."""
        for _ in range(min(iterations, MOST_VISITS - self.root.visits)):
            yield self.simulate_and_back_up(self.next_leaf(), ())
