"""A report on stored games: the page, and charts as files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from claimeven.arena.accuracy.score_cache import JudgeProgress
from claimeven.arena.accuracy.stored_games import accuracy_of
from claimeven.arena.report.charts import charts_of
from claimeven.arena.report.context import Contents
from claimeven.arena.report.page import render
from claimeven.arena.report.tables import blunder_rows
from claimeven.arena.store.store import Store
from claimeven.atomic_io import check_output, make_folder, write_text
from claimeven.game.geometry import Geometry
from claimeven.plotting import NO_CHARTS, Chart, can_draw, check_can_draw, write_pictures
from claimeven.solver.errors import InvalidSolve, check_threads
from claimeven.solver.solver import Solver

#: Games that are judged by default: what takes a minute or two.
MOST_JUDGED = 200


@dataclass(frozen=True)
class Report:
    """A report that was written: its contents, the page, and the files of its charts.

    `without_charts` says why the page has none, and is empty if it has some.
    """

    contents: Contents
    path: Path
    plots: tuple[Path, ...] = ()
    without_charts: str = ""


def write_report(
    store: Store | str | Path,
    path: str | Path,
    title: str | None = None,
    *,
    judge: int = MOST_JUDGED,
    plots: str | Path | None = None,
    solver: Callable[[Geometry], Solver] | None = None,
    threads: int = 1,
    progress: Callable[[JudgeProgress], object] | None = None,
    tell: Callable[[str], object] | None = None,
) -> Report:
    """Write the page on a store's games to a file; return the report.

    The page loads nothing, so it can be mailed and read without a network. The same games give the
    same page. At most `judge` games (0: none) are judged against exact scores, which are then kept
    in the store; `solver`, `threads`, `progress` and `tell` are those of `accuracy_of`. `plots` is
    a folder for the charts as PNG and SVG; without Matplotlib the page has no charts. `tell` also
    gets a sentence if letters of a name are missing in those.

    Raises `InvalidStore` for a file without games, `CannotWrite` for a path that cannot be written,
    `NoCharts` if `plots` are asked for and cannot be drawn, `InvalidSolve` for invalid `threads`.
    """
    check_output(path)
    check_threads(threads)
    if plots is not None:
        check_can_draw()
        make_folder(plots)

    @cache
    def solver_of(geometry: Geometry) -> Solver:
        return Solver(geometry, 256, threads) if solver is None else solver(geometry)

    with nullcontext(store) if isinstance(store, Store) else Store.read(store) as opened:
        contents = Contents.of(opened, title)
        try:
            if judge > 0:
                solver_of(contents.geometry)
                found = accuracy_of(
                    opened, most=judge, solver=solver_of, progress=progress, tell=tell
                )
                contents = replace(contents, accuracy=found)
        except InvalidSolve as error:
            contents = replace(contents, not_judged=f"The moves were not judged: {error}.")
    charts, without = _charts(contents)
    write_text(path, render(contents, blunder_rows(contents, solver_of), charts, without))
    written: tuple[Path, ...] = ()
    if plots is not None:
        written = write_pictures(plots, {chart.name: [chart] for chart in charts}, tell)
    return Report(contents, Path(path), written, without)


def report_page(store: Store) -> str:
    """Return the page on a store's games, none of them judged, as HTML.

    Raises `InvalidStore` for a file without games.
    """
    contents = Contents.of(store)
    charts, without = _charts(contents)
    return render(contents, [], charts, without)


def _charts(contents: Contents) -> tuple[list[Chart], str]:
    """Return the charts, or none and why there are none."""
    return (charts_of(contents), "") if can_draw() else ([], NO_CHARTS)
