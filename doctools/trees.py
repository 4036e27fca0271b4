"""The small tree of the tutorial, drawn from the steps of a textbook search."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from claimeven.game import Geometry, Position
from claimeven.minimax import MinimaxSearch
from claimeven.minimax.types import PROVEN, Event, run_trace
from doctools import canvas

#: A small board, four columns by three rows, three in a line to win.
SMALL: Final = Position.from_moves("112213", Geometry(4, 3, 3))
DEPTH: Final = 3
EVALUATION: Final = "windows-symmetric"

_CELL = 9.5
_STEP, _DOWN, _TOP = 47.0, 100.0, 20.0
_MARGIN = 8.0

Path = tuple[int, ...]


@dataclass
class Node:
    """A position in the steps of a search: its window, its value with the reason, its cut."""

    window: tuple[float, float]
    value: float | None = None
    reason: str = ""
    skipped: bool = False


@dataclass
class Tree:
    """A search of `SMALL`: the positions that it entered, and its line."""

    nodes: dict[Path, Node] = field(default_factory=dict)
    line: Path = ()

    @property
    def hits(self) -> set[Path]:
        """Positions that the transposition table answered."""
        return {path for path, node in self.nodes.items() if "table" in node.reason}


def search(algorithm: str) -> Tree:
    """Run a textbook search of `SMALL` from left to right and store its steps."""
    tree = Tree()

    def note(event: Event) -> None:
        if event.kind == "enter":
            tree.nodes[event.columns] = Node((event.alpha, event.beta))
        elif event.kind == "cut":
            tree.nodes[event.columns].skipped = True
        else:
            node = tree.nodes[event.columns]
            node.value, node.reason = event.value, event.reason

    trace = MinimaxSearch(algorithm, EVALUATION, order="left").trace(SMALL, DEPTH)
    tree.line = run_trace(trace, note).line
    return tree


def minimax_tree() -> str:
    """Every line, three plies deep, with the value of each position for the root's side."""
    return _draw(search("minimax"), "A minimax tree, three plies deep")


def alphabeta_tree() -> str:
    """The same tree for alpha-beta: windows, cuts, and skipped positions."""
    return _draw(search("alphabeta"), "The same tree with alpha-beta", windows=True)


def negamax_tree() -> str:
    """The same tree with values for the side to move, and the answers of the table."""
    return _draw(search("negamax"), "The same tree with negamax and a table", mover=True)


def _draw(tree: Tree, title: str, windows: bool = False, mover: bool = False) -> str:
    places, leaves = _places()
    width = 2 * _MARGIN + _STEP * leaves
    legend = _legend(windows, mover)
    bottom = _TOP + _DOWN * DEPTH + 74
    height = bottom + 17 * len(legend)
    edges: list[str] = []
    nodes: list[str] = []
    for path in places:
        if path:
            edges.append(_edge(path, places, tree))
        nodes.append(_node(path, places[path], tree, windows))
    for path, node in tree.nodes.items():
        if node.skipped:
            edges.append(_cut(path, places, tree))
    words = [
        canvas.text(_MARGIN, bottom + 17 * i, words, 12, canvas.SOFT, "start")
        for i, words in enumerate(legend)
    ]
    return canvas.picture(width, height, title, [*edges, *nodes, *words])


def _places() -> tuple[dict[Path, tuple[float, float]], int]:
    """Return the places of all positions: (middle, top of the board); and the leaves."""
    whole = search("minimax").nodes
    places: dict[Path, tuple[float, float]] = {}
    leaves = 0

    def place(path: Path) -> float:
        nonlocal leaves
        below = [other for other in whole if other[:-1] == path and other]
        if below:
            across = [place(child) for child in below]
            x = (across[0] + across[-1]) / 2
        else:
            x, leaves = _MARGIN + _STEP * (leaves + 0.5), leaves + 1
        places[path] = (x, _TOP + _DOWN * len(path))
        return x

    place(())
    return places, leaves


