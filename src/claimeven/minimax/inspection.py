"""The tree of positions that a search visited, as text, JSON and a drawing.

A tree is built from the events of a trace. All windows and values are from the view of the side
to move at the root, at every node.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from claimeven import markup
from claimeven.game.notation import column_name, column_names
from claimeven.game.position import Position
from claimeven.game.tree_svg import DrawnNode, draw_tree, edge_width
from claimeven.markup import Svg
from claimeven.minimax.types import (
    FROM_TABLE,
    PROVEN,
    Event,
    MinimaxResult,
    Trace,
    plies_to_end,
    run_trace,
)

#: Whether a value is the true one or a bound on it, which fail-soft pruning may leave.
EXACT, AT_LEAST, AT_MOST = "exact", "at least", "at most"
_SIGNS: Final = {EXACT: "", AT_LEAST: ">=", AT_MOST: "<="}
#: Greater numbers are written as whole numbers, because exponents would hide differences.
_SHORT: Final = 1e5


@dataclass
class SearchedNode:
    """A position that a search visited, from the view of the side to move at the root.

    Attributes:
        column: 0-based column of the move into it, -1 at the root.
        alpha, beta: the window it was entered with.
        value: the value that the search returned; `bound` says whether it is exact or a bound.
        reason: how the value came about.
        skipped: number of columns that a cut skipped.
        principal: whether it is on the principal variation.
        node_count: positions visited from here on, including this one.
        children: the children shown, in the order they were tried.
        left_out: number of its children that are not shown.

    """

    column: int
    alpha: float
    beta: float
    value: float = math.nan
    bound: str = EXACT
    reason: str = ""
    skipped: int = 0
    principal: bool = False
    node_count: int = 1
    children: list[SearchedNode] = field(default_factory=list)
    left_out: int = 0


def build_tree(trace: Trace, depth: int, limit: int) -> SearchedNode:
    """Run a trace to its end; return its tree, `depth` plies deep, with at most `limit` nodes.

    The tree always includes the principal variation; the other nodes nearest the root come first.
    """
    builder = _TreeBuilder(depth)
    variation = run_trace(trace, builder.add)
    assert builder.root is not None
    node: SearchedNode | None = builder.root
    principal: list[SearchedNode] = []
    for column in (*variation.line, -1):
        assert node is not None
        node.principal = True
        principal.append(node)
        node = next((child for child in node.children if child.column == column), None)
        if node is None:
            break
    _prune(builder.root, principal, limit)
    return builder.root


class _TreeBuilder:
    """Builds a tree from events. `counts` has the positions visited below each open position."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.root: SearchedNode | None = None
        self.open: list[SearchedNode | None] = []
        self.counts: list[int] = []

    def add(self, event: Event) -> None:
        sign = -1 if event.view == "mover" and len(event.columns) % 2 else 1
        if event.kind == "enter":
            self._enter(event, sign)
        elif event.kind == "cut":
            if (node := self.open[-1]) is not None:
                node.skipped = event.skipped
        else:
            self._leave(event, sign)

    def _enter(self, event: Event, sign: int) -> None:
        ply = len(event.columns)
        self.counts.append(1)
        if ply > self.depth:
            self.open.append(None)
            return
        alpha, beta = (event.alpha, event.beta) if sign > 0 else (-event.beta, -event.alpha)
        node = SearchedNode(event.columns[-1] if ply else -1, alpha + 0, beta + 0)  # no -0.0
        if ply:
            parent = self.open[-1]
            assert parent is not None
            parent.children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def _leave(self, event: Event, sign: int) -> None:
        node, count = self.open.pop(), self.counts.pop()
        if self.counts:
            self.counts[-1] += count
        if node is None:
            return
        assert event.value is not None
        node.value = sign * event.value + 0  # no -0.0
        node.reason, node.node_count = event.reason, count
        if count == 1 and event.reason != FROM_TABLE:
            return  # evaluated, or the end of the game: exact with any window
        if node.value <= node.alpha:
            node.bound = AT_MOST
        elif node.value >= node.beta:
            node.bound = AT_LEAST


def _prune(root: SearchedNode, principal: list[SearchedNode], limit: int) -> None:
    """Keep at most `limit` nodes: the principal variation, then level by level."""
    shown = {id(node) for node in principal[:limit]}
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        for child in node.children:
            if len(shown) < limit:
                shown.add(id(child))
        waiting.extend(child for child in node.children if id(child) in shown)
    waiting.append(root)
    while waiting:
        node = waiting.popleft()
        before = len(node.children)
        node.children = [child for child in node.children if id(child) in shown]
        node.left_out = before - len(node.children)
        waiting.extend(node.children)


# --- output --------------------------------------------------------------------------------------


def number_text(value: float) -> str:
    """Format an evaluation: six significant digits, more if its whole part is longer.

    >>> number_text(0.1 + 0.2), number_text(1_000_000), number_text(-1_234_567.25)
    ('0.3', '1000000', '-1234567')
    """
    value += 0.0  # no -0
    return f"{value:g}" if abs(value) < _SHORT else f"{value:.0f}"


def value_text(value: float) -> str:
    """Format a value; a proven result as the plies to the winning disc.

    >>> value_text(math.inf), value_text(12), value_text(10**9 - 3)
    ('+inf', '12', 'win in 3')
    """
    if math.isinf(value):
        return "+inf" if value > 0 else "-inf"
    plies = plies_to_end(value)
    if plies is None:
        return number_text(value)
    return f"{'win' if value > 0 else 'loss'} in {plies}"


