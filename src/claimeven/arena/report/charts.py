"""Charts of a tournament, drawn by Matplotlib (the extra `plot`): for the page, and as files.

In the page a chart is SVG whose text is text and whose colours are those of the page, so it is
light or dark as the page is. Nothing in it depends on the time, the machine or the user's settings.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from claimeven.arena.accuracy.metrics import Tally
from claimeven.arena.report.context import Contents
from claimeven.arena.report.format import reach
from claimeven.errors import ClaimevenError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

#: What takes a sentence for the user.
Tell = Callable[[str], object]

#: Agents whose lines one chart shows: more cannot be told apart.
MOST_LINES = 6
#: Characters of a name in a chart.
_MOST_NAME = 34
#: Plies that are taken together, and moves without which a mean of them is not shown.
_PLIES, _FEWEST = 4, 10
#: Agents whose dots are large.
_FEW_DOTS = 12
#: Size of a chart in inches: small, so that its text can be read on a phone.
_SIZE = (5.3, 3.7)
#: Colour, marker and dashes of each line: told apart without colour too.
LINES = (
    ("#24528f", "o", "-"),
    ("#b3400f", "s", "--"),
    ("#1b7a4b", "^", "-."),
    ("#7a3e9d", "D", ":"),
    ("#8a6100", "v", "-"),
    ("#0f7285", "P", "--"),
)
_INK, _SOFT, _GRID, _ON_DOT = "#1b2430", "#536072", "#d5dde7", "#fefefe"
#: What stands for each colour in the page, whose style sheet knows light and dark.
_IN_PAGE = {
    **{colour: f"var(--line-{number})" for number, (colour, _, _) in enumerate(LINES, start=1)},
    _INK: "currentColor",
    _SOFT: "var(--soft)",
    _GRID: "var(--line)",
    _ON_DOT: "var(--on-accent)",
}
_STYLE = {
    "axes.edgecolor": _SOFT,
    "axes.grid": True,
    "axes.labelcolor": _INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.figsize": _SIZE,
    "font.size": 10,
    "grid.color": _GRID,
    "grid.linewidth": 0.8,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
    "savefig.transparent": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "claimeven",
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _SOFT,
    "xtick.labelcolor": _INK,
    "ytick.color": _SOFT,
    "ytick.labelcolor": _INK,
}


#: What is told where Matplotlib is missing.
NO_CHARTS = "they need Matplotlib: pip install 'claimeven[plot]'"


#: What is told of a picture where letters of a name are missing.
LETTERS_MISSING = (
    "letters of a name are missing in the PNG files, since the font of Matplotlib has none for"
    " them; the SVG files have all"
)
#: How Matplotlib says that its font has no picture of a letter, or cannot set its script.
_LACKS_LETTERS = "Glyph |Matplotlib currently does not support"


class NoCharts(ClaimevenError):
    """Charts were asked for and Matplotlib is not installed."""


@dataclass(frozen=True)
class Chart:
    """A chart: the name of its files, what it shows in words, how it is drawn, inches of height."""

    name: str
    title: str
    draw: Callable[[Axes], None]
    height: float = _SIZE[1]


def can_draw() -> bool:
    """Whether Matplotlib is there."""
    try:
        import matplotlib  # noqa: F401, PLC0415 - an extra, and slow
    except ImportError:
        return False
    return True


def check_can_draw() -> None:
    """Raise `NoCharts`, naming the extra, where Matplotlib is not there."""
    if not can_draw():
        raise NoCharts(f"no charts can be drawn: {NO_CHARTS}")


def charts_of(contents: Contents) -> list[Chart]:
    """Return the charts that the games allow."""
    charts = []
    standings = contents.standings
    if standings.ladder is not None:
        height = max(_SIZE[1] / 2, 0.9 + 0.3 * len(standings.agents))
        title = "Ratings with their intervals"
        charts.append(Chart("ratings", title, partial(_ratings, contents), height))
        timed = [r for r in standings.records.values() if r.mean("seconds")]
        if len(timed) > 1:
            title = "Time for a move against rating"
            charts.append(Chart("time-and-strength", title, partial(_time_and_strength, contents)))
    if len(lines_by_ply(contents)) > 1:
        title = "Share of moves that keep the result, by discs on the board"
        charts.append(Chart("accuracy-by-ply", title, partial(_accuracy_by_ply, contents)))
    return charts


def svg_in_page(chart: Chart) -> str:
    """Return a chart as an SVG element for the page."""
    svg = _drawn(chart, "svg").decode("utf-8")
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\bfont: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)  # of the whole page
    for ours, meant in _IN_PAGE.items():
        svg = svg.replace(ours, meant)
    # The ground is that of the page, and ids are this chart's own.
    svg = svg.replace("fill: #ffffff", "fill: none")
    svg = re.sub(r"(\bid=\"|url\(#|href=\"#)", rf"\g<1>{chart.name}-", svg)
    size = re.compile(r"<svg ([^>]*?)width=\"[^\"]*\"([^>]*?)height=\"[^\"]*\"|<svg ")
    ours = f'<svg role="img" aria-labelledby="{chart.name}-caption" stroke-linejoin="round" '
    return size.sub(ours + r"\1\2", svg, count=1)


def image(chart: Chart, kind: str, tell: Tell | None = None) -> bytes:
    """Return a chart as a file of a kind, `svg` or `png`.

    `tell` gets a sentence where letters are missing in it.
    """
    return _drawn(chart, kind, tell)


def image_of_panels(charts: Sequence[Chart], kind: str, tell: Tell | None = None) -> bytes:
    """Return several charts beside and below each other as one file, with one legend of all.

    `tell` gets a sentence where letters are missing in it.
    """
    across = min(2, len(charts))
    down = -(-len(charts) // across)

    def draw(figure: Figure) -> None:
        lines: dict[str, Line2D] = {}
        for place, chart in enumerate(charts, start=1):
            axes = figure.add_subplot(down, across, place)
            chart.draw(axes)
            lines |= {str(line.get_label()): line for line in axes.get_lines()}
        if len(lines) > 1:
            figure.legend(handles=[*lines.values()], loc="outside lower center", ncols=3)

    size = across * _SIZE[0], down * max(chart.height for chart in charts)
    return _saved(draw, kind, size, tell)


def _drawn(chart: Chart, kind: str, tell: Tell | None = None) -> bytes:
    size = _SIZE[0], chart.height
    return _saved(lambda figure: chart.draw(figure.add_subplot()), kind, size, tell)


def _saved(
    draw: Callable[[Figure], None], kind: str, size: tuple[float, float], tell: Tell | None
) -> bytes:
    """Return what is drawn into a figure of so many inches, as the bytes of a file."""
    from matplotlib import style  # noqa: PLC0415 - an extra, and slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow

    with style.context(["default", _STYLE]), _letters_sought(None if kind == "svg" else tell):
        figure: Figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        written = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(written, format=kind, dpi=200, metadata=metadata)
    return written.getvalue()


@contextmanager
def _letters_sought(tell: Tell | None) -> Iterator[None]:
    """Tell in one sentence of letters that the font lacks, where Matplotlib warns of each of them.

    Text in an SVG is text: whatever shows it has the letters.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", _LACKS_LETTERS)
        yield
    is_lacking = False
    for each in caught:
        if re.match(_LACKS_LETTERS, str(each.message)):
            is_lacking = True
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if is_lacking and tell is not None:
        tell(LETTERS_MISSING)


