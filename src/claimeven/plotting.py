"""Charts drawn by Matplotlib (the extra `plot`): as SVG for a page, and as PNG and SVG files.

Charts do not depend on the time, the machine or the user's settings.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimeven.atomic_io import make_folder, write_bytes
from claimeven.errors import ClaimevenError
from claimeven.messages import report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

OnMessage = Callable[[str], object]

#: Lines in one chart: more cannot be distinguished.
MAX_LINES = 6
#: Size of a chart in inches: small, so that its text can be read on a phone.
SIZE = (5.3, 3.7)
#: Color, marker and dashes of each line, distinct without color too.
LINES = (
    ("#24528f", "o", "-"),
    ("#b3400f", "s", "--"),
    ("#1b7a4b", "^", "-."),
    ("#7a3e9d", "D", ":"),
    ("#8a6100", "v", "-"),
    ("#0f7285", "P", "--"),
)
INK, SOFT, GRID, ON_DOT = "#1b2430", "#536072", "#d5dde7", "#fefefe"
#: The color of the page for each color: its style sheet knows light and dark.
_IN_PAGE = {
    **{color: f"var(--line-{number})" for number, (color, _, _) in enumerate(LINES, start=1)},
    INK: "currentColor",
    SOFT: "var(--soft)",
    GRID: "var(--line)",
    ON_DOT: "var(--on-accent)",
}
_STYLE = {
    "axes.edgecolor": SOFT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "savefig.transparent": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "claimeven",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
}
NO_CHARTS = "they need Matplotlib: pip install 'claimeven[plot]'"
LETTERS_MISSING = (
    "letters of a name are missing in the PNG files, since the font of Matplotlib does not have"
    " them; the SVG files have all"
)
#: How Matplotlib says that its font has no picture of a letter, or cannot set its script.
_LACKS_LETTERS = "Glyph |Matplotlib currently does not support"


class NoCharts(ClaimevenError):
    """Charts were asked for and Matplotlib is not installed."""


@dataclass(frozen=True)
class Chart:
    """A chart: the name of its files, a caption, how it is drawn, its height in inches."""

    name: str
    title: str
    draw: Callable[[Axes], None]
    height: float = SIZE[1]


def can_draw() -> bool:
    try:
        import matplotlib  # noqa: F401, PLC0415 - an extra, and slow
    except ImportError:
        return False
    return True


def check_can_draw() -> None:
    """Raise `NoCharts`, naming the extra, if Matplotlib is not there."""
    if not can_draw():
        raise NoCharts(f"no charts can be drawn: {NO_CHARTS}")


def write_pictures(
    folder: str | Path, pictures: Mapping[str, Sequence[Chart]], on_message: OnMessage | None = None
) -> tuple[Path, ...]:
    """Write pictures of one chart or several by their names, as PNG and SVG; return the files.

    `on_message` gets a sentence, once, if letters are missing. Raises `CannotWrite`.
    """
    make_folder(folder)
    once = None if on_message is None else cache(on_message)
    written = []
    for name, charts in pictures.items():
        for kind in ("png", "svg"):
            written.append(Path(folder) / f"{name}.{kind}")
            write_bytes(written[-1], image(charts, kind, once))
    return tuple(written)


def image(charts: Sequence[Chart], kind: str, on_message: OnMessage | None = None) -> bytes:
    """Return charts, two in a row, with one legend, as a file of a kind, `svg` or `png`.

    `on_message` gets a sentence if letters are missing.
    """
    from matplotlib import style  # noqa: PLC0415 - an extra, and slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow

    across = min(2, len(charts))
    down = -(-len(charts) // across)
    size = across * SIZE[0], down * max(chart.height for chart in charts)
    letters_sought = _letters_sought(None if kind == "svg" else on_message)
    with style.context(["default", _STYLE]), letters_sought:
        figure: Figure = Figure(figsize=size, layout="constrained")
        lines: dict[str, Line2D] = {}
        for place, chart in enumerate(charts, start=1):
            axes = figure.add_subplot(down, across, place)
            chart.draw(axes)
            lines |= {str(line.get_label()): line for line in axes.get_lines()}
        named = [line for label, line in lines.items() if not label.startswith("_")]
        if len(named) > 1:
            is_long = any(len(str(line.get_label())) > 20 for line in named)
            columns = 3 if across > 1 else 1 if is_long else 2
            figure.legend(handles=named, loc="outside lower center", ncols=columns)
        written = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(written, format=kind, dpi=200, metadata=metadata)
    return written.getvalue()


def svg_in_page(chart: Chart) -> str:
    """Return a chart as an SVG element for a page.

    Its text is text and its colors come from the page, so it is light or dark as the page is.
    """
    svg = image([chart], "svg").decode("utf-8")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\bfont: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)  # of the whole page
    for color, in_page in _IN_PAGE.items():
        svg = svg.replace(color, in_page)
    # The background is the page's, and ids are this chart's own.
    svg = svg.replace("fill: #ffffff", "fill: none")
    svg = re.sub(r"(\bid=\"|url\(#|href=\"#)", rf"\g<1>{chart.name}-", svg)
    size = re.compile(r"<svg ([^>]*?)width=\"[^\"]*\"([^>]*?)height=\"[^\"]*\"|<svg ")
    head = f'<svg role="img" aria-labelledby="{chart.name}-caption" stroke-linejoin="round" '
    return size.sub(head + r"\1\2", svg, count=1)


@contextmanager
def _letters_sought(on_message: OnMessage | None) -> Iterator[None]:
    """Report letters that the font lacks in one sentence; Matplotlib warns of each of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", _LACKS_LETTERS)
        yield
    is_lacking = False
    for each in caught:
        if re.match(_LACKS_LETTERS, str(each.message)):
            is_lacking = True
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if is_lacking:
        report(on_message, LETTERS_MISSING)
