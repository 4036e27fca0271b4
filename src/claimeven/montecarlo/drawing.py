"""A tree as an SVG drawing: the root on top, wider edges where more iterations went."""

from __future__ import annotations

import math
from html import escape
from typing import Final

from claimeven.game import Position, column_name
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch
from claimeven.montecarlo.layout import PROOF_RESULTS

#: Sizes in pixels.
STEP_ACROSS: Final = 34
STEP_DOWN: Final = 78
RADIUS: Final = 13
MARGIN: Final = 24
WIDEST: Final = 9.0
LEGEND_WIDTH: Final = 400
LEGEND_LINE: Final = 16

_BAD, _EVEN, _GOOD = (202, 74, 60), (236, 232, 220), (44, 123, 182)


def tree_svg(branch: Branch, position: Position) -> str:
    """Draw a tree (see `Forest.branch`, whose `limit` keeps it readable) as an SVG document.

    A circle holds the column of a move and its visits stand below it, on a halo where edges leave;
    its colour goes from red (bad for the player who makes the move, at the root for the player to
    move) to blue (good); a proven node has a thick border. The width of an edge grows with the
    share of its parent's visits. A legend says so. Titles, shown by browsers on hovering, give
    all numbers.
    """
    places: dict[int, tuple[float, float]] = {}
    leaves = 0

    def place(node: Branch, depth: int) -> float:
        nonlocal leaves
        if node.children:
            across = [place(child, depth + 1) for child in node.children]
            x = (across[0] + across[-1]) / 2
        else:
            x, leaves = MARGIN + STEP_ACROSS * (leaves + 0.5), leaves + 1
        places[id(node)] = (x, MARGIN + RADIUS + STEP_DOWN * depth)
        return x

    place(branch, 0)
    width = max(2 * MARGIN + STEP_ACROSS * leaves, LEGEND_WIDTH)
    aside = (width - 2 * MARGIN - STEP_ACROSS * leaves) / 2
    places = {node: (x + aside, y) for node, (x, y) in places.items()}
    bottom = max(y for _, y in places.values()) + RADIUS + MARGIN
    legend, height = _legend(bottom + LEGEND_LINE)
    edges: list[str] = []
    nodes: list[str] = []

    def draw(node: Branch, name: str) -> None:
        x, y = places[id(node)]
        for child in node.children:
            cx, cy = places[id(child)]
            stroke = max(0.5, WIDEST * math.sqrt(child.share))
            edges.append(
                f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{cx:.1f}" y2="{cy:.1f}"'
                f' stroke-width="{stroke:.1f}"/>'
            )
            draw(child, column_name(child.column, position.geometry))
        nodes.append(_circle(node, name, x, y))

    draw(branch, "root")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
            f' width="{width:.0f}" height="{height:.0f}" font-family="sans-serif">',
            f'<g stroke="#8a8a80" stroke-linecap="round">{"".join(edges)}</g>',
            f'<g text-anchor="middle" fill="#1d1d1b">{"".join(nodes)}</g>',
            f'<g font-size="11" fill="#1d1d1b">{legend}</g>',
            "</svg>",
        ]
    )


def _circle(node: Branch, name: str, x: float, y: float) -> str:
    proof = PROOF_NAMES[node.proof]
    told = f"N {node.visits}, T {node.total:.1f}"
    if node.visits:
        told += f", Q {node.mean:.3f}"
    if node.bonus is not None and math.isfinite(node.bonus):
        told += f", E {node.bonus:.3f}"
    if proof:
        told += f", {proof} in {node.distance}"
    if node.left_out:
        told += f", {node.left_out} moves not drawn"
    border = 3 if proof else 1
    visits = f'<text x="{x:.1f}" y="{y + RADIUS + 12:.1f}" font-size="9"'
    size = 14 if len(name) <= 2 else 9
    return (
        f"<g><title>{escape(told)}</title>"
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{_colour(_worth(node))}"'
        f' stroke="#1d1d1b" stroke-width="{border}"/>'
        f'<text x="{x:.1f}" y="{y + 0.36 * size:.1f}" font-size="{size}">{escape(name)}</text>'
        # The halo is a text of its own below the visits: not all renderers know paint-order.
        f'{visits} fill="none" stroke="#ffffff" stroke-width="3">{_short(node.visits)}</text>'
        f"{visits}>{_short(node.visits)}</text>"
        "</g>"
    )


def _legend(top: float) -> tuple[str, float]:
    """Elements of the legend from a height down, and the height where the drawing ends."""
    swatches = ((-1.0, "lost"), (0.0, "even"), (1.0, "won, for the player who makes the move"))
    lines = (
        "in a circle: the column played; below it: N, its visits",
        "width of an edge: share of the visits; thick border: proven",
        "root: the position, as the player to move sees it",
    )
    elements, x = [], float(MARGIN)
    for mean, word in swatches:
        elements.append(
            f'<rect x="{x:.1f}" y="{top - 9:.1f}" width="10" height="10" fill="{_colour(mean)}"'
            f' stroke="#1d1d1b" stroke-width="0.5"/>'
            f'<text x="{x + 14:.1f}" y="{top:.1f}">{word}</text>'
        )
        x += 60
    for i, line in enumerate(lines, 1):
        elements.append(f'<text x="{MARGIN}" y="{top + i * LEGEND_LINE:.1f}">{line}</text>')
    return "".join(elements), top + len(lines) * LEGEND_LINE + MARGIN / 2


def _worth(node: Branch) -> float:
    """What a node's colour tells, -1..1: the proven result, else the mean."""
    return float(PROOF_RESULTS[node.proof]) if node.proof else node.plain_mean


def _colour(mean: float) -> str:
    """Colour between _BAD at -1, _EVEN at 0 and _GOOD at +1."""
    end = _GOOD if mean > 0 else _BAD
    mix = [round(e + (g - e) * min(abs(mean), 1.0)) for e, g in zip(_EVEN, end, strict=True)]
    return f"rgb({mix[0]},{mix[1]},{mix[2]})"


def _short(visits: int) -> str:
    """Visits in few characters: 12345 -> 12k."""
    if visits < 10_000:
        return str(visits)
    return f"{visits // 1000}k" if visits < 10_000_000 else f"{visits // 1_000_000}M"