def _edge(path: Path, places: dict[Path, tuple[float, float]], tree: Tree) -> str:
    board = canvas.board_size(SMALL, _CELL)
    x1, y1 = places[path[:-1]]
    x2, y2 = places[path]
    seen, best = path in tree.nodes, path == tree.line[: len(path)]
    y1, y2 = y1 + board[1] + 17, y2 - (13 if seen else 2)
    stroke = canvas.GOOD if best else canvas.SOFT if seen else canvas.FAINT
    drawn = canvas.line(x1, y1, x2, y2, stroke, 3 if best else 1.2)
    if not seen:
        return drawn.replace("/>", " stroke-dasharray='3 3'/>")
    x, y = x1 + 0.62 * (x2 - x1), y1 + 0.62 * (y2 - y1)
    name = canvas.text(x, y + 4, str(path[-1] + 1), 11, stroke, weight=600)
    return drawn + canvas.circle(x, y, 7.5, canvas.PAPER) + name


def _node(path: Path, place: tuple[float, float], tree: Tree, windows: bool) -> str:
    x, y = place
    position = SMALL
    for column in path:
        position = position.play(column)
    width, height = canvas.board_size(position, _CELL)
    board = canvas.mini_board(position, _CELL, path[-1] if path else None)
    if path not in tree.nodes:
        return canvas.group([board], x - width / 2, y, 0.16)
    node = tree.nodes[path]
    parts = [canvas.group([board], x - width / 2, y)]
    value = canvas.text(x, y + height + 14, worth(node.value), 13, canvas.INK, weight=700)
    if path in tree.hits:
        box = canvas.rect(x - 17, y + height + 2, 34, 16, canvas.DISCS[0], 8)
        parts.append(box)
    parts.append(value)
    if windows and len(path) < DEPTH:
        parts.append(canvas.text(x, y - 4, _window(node.window), 10, canvas.SOFT))
    elif len(path) < DEPTH:
        sign = "\N{BLACK UP-POINTING TRIANGLE}\N{BLACK DOWN-POINTING TRIANGLE}"[len(path) % 2]
        parts.append(canvas.text(x, y - 3, sign, 10, canvas.SOFT))
    return "".join(parts)


def _cut(path: Path, places: dict[Path, tuple[float, float]], tree: Tree) -> str:
    """A bar across the first skipped edge."""
    skipped = next(p for p in places if p and p[:-1] == path and p not in tree.nodes)
    height = canvas.board_size(SMALL, _CELL)[1]
    x1, y1 = places[path]
    x2, y2 = places[skipped]
    y1, y2 = y1 + height + 17, y2 - 2
    x, y = x1 + 0.42 * (x2 - x1), y1 + 0.42 * (y2 - y1)
    length = math.hypot(x2 - x1, y2 - y1)
    across, down = (y2 - y1) / length * 10, -(x2 - x1) / length * 10
    return canvas.line(x - across, y - down, x + across, y + down, canvas.BAD, 3.5)


def _legend(windows: bool, mover: bool) -> list[str]:
    whose = "the side to move in it" if mover else "Yellow, to move at the root"
    lines = [f"Below a board: its value for {whose}. Thick: the line of best play."]
    if windows:
        lines.append("Above a board: the window (alpha to beta) it is searched with.")
        lines.append("Red bar: a cut. Pale: skipped.")
    else:
        lines.append("On an edge: the column played. " + _turns(mover))
    if mover:
        lines.append("Yellow: answered by the table. Red bar: a cut. Pale: skipped.")
    return list(_wrapped(lines))


def _turns(mover: bool) -> str:
    up, down = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
    if mover:
        return f"{up} Yellow, {down} Red to move; both take the greatest."
    return f"{up} Yellow to move, takes the greatest; {down} Red, takes the least."


def _wrapped(lines: list[str]) -> Iterator[str]:
    yield from lines


def worth(value: float | None) -> str:
    """Write a value: proven results in words."""
    assert value is not None
    if abs(value) > PROVEN:
        return "won" if value > 0 else "lost"
    return f"{value:+g}".replace("-", "\N{MINUS SIGN}") if value else "0"


def _window(window: tuple[float, float]) -> str:
    def bound(value: float) -> str:
        if math.isinf(value):
            return "\N{MINUS SIGN}\N{INFINITY}" if value < 0 else "+\N{INFINITY}"
        return worth(value)

    return f"{bound(window[0])} to {bound(window[1])}"
