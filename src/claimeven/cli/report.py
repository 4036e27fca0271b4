"""`claimeven report`: a tournament's games as one page to read, to print and to mail."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from claimeven.arena.report import write_report
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import json_option
from claimeven.cli.streams import printable, text_width
from claimeven.cli.tables import fitted
from claimeven.errors import ClaimevenError


@click.command("report")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page to write.  [default: FILE with the ending .html]",
)
@click.option("--title", help="The title of the page.")
@json_option
def command(file: Path, out: Path | None, title: str | None, as_json: bool) -> None:
    """Write the games of FILE, kept by `tournament --out`, as one HTML page.

    The page holds the ladder with intervals, the cross table, forfeits, and a viewer that steps
    through the games. It loads nothing, so it can be mailed and read without a network; it reads
    well on a phone and in print. The same games give the same page.

    \b
    Examples:
      claimeven report class.db
      claimeven report class.db -o results.html --title "Autumn 2026"
    """
    out = page_beside(file) if out is None else out
    contents = write_report(file, out, title)
    size = out.stat().st_size
    if as_json:
        told = {"out": str(out), "bytes": size, **contents.standings.as_dict()}
        write_json(told, sys.stdout)
        return
    games, agents = len(contents.games), len(contents.ranking)
    text = f"{out}: {games:,} games of {agents:,} agents, {size / 1e6:.1f} MB"
    click.echo(fitted(printable(text), text_width()))


def page_beside(file: Path) -> Path:
    """Return where the page on a store is written when nothing is said."""
    out = file.with_suffix(".html")
    if out == file:
        raise ClaimevenError(f"{file} has the name of a page: name the one to write with --out")
    return out
