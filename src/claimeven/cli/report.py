"""`claimeven report`: a tournament's games as one page to read, to print and to mail."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from claimeven.arena.report import Report
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import FilePath, json_option, refuse_given
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.report_output import MAX_JUDGED_GAMES, lines_on, write_watched
from claimeven.cli.common.streams import one_line
from claimeven.errors import ClaimevenError


@click.command("report")
@click.argument("file", type=FilePath(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="The page to write.  [default: FILE with the ending .html]",
)
@click.option("--title", help="The title of the page.")
@click.option(
    "--judge",
    type=click.IntRange(0),
    default=MAX_JUDGED_GAMES,
    show_default=True,
    metavar="GAMES",
    help="Judge at most so many games against exact scores.",
)
@click.option("--no-accuracy", is_flag=True, help="Judge none.")
@click.option(
    "--plots",
    type=FilePath(path_type=Path),
    metavar="DIR",
    help="Also write the charts into a folder, as PNG and SVG.",
)
@click.option("--threads", type=click.IntRange(1), help="Threads that judge.  [default: all cores]")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    out: Path | None,
    title: str | None,
    judge: int,
    no_accuracy: bool,
    plots: Path | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Write the games of FILE, kept by `tournament --out`, as one HTML page.

    The page holds the ladder with intervals, the cross table, forfeits, how accurate each agent
    was against exact scores, its worst moves drawn and explained, and a viewer that steps through
    the games. It loads nothing, so it can be mailed and read without a network; it reads well on a
    phone and in print. The same games give the same page.

    Exact scores take time where there are many games: --judge says of how many, taken evenly.
    They are kept in FILE, so that the next report is quick, and after Ctrl-C the work goes on where
    it was. Charts need Matplotlib (pip install 'claimeven[plot]'); without it the page has none.

    \b
    Examples:
      claimeven report class.db
      claimeven report class.db -o results.html --title "Autumn 2026" --judge 1000
      claimeven report class.db --no-accuracy --plots charts
    """
    if no_accuracy:
        refuse_given(ctx, ("judge", "threads"), "{} is of judging games: not with --no-accuracy")
    out = page_beside(file) if out is None else out
    report = write_watched(
        file,
        out,
        title=title,
        judge=0 if no_accuracy else judge,
        plots=plots,
        threads=threads,
        go_on="the same again goes on where it was; --judge takes fewer games, --no-accuracy none",
    )
    if as_json:
        write_json(_as_dict(report), sys.stdout)
        return
    for text in lines_on(report):
        click.echo(fitted(one_line(text), text_width()))


def _as_dict(report: Report) -> dict[str, Any]:
    contents = report.contents
    accuracy = contents.accuracy
    return {
        **asdict(contents.geometry),
        "limit": contents.plan.get("limit"),
        "openings": list(dict.fromkeys(game.opening for game in contents.games)),
        "out": str(report.path),
        "bytes": report.path.stat().st_size,
        "plots": [str(path) for path in report.plots],
        **contents.standings.as_dict(),
        "accuracy": None if accuracy is None else accuracy.as_dict(),
    }


def page_beside(file: Path) -> Path:
    """Return where the page on a store is written when nothing is said."""
    if not file.name:  # . and /
        raise ClaimevenError(f"{file} cannot be read: it is a folder")
    out = file.with_suffix(".html")
    if out == file:
        raise ClaimevenError(f"{file} has the name of a page: name the one to write with --out")
    return out