def _name(contents: Contents, label: str) -> str:
    """Return what an agent is called in a chart; a leading _ would hide it from legends."""
    name = (
        label if len(label) <= _MOST_NAME else label[: _MOST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )
    return f" {name}" if name.startswith("_") else name


def _ratings(contents: Contents, axes: Axes) -> None:
    """Each agent with its rating and interval, the best at the top."""
    ladder = contents.standings.ladder
    assert ladder is not None
    label = contents.label_of
    rows = ladder.ratings
    for place, row in enumerate(rows):
        axes.plot([row.elo.low, row.elo.high], [place, place], color=_SOFT, linewidth=1.5)
        axes.plot([row.elo.value], [place], color=LINES[0][0], marker="o", linestyle="")
    axes.set_yticks(range(len(rows)), [_name(contents, label[row.agent]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(*reach(row.elo.value for row in rows))
    axes.set_xlabel("Elo, with the 95 % interval")


def _time_and_strength(contents: Contents, axes: Axes) -> None:
    """Each agent by the mean time of a move and its rating; the numbers are places."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - an extra, and slow

    standings = contents.standings
    assert standings.ladder is not None
    by_label = {agent.label: agent.id for agent in standings.agents}
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda milliseconds, _: f"{milliseconds:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    few = len(standings.ladder.ratings) <= _FEW_DOTS
    for place, row in enumerate(standings.ladder.ratings, start=1):
        seconds = standings.records[by_label[row.agent]].mean("seconds")
        if not seconds:
            continue
        low, high = row.elo.value - row.elo.low, row.elo.high - row.elo.value
        axes.errorbar(
            [1000 * seconds], [row.elo.value], yerr=[[low], [high]], color=_SOFT, capsize=2
        )
        size = 15 if few else 11
        axes.plot([1000 * seconds], [row.elo.value], color=LINES[0][0], marker="o", markersize=size)
        axes.annotate(
            str(place),
            (1000 * seconds, row.elo.value),
            ha="center",
            va="center",
            color=_ON_DOT,
            fontsize=8 if few else 6.5,
            fontweight="bold",
            zorder=5,
        )
    axes.set_ylim(*reach(row.elo.value for row in standings.ladder.ratings))
    axes.set_xlabel("mean time for a move, milliseconds")
    axes.set_ylabel("Elo")


def lines_by_ply(contents: Contents) -> list[tuple[str, Sequence[float], Sequence[float]]]:
    """Return the lines of accuracy by ply: name, plies, shares; the floor of all agents last."""
    if contents.accuracy is None:
        return []
    whole: dict[int, Tally] = {}
    lines: list[tuple[str, Sequence[float], Sequence[float]]] = []
    for agent in contents.ranking:
        tallies: dict[int, Tally] = {}
        for ply, tally in contents.accuracy[agent.label].by_ply.items():
            for found in (tallies, whole):
                found.setdefault(ply // _PLIES, Tally()).merge(tally)
        plies, shares = _line(tallies, "keeping")
        if len(plies) > 1 and len(lines) < MOST_LINES:
            lines.append((contents.label[agent.id], plies, shares))
    plies, shares = _line(whole, "floor_keeping")
    return [*lines, ("drawing columns by lot", plies, shares)] if plies else []


def _line(tallies: dict[int, Tally], what: str) -> tuple[list[float], list[float]]:
    told = {
        part: tally.mean(what) for part, tally in sorted(tallies.items()) if tally.moves >= _FEWEST
    }
    middles = [part * _PLIES + (_PLIES - 1) / 2 for part in told]
    return middles, [100 * (mean or 0.0) for mean in told.values()]


def _accuracy_by_ply(contents: Contents, axes: Axes) -> None:
    """The share of moves that keep the result, in parts of the game, one line an agent."""
    *agents, floor = lines_by_ply(contents)
    for (name, plies, shares), (colour, marker, dashes) in zip(agents, LINES, strict=False):
        axes.plot(
            plies, shares, color=colour, marker=marker, linestyle=dashes, markersize=5,
            label=_name(contents, name),
        )  # fmt: skip
    axes.plot(floor[1], floor[2], color=_SOFT, linestyle=(0, (1, 3)), label=floor[0])
    axes.set_ylim(0, 104)
    axes.set_xlabel("discs on the board")
    axes.set_ylabel("moves that keep the result, %")
    columns = 1 if any(len(name) > 20 for name, _, _ in agents) else 2
    axes.figure.legend(loc="outside lower center", ncols=columns)
