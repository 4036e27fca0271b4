"""`claimeven explain`: why columns are good or bad, in sentences backed by exact scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from claimeven.cli.shared.boards import board_text, ongoing
from claimeven.cli.shared.inputs import Given, Inputs
from claimeven.cli.shared.json_lines import write_json
from claimeven.cli.shared.options import geometry_options, json_option, solver_options
from claimeven.cli.shared.progress import say_when_compiling, status_line
from claimeven.cli.shared.solving import SolverChoice, WatchedSolver
from claimeven.cli.shared.streams import printable, text_width
from claimeven.cli.shared.tables import fitted
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: What the numbers say, below the sentences.
LEGEND = (
    "Scores are for the side to move: 0 a draw, + a win, - a loss, further from 0 the sooner. A"
    " ply is one disc; disc 7 is the seventh on the board. Rows count from 1 at the bottom."
)


@click.command("explain")
@click.argument("positions", metavar="MOVES...", nargs=-1, required=True)
@json_option
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    as_json: bool,
    solving: SolverChoice,
    geometry: Geometry,
) -> None:
    """Explain the position after MOVES ("" is the empty board): every column, best ones first.

    Each column shows its exact score for the side to move and at most four sentences: what the
    column is worth, the strongest reason that can be shown, best play. Rows are counted from 1 at
    the bottom. In JSON every sentence is a claim with the columns, cells and line it speaks of.

    MOVES may also be a file with one position a line, or - for stdin. A line that is wrong is told
    on stderr with its number (null in JSON); the exit status is then 1.

    \b
    Examples:
      claimeven explain 4455
      claimeven explain 226744515337 --threads 2
      claimeven explain 4455 --json
      claimeven explain positions.txt --book my.book
    """
    inputs = Inputs(positions, lambda moves: ongoing(moves, geometry))
    say_when_compiling()
    solver = solving.solver(geometry)
    for given in inputs:
        _answer(given, solver, inputs.are_many, as_json)
        sys.stdout.flush()
    if inputs.failed:
        ctx.exit(1)


def _answer(given: Given[Position], solver: Solver, is_one_of_many: bool, as_json: bool) -> None:
    """Print the explanation of one position; among many each has its moves above it."""
    from claimeven.review.explain import explain  # noqa: PLC0415 - for a quick start

    position = given.value
    if as_json and position is None:
        print("null")
        return
    if is_one_of_many and not as_json:
        print(f"position {printable(given.moves) or '(the empty board)'}")
    if position is None:
        print(fitted(f"not explained: {given.error}", text_width()) + "\n")
        return
    with status_line() as line:
        explanation = explain(position, WatchedSolver(solver, line))
    if as_json:
        write_json({"moves": given.moves, **explanation.as_dict()}, sys.stdout)
        return
    print(board_text(position, sys.stdout))
    print()
    print(explanation.text(text_width()))
    print()
    print(fitted(LEGEND, text_width()) + "\n" * is_one_of_many)
