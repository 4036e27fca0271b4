"""`claimeven dataset`: positions with exact scores, for learning and statistics."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from claimeven.atomic_io import check_output
from claimeven.cli.common import options
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.output import print_result
from claimeven.cli.common.progress import announce_compilation, resumable_file, status_line
from claimeven.dataset import DatasetPlan, DatasetProgress, make_dataset
from claimeven.game.geometry import Geometry
from claimeven.parallel.executors import Part
from claimeven.parallel.jobs import Executor
from claimeven.provenance import describe

#: Most positions are solved quickly, and a table that fits the cache of the processor is fastest.
TABLE_MB = 16
DEFAULT_PLIES = 8, 36


@click.command("dataset", cls=ExperimentCommand)
@click.option("--positions", type=int, help="Number of rows; not with --source all.")
@click.option(
    "--plies", help=f"Plies of the positions, a-b; {options.default_plies_text(DEFAULT_PLIES)}."
)
@click.option("--seed", default=0, help="Seed of the positions.")
@click.option("--out", required=True, help="File to write, .csv or .parquet.")
@click.option("--source", default="random", help="random, selfplay, mixed or all.")
@click.option(
    "--random-moves", type=float, help="Share of random moves in mixed games.  [default: 0.5]"
)
@click.option("--one-per-game", is_flag=True, help="Take only one position from each mixed game.")
@click.option("--playouts-per-game", default=1, help="Ways to finish each mixed game.")
@click.option("--branch-ply", type=int, help="Ply at which these ways start.")
@click.option(
    "--optimal-only",
    is_flag=True,
    help="Write which columns of mixed games are best, not all scores; takes half the time.",
)
@click.option("--split", type=float, help="Share of games to train on; the others are held out.")
@options.part_option
@options.json_option
@options.option_group(options.SolverChoice, "solver_choice", table_mb=TABLE_MB)
@options.workers_options
@options.geometry_options
def command(
    plies: str | None,
    out: str,
    split: float | None,
    part: Part | None,
    random_moves: float | None,
    as_json: bool,
    solver_choice: options.SolverChoice,
    workers: Executor | None,
    geometry: Geometry,
    **settings: Any,
) -> None:
    """Write positions with the exact scores of their columns to a CSV or Parquet file.

    A row has the number of its game, the moves that lead to the position, its ply, `mine` and
    `mask` (the discs of the side to move and all discs, as integers; on boards of more than 64 bits
    their halves `mine_low`, `mine_high`, `mask_low`, `mask_high`), its `score`, `optimal` (the
    number of columns that keep it), and the scores of the columns, `score_1`, `score_2`, ..., empty
    for full columns. All scores are for the side to move. No position appears twice, and no mirror
    image. The same options give the same rows, with any number of --threads.

    --source random: the last positions of random games, each up to a random ply. Games that end
    earlier are dropped, so late plies are rarer.

    --source selfplay: all positions of games in which both sides know the scores and make small
    errors. The moves before the first of the plies are random.

    --source mixed: all positions of games in which each move is random with the chance
    --random-moves, else one of the best, or one position of each with --one-per-game. Half random
    moves give hard positions, one in ten gives easy positions. --playouts-per-game 4 --branch-ply
    14 finishes each game in four ways from ply 14 on, and doubles the speed, since plies 12 and 13
    take the longest to solve. --optimal-only also doubles the speed: rows then have `optimal_1`,
    `optimal_2`, ... (1 if the column keeps the score, else 0) instead of scores.

    --source all: every position of the plies, each as a separate game; takes no --positions and no
    --seed. Only the next ply must be known: up to ply 11 of 7x6 takes seconds with the deep book.

    --split 0.9 writes nine games in ten to --out and the others to NAME-held-out. No game and no
    position is in both files, and no mirror image. Next to each file is its card, FILE.md: its
    origin, its columns, and the number of positions by ply and score.

    Run the same command again to resume interrupted work. With --jobs worker processes solve the
    positions, and with --executor ray a Ray cluster; the rows are the same.

    \b
    Examples:
      claimeven dataset --positions 10000 --plies 12-30 --out train.parquet
      claimeven dataset --positions 500 --source selfplay --out games.csv
      claimeven dataset --positions 9000 --source mixed --split 0.9 --out hard.csv
      claimeven dataset --positions 99 --source mixed --one-per-game --out one.csv
      claimeven dataset --positions 99 --source mixed --playouts-per-game 4 \\
        --branch-ply 14 --out e.csv
      claimeven dataset --positions 99 --source mixed --optimal-only --out r.csv
      claimeven dataset --source all --plies 0-6 --out early.csv
      claimeven dataset --positions 999 --executor ray --address auto --out r.csv
      claimeven dataset --positions 9 --plies 4-9 --columns 4 --rows 4 --out s.csv
      claimeven dataset --positions 9 --plies 40-50 --columns 9 --out 9.csv
    """
    lowest, highest = options.parse_plies(plies, DEFAULT_PLIES, geometry)
    check_output(out)
    options.check_workers(workers, solver_choice.threads)
    announce_compilation()
    share: dict[str, Any] = {} if random_moves is None else {"random_moves": random_moves}
    plan = DatasetPlan(lowest=lowest, highest=highest, geometry=geometry, **settings, **share)
    solver = solver_choice.solver(geometry)
    start = time.perf_counter()
    nodes = 0
    with resumable_file(part.path(out) if part else f"{out}.partial"), status_line() as line:

        def report(at: DatasetProgress) -> None:
            nonlocal nodes
            nodes = at.nodes
            line.report(at)

        result = make_dataset(
            Path(out), plan, solver, report, split=split, executor=workers, part=part
        )
    seconds = time.perf_counter() - start
    other = result.held_out_path
    write_run_file(out)
    out = str(part.path(out)) if part else out
    data = {"out": out, "positions": result.positions}
    text = f"{out}: {result.positions:,} position{'s' * (result.positions != 1)}"
    if other is not None:
        data |= {"held_out": str(other), "held_out_positions": result.held_out}
        text += f"; held out, {other}: {result.held_out:,}"
    about = describe("result", board=geometry.as_dict(), seed=plan.seed)
    data |= {**plan.header(), "provenance": about, "nodes": nodes, "seconds": seconds}
    print_result(as_json, data, f"{text}, {seconds:.1f} s")
