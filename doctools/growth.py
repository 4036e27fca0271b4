"""Trees that UCT grows, drawn from the steps it tells: one iteration, and how the tree leans."""

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
class Grown:
    """A node of a tree as the steps tell it: visits, results for who moved into it, children."""

    visits: int = 0
    total: int = 0
    children: dict[int, Grown] = field(default_factory=dict)


def grown(steps: list[Step]) -> Grown:
    """Build the tree that some iterations have grown."""
    root = Grown()
    for step in steps:
        node, result = root, step.result * (-1) ** len(step.path)
        path = [root]
        for column in step.path:
            node = node.children.setdefault(column, Grown())
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
    tree = grown(steps)
    tree.total = -tree.total  # the root is told as the player to move there sees it
    leaf_parent = _node(tree, step.path[:-1])
    for column in step.expanded:
        leaf_parent.children.setdefault(column, Grown())
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
        "who moved into it; at the root, for the player",
        "who moves there.",
    )
    words += [
        canvas.text(480, 260 + 17 * number, note, 12, canvas.SOFT, "start")
        for number, note in enumerate(notes)
    ]
    title = f"Iteration {step.iteration} of UCT, step by step"
    return canvas.picture(760, bottom, title, [*edges, *playout, *nodes, *words])


_PHASES: Final = (
    ("1  Select", "Follow the greatest mean + bonus down."),
    ("2  Expand", "A leaf met again gets its children."),
    ("3  Simulate", "Play at random to the end of the game."),
    ("4  Back up", "Count the result in every node passed."),
)


def _circle(tree: Grown, path: Path, place: tuple[float, float], chosen: bool) -> str:
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
    """The discs of a playout below its leaf with its result, and where the drawing ends."""
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
    """The most visited part of the tree of the puzzle after more and more iterations."""
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
    title = "The tree leans to where the means are good"
    return canvas.picture(720, height + 16, title, panels)


def _of_branch(branch: Branch) -> Grown:
    below = {child.column: _of_branch(child) for child in branch.children}
    return Grown(branch.visits, 0, below)


def _node(tree: Grown, path: Path) -> Grown:
    node = tree
    for column in path:
        node = node.children[column]
    return node


def _places(
    tree: Grown, left: float, right: float, top: float, down: float
) -> dict[Path, tuple[float, float]]:
    """Where nodes stand: each takes a part of its parent's width by the leaves below it."""
    places: dict[Path, tuple[float, float]] = {}

    def breadth(node: Grown) -> float:
        return sum(map(breadth, node.children.values())) + (2 if len(node.children) > 1 else 1)

    def place(node: Grown, path: Path, start: float, end: float) -> None:
        places[path] = ((start + end) / 2, top + down * len(path))
        below = {column: breadth(child) for column, child in sorted(node.children.items())}
        width = end - start
        if not path:  # no column of the root so narrow that its name finds no room
            least = 0.06 * sum(below.values())
            below = {column: max(least, share) for column, share in below.items()}
        for column, share in below.items():
            stop = start + share * width / sum(below.values())
            place(node.children[column], (*path, column), start, stop)
            start = stop

    place(tree, (), left, right)
    return places
