"""Web pages about stored games, with progress."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claimeven.atomic_io import BESIDE_DATABASE, check_output
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.progress import announce_compilation, notify, status_line
from claimeven.cli.common.solver_options import default_threads
from claimeven.cli.common.streams import one_line
from claimeven.errors import ClaimevenError

if TYPE_CHECKING:
    from claimeven.arena.report import Report
    from claimeven.arena.store.store import Store

#: Default for the maximum number of judged games.
MAX_JUDGED_GAMES = 200


def check_page(page: Path, store: Path | None) -> None:
    """Raise `ClaimevenError` if a page cannot be written, before games are played."""
    if store is not None:
        place, games = os.path.realpath(page), os.path.realpath(store)
        if place in (games, *(f"{games}{end}" for end in BESIDE_DATABASE)):
            raise ClaimevenError(f"{page} is the file of the games: name another file for the page")
    check_output(page)


def write_with_progress(
    store: Store | Path,
    out: Path,
    *,
    title: str | None = None,
    judge: int = MAX_JUDGED_GAMES,
    plots: Path | None = None,
    threads: int | None = None,
    remedy: str,
) -> Report:
    """Write a report with progress on stderr; the message after Ctrl-C has the `remedy`."""
    from claimeven.arena.report import write_report  # noqa: PLC0415 - brings in the solver

    if judge:
        announce_compilation()
    try:
        with status_line() as line:
            return write_report(
                store,
                out,
                title,
                judge=judge,
                plots=plots,
                threads=threads or default_threads(),
                on_progress=line.report,
                on_message=notify,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted, {out} was not written; {remedy}") from None


def write_page_after(store: Store | Path, page: Path, out: Path | None) -> None:
    """Write a page about finished games, stored in `out` if given; report it on stderr."""
    remedy = "the games are lost without --out" if out is None else f"continue with: report {out}"
    for text in summary_lines(write_with_progress(store, page, remedy=remedy)):
        click.echo(fitted(one_line(text), text_width(sys.stderr)), err=True)


def summary_lines(report: Report) -> list[str]:
    """Return a summary of a report in sentences."""
    contents, size = report.contents, report.path.stat().st_size
    games, agents = len(contents.games), len(contents.ranking)
    what = f"{games:,} game{'s' * (games != 1)} of {agents:,} agent{'s' * (agents != 1)}"
    lines = [f"{report.path}: {what}, {size / 1e6:.1f} MB"]
    if contents.accuracy is not None:
        judged = len(contents.accuracy.judged)
        lines[0] += f", {'all' if judged >= games else f'{judged:,}'} judged"
    elif contents.not_judged is not None:
        lines.append(contents.not_judged)
    if report.without_charts:
        lines.append(f"without charts: {report.without_charts}")
    if report.plots:
        lines.append(f"{report.plots[0].parent}: {', '.join(path.name for path in report.plots)}")
    return lines
