"""`claimeven dataset`: positions with exact scores, for learning and statistics."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claimeven.cli.json_lines import write_json
from claimeven.cli.options import geometry_options, json_option, solver_options
from claimeven.cli.plies import ply_range
from claimeven.cli.progress import count_text, say_when_compiling, status_line
from claimeven.cli.solving import SolverChoice
from claimeven.cli.streams import text_width
from claimeven.cli.tables import fitted
from claimeven.game.geometry import Geometry
from claimeven.outputs import check_output

if TYPE_CHECKING:
    from claimeven.dataset import DatasetProgress


#: Most positions are quickly solved, and a table that stays near the processor suits them best.
TABLE_MB = 16


@click.command("dataset")
@click.option("--positions", type=int, required=True, help="Rows to write.")
@click.option("--plies", default="8-36", show_default=True, help="Plies of the positions, a-b.")
@click.option("--seed", default=0, show_default=True, help="Seed of the positions.")
@click.option("--out", required=True, help="A .csv or .parquet.")
@click.option("--source", default="random", show_default=True, help="random, selfplay or mixed.")
@click.option(
    "--random-moves",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of moves of mixed games that are random; the others are best.",
)
@click.option("--one-a-game", is_flag=True, help="Take one position of each mixed game.")
@json_option
@partial(solver_options, table_mb=TABLE_MB)
@geometry_options
def command(
    positions: int,
    plies: str,
    seed: int,
    out: str,
    source: str,
    random_moves: float,
    one_a_game: bool,
    as_json: bool,
    solving: SolverChoice,
    geometry: Geometry,
) -> None:
    """Write positions with the exact score of every column to a CSV or Parquet file.

    A row holds the moves that lead to the position, its ply, `mine` and `mask` (the discs of the
    side to move and all discs, as integers), `score`, and `score_1`, `score_2`, ... for the
    columns, empty where full; all for the side to move. No position is there twice, nor beside its
    mirror image. The same options give the same rows.

    Random positions come from games of random moves to a ply drawn evenly; games over by then are
    dropped, so late plies are rarer. Self-play takes all positions of games in which both sides
    know the scores and err a little; the moves before the plies asked for are random.

    Work ended by Ctrl-C or a kill goes on where it was: run the same command again.

    \b
    Examples:
      claimeven dataset --positions 10000 --plies 12-30 --out train.parquet
      claimeven dataset --positions 500 --source selfplay --out games.csv
      claimeven dataset --positions 9 --plies 4-9 --columns 4 --rows 4 --out s.csv
    """
    lowest, highest = ply_range(plies)
    check_output(out)
    say_when_compiling()
    from claimeven.dataset import DatasetPlan, make_dataset  # noqa: PLC0415 - for a quick start

    plan = DatasetPlan(positions, lowest, highest, seed, source, geometry, random_moves, one_a_game)
    solver = solving.solver(geometry)
    begin = time.perf_counter()
    try:
        with status_line() as line:
            made = make_dataset(
                Path(out), plan, solver, lambda at: line.show(lambda: _progress_text(at))
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; run the same again to go on from {out}.partial"
        ) from None
    seconds = time.perf_counter() - begin
    if as_json:
        nodes = solver.statistics.nodes
        write_json(
            {"out": out, "positions": made, **plan.header(), "nodes": nodes,
             "seconds": seconds},
            sys.stdout,
        )  # fmt: skip
        return
    click.echo(fitted(f"{out}: {made:,} positions, {seconds:.1f} s", text_width()))


def _progress_text(at: DatasetProgress) -> str:
    return count_text(at.done, at.total, "positions", at.seconds, at.resumed)
