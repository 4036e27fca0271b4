"""`claimeven train ntuple`: an n-tuple network learns by playing itself."""

from __future__ import annotations

from typing import Any

import click

from claimeven.cli.common.options import FilePath, geometry_options, json_option
from claimeven.cli.common.progress import count_text, kept_in, say_when_compiling, status_line
from claimeven.cli.common.settings_options import settings_options
from claimeven.cli.parts.train_plot import drawn_in_the_end, plots_option, print_run
from claimeven.game.geometry import Geometry
from claimeven.learning import NTupleRecipe, TrainingProgress, train_ntuple

#: What a row of the log is told under, in the table that is printed.
_HEADINGS = ("games", "seconds", "plies", "perfect", "keeps", "against perfect")


@click.command("ntuple")
@click.option("--out", type=FilePath(), required=True, help="Folder of the run.")
@settings_options(NTupleRecipe)
@plots_option
@json_option
@geometry_options
def command(out: str, plots: bool, as_json: bool, geometry: Geometry, **asked: Any) -> None:
    """Learn an n-tuple network by self-play against nothing but itself.

    Every --every games it is measured: how many of its answers on the positions that come along are
    perfect, how many keep win, draw or loss, and what it scores as first player against the perfect
    agent, which varies its play and resists as long as it can. None of this is learnt from.

    The model of the last measurement is in the folder: play it as ntuple:model=FOLDER/model.npz, or
    with search as ntuple-alphabeta:model=FOLDER/model.npz.

    \b
    Examples:
      claimeven train ntuple --out run1
      claimeven train ntuple --out quick --games 20000 --every 10000
      claimeven train ntuple --out s --columns 5 --rows 4 \\
        --games 50000 --tuples 20
    """
    recipe = NTupleRecipe(**asked, geometry=geometry)
    say_when_compiling()
    with kept_in(out), drawn_in_the_end(out, plots), status_line() as line:
        rows = train_ntuple(out, recipe, lambda at: line.show(lambda: _progress_text(at)))
    print_run(out, rows, _HEADINGS, [_cells(row) for row in rows], as_json)


def _progress_text(at: TrainingProgress) -> str:
    """Return the status line: how far it is, how fast, and what was measured last.

    >>> from claimeven.learning import TrainingProgress
    >>> _progress_text(TrainingProgress(200, 1000, 10.0, 0, {"perfect": 0.25}))
    '200 of 1,000 games, 20 a second, 40 s left; 25.0% perfect'
    >>> _progress_text(TrainingProgress(200, 1000, 10.0, 0, {"perfect": None}))
    '200 of 1,000 games, 20 a second, 40 s left'
    """
    text = count_text(at.done, at.total, "games", at.seconds)
    if at.row is not None and at.row["perfect"] is not None:
        text += f"; {at.row['perfect']:.1%} perfect"
    return text


def _cells(row: Any) -> list[str]:
    """Return a row of the table, in the order of its headings.

    >>> shares = {"keeping": 0.75, "perfect": 0.5, "against_perfect": None}
    >>> _cells({"games": 20000, "seconds": 3.2, "plies": 21.37, **shares})
    ['20,000', '3', '21.4', '50.0%', '75.0%', '-']
    """
    shares = [row[name] for name in ("perfect", "keeping", "against_perfect")]
    return [
        f"{row['games']:,}",
        f"{row['seconds']:.0f}",
        f"{row['plies']:.1f}",
        *("-" if share is None else f"{share:.1%}" for share in shares),
    ]
