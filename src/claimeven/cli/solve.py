"""`claimeven solve`: exact scores of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from claimeven.cli.boards import ongoing
from claimeven.cli.inputs import Inputs
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import geometry_options, solver_options
from claimeven.cli.progress import say_when_compiling, status_line
from claimeven.cli.solving import SolverChoice, progress_text, score_text
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:
    from claimeven.solver import Solver


@click.command("solve")
@click.argument("positions", metavar="[MOVES]...", nargs=-1)
@click.option(
    "--all", "every", is_flag=True, help="The score of every column, not of the position."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a position.")
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    every: bool,
    as_json: bool,
    solving: SolverChoice,
    geometry: Geometry,
) -> None:
    """Print the exact score of each position, given by its moves ("" is the empty board).

    A score is seen from the side to move: 0 is a draw, a positive one a win, a negative one a
    loss, and the sooner the end the further from 0 (the formula stands in the documents, under
    "Reading the output").

    With --all a line has one score a column, left to right, `.` where the column is full. JSON
    always holds the scores of all columns (null where full), the outcome for the side to move, the
    plies to the end, and the nodes and seconds spent.

    MOVES may also be a file with one position a line, or - for stdin; each line is answered at
    once. A line that is wrong is told on stderr with its number and answered by an empty line
    (null in JSON); the exit status is then 1.

    \b
    Examples:
      claimeven solve 4455
      claimeven solve 4455 226744515337 --all
      claimeven solve "" --json
      claimeven solve positions.txt --book my.book
      printf '4455\\n12\\n' | claimeven solve - --threads 2
      claimeven solve "" --columns 5 --rows 5
    """
    if not positions:
        raise ClaimevenError(
            "give the moves of a position such as 4455, \"\", a file, or '-' for stdin"
        )
    inputs = Inputs(positions, lambda moves: ongoing(moves, geometry))
    say_when_compiling()
    solver = solving.solver(geometry)
    for given in inputs:
        if given.value is None:
            print("null" if as_json else "")
        elif as_json:
            write_json(_as_dict(solver, given.moves, given.value), sys.stdout)
        else:
            scores = _scores(solver, given.moves, given.value, every)
            print(" ".join([given.moves, *map(score_text, scores)]))
        sys.stdout.flush()
    if inputs.failed:
        ctx.exit(1)


def _scores(solver: Solver, moves: str, position: Position, every: bool) -> Iterable[int | None]:
    """Return the scores of a line: of every column, or of the position alone."""
    with status_line() as line:
        if every:
            return solver.scores(
                position, progress=lambda at: line.show(lambda: progress_text(moves, at))
            )
        return [
            solver.score(position, progress=lambda at: line.show(lambda: progress_text(moves, at)))
        ]


def _as_dict(solver: Solver, moves: str, position: Position) -> dict[str, object]:
    from claimeven.solver import outcome_word, plies_to_end  # noqa: PLC0415 - for a quick start

    before = solver.statistics
    scores = list(_scores(solver, moves, position, every=True))
    after = solver.statistics
    score = max(score for score in scores if score is not None)
    return {
        "moves": moves,
        "score": score,
        "scores": scores,
        "outcome": outcome_word(score),
        "plies_to_end": plies_to_end(position, score),
        "nodes": after.nodes - before.nodes,
        "seconds": after.seconds - before.seconds,
    }
