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
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from claimeven.agents.registry import AGENTS
from claimeven.arena.accuracy.stored_games import accuracy_of
from claimeven.arena.report import context as words
from claimeven.arena.report import sentences, tables
from claimeven.arena.report.charts import charts_of
from claimeven.arena.report.context import ReportContext
from claimeven.arena.store.query import opened
from claimeven.arena.store.store import Store
from claimeven.atomic_io import check_output, make_folder, write_text
from claimeven.game.geometry import Geometry
from claimeven.game.svg import draw_stage
from claimeven.messages import Progress
from claimeven.parallel.jobs import Executor
from claimeven.plotting import (
    NO_CHARTS,
    Chart,
    can_draw,
    check_can_draw,
    svg_in_page,
    write_pictures,
)
from claimeven.provenance import version_here
from claimeven.solver.errors import InvalidSolve, check_threads
from claimeven.solver.solver import Solver

_PACKAGE = "claimeven.arena.report"
#: Charts in the page: the ladder draws its ratings itself.
_CHARTS = ("accuracy-by-ply", "time-and-strength")
#: Cells of the viewer's board in pixels if there is room.
_CELL = 56


def render(
    contents: ReportContext,
    blunders: Sequence[tables.Row] = (),
    charts: Sequence[Chart] = (),
    without_charts: str = "",
) -> str:
    """Return the page as HTML, with these blunders and charts, or why there are no charts."""
    style, script = (_resource(name) for name in ("style.css", "viewer.js"))
    rows = tables.ladder_rows(contents)
    shown = {
        "contents": contents,
        "headline": sentences.headline(contents),
        "leader": sentences.leader(contents),
        "ladder_notes": list(sentences.ladder_notes(contents)),
        "rows": rows,
        "cross": list(zip(rows, tables.cross_rows(contents), strict=True)),
        "cross_letters": tables.cross_letters(contents),
        "games_of_two": tables.games_of_two(contents),
        "forfeits": tables.forfeit_rows(contents),
        "accuracy": tables.accuracy_rows(contents),
        "accuracy_notes": list(sentences.accuracy_notes(contents)),
        "ply_note": sentences.ply_note(contents),
        "blunders": blunders,
        "charts": {chart.name: chart for chart in charts if chart.name in _CHARTS},
        "without_charts": without_charts,
        "facts": list(tables.facts(contents)),
        "agents": tables.agent_rows(contents),
        "built_in": tuple(AGENTS),
        "data": tables.viewer_data(contents),
        "stage": Markup(draw_stage(contents.geometry, _CELL)),
        "style": Markup(style),
        "script": Markup(script),
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        "version": version_here(),
    }
    return _environment().get_template("page.html").render(shown)


def _resource(name: str) -> str:
    return (resources.files(_PACKAGE) / "template" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PACKAGE, "template"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    environment.filters.update(
        signed=words.signed,
        points=words.points,
        share=words.share,
        decimal=words.decimal,
        duration=words.duration,
        count=lambda number: f"{number:,}",
        breakable=_breakable,
        drawing=lambda chart: Markup(svg_in_page(chart)),
    )
    return environment


def _breakable(text: str) -> Any:
    """Return text that may be broken after the marks inside a spec."""
    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[:,=/_.])", text))


#: Games that are judged by default: what takes a minute or two.
MAX_JUDGED_GAMES = 200


@dataclass(frozen=True)
class Report:
    """A report that was written: its contents, the page, and the files of its charts.

    `without_charts` is the reason if the page has no charts, or "".
    """

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
    on_progress: Callable[[Progress], object] | None = None,
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
        check_can_draw()
        make_folder(plots)

    @cache
    def solver_of(geometry: Geometry) -> Solver:
        return Solver(geometry, 256, threads) if solver is None else solver(geometry)

    with opened(store) as source:
        contents = ReportContext.of(source, title)
        try:
            if judge > 0:
                solver_of(contents.geometry)
                found = accuracy_of(
                    source,
                    most=judge,
                    solver=solver_of,
                    executor=executor,
                    on_progress=on_progress,
                    on_message=on_message,
                )
                contents = replace(contents, accuracy=found)
        except InvalidSolve as error:
            contents = replace(contents, not_judged=f"The moves were not judged: {error}.")
    charts, without = _charts(contents)
    write_text(path, render(contents, tables.blunder_rows(contents, solver_of), charts, without))
    written: tuple[Path, ...] = ()
    if plots is not None:
        written = write_pictures(plots, {chart.name: [chart] for chart in charts}, on_message)
    return Report(contents, Path(path), written, without)


def report_page(store: Store) -> str:
    """Return the page on a store's games, without judging them, as HTML.

    Raises `InvalidStore` for a file without games.
    """
    contents = ReportContext.of(store)
    charts, without = _charts(contents)
    return render(contents, [], charts, without)


def _charts(contents: ReportContext) -> tuple[list[Chart], str]:
    return (charts_of(contents), "") if can_draw() else ([], NO_CHARTS)
