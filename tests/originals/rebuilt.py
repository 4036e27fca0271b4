"""The tree searches of Menary, AIFour and ITU, rebuilt from their texts on stacks of discs.

This module shares only the random numbers with claimeven, drawn in the same order: when a node is
expanded, for the order of its children; among equal children, one draw for each after the first; in
a playout, columns until one has room.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import cycle, islice

COLUMNS, ROWS, CONNECT = 7, 6, 4
#: Up, right, right-up, right-down, as (column, row).
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
_WORD = (1 << 64) - 1

Stacks = list[list[int]]


class Draws:
    """The random numbers of a seed: splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, count: int) -> int:
        self.state = word = (self.state + 0x9E3779B97F4A7C15) & _WORD
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((word ^ (word >> 31)) >> 32) * count >> 32


def open_columns(stacks: Stacks) -> list[int]:
    return [column for column in range(COLUMNS) if len(stacks[column]) < ROWS]


def wins(stacks: Stacks, column: int) -> bool:
    """Whether the disc on top of a column is in a line of four."""
    row = len(stacks[column]) - 1
    disc = stacks[column][row]
    for dc, dr in _DIRECTIONS:
        length = 1
        for sign in (1, -1):
            c, r = column + sign * dc, row + sign * dr
            while 0 <= c < COLUMNS and 0 <= r < len(stacks[c]) and stacks[c][r] == disc:
                length, c, r = length + 1, c + sign * dc, r + sign * dr
        if length >= CONNECT:
            return True
    return False


@dataclass(eq=False)
class Node:
    """A position; `total` sums the results of the player that moved into it."""

    stacks: Stacks
    player: int
    column: int = -1
    visits: int = 0
    total: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def result(self) -> int | None:
        """Result of a finished game for the player that moved into it, or None."""
        if self.column >= 0 and wins(self.stacks, self.column):
            return 1
        return None if open_columns(self.stacks) else 0

    def after(self, column: int) -> Node:
        stacks = [list(stack) for stack in self.stacks]
        stacks[column].append(self.player)
        return Node(stacks, 1 - self.player, column)


@dataclass(frozen=True)
class Search:
    """How children are selected: mean + `c` * sqrt(`inside` * ln N / n).

    Untried children come first, in a random order or `in_order` of the columns. `any_equal`: of
    equals one is selected at random, else the one tried first. A playout is a draw after `cut`
    moves, if that is not 0.
    """

    c: float
    inside: float
    in_order: bool = False
    any_equal: bool = False
    cut: int = 0

    def grow(self, moves: list[int], seed: int, iterations: int) -> Node:
        """Return the root of a search after these iterations."""
        root, draws = after_moves(moves), Draws(seed)
        for _ in range(iterations):
            try_once(self._descend(root, draws), draws, self.cut)
        return root

    def _descend(self, root: Node, draws: Draws) -> list[Node]:
        path = [root]
        while path[-1].result is None:
            node = path[-1]
            if not node.children:
                if node.visits == 0 and node is not root:
                    break
                node.children = [node.after(column) for column in open_columns(node.stacks)]
                if not self.in_order:
                    shuffle(node.children, draws)
            path.append(self._select(node, draws))
        return path

    def _select(self, node: Node, draws: Draws) -> Node:
        untried = [child for child in node.children if not child.visits]
        if untried:
            return untried[0]
        logarithm = math.log(node.visits)
        bounds = [
            child.total / child.visits + self.c * math.sqrt(self.inside * logarithm / child.visits)
            for child in node.children
        ]
        best = max(bounds)
        if not self.any_equal:
            return node.children[bounds.index(best)]
        chosen, equals = node.children[0], 0
        # The best so far counts, as in a single pass over the children.
        best = -math.inf
        for child, bound in zip(node.children, bounds, strict=True):
            if bound > best + 1e-9:
                best, chosen, equals = bound, child, 1
            elif bound >= best - 1e-9:
                equals += 1
                if draws.below(equals) == 0:
                    chosen = child
        return chosen


@dataclass(frozen=True)
class Breadth:
    """Take nodes in the order they were made: expand each, and play out once from it."""

    def grow(self, moves: list[int], seed: int, iterations: int) -> Node:
        """Return the root after these iterations, or once all nodes were taken."""
        paths, draws = [[after_moves(moves)]], Draws(seed)
        for path in islice(paths, iterations):  # they grow in the loop
            paths += expanded(path)
            try_once(path, draws)
        return paths[0][0]


@dataclass(frozen=True)
class Flat:
    """Look two moves ahead, and play out from each leaf in turn, round after round."""

    cut: int

    def grow(self, moves: list[int], seed: int, iterations: int) -> Node:
        """Return the root after these iterations."""
        paths, draws = [[after_moves(moves)]], Draws(seed)
        for path in paths:  # they grow in the loop
            if len(path) <= 2:
                paths += expanded(path)
        leaves = [path for path in paths if not path[-1].children]
        for path in islice(cycle(leaves), iterations):
            try_once(path, draws, self.cut)
        return paths[0][0]


def after_moves(moves: list[int]) -> Node:
    """Return a root: the position after some moves."""
    root = Node([[] for _ in range(COLUMNS)], 0)
    for column in moves:
        root = root.after(column)
    return root


def expanded(path: list[Node]) -> list[list[Node]]:
    """Give the last node of a path its children; return the paths to them, [] at the end of a
    game."""
    node = path[-1]
    if node.result is None:
        node.children = [node.after(column) for column in open_columns(node.stacks)]
    return [[*path, child] for child in node.children]


def try_once(path: list[Node], draws: Draws, cut: int = 0) -> None:
    """Play out from the last node of a path, if the game continues there, and count the result."""
    result = path[-1].result
    if result is None:
        result = play_out(path[-1], draws, cut)
    for node in reversed(path):
        node.visits += 1
        node.total += result
        result = -result


def shuffle(nodes: list[Node], draws: Draws) -> None:
    for last in range(len(nodes) - 1, 0, -1):
        other = draws.below(last + 1)
        nodes[last], nodes[other] = nodes[other], nodes[last]


def play_out(leaf: Node, draws: Draws, cut: int) -> int:
    """Play at random to the end; the result for the player that moved into the leaf."""
    stacks, player, left = [list(stack) for stack in leaf.stacks], leaf.player, cut or -1
    while open_columns(stacks) and left:
        left -= 1
        column = draws.below(COLUMNS)
        while len(stacks[column]) == ROWS:
            column = draws.below(COLUMNS)
        stacks[column].append(player)
        if wins(stacks, column):
            return -1 if player == leaf.player else 1
        player = 1 - player
    return 0


#: The presets by their texts, or for `-code` by the printed code.
SEARCHES: dict[str, Search | Breadth | Flat] = {
    "uct-menary": Search(2.0, 1.0),
    "uct-aifour": Search(1 / math.sqrt(2), 2.0, any_equal=True),
    "uct-aifour-code": Search(math.sqrt(1 / math.sqrt(2)), 2.0, in_order=True),
    "uct-aifour-greedy": Search(0.0, 2.0, any_equal=True),
    "uct-itu": Search(1.4, 2.0, cut=40),
    "flat": Flat(cut=40),
    "breadth": Breadth(),
}
