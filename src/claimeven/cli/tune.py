"""`claimeven tune`: options of an agent, found by play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from claimeven.arena import results
from claimeven.arena.options import TuneOptions
from claimeven.arena.tuning import POOL, TuneResult, curve_chart, tune
from claimeven.cli.common import progress
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.games import reject_opening_plies
from claimeven.cli.common.options import (
    AGENT,
    file_option,
    json_option,
    option_group,
    warn_unbounded,
)
from claimeven.cli.common.output import write_result
from claimeven.cli.common.streams import clean_stdout
from claimeven.errors import ClaimevenError
from claimeven.plotting import check_can_draw, write_pictures


@click.command("tune", cls=ExperimentCommand, arguments="agent")
@click.argument("agent", type=AGENT)
@click.option(
    "--option", "space", multiple=True, metavar="NAME=VALUES",
    help="An option to tune and its values: c=0.2..2, depth=1..6, c=0.1..10:log or win=yes,no.",
)  # fmt: skip
@click.option(
    "--against", multiple=True, default=(POOL,), metavar="OPPONENT",
    help="An opponent, or pool for the reference pool; may be repeated.",
)  # fmt: skip
@option_group(TuneOptions, "options")
@file_option("--plots", help="Folder for the chart of the tries.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    agent: str,
    space: tuple[str, ...],
    against: tuple[str, ...],
    options: TuneOptions,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Tune options of AGENT by play, and measure the best ones in fresh games.

    Each try is AGENT with other values of the options. It plays pairs of games against the
    opponents: the same openings for all tries, with the seats swapped. Optuna proposes the values
    from the scores so far. A try that is clearly worse than the best one stops early. The best
    three play on, and the winner and AGENT as given play fresh games, which give the intervals.
    Limits apply only to AGENT. Options in AGENT that are not tuned stay fixed.

    Without --option all choices are tuned, and numbers from a quarter to four times their default.

    With --out FOLDER the games of each try are stored in a file. After Ctrl-C, --resume continues,
    also with more --tries. Needs Optuna: pip install 'claimeven[tune]'.

    \b
    Examples:
      claimeven tune uct:iterations=200 --option c=0.2..2 --against greedy
      claimeven tune greedy --option win=yes,no --option block=yes,no \\
        --against random --tries 8
      claimeven tune uct:iterations=200 --tries 60 --jobs 8 --out tuned
      claimeven tune my_bot.py:Bot --option depth=1..6 --against uct --seconds 0.1
    """
    reject_opening_plies(ctx, str(options.openings))
    if plots is not None:
        check_can_draw()
    values = dict(_name_and_values(text) for text in space) or None
    if len(values or ()) < len(space):
        raise ClaimevenError("an option is named twice: give all its values in one --option")
    warn_unbounded((agent, *against), options.sandbox)
    progress.announce_compilation()
    found: list[TuneResult] = []
    interrupted = False
    with clean_stdout() as stdout:
        with progress.status_line() as line:

            def report(what: str, done: int, total: int) -> None:
                best = f"; best so far {found[-1].tries[-1].best:.1%}" if found else ""
                line.show(lambda: f"{what}: {done:,} of {total:,} games{best}")

            def note(result: TuneResult) -> None:
                found.append(result)
                write_run_file(options.out)

            given: dict[str, Any] = {"on_try": note, "on_progress": report, "against": against}
            given["executor"] = options.workers(None, progress.notify)
            try:
                note(tune(agent, values, options, on_message=progress.notify, **given))
            except KeyboardInterrupt:
                interrupted = True
        if found:
            write_result(as_json, found[-1].as_dict(), results.tuning(found[-1]), stdout)
        if found and plots is not None:
            write_pictures(plots, {"tune": [curve_chart(found[-1])]}, progress.notify)
    if interrupted:
        done = len(found[-1].tries) if found else 0
        progress.exit_interrupted(f"{done} of {options.tries} tries", options.out)


def _name_and_values(text: str) -> tuple[str, str]:
    """Return the name of an option and its values in words.

    >>> _name_and_values("c=0.2..2")
    ('c', '0.2..2')
    """
    name, mark, values = (part.strip() for part in text.partition("="))
    if not (name and mark and values):
        raise ClaimevenError(f"--option must be NAME=VALUES such as c=0.2..2, got {text!r}")
    return name, values
