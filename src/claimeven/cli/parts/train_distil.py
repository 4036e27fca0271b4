"""`claimeven train distil`: a net learns from positions with exact scores."""

from __future__ import annotations

from typing import Any

import click

from claimeven.cli.common.options import FilePath, geometry_options, json_option
from claimeven.cli.common.parsing import ply_range, shares_of
from claimeven.cli.common.progress import count_text, kept_in, say_when_compiling, status_line
from claimeven.cli.common.settings_options import settings_options
from claimeven.cli.parts.train_plot import drawn_in_the_end, plots_option, print_run
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.learning import DistilRecipe, PlyShare, TrainingProgress, train_distil
from claimeven.learning.extras import jax_and_optax

#: What the table calls the shares of the log; only those that were measured have a column.
_SHARES = {"held_out": "held out", "held_out_sign": "sign", "hard": "hard", "easy": "easy"}


@click.command("distil")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=FilePath())
@click.option("--out", type=FilePath(), required=True, help="Folder of the run.")
@settings_options(DistilRecipe)
@click.option(
    "--shares", help="How often each data set is drawn from: 1,2,... Default: by their sizes."
)
@click.option(
    "--ply-shares",
    help="How often plies are drawn: 4-11:1,12-41:2,... Default: as the data has them.",
)
@click.option(
    "--start", type=FilePath(), help="A net to begin with, of that size or of fewer pairs."
)
@plots_option
@json_option
@geometry_options
def command(
    data: tuple[str, ...],
    out: str,
    plots: bool,
    as_json: bool,
    geometry: Geometry,
    shares: str | None,
    ply_shares: str | None,
    **asked: Any,
) -> None:
    """Learn a neural net from the data sets that `claimeven dataset` writes.

    It learns which columns keep the exact score, who wins, and the score of each column. One game
    in a hundred is held out to see how well; the held-out sets that come along are never learnt
    from, and measured too. Needs JAX and optax: pip install 'claimeven[learn]'.

    The model of the last measurement is in the folder: play it as net:model=FOLDER/model.npz, or
    with search as puct:model=FOLDER/model.npz.

    \b
    Examples:
      claimeven dataset --positions 50000 --source mixed --plies 8-36 --out d.csv
      claimeven train distil d.csv --out run1 --size small --epochs 10
      claimeven accuracy net:model=run1/model.npz --set hard
      claimeven train distil a.csv b.parquet --out run2 --size small --start run1/model.npz
      claimeven train distil a.csv b.csv --out run3 --ply-shares 4-7:1,8-41:4
      claimeven train distil a.csv --out run4 --optimizer muon \\
        --batch 4096 --rate 4e-3
      claimeven train distil a.csv --out run5 --policy-target any
    """
    parts = None if shares is None else shares_of(shares)
    plies = None if ply_shares is None else _ply_shares(ply_shares)
    recipe = DistilRecipe(**asked, shares=parts, ply_shares=plies, geometry=geometry)
    jax_and_optax()  # so that nobody waits for the data before hearing that it is missing
    say_when_compiling()
    with kept_in(out), drawn_in_the_end(out, plots), status_line() as line:
        rows = train_distil(out, data, recipe, lambda at: line.show(lambda: _progress(at, recipe)))
    measured = [name for name in _SHARES if any(name in row for row in rows)]
    headings = ("steps", "seconds", "loss", *(_SHARES[name] for name in measured))
    cells = [_cells(row, measured, recipe) for row in rows]
    print_run(out, rows, headings, cells, as_json)


def _ply_shares(text: str) -> tuple[PlyShare, ...]:
    """Return the plies and numbers of `--ply-shares`."""
    found = []
    for part in text.split(","):
        plies, _, share = part.partition(":")
        try:
            found.append(PlyShare(*ply_range(plies), float(share)))
        except (ClaimevenError, ValueError):
            raise click.UsageError(
                f"--ply-shares takes plies and numbers like 4-11:1,12-41:2, not {text!r}"
            ) from None
    return tuple(found)


def _progress(at: TrainingProgress, recipe: DistilRecipe) -> str:
    """Say how far it is, how fast, and what was measured last.

    >>> from claimeven.learning import DistilRecipe, TrainingProgress
    >>> row = {"policy_loss": 1.0, "value_loss": 0.5, "score_loss": 0.25, "held_out": 0.5}
    >>> _progress(TrainingProgress(200, 1000, 10.0, 0, row), DistilRecipe())
    '200 of 1,000 steps, 20 a second, 40 s left; loss 1.375, 50.0% right'
    >>> _progress(TrainingProgress(200, 1000, 10.0, 0, {**row, "hard": 0.25}), DistilRecipe())
    '200 of 1,000 steps, 20 a second, 40 s left; loss 1.375, 25.0% right'
    """
    text = count_text(at.done, at.total, "steps", at.seconds)
    if at.row is not None:
        text += f"; loss {recipe.loss_of(at.row):.3f}"
        share = at.row.get("hard", at.row.get("held_out"))
        if share is not None:
            text += f", {share:.1%} right"
    return text


def _cells(row: Any, measured: list[str], recipe: DistilRecipe) -> list[str]:
    """Return a row of the table: what was measured of some rows alone is `-` in the others.

    >>> from claimeven.learning import DistilRecipe
    >>> losses = {"policy_loss": 1.0, "value_loss": 0.5, "score_loss": 0.25}
    >>> row = {"steps": 2000, "seconds": 61.4, **losses, "held_out": 0.5}
    >>> _cells(row, ["held_out", "hard"], DistilRecipe())
    ['2,000', '61', '1.375', '50.0%', '-']
    """
    return [
        f"{row['steps']:,}",
        f"{row['seconds']:.0f}",
        f"{recipe.loss_of(row):.3f}",
        *("-" if row.get(name) is None else f"{row[name]:.1%}" for name in measured),
    ]
