"""`claimeven train judge`: what runs have learnt, by the same measures."""

from __future__ import annotations

import sys
from typing import Any

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import fitted, named_lines, table_width, text_width
from claimeven.cli.common.progress import say, say_when_compiling, status_line
from claimeven.cli.common.settings_options import settings_options
from claimeven.errors import ClaimevenError
from claimeven.learning.compare_runs import Judged, Judging, check_drawing, draw_judged, judge_runs
from claimeven.learning.curves import folder_for

_HEADINGS = ("core-h", "hard", "perfect", "elo", "95 % interval", "place")


@click.command("judge")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=FilePath())
@click.option(
    "--out", type=FilePath(), help="Folder to draw into; usually plots in that of the one run."
)
@click.option("--last", is_flag=True, help="Judge the last models only, and draw nothing.")
@settings_options(Judging)
@click.option("--jobs", default=1, show_default=True, help="Processes that answer and play.")
@json_option
def command(
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
    say_when_compiling()
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
    files = [] if where is None else [str(path) for path in draw_judged(judged, where, say)]
    if as_json:
        rows = [each.as_dict() for each in judged]
        write_json({"runs": list(folders), "rows": rows, "plots": files}, sys.stdout)
        return
    last_ones = {each.label: each for each in judged}
    cells = [_cells(each) for each in last_ones.values()]
    lines = named_lines("run and agent", _HEADINGS, [*last_ones], cells, table_width())
    print("\n".join(lines))
    if files:
        print(fitted(f"drawn: {', '.join(files)}", text_width()))


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
