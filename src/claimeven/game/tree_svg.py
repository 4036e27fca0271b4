"""Search trees as SVG, for every kind of search, with the root on top.

A search turns its nodes into `DrawnNode`s and explains their parts in a legend.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from claimeven.markup import Svg

#: Sizes in pixels.
STEP_ACROSS: Final = 34
STEP_DOWN: Final = 78
RADIUS: Final = 13
MARGIN: Final = 24
WIDEST: Final = 9.0
LEGEND_WIDTH: Final = 400
LEGEND_LINE: Final = 16
SWATCH_STEP: Final = 60

_BAD, _EVEN, _GOOD = (202, 74, 60), (236, 232, 220), (44, 123, 182)


@dataclass(frozen=True)
class DrawnNode:
    """A node of a drawing.

    Attributes:
        label: the text in its circle.
        below: the text below it, with a halo over the edges.
        title: the details, which browsers show on hovering.
        worth: its color, from -1 (red) over 0 to 1 (blue).
        width: width of the edge into it, 0..1 of the greatest width.
        heavy: whether its circle has a thick border.
        crossed: whether a stroke below it shows that some of its columns were not searched.
        children: the children from left to right.

    """

    label: str
    below: str
    title: str
    worth: float
    width: float = 1.0
    heavy: bool = False
    crossed: bool = False
    children: tuple[DrawnNode, ...] = ()


def draw_tree(root: DrawnNode, worths: Sequence[tuple[float, str]], legend: Sequence[str]) -> Svg:
    """Draw a tree as an SVG document on a white background, which notebooks show.

    `worths` are colors with their names for the first line of the legend, `legend` the other lines.
    """
    places, across = _places(root)
    width = max(2 * MARGIN + across, LEGEND_WIDTH)
    aside = (width - 2 * MARGIN - across) / 2
    bottom = max(y for _, y in places.values()) + RADIUS + MARGIN
    legend_text, height = _legend(bottom + LEGEND_LINE, worths, legend)
    edges: list[str] = []
    circles: list[str] = []

    def add(node: DrawnNode) -> None:
        x, y = places[id(node)]
        for child in node.children:
            cx, cy = places[id(child)]
            stroke = max(0.5, WIDEST * child.width)
            edges.append(
                f'<line x1="{x + aside:.1f}" y1="{y:.1f}" x2="{cx + aside:.1f}" y2="{cy:.1f}"'
                f' stroke-width="{stroke:.1f}"/>'
            )
            add(child)
        circles.append(_circle(node, x + aside, y))

    add(root)
    name = f"A search tree of {len(places)} positions. {root.title}"
    return Svg(
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
                f' width="{width:.0f}" height="{height:.0f}" font-family="sans-serif"'
                f' role="img" aria-label="{escape(name)}">',
                f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#ffffff"/>',
                f'<g stroke="#8a8a80" stroke-linecap="round">{"".join(edges)}</g>',
                f'<g text-anchor="middle" fill="#1d1d1b">{"".join(circles)}</g>',
                f'<g font-size="11" fill="#1d1d1b">{legend_text}</g>',
                "</svg>",
            ]
        )
    )


def _places(root: DrawnNode) -> tuple[dict[int, tuple[float, float]], float]:
    """Return the center of every node and the width of the tree; parents are above their leaves."""
    places: dict[int, tuple[float, float]] = {}
    leaves = 0

    def place(node: DrawnNode, depth: int) -> float:
        nonlocal leaves
        if node.children:
            across = [place(child, depth + 1) for child in node.children]
            x = (across[0] + across[-1]) / 2
        else:
            x, leaves = MARGIN + STEP_ACROSS * (leaves + 0.5), leaves + 1
        places[id(node)] = (x, MARGIN + RADIUS + STEP_DOWN * depth)
        return x

    place(root, 0)
    return places, STEP_ACROSS * leaves


def _circle(node: DrawnNode, x: float, y: float) -> str:
    size = 14 if len(node.label) <= 2 else 9
    fill = color(node.worth)
    below = f'<text x="{x:.1f}" y="{y + RADIUS + 12:.1f}" font-size="9"'
    foot = y + RADIUS + 18
    crossed = (
        f'<path d="M{x - 7:.1f} {foot:.1f}h14" stroke="rgb{_BAD}" stroke-width="2"/>'
        if node.crossed
        else ""
    )
    return (
        f"<g><title>{escape(node.title)}</title>"
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{fill}"'
        f' stroke="#1d1d1b" stroke-width="{3 if node.heavy else 1}"/>'
        f'<text x="{x:.1f}" y="{y + 0.36 * size:.1f}" font-size="{size}">'
        f"{escape(node.label)}</text>"
        # The halo is a separate text below, because some renderers do not support paint-order.
        f'{below} fill="none" stroke="#ffffff" stroke-width="3">{escape(node.below)}</text>'
        f"{below}>{escape(node.below)}</text>{crossed}"
        "</g>"
    )


def _legend(
    top: float, worths: Sequence[tuple[float, str]], lines: Sequence[str]
) -> tuple[str, float]:
    elements, x = [], float(MARGIN)
    for worth, word in worths:
        elements.append(
            f'<rect x="{x:.1f}" y="{top - 9:.1f}" width="10" height="10" fill="{color(worth)}"'
            f' stroke="#1d1d1b" stroke-width="0.5"/>'
            f'<text x="{x + 14:.1f}" y="{top:.1f}">{escape(word)}</text>'
        )
        x += SWATCH_STEP
    for i, line in enumerate(lines, 1):
        elements.append(f'<text x="{MARGIN}" y="{top + i * LEGEND_LINE:.1f}">{escape(line)}</text>')
    return "".join(elements), top + len(lines) * LEGEND_LINE + MARGIN / 2


def color(worth: float) -> str:
    """Return a color between red at -1, gray at 0 and blue at +1.

    >>> color(0)
    'rgb(236,232,220)'
    """
    end = _GOOD if worth > 0 else _BAD
    mix = [
        round(even + (far - even) * min(abs(worth), 1.0))
        for even, far in zip(_EVEN, end, strict=True)
    ]
    return f"rgb({mix[0]},{mix[1]},{mix[2]})"


def edge_width(share: float) -> float:
    """Return the width of an edge for a share; small shares stay visible."""
    return math.sqrt(share)
