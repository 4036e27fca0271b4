"""`claimeven report`: a web page about the games of a tournament."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from claimeven.cli.common import options
from claimeven.cli.common.games import MAX_JUDGED_GAMES, summary_lines, write_with_progress
from claimeven.cli.common.output import show
from claimeven.cli.common.streams import one_line, write_json
from claimeven.errors import ClaimevenError
from claimeven.option_fields import options_of
from claimeven.parallel.executors import WorkerOptions
from claimeven.parallel.jobs import Executor


@click.command("report")
@click.argument("file", type=options.FilePath(path_type=Path))
@options.file_option(
    "-o", "--out", metavar="FILE", help="Page to write.  [default: FILE with the ending .html]"
)
@click.option("--title", help="Title of the page.")
@click.option(
    "--accuracy-games",
    type=click.IntRange(0),
    default=MAX_JUDGED_GAMES,
    metavar="GAMES",
    help="Maximum number of games judged by exact scores.",
)
@click.option("--no-accuracy", is_flag=True, help="Judge no games.")
@options.file_option(
    "--plots", metavar="DIR", help="Also write the charts to this folder, as PNG and SVG."
)
@click.option("--threads", type=click.IntRange(1), help="Number of threads.  [default: all]")
@options.workers_options
@options.json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    out: Path | None,
    title: str | None,
    accuracy_games: int,
    no_accuracy: bool,
    plots: Path | None,
    threads: int | None,
    workers: Executor | None,
    as_json: bool,
) -> None:
    """Write an HTML page about the games of FILE, which `tournament --out` stored.

    The page has the ladder with intervals, the cross table, the forfeits and a game viewer. It
    shows the accuracy of each agent by exact scores and explains its worst moves. It is one file
    that works offline, on a phone and in print. The same games give the same page.

    Exact scores take time if there are many games: at most --accuracy-games of them, evenly spread,
    are judged. The scores are stored in FILE, so the next report is quick and continues after
    Ctrl-C. Charts need Matplotlib (pip install 'claimeven[plot]'); without it they are left out.

    \b
    Examples:
      claimeven report class.db
      claimeven report class.db -o results.html --title "Autumn 2026"
      claimeven report class.db --accuracy-games 1000
      claimeven report class.db --no-accuracy --plots charts
      claimeven report class.db --accuracy-games 9999 --executor ray
    """
    if no_accuracy:
        options.reject_options(
            ctx,
            ("accuracy_games", "threads", *options_of(WorkerOptions)),
            "{} is for judging games: it does not go with --no-accuracy",
        )
    options.check_workers(workers, threads or 1)
    out = default_page(file) if out is None else out
    report = write_with_progress(
        file,
        out,
        title=title,
        judge=0 if no_accuracy else accuracy_games,
        plots=plots,
        threads=threads,
        executor=workers,
        remedy="run the same command to continue; --accuracy-games judges fewer games",
    )
    if as_json:
        contents, accuracy = report.contents, report.contents.accuracy
        data = {
            **asdict(contents.geometry),
            "limit": contents.plan.get("limit"),
            "openings": list(dict.fromkeys(game.opening for game in contents.games)),
            "out": str(report.path),
            "bytes": report.path.stat().st_size,
            "plots": [str(path) for path in report.plots],
            **contents.standings.as_dict(),
            "accuracy": None if accuracy is None else accuracy.as_dict(),
        }
        write_json(data, sys.stdout)
        return
    for text in summary_lines(report):
        show(one_line(text))


def default_page(file: Path) -> Path:
    if not file.name:  # . and /
        raise ClaimevenError(f"{file} cannot be read: it is a folder")
    out = file.with_suffix(".html")
    if out == file:
        raise ClaimevenError(f"{file} has the ending of a page: name the page to write with --out")
    return out
