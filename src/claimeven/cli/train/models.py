"""`claimeven train average`, `plot` and `compare`: tools for trained models and runs."""

from __future__ import annotations

import sys
from typing import Any

import click

from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.options import FilePath, json_option, players_options, weights_of
from claimeven.cli.common.output import named_lines, print_result, show, table_width
from claimeven.cli.common.progress import announce_compilation, notify, status_line
from claimeven.cli.common.streams import write_json
from claimeven.cli.train.learn import settings_options
from claimeven.errors import ClaimevenError
from claimeven.learning.compare_runs import (
    CompareConfig,
    ModelScores,
    check_drawing,
    compare_runs,
    draw_comparison,
)
from claimeven.learning.curves import folder_for
from claimeven.parallel.jobs import Executor
from claimeven.provenance import LEARNING, describe

charts_option = click.option(
    "--out", type=FilePath(), help="Folder for the charts.  [default: plots in the run's folder]"
)
_HEADINGS = ("core-h", "hard", "perfect", "elo", "95 % interval", "place")


@click.command("average", cls=ExperimentCommand, arguments="models")
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=FilePath())
@click.option("--out", type=FilePath(), required=True, help="File of the mean, .npz.")
@click.option("--model-weights", help="Weight of each net: 1,2,...  [default: equal]")
@click.option("--quant-levels", default=15, help="Levels of a weight on each side of 0.")
@json_option
def average(
    models: tuple[str, ...], out: str, model_weights: str | None, quant_levels: int, as_json: bool
) -> None:
    """Average the weights of several nets, and measure the mean.

    The nets must have continued training from the same net: their mean is then often better than
    any of them, at the same speed. Rounding the mean of medium nets takes about ten seconds.

    \b
    Examples:
      claimeven train average run1/model.npz run2/model.npz --out mean.npz
      claimeven train average run1/model.npz run2/model.npz \\
        --model-weights 2,1 --out mean.npz
      claimeven match net:model=mean.npz net --games 20 --opening-plies 4
    """
    from claimeven.learning import average_nets  # noqa: PLC0415 - brings in the arena

    weights = None if model_weights is None else weights_of(model_weights, "--model-weights")
    with status_line() as line:
        report = line.reporter("rounding: {} of {} matrices")
        figures = average_nets(models, out, weights, quant_levels, report)
    write_run_file(out)
    about = describe("result", packages=LEARNING)
    found = {"out": out, "models": list(models), "measured": figures, "provenance": about}
    listed = ", ".join(
        f"{name} {value:.1%}"
        for name, value in figures.items()
        if value is not None and not name.endswith("_sign")
    )
    print_result(as_json, found, f"model: {out}" + (f"; {listed}" if listed else ""))


@click.command("plot")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@charts_option
@json_option
def plot(folders: tuple[str, ...], out: str | None, as_json: bool) -> None:
    """Draw the measurements of runs by time and by games, as PNG and SVG.

    A chart has a panel for each measurement and a line for each run, up to six. Runs may be in
    progress. Needs Matplotlib: pip install 'claimeven[plot]'.

    \b
    Examples:
      claimeven train plot run1
      claimeven train plot run1 run2 --out curves
    """
    from claimeven.learning.curves import draw_curves  # noqa: PLC0415 - brings in the arena

    files = draw_curves(folders, out, notify)
    found = {"runs": list(folders), "plots": [str(path) for path in files]}
    names = ", ".join(path.name for path in files)
    print_result(as_json, found, f"{files[0].parent}: {names}")


@click.command("compare", cls=ExperimentCommand, arguments="runs")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@charts_option
@click.option("--last", is_flag=True, help="Measure only the last models, without a chart.")
@settings_options(CompareConfig)
@players_options
@json_option
def compare(
    folders: tuple[str, ...],
    out: str | None,
    last: bool,
    players: Executor | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare runs of any kind by the same measurements: exact play and the ladder.

    The stored models of a run (of the measurements 1, 2, 4, 8, ... and the last) play without a
    search (net, ntuple) and with one (puct:iterations=100, ntuple-alphabeta:depth=6). Each agent
    gets three figures: its right answers on the hard held-out set, its score as first player
    against the perfect agent, and its rating on the ladder. The chart shows all models by
    core-hours, the table the last models.

    The folders of the runs store the figures, so the same command resumes. A model takes about a
    minute. The chart needs Matplotlib: pip install 'claimeven[plot]'.

    \b
    Examples:
      claimeven train compare run1 run2 run3 --out curves
      claimeven train compare run1 --last --games 200 --rounds 16
      claimeven train compare run1 run2 --executor ray --address auto
    """
    if last and out is not None:
        raise ClaimevenError("--last and --out exclude each other: there is no chart with --last")
    config, folder = CompareConfig(**settings), None
    if not last:
        folder = folder_for(folders, out)
        check_drawing(folders, folder)
    announce_compilation()
    try:
        with status_line() as line:
            scores = compare_runs(
                folders,
                config,
                last_only=last,
                executor=players,
                on_progress=line.reporter("{} of {}: {}"),
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; run the same command again to resume") from None
    files = [str(path) for path in draw_comparison(scores, folder, notify)] if folder else []
    write_run_file(folder)
    if as_json:
        rows = [each.as_dict() for each in scores]
        about = describe("result", seed=config.seed, packages=LEARNING)
        found = {"runs": list(folders), "rows": rows, "plots": files, "provenance": about}
        write_json(found, sys.stdout)
        return
    latest = {each.label: each for each in scores}
    cells = [_cells(each) for each in latest.values()]
    lines = named_lines("run and agent", _HEADINGS, [*latest], cells, table_width())
    print("\n".join(lines))
    if files:
        show(f"charts: {', '.join(files)}")


def _cells(each: ModelScores) -> list[str]:
    """Return a row of the table, in the order of its headings.

    >>> from claimeven.learning.compare_runs import ModelScores
    >>> spent = ("run", "net", 4, 900.0, 1800.0)
    >>> _cells(ModelScores(*spent, 0.5, 0.25, -31.4, (-60.2, 5.0), 3, 13))
    ['0.50', '50.0%', '25.0%', '-31', '-60 to +5', '3 of 13']
    >>> _cells(ModelScores(*spent, None, 0.25, None, None, None, None))
    ['0.50', '-', '25.0%', '-', '-', '-']
    """
    return [
        f"{each.hours:.2f}",
        _percent(each.hard),
        _percent(each.against_perfect),
        "-" if each.elo is None else f"{each.elo:+.0f}",
        "-" if each.elo_interval is None else "{:+.0f} to {:+.0f}".format(*each.elo_interval),
        "-" if each.place is None else f"{each.place} of {each.agents}",
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
