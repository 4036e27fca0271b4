"""Trees of UCT, drawn from its steps: one iteration, and the growth of the tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from claimeven.game import column_name
from claimeven.montecarlo import Branch, MonteCarloSearch
from claimeven.montecarlo.textbook import Step
from doctools import canvas, puzzle, trees

Path = tuple[int, ...]

SEED: Final = 1


@dataclass
class TreeNode:
    """A node of a tree: visits, results for the player that moved into it, children."""

    visits: int = 0
    total: int = 0
    children: dict[int, TreeNode] = field(default_factory=dict)


def tree_of(steps: list[Step]) -> TreeNode:
    """Build the tree of some iterations."""
    root = TreeNode()
    for step in steps:
        node, result = root, step.result * (-1) ** len(step.path)
        path = [root]
        for column in step.path:
            node = node.children.setdefault(column, TreeNode())
            path.append(node)
        for passed in path:
            passed.visits += 1
            passed.total += result
            result = -result
    return root


def shown_step() -> tuple[list[Step], Step]:
    """Return the steps of UCT on the small board up to one with all four phases, and that one."""
    search = MonteCarloSearch(puzzle.UCT)
    steps, _ = search.trace(trees.SMALL, np.random.default_rng(SEED), 100)
    for number, step in enumerate(steps, start=1):
        if len(step.path) >= 3 and step.expanded and len(step.simulated) >= 3:
            return list(steps[:number]), step
    raise AssertionError("no iteration of the search shows all four phases")


def iteration() -> str:
    """One iteration of UCT on the small board: select, expand, simulate, back up."""
    steps, step = shown_step()
    tree = tree_of(steps)
    tree.total = -tree.total  # the steps give the root for the player to move
    leaf_parent = _node(tree, step.path[:-1])
    for column in step.expanded:
        leaf_parent.children.setdefault(column, TreeNode())
    places = _places(tree, 14.0, 452.0, 26.0, 92.0)
    chosen = {step.path[:length] for length in range(len(step.path) + 1)}
    edges, nodes = [], []
    for path, (x, y) in places.items():
        if path:
            color, thick = (canvas.SERIES[1], 4.0) if path in chosen else (canvas.FAINT, 1.5)
            edges.append(canvas.line(*places[path[:-1]], x, y, color, thick))
        nodes.append(_circle(tree, path, (x, y), path in chosen))
    playout, bottom = _playout(step, places[step.path])
    words = [
        canvas.text(480, 30 + 52 * number + 19 * place, words, size, color, "start", weight)
        for number, (name, what) in enumerate(_PHASES)
        for place, (words, size, color, weight) in enumerate(
            ((name, 13.5, canvas.SERIES[1], 700), (what, 12, canvas.SOFT, 400))
        )
    ]
    notes = (
        "Below a node: results / visits, for the player",
        "that moved into it; at the root, for the player",
        "to move there.",
    )
    words += [
        canvas.text(480, 260 + 17 * number, note, 12, canvas.SOFT, "start")
        for number, note in enumerate(notes)
    ]
    title = f"Iteration {step.iteration} of UCT, step by step"
    return canvas.picture(760, bottom, title, [*edges, *playout, *nodes, *words])


_PHASES: Final = (
    ("1  Select", "Follow the greatest mean + bonus down."),
    ("2  Expand", "A leaf gets children on its second visit."),
    ("3  Simulate", "Play at random to the end of the game."),
    ("4  Back up", "Count the result in every node of the path."),
)


def _circle(tree: TreeNode, path: Path, place: tuple[float, float], chosen: bool) -> str:
    x, y = place
    node = _node(tree, path)
    color = canvas.SERIES[1] if chosen else canvas.SOFT
    dashes = "" if node.visits else " stroke-dasharray='3 3'"
    name = column_name(path[-1], trees.SMALL.geometry) if path else "root"
    parts = [
        canvas.circle(x, y, 15, canvas.PAPER, f" stroke='{color}' stroke-width='2'{dashes}"),
        canvas.text(x, y + (5 if path else 3.5), name, 14 if path else 10, weight=700),
    ]
    if node.visits:
        total = f"{node.total:+d}".replace("-", "\N{MINUS SIGN}") if node.total else "0"
        counts = f"{total}/{node.visits}"
        parts.append(canvas.rect(x - 17, y + 17, 34, 14, canvas.PAPER, 3))
        parts.append(canvas.text(x, y + 28, counts, 11, canvas.SOFT))
    return "".join(parts)


def _playout(step: Step, leaf: tuple[float, float]) -> tuple[list[str], float]:
    """Return the discs of a playout below its leaf, with its result, and the lower end."""
    position = trees.SMALL
    for column in step.path:
        position = position.play(column)
    x, y = leaf[0], leaf[1] + 33
    parts = []
    for column in step.simulated:
        mover = position.turn
        position = position.play(column)
        parts.append(canvas.line(x, y, x, y + 12, canvas.SOFT, 1.5, " stroke-dasharray='3 3'"))
        y += 12 + 11
        parts.append(canvas.circle(x, y, 11, canvas.DISCS[mover]))
        ink = canvas.INK if mover == 0 else canvas.PAPER
        name = column_name(column, position.geometry)
        parts.append(canvas.text(x, y + 4.5, name, 12, ink, weight=600))
        y += 11
    parts.append(canvas.text(x + 18, y - 6, str(position.outcome), 12.5, canvas.INK, "start", 600))
    return parts, y + 22


def growth() -> str:
    """The most visited part of the puzzle's tree for more and more iterations."""
    panels, wide, height = [], 236.0, 0.0
    for number, iterations in enumerate((300, 3_000, 30_000)):
        result = puzzle.monte_carlo(puzzle.UCT, iterations)
        tree = _of_branch(result.forest.branch(depth=None, limit=160))
        places = _places(tree, 8.0, wide - 8.0, 34.0, 30.0)
        parts = [canvas.text(wide / 2, 16, f"{iterations:,} iterations", 13, weight=600)]
        for path, (x, y) in places.items():
            if path:
                share = _node(tree, path).visits / tree.visits
                color = canvas.GOOD if path[0] == puzzle.ANSWER else canvas.SERIES[0]
                parts.append(canvas.line(*places[path[:-1]], x, y, color, 0.7 + 7 * share**0.6))
        for path, (x, y) in places.items():
            if len(path) == 1:
                parts.append(canvas.circle(x, y, 7, canvas.PAPER))
                parts.append(canvas.text(x, y + 4, column_name(path[0]), 11, weight=700))
        panels.append(canvas.group(parts, 4 + number * (wide + 2), 0))
        height = max(height, *(y for _, y in places.values()))
    title = "The tree grows towards good means"
    return canvas.picture(720, height + 16, title, panels)


def _of_branch(branch: Branch) -> TreeNode:
    below = {child.column: _of_branch(child) for child in branch.children}
    return TreeNode(branch.visits, 0, below)


def _node(tree: TreeNode, path: Path) -> TreeNode:
    node = tree
    for column in path:
        node = node.children[column]
    return node


def _places(
    tree: TreeNode, left: float, right: float, top: float, down: float
) -> dict[Path, tuple[float, float]]:
    """Return the places of nodes: each gets a part of its parent's width by its leaves."""
    places: dict[Path, tuple[float, float]] = {}

    def breadth(node: TreeNode) -> float:
        return sum(map(breadth, node.children.values())) + (2 if len(node.children) > 1 else 1)

    def place(node: TreeNode, path: Path, start: float, end: float) -> None:
        places[path] = ((start + end) / 2, top + down * len(path))
        below = {column: breadth(child) for column, child in sorted(node.children.items())}
        width = end - start
        if not path:  # every column of the root is wide enough for its name
            least = 0.06 * sum(below.values())
            below = {column: max(least, share) for column, share in below.items()}
        for column, share in below.items():
            stop = start + share * width / sum(below.values())
            place(node.children[column], (*path, column), start, stop)
            start = stop

    place(tree, (), left, right)
    return places
