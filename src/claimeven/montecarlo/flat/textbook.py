"""Flat and breadth-first Monte Carlo on positions: searches without a selection formula.

`kernel` contains the compiled twins, which draw the same random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from claimeven.montecarlo.layout import MAX_VISITS, UNPROVEN
from claimeven.montecarlo.textbook import Step, TextbookSearch, prove_new
from claimeven.montecarlo.tree.textbook import TreeNode


@dataclass
class TextbookSimple(TextbookSearch):
    """The common part: nodes in order of creation; each result counts in all nodes above, too."""

    cursor: int = 0
    leaf: int = 0
    holds_leaf: bool = False
    root: TreeNode = field(init=False)
    nodes: list[tuple[TreeNode, ...]] = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.root = TreeNode(self.position)
        self.nodes = [(self.root,)]  # each with the nodes above it, the root first

    @property
    def used(self) -> int:
        return len(self.nodes)

    @property
    def is_done(self) -> bool:
        """Whether the root has `MAX_VISITS`."""
        return self.root.visits >= MAX_VISITS

    def expand(self, path: tuple[TreeNode, ...]) -> tuple[int, ...]:
        """Give a node its children if there is room; return their columns."""
        node = path[-1]
        columns = node.position.legal_columns
        if self.used + len(columns) > self.options.capacity:
            self.full = True
            return ()
        node.children = [TreeNode(node.position.play(column), column) for column in columns]
        self.nodes += [(*path, child) for child in node.children]
        return columns

    def next_leaf(self) -> tuple[TreeNode, ...]:
        """Return the path to the next leaf in order of creation, or to the held leaf."""
        while self.nodes[self.leaf][-1].children is not None:
            self.leaf = (self.leaf + 1) % self.used
        path = self.nodes[self.leaf]
        if not self.holds_leaf:
            self.leaf = (self.leaf + 1) % self.used
        return path

    def simulate_and_back_up(self, path: tuple[TreeNode, ...], expanded: tuple[int, ...]) -> Step:
        """Count one result of the last node of a path, by its proof or a playout, in all nodes."""
        result, moves = self.simulate(path[-1])
        self.iterations += 1
        self.depth: int = max(self.depth, len(path) - 1)
        columns = tuple(node.column for node in path[1:])
        step = Step(self.iterations, columns, expanded, tuple(moves), result, ())
        for node in reversed(path):
            node.visits += 1
            node.total += result
            result = -result
        return step


class TextbookBreadth(TextbookSimple):
    """Take nodes in order of creation: expand each and make one playout from it.

    Without room for children nodes are not expanded. After the last node, the leaves of a full tree
    take turns, and a tree with every line of play completes the search.
    """

    @property
    def is_done(self) -> bool:
        """Whether the tree contains every line of play, or the root has `MAX_VISITS`."""
        return super().is_done or (self.cursor == self.used and not self.full)

    def step(self) -> Step:
        """Make one iteration: the next node, or the next leaf of a full tree."""
        if self.cursor == self.used:
            return self.simulate_and_back_up(self.next_leaf(), ())
        path = self.nodes[self.cursor]
        self.cursor += 1
        prove_new(path[-1], self.options.decisive_moves == "tree")
        expanded = self.expand(path) if path[-1].proof == UNPROVEN else ()
        return self.simulate_and_back_up(path, expanded)


class TextbookFlat(TextbookSimple):
    """Play from each leaf of a tree of two plies in turn, round after round."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for path in self.nodes:  # the list grows in the loop
            prove_new(path[-1], self.options.decisive_moves == "tree")
            if path[-1].proof == UNPROVEN and len(path) <= 2:
                self.expand(path)
            self.depth: int = max(self.depth, len(path) - 1)

    def step(self) -> Step:
        return self.simulate_and_back_up(self.next_leaf(), ())
