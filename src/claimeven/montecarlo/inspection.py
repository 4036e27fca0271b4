"""Looking into a grown tree: columns, principal line, the tree to a depth, as text and JSON.

`Forest` puts the trees of several threads together as if they were one. Everything about a node
is told as the player sees it who made the move into it, on the scale of results of the options.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from claimeven.game import Position, column_name
from claimeven.montecarlo.contract import Engine, Facts, Handle
from claimeven.montecarlo.layout import PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN, UNPROVEN
from claimeven.montecarlo.options import Options, check_whole

PROOF_NAMES: Final = {
    UNPROVEN: None,
    PROVEN_WIN: "win",
    PROVEN_LOSS: "loss",
    PROVEN_DRAW: "draw",
}


@dataclass(frozen=True)
class Branch:
    """A node of a tree and what is shown below it.

    Attributes:
        column: 0-based column of the move into it (0 at the root, which has none).
        visits: N, iterations through it.
        total: T, sum of their results on the scale of the options.
        mean: Q = T / N; nan where not visited.
        bonus: E, what selection adds to the mean for exploration; infinite where not visited,
            0 at the root and where nothing is selected (flat, breadth).
        share: its part of the visits of all children of its parent, 0..1; 1 at the root.
        plain_mean: the mean on the scale -1..1; 0 where not visited.
        judged: what `choice=mean` goes by: the mean, or in flat search the sum of the means of
            the leaves below.
        proof, distance: see `layout`.
        children: left to right.

    """

    column: int
    visits: int
    total: float
    mean: float
    bonus: float
    share: float
    plain_mean: float
    judged: float
    proof: int
    distance: int
    children: tuple[Branch, ...] = ()


class Forest:
    """The trees of all threads of a search, seen as one."""

    def __init__(self, position: Position, options: Options, engines: tuple[Engine, ...]) -> None:
        self.position = position
        self.options = options
        self.engines = engines

    def root_visits(self) -> int:
        """Visits of the root."""
        return self._merged(self._roots()).visits

    def branch(self, depth: int | None = 2, limit: int | None = None) -> Branch:
        """The tree to a depth in moves (None: all), of at most `limit` nodes, the most visited.

        With a limit only visited nodes are shown. Raises `InvalidOptions` for a negative depth
        or a limit below 1.
        """
        if depth is not None:
            check_whole("depth", depth, 0, 1_000)
        if limit is not None:
            check_whole("limit", limit, 1, 1_000_000)
        order = count()
        root = _Shown(self._roots(), 0)
        waiting = [(0, next(order), root, root)]
        left = math.inf if limit is None else limit
        while waiting and left > 0:
            _, _, shown, parent = heapq.heappop(waiting)
            left -= 1
            if shown is not parent:
                parent.children.append(shown)
            if depth is not None and shown.depth >= depth:
                continue
            for handles in self._children(shown.handles):
                visits = self._merged(handles).visits
                if visits or limit is None:
                    below = _Shown(handles, shown.depth + 1)
                    heapq.heappush(waiting, (-visits, next(order), below, shown))
        return self._frozen(root, 0, 0)

    def line(self, column: int) -> tuple[int, ...]:
        """A column and the likeliest moves after it: a proven win, else the most visited."""
        handles, columns = self._roots(), [column]
        wanted: int | None = column
        while True:
            found: dict[int, list[tuple[Engine, Handle]]] = {
                self._merged(children).column: children for children in self._children(handles)
            }
            facts = {c: self._merged(children) for c, children in found.items()}
            facts = {c: fact for c, fact in facts.items() if fact.visits}
            if wanted is None:
                if not facts:
                    return tuple(columns)
                wanted = max(facts, key=lambda c: (facts[c].proof == PROVEN_WIN, facts[c].visits))
                columns.append(wanted)
            if wanted not in found:
                return tuple(columns)
            handles, wanted = found[wanted], None

    def _roots(self) -> list[tuple[Engine, Handle]]:
        return [(engine, engine.root()) for engine in self.engines]

    def _children(
        self, handles: Sequence[tuple[Engine, Handle]]
    ) -> list[list[tuple[Engine, Handle]]]:
        """Children of a node, left to right, each with its handle in every tree that has it."""
        columns: dict[int, list[tuple[Engine, Handle]]] = {}
        for engine, handle in handles:
            for child in engine.children(handle):
                columns.setdefault(engine.facts(child).column, []).append((engine, child))
        return [columns[column] for column in sorted(columns)]

    def _merged(self, handles: Sequence[tuple[Engine, Handle]]) -> Facts:
        facts = [engine.facts(handle) for engine, handle in handles]
        proven = [fact for fact in facts if fact.proof != UNPROVEN]
        return Facts(
            facts[0].column,
            sum(fact.visits for fact in facts),
            sum(fact.total for fact in facts),
            proven[0].proof if proven else UNPROVEN,
            proven[0].distance if proven else 0,
        )

    def _frozen(self, shown: _Shown, above: int, siblings: int) -> Branch:
        """`above`: visits of the parent; `siblings`: of all its children, 0 at the root."""
        facts = self._merged(shown.handles)
        options = self.options
        visits, total = facts.visits, float(facts.total)
        plain = total / visits if visits else 0.0
        bonus, share = 0.0, 1.0
        if shown.depth > 0:
            share = visits / siblings if siblings else 0.0
            if options.method == "uct":
                bonus = self._bonus(above, visits)
        if options.width == 2.0:
            total = (total + visits) / 2
        mean = total / visits if visits else math.nan
        judged = plain
        below = [self._merged(child) for child in self._children(shown.handles)]
        if options.method == "flat" and shown.depth == 1 and below:
            judged = -sum(leaf.total / leaf.visits for leaf in below if leaf.visits)
        total_below = sum(child.visits for child in below)
        children = sorted(
            (self._frozen(child, visits, total_below) for child in shown.children),
            key=lambda child: child.column,
        )
        return Branch(
            facts.column, visits, total, mean, bonus, share, plain, judged,
            facts.proof, facts.distance, tuple(children),
        )  # fmt: skip

    def _bonus(self, above: int, visits: int) -> float:
        """What selection adds to the mean of a child with `visits`, of a parent with `above`."""
        if not visits:
            return math.inf
        weight = self.options.weight / self.options.width
        return weight * math.sqrt(math.log(max(above, 1)) / visits)


class _Shown:
    """A node picked to be shown."""

    def __init__(self, handles: Sequence[tuple[Engine, Handle]], depth: int) -> None:
        self.handles = handles
        self.depth = depth
        self.children: list[_Shown] = []


def tree_json(branch: Branch, position: Position) -> dict[str, Any]:
    """A tree as plain data for JSON: null where a number is not defined.

    Keys: `move` (as in move strings; null at the root), `visits`, `total`,
    `mean`, `bonus`, `share`, `proof` (win, loss, draw or null), `distance`, `children`.
    """

    def data(node: Branch, root: bool) -> dict[str, Any]:
        return {
            "move": None if root else column_name(node.column, position.geometry),
            "visits": node.visits,
            "total": node.total,
            "mean": _number(node.mean),
            "bonus": _number(node.bonus),
            "share": node.share,
            "proof": PROOF_NAMES[node.proof],
            "distance": node.distance if node.proof else None,
            "children": [data(child, False) for child in node.children],
        }

    return data(branch, True)


def tree_text(branch: Branch, position: Position) -> str:
    """A tree as indented lines with N visits, T total, E bonus and Q mean of each node."""
    lines: list[str] = []

    def write(node: Branch, depth: int, name: str) -> None:
        proof = PROOF_NAMES[node.proof]
        ending = f"  {proof} in {node.distance}" if proof else ""
        numbers = f"N={node.visits} T={node.total:.1f}"
        if depth:
            numbers += f" E={_text(node.bonus)}"
        lines.append(f"{'    ' * depth}{name}: {numbers} Q={_text(node.mean)}{ending}")
        for child in node.children:
            write(child, depth + 1, column_name(child.column, position.geometry))

    write(branch, 0, "root")
    return "\n".join(lines)


def columns_text(branch: Branch, position: Position) -> str:
    """A line for each child of a root: mean, visits, share and proof; dots where not visited."""
    rows = []
    for child in branch.children:
        proof = PROOF_NAMES[child.proof]
        mean = f"{child.mean:+.3f}" if child.visits else "."
        rows.append(
            f"{column_name(child.column, position.geometry)}  {mean:>7}  {child.visits:>9}"
            f"  {child.share:6.1%}{f'  {proof} in {child.distance}' if proof else ''}"
        )
    return "\n".join(["column  mean     visits   share", *rows]) if rows else ""


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "."
