"""A report on stored games: one HTML page that loads no other file, and charts as files.

Jinja escapes all text in the templates. The policy in the head of the page allows only its own
script, by its digest, and no other file.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from claimeven import plotting
from claimeven.agents.registry import AGENTS
from claimeven.arena.accuracy.metrics import Tally
from claimeven.arena.accuracy.stored_games import accuracy_of
from claimeven.arena.report import context as words
from claimeven.arena.report import tables
from claimeven.arena.report.context import ReportContext, reach
from claimeven.arena.store.query import opened
from claimeven.arena.store.store import Store
from claimeven.atomic_io import check_output, make_folder, write_text
from claimeven.game.geometry import Geometry
from claimeven.game.svg import draw_stage
from claimeven.messages import WorkProgress
from claimeven.parallel.jobs import Executor
from claimeven.plotting import LINES, MAX_LINES, NO_CHARTS, ON_DOT, SIZE, SOFT, Chart, can_draw
from claimeven.provenance import version_here
from claimeven.ratings.ladder import Ladder
from claimeven.solver.errors import InvalidSolve, check_threads
from claimeven.solver.solver import Solver

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters of a name in a chart.
_MAX_NAME = 34
#: Plies that share a mean, and the fewest moves of which one is shown.
_PLIES, _MIN_MOVES = 4, 10
#: Agents up to which dots are large.
_FEW_DOTS = 12


def charts_of(contents: ReportContext) -> list[Chart]:
    """Return the charts that the games allow; none without Matplotlib."""
    charts: list[Chart] = []
    if not can_draw():
        return charts
    standings = contents.standings
    if (ladder := standings.ladder) is not None:
        height = max(SIZE[1] / 2, 0.9 + 0.3 * len(standings.agents))
        draw: Callable[[Axes], None] = partial(_ratings, contents, ladder)
        charts.append(Chart("ratings", "Ratings with their intervals", draw, height))
        if sum(bool(record.mean("seconds")) for record in standings.records.values()) > 1:
            draw = partial(_time_and_strength, contents, ladder)
            charts.append(Chart("time-and-strength", "Time for a move against rating", draw))
    if len(lines := _lines_by_ply(contents)) > 1:
        title = "Share of moves that keep the result, by discs on the board"
        charts.append(Chart("accuracy-by-ply", title, partial(_accuracy_by_ply, lines)))
    return charts


def _name(label: str) -> str:
    """Return the name of an agent in a chart; a leading _ would hide it from legends."""
    if len(label) > _MAX_NAME:
        label = label[: _MAX_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f" {label}" if label.startswith("_") else label


def _ratings(contents: ReportContext, ladder: Ladder, axes: Axes) -> None:
    rows = ladder.ratings
    for place, row in enumerate(rows):
        axes.plot([row.elo.low, row.elo.high], [place, place], color=SOFT, linewidth=1.5)
        axes.plot([row.elo.value], [place], color=LINES[0][0], marker="o", linestyle="")
    axes.set_yticks(range(len(rows)), [_name(contents.label_of[row.agent]) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(*reach(row.elo.value for row in rows))
    axes.set_xlabel("Elo, with the 95 % interval")


def _time_and_strength(contents: ReportContext, ladder: Ladder, axes: Axes) -> None:
    """Each agent by the mean time of a move and its rating; the numbers are places."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - an extra, and slow

    records = {agent.label: contents.standings.records[agent.id] for agent in contents.ranking}
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda milliseconds, _: f"{milliseconds:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    marker, font = (15, 8) if len(ladder.ratings) <= _FEW_DOTS else (11, 6.5)
    for place, row in enumerate(ladder.ratings, start=1):
        if not (seconds := records[row.agent].mean("seconds")):
            continue
        at, elo = 1000 * seconds, row.elo
        error = [[elo.value - elo.low], [elo.high - elo.value]]
        axes.errorbar([at], [elo.value], yerr=error, color=SOFT, capsize=2)
        axes.plot([at], [elo.value], color=LINES[0][0], marker="o", markersize=marker)
        axes.annotate(
            str(place), (at, elo.value), ha="center", va="center", color=ON_DOT, fontsize=font,
            fontweight="bold", zorder=5,
        )  # fmt: skip
    axes.set_ylim(*reach(row.elo.value for row in ladder.ratings))
    axes.set_xlabel("mean time for a move, milliseconds")
    axes.set_ylabel("Elo")


def _lines_by_ply(contents: ReportContext) -> list[tuple[str, Sequence[float], Sequence[float]]]:
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
        plies, shares = _line(tallies, "keeps_result")
        if len(plies) > 1 and len(lines) < MAX_LINES:
            lines.append((contents.label[agent.id], plies, shares))
    plies, shares = _line(whole, "random_keeps_result")
    return [*lines, ("random columns", plies, shares)] if plies else []


def _line(tallies: dict[int, Tally], name: str) -> tuple[list[float], list[float]]:
    tried = [each for each in sorted(tallies.items()) if each[1].moves >= _MIN_MOVES]
    middles = [part * _PLIES + (_PLIES - 1) / 2 for part, _ in tried]
    return middles, [100 * (tally.mean(name) or 0.0) for _, tally in tried]


