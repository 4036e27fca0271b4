"""Gathering what a report tells, and writing it: the page, and charts as files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from claimeven.arena.accuracy.score_cache import JudgeProgress
from claimeven.arena.accuracy.stored_games import GamesAccuracy, accuracy_of
from claimeven.arena.report.blunders import cards
from claimeven.arena.report.charts import (
    NO_CHARTS,
    Chart,
    can_draw,
    charts_of,
    check_can_draw,
    image,
)
from claimeven.arena.report.context import Contents
from claimeven.arena.report.page import render
from claimeven.arena.store.store import Store
from claimeven.atomic_io import check_output, make_folder, write_bytes, write_text
from claimeven.game.geometry import Geometry
from claimeven.solver.errors import InvalidSolve, check_threads
from claimeven.solver.solver import Solver

#: Games that are judged where nothing else is said: what takes a minute or two.
MOST_JUDGED = 200
#: Kinds of files that a chart is written as.
_KINDS = ("png", "svg")


@dataclass(frozen=True)
class Report:
    """A report that was written: what it tells, the page, and the files of its charts.

    `without_charts` says why the page has none, and is empty where it has.
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
    """Write the page on a store's games to a file; return what it tells.

    The page loads nothing, so it can be mailed and read without a network. The same games give the
    same page. At most `judge` games (0: none) are judged against exact scores, which are then kept
    in the store; `solver`, `threads`, `progress` and `tell` are those of `accuracy_of`. `plots` is
    a folder for the charts as PNG and SVG; without Matplotlib the page has no charts. `tell` also
    gets a sentence where letters of a name are missing in those.

    Raises `InvalidStore` for a file without games, `CannotWrite` for a path that cannot
    be written, `NoCharts` where `plots` are asked for and cannot be drawn, `InvalidSolve` for
    `threads` that cannot be.
    """
    check_output(path)
    check_threads(threads)
    if plots is not None:
        check_can_draw()
        make_folder(plots)

    @cache
    def the_solver(geometry: Geometry) -> Solver:
        return Solver(geometry, 256, threads) if solver is None else solver(geometry)

    with nullcontext(store) if isinstance(store, Store) else Store.read(store) as opened:
        contents = Contents.of(opened, title)
        if judge > 0:
            contents = _judged(contents, opened, judge, the_solver, progress, tell)
    worst = cards(contents, the_solver) if contents.accuracy is not None else []
    charts, without = _charts(contents)
    write_text(path, render(contents, worst, charts, without))
    written = []
    if plots is not None:
        once = None if tell is None else cache(tell)
        for chart in charts:
            for kind in _KINDS:
                written.append(Path(plots) / f"{chart.name}.{kind}")
                write_bytes(written[-1], image(chart, kind, once))
    return Report(contents, Path(path), tuple(written), without)


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


def _judged(
    contents: Contents,
    store: Store,
    most: int,
    solver: Callable[[Geometry], Solver],
    progress: Callable[[JudgeProgress], object] | None,
    tell: Callable[[str], object] | None,
) -> Contents:
    """Return the contents with the accuracy of its agents, or with why there is none."""
    try:
        solver(contents.geometry)
    except InvalidSolve as error:
        return replace(contents, not_judged=f"The moves were not judged: {error}.")
    accuracy: GamesAccuracy = accuracy_of(
        store, most=most, solver=solver, progress=progress, tell=tell
    )
    return replace(contents, accuracy=accuracy)
