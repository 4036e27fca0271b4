"""`claimeven explain`: why columns are good or bad, in sentences backed by exact scores."""

from __future__ import annotations

import sys

import click

from claimeven.cli.common import (
    WIDTH,
    board_text,
    geometry_options,
    say_when_compiling,
    table_width,
    write_json,
)
from claimeven.cli.solving import solver_options, status_line
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Fewest characters a line of text may have.
LEAST_WIDTH = 40


@click.command("explain")
@click.argument("moves", metavar="MOVES")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@solver_options
@geometry_options
def command(
    moves: str,
    as_json: bool,
    threads: int,
    table_mb: float,
    geometry: Geometry,
) -> None:
    """Explain the position after MOVES ("" is the empty board): every column, best ones first.

    Each column shows its exact score for the side to move and at most four sentences: what the
    column is worth, the strongest reason that can be shown, best play. Rows are counted from 1 at
    the bottom. In JSON every sentence is a claim with the columns, cells and line it speaks of.

    \b
    Examples:
      claimeven explain 4455
      claimeven explain 226744515337 --threads 2
      claimeven explain 4455 --json
    """
    position = Position.from_moves(moves, geometry)
    if position.is_over:
        raise ClaimevenError(f"the game is over after {moves}: {position.outcome}")
    say_when_compiling()
    from claimeven.cli.watched import WatchedSolver  # noqa: PLC0415 - for a quick start
    from claimeven.review.explain import explain  # noqa: PLC0415 - as above
    from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    solver = Solver(position.geometry, table_mb, threads)
    with status_line() as line:
        explanation = explain(position, WatchedSolver(solver, line))
    if as_json:
        write_json({"moves": moves, **explanation.as_dict()}, sys.stdout)
        return
    click.echo(board_text(position, sys.stdout))
    click.echo()
    click.echo(explanation.text(max(LEAST_WIDTH, min(WIDTH, table_width()))))
