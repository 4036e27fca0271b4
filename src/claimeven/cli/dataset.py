"""`claimeven dataset`: positions with exact scores, for learning and statistics."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from claimeven.atomic_io import check_output
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import geometry_options, json_option, solver_options
from claimeven.cli.common.output import show
from claimeven.cli.common.parsing import default_plies_text, parse_plies
from claimeven.cli.common.progress import announce_compilation, resumable_file, status_line
from claimeven.cli.common.solver_options import SolverChoice
from claimeven.dataset import DatasetPlan, DatasetProgress, make_dataset
from claimeven.game.geometry import Geometry

#: Most positions are quickly solved, and a table that stays near the processor suits them best.
TABLE_MB = 16
#: Plies of the positions where none are asked for, on the standard board.
DEFAULT_PLIES = 8, 36


@click.command("dataset")
@click.option("--positions", type=int, help="Rows to write; not with --source all.")
@click.option("--plies", help=f"Plies of the positions, a-b; {default_plies_text(DEFAULT_PLIES)}.")
@click.option("--seed", default=0, show_default=True, help="Seed of the positions.")
@click.option("--out", required=True, help="A .csv or .parquet.")
@click.option(
    "--source", default="random", show_default=True, help="random, selfplay, mixed or all."
)
@click.option(
    "--random-moves",
    type=float,
    help="Share of the moves of mixed games that are random; usually 0.5.",
)
@click.option("--one-a-game", is_flag=True, help="Take one position of each mixed game.")
@click.option(
    "--endings", default=1, show_default=True, help="Play each mixed game to its end so often."
)
@click.option("--endings-from", type=int, help="Ply from which the endings differ.")
@click.option(
    "--right-only",
    is_flag=True,
    help="Of each column of mixed games tell only whether it is right, in half the time.",
)
@click.option("--split", type=float, help="Share of games to train on; the rest is held out.")
@json_option
@partial(solver_options, table_mb=TABLE_MB)
@geometry_options
def command(
    plies: str | None,
    out: str,
    split: float | None,
    random_moves: float | None,
    as_json: bool,
    solver_choice: SolverChoice,
    geometry: Geometry,
    **asked: Any,
) -> None:
    """Write positions with the exact scores of their columns to a CSV or Parquet file.

    A row holds the number of its game, the moves that lead to the position, its ply, `mine` and
    `mask` (the discs of the side to move and all discs, as integers), its `score`, `right` (how
    many columns keep it), and `score_1`, `score_2`, ... of the columns, empty where full; all for
    the side to move. No position is there twice, nor beside its mirror image. The same options give
    the same rows, with any number of --threads.

    Random positions come from games of random moves to a ply drawn evenly; games over by then are
    dropped, so late plies are rarer. Self-play takes all positions of games in which both sides
    know the scores and err a little; the moves before the plies asked for are random. Mixed takes
    all positions, or one with --one-a-game, of games in which each move is random by the chance
    --random-moves and else one of the best: hard for who learns with a half, easy with one in ten.
    With --endings 4 --endings-from 14 each game is played to its end four times, anew from ply 14
    on: twice as many positions an hour, since those of plies 12 and 13 take most of it.
    With --right-only rows hold `right_1`, `right_2`, ... in place of the columns' scores, 1 where a
    column keeps the score and 0 where not: twice as many positions an hour.

    All takes every position of the plies: up to ply 11 of 7x6 with the deep book in seconds, since
    only those one ply beyond need be known. It takes no --positions and no --seed, and each
    position counts as a game of its own.

    With --split 0.9 nine in ten games are written to --out and the others beside it, to
    NAME-held-out: no game lies on both sides, and no position or its mirror image.

    Work ended by Ctrl-C or a kill goes on where it was: run the same command again.

    \b
    Examples:
      claimeven dataset --positions 10000 --plies 12-30 --out train.parquet
      claimeven dataset --positions 500 --source selfplay --out games.csv
      claimeven dataset --positions 9000 --source mixed --split 0.9 --out hard.csv
      claimeven dataset --positions 99 --source mixed --one-a-game --out one.csv
      claimeven dataset --positions 99 --source mixed --endings 4 \\
        --endings-from 14 --out e.csv
      claimeven dataset --positions 99 --source mixed --right-only --out r.csv
      claimeven dataset --source all --plies 0-6 --out early.csv
      claimeven dataset --positions 9 --plies 4-9 --columns 4 --rows 4 --out s.csv
    """
    lowest, highest = parse_plies(plies, DEFAULT_PLIES, geometry)
    check_output(out)
    announce_compilation()
    share: dict[str, Any] = {} if random_moves is None else {"random_moves": random_moves}
    plan = DatasetPlan(lowest=lowest, highest=highest, geometry=geometry, **asked, **share)
    solver = solver_choice.solver(geometry)
    start = time.perf_counter()
    nodes = 0
    with resumable_file(f"{out}.partial"), status_line() as line:

        def report(at: DatasetProgress) -> None:
            nonlocal nodes
            nodes = at.nodes
            line.report(at)

        made = make_dataset(Path(out), plan, solver, report, split=split)
    seconds = time.perf_counter() - start
    other = made.held_out_path
    if as_json:
        sides = {"held_out": str(other), "held_out_positions": made.held_out} if other else {}
        rows = {"out": out, "positions": made.positions, **sides, **plan.header()}
        write_json({**rows, "nodes": nodes, "seconds": seconds}, sys.stdout)
        return
    text = f"{out}: {made.positions:,} position{'s' * (made.positions != 1)}"
    if other is not None:
        text += f"; held out, {other}: {made.held_out:,}"
    show(f"{text}, {seconds:.1f} s")
