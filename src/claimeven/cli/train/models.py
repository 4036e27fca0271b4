"""`claimeven train average`, `plot` and `judge`: what is made of trained models and runs."""

from __future__ import annotations

import sys
from typing import Any

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import named_lines, show, table_width
from claimeven.cli.common.parsing import weights_of
from claimeven.cli.common.progress import announce_compilation, notify, status_line
from claimeven.cli.train.learn import settings_options
from claimeven.errors import ClaimevenError
from claimeven.learning.compare_runs import Judged, Judging, check_drawing, draw_judged, judge_runs
from claimeven.learning.curves import folder_for

_HEADINGS = ("core-h", "hard", "perfect", "elo", "95 % interval", "place")


@click.command("average")
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, type=FilePath())
@click.option("--out", type=FilePath(), required=True, help="File of the mean, .npz.")
@click.option("--model-weights", help="How much each net counts: 1,2,... Default: alike.")
@click.option(
    "--quant-levels", default=15, show_default=True, help="Levels of a weight on each side of 0."
)
@json_option
def average(
    models: tuple[str, ...], out: str, model_weights: str | None, quant_levels: int, as_json: bool
) -> None:
    """Average the weights of nets that went on from the same one, and measure the mean.

    Such nets err in different places, and their mean is often better than any of them, at no cost
    when it plays. Nets that were drawn from different seeds cannot be averaged to any use. Rounding
    the mean of medium nets takes some ten seconds.

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

        def on_progress(done: int, total: int) -> None:
            line.show(lambda: f"rounding: {done} of {total} matrices")

        figures = average_nets(models, out, weights, quant_levels, on_progress)
    if as_json:
        write_json({"out": out, "models": list(models), "measured": figures}, sys.stdout)
        return
    listed = ", ".join(
        f"{name} {value:.1%}"
        for name, value in figures.items()
        if value is not None and not name.endswith("_sign")
    )
    show(f"model: {out}" + (f"; {listed}" if listed else ""))


@click.command("plot")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@click.option(
    "--out", type=FilePath(), help="Folder to draw into; usually plots in that of the one run."
)
@json_option
def plot(folders: tuple[str, ...], out: str | None, as_json: bool) -> None:
    """Draw what runs have measured, against time and against games, as PNG and SVG.

    A picture has a panel a measure and a line a run, up to six. A run may still be going on. Needs
    Matplotlib: pip install 'claimeven[plot]'.

    \b
    Examples:
      claimeven train plot run1
      claimeven train plot run1 run2 --out curves
    """
    from claimeven.learning.curves import draw_curves  # noqa: PLC0415 - brings in the arena

    files = draw_curves(folders, out, notify)
    if as_json:
        write_json({"runs": list(folders), "plots": [str(path) for path in files]}, sys.stdout)
        return
    names = ", ".join(path.name for path in files)
    show(f"{files[0].parent}: {names}")


@click.command("judge")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@click.option(
    "--out", type=FilePath(), help="Folder to draw into; usually plots in that of the one run."
)
@click.option("--last", is_flag=True, help="Judge the last models only, and draw nothing.")
@settings_options(Judging)
@click.option("--jobs", default=1, show_default=True, help="Processes that answer and play.")
@json_option
def judge(
    folders: tuple[str, ...], out: str | None, last: bool, jobs: int, as_json: bool, **asked: Any
) -> None:
    """Judge what runs of any kind have learnt, by the same measures: the oracle and the ladder.

    The models that a run has kept, its last and those of its 1st, 2nd, 4th, 8th measurement and so
    on, play alone (net, ntuple) and with a search (puct:iterations=100, ntuple-alphabeta:depth=6).
    Each agent is judged by its answers on the hard held-out set, by its score as first player
    against the perfect agent, which varies its play and resists longest, and by its place on the
    ladder of the standing pool. A picture shows all by core-hours, the table the last models.

    Figures are kept in the folders of the runs, so the same command goes on where it was ended. A
    model takes about a minute. Needs Matplotlib without --last: pip install 'claimeven[plot]'.

    \b
    Examples:
      claimeven train judge run1 run2 run3 --out curves
      claimeven train judge run1 --last --games 200 --rounds 16
    """
    if last and out is not None:
        raise ClaimevenError("--last draws nothing: it does not go with --out")
    judging, where = Judging(**asked), None
    if not last:
        where = folder_for(folders, out)
        check_drawing(folders, where)
    announce_compilation()
    try:
        with status_line() as line:
            judged = judge_runs(
                folders,
                judging,
                last_only=last,
                jobs=jobs,
                watch=lambda at, of, who: line.show(lambda: f"{at} of {of}: {who}"),
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; run the same again to go on") from None
    files = [] if where is None else [str(path) for path in draw_judged(judged, where, notify)]
    if as_json:
        rows = [each.as_dict() for each in judged]
        write_json({"runs": list(folders), "rows": rows, "plots": files}, sys.stdout)
        return
    last_ones = {each.label: each for each in judged}
    cells = [_cells(each) for each in last_ones.values()]
    lines = named_lines("run and agent", _HEADINGS, [*last_ones], cells, table_width())
    print("\n".join(lines))
    if files:
        show(f"drawn: {', '.join(files)}")


def _cells(each: Judged) -> list[str]:
    """Return a row of the table, in the order of its headings.

    >>> from claimeven.learning.compare_runs import Judged
    >>> spent = ("run", "net", 4, 900.0, 1800.0)
    >>> _cells(Judged(*spent, 0.5, 0.25, -31.4, (-60.2, 5.0), 3, 13))
    ['0.50', '50.0%', '25.0%', '-31', '-60 to +5', '3 of 13']
    >>> _cells(Judged(*spent, None, 0.25, None, None, None, None))
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
