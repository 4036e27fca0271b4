"""The results of a search as a table, as lines for its columns, as JSON, SVG and HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from claimeven import markup
from claimeven.game import Position, column_name
from claimeven.game.notation import column_names
from claimeven.game.tree_svg import DrawnNode, draw_tree, edge_width
from claimeven.markup import Svg
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch, Forest
from claimeven.montecarlo.layout import PROOF_RESULTS

if TYPE_CHECKING:
    from claimeven.montecarlo.search import MonteCarloResult


def tree_json(branch: Branch, position: Position) -> dict[str, Any]:
    """Return a tree as plain data for JSON; undefined numbers are null.

    Keys: `move` (as in move strings; null at the root), `visits`, `total`, `mean`, `bonus`,
    `selection`, `share`, `proof` (win, loss, draw or null), `distance`, `left_out`, `children`,
    and in searches with priors `prior`, each as in `Branch`.
    """
    with_priors = _has_priors(branch)

    def data(node: Branch, root: bool) -> dict[str, Any]:
        return {
            "move": None if root else column_name(node.column, position.geometry),
            "visits": node.visits,
            "total": node.total,
            "mean": _number(node.mean),
            "bonus": None if node.bonus is None else _number(node.bonus),
            "selection": None if node.selection is None else _number(node.selection),
            "share": node.share,
            "proof": PROOF_NAMES[node.proof],
            "distance": node.distance if node.proof else None,
            "left_out": node.left_out,
            **({"prior": node.prior} if with_priors else {}),
            "children": [data(child, False) for child in node.children],
        }

    return data(branch, True)


#: The legend above a tree in text.
LEGEND: Final = (
    "N visits, T sum of their results, Q = T / N, E = Q + bonus; a dot: none yet.",
    "T, Q and proofs: from the view of the mover, at the root of the player to move;",
    "win in 3: proven, three moves with this one.",
)
#: The legend of a search with priors.
_LEGEND_WITH_PRIORS: Final = (
    "P prior of the model for the move; N visits, T sum of their values, Q = T / N,",
    "E = Q + bonus, the criterion of selection; a dot: none yet.",
    *LEGEND[1:],
)


def legend(branch: Branch) -> tuple[str, ...]:
    return _LEGEND_WITH_PRIORS if _has_priors(branch) else LEGEND


def tree_text(branch: Branch, position: Position) -> str:
    """Return a tree as a table under a legend, which explains its numbers."""
    return "\n".join([*legend(branch), *tree_lines(branch, position)])


def tree_lines(branch: Branch, position: Position) -> list[str]:
    """Return the lines of `tree_text` without its legend."""
    rows: list[tuple[str, ...]] = [("move", "P", "N", "T", "E", "Q", "")]

    def write(node: Branch, depth: int, name: str) -> None:
        rows.append(
            (
                "    " * depth + name,
                "" if node.prior is None else f"{node.prior:.3f}",
                str(node.visits),
                f"{node.total:.1f}",
                "" if node.selection is None else _text(node.selection),
                _text(node.mean),
                _ending(node),
            )
        )
        for child in node.children:
            write(child, depth + 1, column_name(child.column, position.geometry))
        if node.left_out:
            rows.append(("    " * (depth + 1) + f"({node.left_out} more)", *[""] * 6))

    write(branch, 0, "root")
    for place in (1, 4):
        if not any(row[place] for row in rows[1:]):
            rows = [(*row[:place], "", *row[place + 1 :]) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = []
    for name, *numbers, ending in rows:
        cells = [
            f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True) if width
        ]
        lines.append("  ".join([f"{name:<{widths[0]}}", *cells, ending]).rstrip())
    return lines


def _ending(node: Branch) -> str:
    proof = PROOF_NAMES[node.proof]
    return f"{proof} in {node.distance}" if proof else ""


def columns_text(branch: Branch, position: Position) -> str:
    """Return a line for each child: mean, visits, share and proof; dots without visits."""
    rows = []
    for child in branch.children:
        ending = _ending(child)
        mean = f"{child.mean:+.3f}" if child.visits else "."
        rows.append(
            f"{column_name(child.column, position.geometry)}  {mean:>7}  {child.visits:>9}"
            f"  {child.share:6.1%}{f'  {ending}' if ending else ''}"
        )
    return "\n".join(["column  mean     visits   share", *rows]) if rows else ""


def _has_priors(branch: Branch) -> bool:
    return branch.prior is not None or any(_has_priors(child) for child in branch.children)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "."


_COLORS: Final = ((-1.0, "lost"), (0.0, "even"), (1.0, "won, for the mover"))
_LEGEND: Final = (
    "in a circle: the column played; below it: N, its visits",
    "width of an edge: share of the visits; thick border: proven",
    "root: the position, as the player to move sees it",
)


def tree_svg(branch: Branch, position: Position) -> Svg:
    """Draw a tree (see `Forest.branch`, whose `limit` keeps it readable) as an SVG document.

    A circle contains the column of a move, with its visits below. The color goes from red (bad for
    the mover, at the root for the player to move) to blue (good). A proven node has a thick border.
    The width of an edge grows with the share of its parent's visits. Tooltips contain all numbers.
    """

    def draw_node(node: Branch, name: str) -> DrawnNode:
        return DrawnNode(
            name,
            _short(node.visits),
            _title(node),
            float(PROOF_RESULTS[node.proof]) if node.proof else node.plain_mean,
            edge_width(node.share),
            heavy=bool(node.proof),
            children=tuple(
                draw_node(child, column_name(child.column, position.geometry))
                for child in node.children
            ),
        )

    return draw_tree(draw_node(branch, "root"), _COLORS, _LEGEND)


def _title(node: Branch) -> str:
    title = "" if node.prior is None else f"P {node.prior:.3f}, "
    title += f"N {node.visits}, T {node.total:.1f}"
    if node.visits:
        title += f", Q {node.mean:.3f}"
    if node.selection is not None and math.isfinite(node.selection):
        title += f", E {node.selection:.3f}"
    if node.proof:
        title += f", {PROOF_NAMES[node.proof]} in {node.distance}"
    if node.left_out:
        title += f", {node.left_out} moves not drawn"
    return title


def _short(visits: int) -> str:
    """Visits in few characters: 12345 -> 12k."""
    if visits < 10_000:
        return str(visits)
    return f"{visits // 1000}k" if visits < 10_000_000 else f"{visits // 1_000_000}M"


#: Moves and nodes of a tree to show.
_DEPTH, _NODES = 2, 40


def result_html(result: MonteCarloResult) -> str:
    """Return the choice, and mean, visits and proof of each column."""
    names = column_names(len(result.policy))
    rows = [
        [
            names[child.column],
            f"{child.mean:+.3f}" if child.visits else ".",
            f"{child.visits:,}",
            markup.bar(f"{child.share:.1%}", child.share),
            _ending(child),
        ]
        for child in result.root.children
    ]
    line = "".join(names[column] for column in result.line)
    return markup.below(
        markup.line(
            markup.strong(f"Column {names[result.column]}"),
            f": value {result.value:+.3f} for the side to move, likeliest line {line}",
        ),
        markup.table(["column", "mean", "visits", "share of visits", ""], rows),
        markup.line(
            f"{result.iterations:,} iterations in {result.seconds:.3f} s,"
            f" {result.stored:,} nodes stored, depth {result.depth}"
        ),
    )


def forest_html(forest: Forest) -> str:
    """Return the most visited part of the trees as a drawing."""
    return markup.drawing(tree_svg(forest.branch(_DEPTH, _NODES), forest.position))
