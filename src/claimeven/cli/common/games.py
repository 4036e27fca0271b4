"""Commands that play games: openings, progress, pages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import band_of
from claimeven.atomic_io import BESIDE_DATABASE, check_output
from claimeven.cli.common.options import default_threads, reject_options
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.progress import announce_compilation, notify, status_line
from claimeven.cli.common.streams import one_line
from claimeven.errors import ClaimevenError

if TYPE_CHECKING:
    from claimeven.arena.report import Report
    from claimeven.arena.store.store import Store


def are_drawn(source: str) -> bool:
    """Whether openings are drawn rather than read from a file.

    >>> are_drawn("random"), are_drawn("3..8"), are_drawn("openings.txt")
    (True, True, False)
    """
    return source == "random" or band_of(source) is not None


def reject_opening_plies(ctx: click.Context, source: str) -> None:
    """Raise `ClaimevenError` if --opening-plies was given with a file of openings.

    Plies in a tournament's file are ignored if the command line sets the openings.
    """
    where, plies = (ctx.get_parameter_source(name) for name in ("openings", "opening_plies"))
    if are_drawn(source):
        return
    if plies == ParameterSource.DEFAULT_MAP and where != plies:
        ctx.set_parameter_source("opening_plies", ParameterSource.DEFAULT)
    else:
        sentence = "{} is for drawn openings: a file has complete openings"
        reject_options(ctx, ("opening_plies",), sentence)


def more_openings(source: str, plies: int, openings: Sequence[object]) -> str:
    """Return advice for more openings: more plies for drawn ones, or a longer file."""
    if are_drawn(source):
        return f"--opening-plies {max(6, plies + 2)}"
    return f"{one_line(source)} has {len(set(openings))}"


def play_with_progress(
    games: Generator[Game, None, None],
    total: int,
    resumed: int = 0,
    on_game: Callable[[Game], bool | None] = lambda game: None,
    progress: Callable[[int], str] | None = None,
    returned: tuple[type[BaseException], ...] = (KeyboardInterrupt,),
) -> BaseException | None:
    """Play games and show the progress; return the exception of `returned` that stopped them.

    `on_game` gets each game and may return True to stop. `resumed` of the `total` games were played
    before. `progress` returns the text of the progress after a number of games. A `ClaimevenError`
    before the first game is raised.
    """
    done = resumed
    with status_line() as line, closing(games):
        try:
            for done, game in enumerate(games, resumed + 1):
                if on_game(game):
                    break
                if progress is None:
                    line.count(done, total, "games", resumed)
                else:
                    line.show(partial(progress, done))
        except returned as error:
            if done == resumed and isinstance(error, ClaimevenError):
                raise
            return error
    return None


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
    remedy: str,
    judge: int = MAX_JUDGED_GAMES,
    threads: int | None = None,
    **how: Any,
) -> Report:
    """Write a report, as `write_report`, with progress; the message after Ctrl-C has `remedy`."""
    from claimeven.arena.report import write_report  # noqa: PLC0415 - brings in the solver

    if judge:
        announce_compilation()
    try:
        with status_line() as line:
            how |= {"on_progress": line.report, "on_message": notify}
            return write_report(
                store, out, judge=judge, threads=threads or default_threads(), **how
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted, {out} was not written; {remedy}") from None


def write_page_after(store: Store | Path, page: Path, out: Path | None) -> None:
    """Write a page about finished games, stored in `out` if given; report it on stderr."""
    remedy = "the games are lost without --out" if out is None else f"continue with: report {out}"
    for text in summary_lines(write_with_progress(store, page, remedy=remedy)):
        click.echo(fitted(one_line(text), text_width(sys.stderr)), err=True)


def summary_lines(report: Report) -> list[str]:
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