def window_text(alpha: float, beta: float) -> str:
    return f"[{value_text(alpha)}, {value_text(beta)}]"


#: The lines above a tree in text.
_LEGEND: Final = (
    "window, value: from the view of the side to move at the root; <= and >= are",
    "bounds on the true value; * is the principal variation; nodes: positions",
    "visited from here on.",
)


def tree_text(root: SearchedNode, position: Position) -> str:
    """Return a tree as a table under a legend: window, value and cut of each node."""
    rows = [("move", "window", "value", "nodes", "")]
    for node, depth in _walk(root):
        name = column_name(node.column, position.geometry) if depth else "root"
        value = _SIGNS[node.bound] + value_text(node.value)
        rows.append(
            (
                "  " * depth + name + " *" * node.principal,
                window_text(node.alpha, node.beta),
                value,
                f"{node.node_count:,}",
                _note(node),
            )
        )
        if node.left_out:
            rows.append(("  " * (depth + 1) + f"({node.left_out} more)", "", "", "", ""))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = list(_LEGEND)
    for name, window, value, nodes, note in rows:
        cells = (f"{name:<{widths[0]}}", f"{window:<{widths[1]}}", f"{value:>{widths[2]}}",
                 f"{nodes:>{widths[3]}}", note)  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def tree_json(root: SearchedNode, position: Position) -> dict[str, Any]:
    """Return a tree as plain data for JSON.

    Keys: `move` (as in move strings; null at the root), `alpha` and `beta` (null for no bound),
    `value`, `plies_to_end` (null if not proven), `bound`, `reason`, `skipped`,
    `principal`, `nodes`, `left_out`, `children`, each as in `SearchedNode`.
    """

    def data(node: SearchedNode, is_root: bool) -> dict[str, Any]:
        return {
            "move": None if is_root else column_name(node.column, position.geometry),
            "alpha": _finite(node.alpha),
            "beta": _finite(node.beta),
            "value": node.value,
            "plies_to_end": plies_to_end(node.value),
            "bound": node.bound,
            "reason": node.reason,
            "skipped": node.skipped,
            "principal": node.principal,
            "nodes": node.node_count,
            "left_out": node.left_out,
            "children": [data(child, False) for child in node.children],
        }

    return data(root, True)


_WORTHS: Final = ((-1.0, "lost"), (0.0, "even"), (1.0, "won, for the side to move at the root"))
_DRAWN_LEGEND: Final = (
    "in a circle: the column played; below it: its value, <= and >= bounds on it",
    "width of an edge: share of the positions visited; thick border: best line",
    "a red stroke: a cut skipped columns; the title shows the window",
)


def tree_svg(root: SearchedNode, position: Position, scale: float) -> Svg:
    """Draw a tree as an SVG document; a value of `scale` is colored as half a win."""

    def drawn(node: SearchedNode, name: str, share: float) -> DrawnNode:
        below, value = node.node_count - 1, _SIGNS[node.bound] + short_text(node.value)
        title = f"window {window_text(node.alpha, node.beta)}, value {value}"
        return DrawnNode(
            name,
            value,
            ", ".join([title, *filter(None, [_note(node)]), f"{node.node_count:,} nodes"]),
            unit_value(node.value, scale),
            edge_width(share),
            heavy=node.principal,
            crossed=node.skipped > 0,
            children=tuple(
                drawn(child, column_name(child.column, position.geometry), child.node_count / below)
                for child in node.children
            ),
        )

    return draw_tree(drawn(root, "root", 1.0), _WORTHS, _DRAWN_LEGEND)


def _walk(root: SearchedNode, depth: int = 0) -> Iterator[tuple[SearchedNode, int]]:
    yield root, depth
    for child in root.children:
        yield from _walk(child, depth + 1)


def _note(node: SearchedNode) -> str:
    if node.skipped:
        return f"cut: {node.skipped} column{'s' if node.skipped > 1 else ''} skipped"
    return node.reason if node.node_count == 1 else ""


def short_text(value: float) -> str:
    """Format a value in few characters: W3 is a win in 3 plies, L4 a loss."""
    plies = plies_to_end(value)
    return number_text(value) if plies is None else f"{'W' if value > 0 else 'L'}{plies}"


def unit_value(value: float, scale: float) -> float:
    """Map a value to [-1, 1]: proven results to the ends, `scale` to one half."""
    if abs(value) > PROVEN:
        return 1.0 if value > 0 else -1.0
    return value / (abs(value) + scale)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def result_html(result: MinimaxResult) -> str:
    """Return the choice and its line, the value of each column and the counts."""
    names = column_names(len(result.columns))
    counters = result.counters
    values = [
        "." if known is None else f"{'' if known.exact else '<='}{value_text(known.value)}"
        for known in result.columns
    ]
    line = "".join(names[column] for column in result.line)
    counts = (
        f"{counters.nodes:,} positions visited, {counters.evaluations:,} evaluated,"
        f" {counters.cutoffs:,} cut-offs, depth {result.depth}"
    )
    return markup.below(
        markup.line(
            markup.strong(f"Column {names[result.column]}"),
            f": value {value_text(result.value)} for the side to move, best line {line}",
        ),
        markup.table(["column", *names], [["value", *values]]),
        markup.line(counts),
    )