def _accuracy_by_ply(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]], axes: Axes
) -> None:
    *agents, floor = lines
    for (name, plies, shares), (color, marker, dashes) in zip(agents, LINES, strict=False):
        axes.plot(
            plies, shares, color=color, marker=marker, linestyle=dashes, markersize=5,
            label=_name(name),
        )  # fmt: skip
    axes.plot(floor[1], floor[2], color=SOFT, linestyle=(0, (1, 3)), label=floor[0])
    axes.set_ylim(0, 104)
    axes.set_xlabel("discs on the board")
    axes.set_ylabel("moves that keep the result, %")


_PACKAGE = "claimeven.arena.report"
#: Charts in the page: the ladder draws its ratings itself.
_CHARTS = ("accuracy-by-ply", "time-and-strength")
#: Cells of the viewer's board in pixels if there is room.
_CELL = 56


def render(
    contents: ReportContext, blunders: Sequence[tables.Row] = (), charts: Sequence[Chart] = ()
) -> str:
    """Return the page as HTML, with these blunders and charts."""
    folder = resources.files(_PACKAGE) / "template"
    style, script = ((folder / name).read_text("utf-8") for name in ("style.css", "viewer.js"))
    rows = tables.ladder_rows(contents)
    shown = {
        "contents": contents,
        "words": words,
        "tables": tables,
        "rows": rows,
        "cross": list(zip(rows, tables.cross_rows(contents), strict=True)),
        "forfeits": tables.forfeit_rows(contents),
        "max_lines": MAX_LINES,
        "blunders": blunders,
        "charts": {chart.name: chart for chart in charts if chart.name in _CHARTS},
        "without_charts": "" if can_draw() else NO_CHARTS,
        "built_in": tuple(AGENTS),
        "data": tables.viewer_data(contents),
        "stage": Markup(draw_stage(contents.geometry, _CELL)),
        "style": Markup(style),
        "script": Markup(script),
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        "version": version_here(),
    }
    return _environment().get_template("page.html").render(shown)


@cache
def _environment() -> Environment:
    loader = PackageLoader(_PACKAGE, "template")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    for name in ("signed", "points", "share", "number", "duration"):
        environment.filters[name] = getattr(words, name)
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["drawing"] = lambda chart: Markup(plotting.svg_in_page(chart))
    # Text that may be broken after the marks inside a spec.
    environment.filters["breakable"] = lambda text: Markup("<wbr>").join(
        map(escape, re.split(r"(?<=[:,=/_.])", text))
    )
    return environment


#: Games that are judged by default: what takes a minute or two.
MAX_JUDGED_GAMES = 200


@dataclass(frozen=True)
class Report:
    """A written report, its page, the files of its charts, and why there are none, or ""."""

    contents: ReportContext
    path: Path
    plots: tuple[Path, ...] = ()
    without_charts: str = ""


def write_report(
    store: Store | str | Path,
    path: str | Path,
    title: str | None = None,
    *,
    judge: int = MAX_JUDGED_GAMES,
    plots: str | Path | None = None,
    solver: Callable[[Geometry], Solver] | None = None,
    threads: int = 1,
    executor: Executor | None = None,
    on_progress: Callable[[WorkProgress], object] | None = None,
    on_message: Callable[[str], object] | None = None,
) -> Report:
    """Write the page on a store's games to a file; return the report.

    The page loads no other file, so it can be mailed and read offline. The same games give the same
    page. At most `judge` games (0: none) are judged against exact scores, which are then stored
    with the games; `solver`, `threads`, `executor`, `on_progress` and `on_message` are as in
    `accuracy_of`. `plots` is a folder for the charts as PNG and SVG; without Matplotlib the page
    has no charts. `on_message` also gets a sentence if letters of a name are missing in the charts.

    Raises `InvalidStore` for a file without games and `CannotWrite` for a path that cannot be
    written. Raises `NoCharts` if `plots` cannot be drawn, and `InvalidSolve` for invalid `threads`.
    """
    check_output(path)
    check_threads(threads)
    if plots is not None:
        plotting.check_can_draw()
        make_folder(plots)

    @cache
    def solver_of(geometry: Geometry) -> Solver:
        return Solver(geometry, threads=threads) if solver is None else solver(geometry)

    with opened(store) as source:
        contents = ReportContext.of(source, title)
        try:
            if judge > 0:
                solver_of(contents.geometry)
                judged = partial(accuracy_of, most=judge, solver=solver_of, executor=executor)
                found = judged(source, on_progress=on_progress, on_message=on_message)
                contents = replace(contents, accuracy=found)
        except InvalidSolve as error:
            contents = replace(contents, not_judged=f"The moves were not judged: {error}.")
    charts = charts_of(contents)
    write_text(path, render(contents, tables.blunder_rows(contents, solver_of), charts))
    figures = {chart.name: [chart] for chart in charts}
    written = () if plots is None else plotting.write_pictures(plots, figures, on_message)
    return Report(contents, Path(path), written, "" if can_draw() else NO_CHARTS)


def report_page(store: Store) -> str:
    """Return the page, without judged moves, as HTML. Raises `InvalidStore` without games."""
    contents = ReportContext.of(store)
    return render(contents, [], charts_of(contents))
