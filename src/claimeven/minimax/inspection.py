"""Looking into a search: the positions it looked at as a tree, as text, JSON and a drawing.

A tree is built from the events of a trace. One rule holds for every number shown: windows and
values are told as the side to move at the root sees them, whoever moves at the node.
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

#: How a value stands to the true one: it is that, or a bound on it, as fail-soft pruning leaves it.
EXACT, AT_LEAST, AT_MOST = "exact", "at least", "at most"
_SIGNS: Final = {EXACT: "", AT_LEAST: ">=", AT_MOST: "<="}
#: A number from here on is written to the whole, since powers of ten would hide what differs.
_SHORT: Final = 1e5


@dataclass
class SearchedNode:
    """A position that a search looked at, as the side to move at the root sees it.

    Attributes:
        column: 0-based column of the move into it, -1 at the root.
        alpha, beta: the window it was entered with.
        value: what the search made of it; `bound` says whether that is exact, or how it bounds
            the true value.
        reason: how the value came about.
        skipped: columns that a cut left out; 0 without one.
        principal: whether it lies on the principal variation.
        looked_at: positions looked at from here on, this one included.
        children: those shown, in the order they were tried.
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
    looked_at: int = 1
    children: list[SearchedNode] = field(default_factory=list)
    left_out: int = 0


def build_tree(trace: Trace, depth: int, limit: int) -> SearchedNode:
    """Run a trace to its end and return its tree, `depth` plies deep and of at most `limit` nodes.

    The principal variation is always among them, and then nodes nearer to the root come first.
    """
    grower = _Grower(depth)
    variation = run_trace(trace, grower.see)
    assert grower.root is not None
    node: SearchedNode | None = grower.root
    for column in (*variation.line, -1):
        assert node is not None
        node.principal = True
        node = next((child for child in node.children if child.column == column), None)
        if node is None:
            break
    _prune(grower.root, limit)
    return grower.root


class _Grower:
    """Builds a tree from events. `counts` holds, for each open position, those looked at below."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.root: SearchedNode | None = None
        self.open: list[SearchedNode | None] = []
        self.counts: list[int] = []

    def see(self, event: Event) -> None:
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
        node.reason, node.looked_at = event.reason, count
        if count == 1 and event.reason != FROM_TABLE:
            return  # evaluated, or the end of the game: exact whatever the window
        if node.value <= node.alpha:
            node.bound = AT_MOST
        elif node.value >= node.beta:
            node.bound = AT_LEAST


def _prune(root: SearchedNode, limit: int) -> None:
    """Keep at most `limit` nodes: the principal variation, then level by level."""
    kept = {id(node) for node in _principal(root)[:limit]}
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        for child in node.children:
            if len(kept) < limit:
                kept.add(id(child))
        waiting.extend(child for child in node.children if id(child) in kept)
    waiting.append(root)
    while waiting:
        node = waiting.popleft()
        before = len(node.children)
        node.children = [child for child in node.children if id(child) in kept]
        node.left_out = before - len(node.children)
        waiting.extend(node.children)


def _principal(root: SearchedNode) -> list[SearchedNode]:
    found, node = [root], root
    while below := [child for child in node.children if child.principal]:
        node = below[0]
        found.append(node)
    return found


# --- telling -------------------------------------------------------------------------------------


def number_text(value: float) -> str:
    """Write what an evaluation gave: six digits, and as many more as its whole part has.

    >>> number_text(0.1 + 0.2), number_text(1_000_000), number_text(-1_234_567.25)
    ('0.3', '1000000', '-1234567')
    """
    value += 0.0  # no -0
    return f"{value:g}" if abs(value) < _SHORT else f"{value:.0f}"


def value_text(value: float) -> str:
    """Write a value; proven results as the plies to the winning disc.

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
    """Write a window."""
    return f"[{value_text(alpha)}, {value_text(beta)}]"


#: What stands above a tree in text.
_LEGEND: Final = (
    "window, value: as the side to move at the root sees them; <= and >= are",
    "bounds on the true value, * is the principal variation; nodes: positions",
    "looked at from here.",
)


def tree_text(root: SearchedNode, position: Position) -> str:
    """A tree as a table under a legend: window, value and cut of each node."""
    rows = [("move", "window", "value", "nodes", "")]
    for node, depth in _walk(root):
        name = column_name(node.column, position.geometry) if depth else "root"
        value = _SIGNS[node.bound] + value_text(node.value)
        rows.append(
            (
                "  " * depth + name + " *" * node.principal,
                window_text(node.alpha, node.beta),
                value,
                f"{node.looked_at:,}",
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
    """A tree as plain data for JSON.

    Keys: `move` (as in move strings; null at the root), `alpha` and `beta` (null for no bound),
    `value`, `plies_to_end` (null where nothing is proven), `bound`, `reason`, `skipped`,
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
            "nodes": node.looked_at,
            "left_out": node.left_out,
            "children": [data(child, False) for child in node.children],
        }

    return data(root, True)


_WORTHS: Final = ((-1.0, "lost"), (0.0, "even"), (1.0, "won, for the side to move at the root"))
_DRAWN_LEGEND: Final = (
    "in a circle: the column played; below it: its value, <= and >= bounds on it",
    "width of an edge: share of the positions looked at; thick border: best line",
    "a red stroke: a cut skipped columns; the title tells the window",
)


def tree_svg(root: SearchedNode, position: Position, scale: float) -> Svg:
    """Draw a tree as an SVG document; a value of `scale` is coloured as half a win."""

    def drawn(node: SearchedNode, name: str, share: float) -> DrawnNode:
        below = node.looked_at - 1
        title = f"window {window_text(node.alpha, node.beta)}, value {_value(node)}"
        return DrawnNode(
            name,
            _value(node),
            ", ".join([title, *filter(None, [_note(node)]), f"{node.looked_at:,} nodes"]),
            _worth(node.value, scale),
            edge_width(share),
            heavy=node.principal,
            crossed=node.skipped > 0,
            children=tuple(
                drawn(child, column_name(child.column, position.geometry), child.looked_at / below)
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
    return node.reason if node.looked_at == 1 else ""


def _value(node: SearchedNode) -> str:
    plies = plies_to_end(node.value)
    if plies is not None:
        return _SIGNS[node.bound] + ("W" if node.value > 0 else "L") + str(plies)
    return f"{_SIGNS[node.bound]}{number_text(node.value)}"


def _worth(value: float, scale: float) -> float:
    if abs(value) > PROVEN:
        return 1.0 if value > 0 else -1.0
    return value / (abs(value) + scale)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def result_html(result: MinimaxResult) -> str:
    """Return the choice and its line, the value of each column and what was counted."""
    names = column_names(len(result.columns))
    counters = result.counters
    values = [
        "." if known is None else f"{'' if known.exact else '<='}{value_text(known.value)}"
        for known in result.columns
    ]
    line = "".join(names[column] for column in result.line)
    counted = (
        f"{counters.nodes:,} positions looked at, {counters.evaluations:,} evaluated,"
        f" {counters.cutoffs:,} cut-offs, depth {result.depth}"
    )
    return markup.below(
        markup.line(
            markup.strong(f"Column {names[result.column]}"),
            f": value {value_text(result.value)} for the side to move, best line {line}",
        ),
        markup.table(["column", *names], [["value", *values]]),
        markup.line(counted),
    )
