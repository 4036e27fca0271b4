"""Parts of SVG pictures: text, lines, small boards. They use only attributes, no styles.

Pictures are drawn for white paper. Their text stays text, so it can be searched and read aloud.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from claimeven.game import Position

PAPER: Final = "#ffffff"
INK: Final = "#22303f"
SOFT: Final = "#5c6b7c"
FAINT: Final = "#b9c4d1"
BOARD: Final = "#2b5a98"
EMPTY: Final = "#e4ecf6"
GOOD: Final = "#1f7a4d"
BAD: Final = "#bf2f4a"
#: The first player's discs and the second's, as `draw_svg` paints them.
DISCS: Final = ("#ffd447", "#bf2f4a")
#: Colors of series in one chart, which also differ in lightness.
SERIES: Final = ("#1c4172", "#c46a00", "#2a9d8f", "#8a5aa8", "#7a8794", "#bf2f4a", "#d9a400")
FONT: Final = "system-ui, -apple-system, Helvetica, Arial, sans-serif"


def picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a whole picture with its title for screen readers."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{escape(title)}'"
        f" width='{_n(width)}' height='{_n(height)}' viewBox='0 0 {_n(width)} {_n(height)}'"
        f" font-family='{FONT}'>"
    )
    paper = f"<rect width='{_n(width)}' height='{_n(height)}' fill='{PAPER}'/>"
    return "\n".join([head, f"<title>{escape(title)}</title>", paper, *parts, "</svg>"]) + "\n"


def text(
    x: float,
    y: float,
    words: str,
    size: float = 12,
    fill: str = INK,
    anchor: str = "middle",
    weight: int = 400,
    more: str = "",
) -> str:
    """Write words with their baseline at y, around x, or from or to it."""
    bold = f" font-weight='{weight}'" if weight != 400 else ""
    return (
        f"<text x='{_n(x)}' y='{_n(y)}' font-size='{_n(size)}' fill='{fill}'"
        f" text-anchor='{anchor}'{bold}{more}>{escape(words)}</text>"
    )


def line(
    x1: float, y1: float, x2: float, y2: float, stroke: str = SOFT, width: float = 1, more: str = ""
) -> str:
    """Draw a straight line."""
    return (
        f"<line x1='{_n(x1)}' y1='{_n(y1)}' x2='{_n(x2)}' y2='{_n(y2)}' stroke='{stroke}'"
        f" stroke-width='{_n(width)}'{more}/>"
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, radius: float = 0, more: str = ""
) -> str:
    """Draw a filled rectangle."""
    return (
        f"<rect x='{_n(x)}' y='{_n(y)}' width='{_n(width)}' height='{_n(height)}'"
        f" rx='{_n(radius)}' fill='{fill}'{more}/>"
    )


def circle(x: float, y: float, radius: float, fill: str, more: str = "") -> str:
    """Draw a filled circle."""
    return f"<circle cx='{_n(x)}' cy='{_n(y)}' r='{_n(radius)}' fill='{fill}'{more}/>"


def polyline(points: Iterable[tuple[float, float]], stroke: str, width: float = 2) -> str:
    """Draw a line through points."""
    path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return (
        f"<polyline points='{path}' fill='none' stroke='{stroke}' stroke-width='{_n(width)}'"
        " stroke-linejoin='round'/>"
    )


def group(parts: Iterable[str], x: float = 0, y: float = 0, opacity: float = 1) -> str:
    """Put parts together, moved and made faint."""
    faded = f" opacity='{_n(opacity)}'" if opacity != 1 else ""
    return f"<g transform='translate({_n(x)} {_n(y)})'{faded}>{''.join(parts)}</g>"


def inner(drawing: str, x: float, y: float) -> str:
    """Put a complete drawing into a picture at a place."""
    return drawing.replace("<svg ", f"<svg x='{_n(x)}' y='{_n(y)}' ", 1)


def mini_board(
    position: Position,
    cell: float,
    last: int | None = None,
    labels: dict[tuple[int, int], str] | None = None,
) -> str:
    """Draw a small board with its top left corner at the origin.

    The last disc, in the 0-based column `last`, has a light rim, and winning lines have a light
    stroke. `labels` are written into cells.
    """
    geometry, edge = position.geometry, cell * 0.25
    width, height = board_size(position, cell)
    parts = [rect(0, 0, width, height, BOARD, cell * 0.35)]
    first, second = position.discs
    top = None if last is None else (last, position.height_of(last) - 1)
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            bit = geometry.bit(column, row)
            fill = EMPTY
            if first >> bit & 1:
                fill = DISCS[0]
            elif second >> bit & 1:
                fill = DISCS[1]
            x = edge + (column + 0.5) * cell
            y = edge + (geometry.rows - row - 0.5) * cell
            rim = f" stroke='{PAPER}' stroke-width='{_n(cell * 0.16)}'"
            parts.append(circle(x, y, cell * 0.4, fill, rim if top == (column, row) else ""))
            if labels and (column, row) in labels:
                ink = PAPER if fill == DISCS[1] else INK
                parts.append(
                    text(x, y + cell * 0.15, labels[column, row], cell * 0.42, ink, weight=600)
                )
    won = set(position.outcome.cells) if position.outcome is not None else set()
    for window in geometry.windows(geometry.connect):
        if won.issuperset(window):
            (x1, y1), (x2, y2) = (
                (edge + (column + 0.5) * cell, edge + (geometry.rows - row - 0.5) * cell)
                for column, row in (window[0], window[-1])
            )
            more = " stroke-linecap='round' stroke-opacity='0.75'"
            parts.append(line(x1, y1, x2, y2, PAPER, cell * 0.2, more))
    return "".join(parts)


def board_size(position: Position, cell: float) -> tuple[float, float]:
    """Width and height of a small board."""
    geometry = position.geometry
    return (geometry.columns + 0.5) * cell, (geometry.rows + 0.5) * cell


def _n(number: float) -> str:
    """Write a number with at most two decimals, the same on every machine."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
