"""`claimeven explain`: why columns are good or bad, in sentences backed by exact scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.move_inputs import (
    Inputs,
    ScoreComparison,
    answer_inputs,
    comparison_dict,
    is_ongoing,
    scores_text,
    source_option,
)
from claimeven.cli.common.options import geometry_options, json_option, solver_options
from claimeven.cli.common.output import board_text, show, text_width
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.solver_options import ProgressSolver, SolverChoice
from claimeven.game.geometry import Geometry
from claimeven.records import GameRecord

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: What the numbers say, below the sentences.
LEGEND = (
    "Scores are for the side to move: 0 a draw, + a win, - a loss, further from 0 the sooner. A"
    " ply is one disc; disc 7 is the seventh on the board. Rows count from 1 at the bottom."
)


@click.command("explain")
@click.argument("positions", metavar="MOVES...", nargs=-1, required=True)
@source_option
@json_option
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    source: str | None,
    as_json: bool,
    solver_choice: SolverChoice,
    geometry: Geometry,
) -> None:
    """Explain the position after MOVES ("" is the empty board): every column, best ones first.

    Each column shows its exact score for the side to move and at most four sentences: what the
    column is worth, the strongest reason that can be shown, best play. Rows are counted from 1 at
    the bottom. In JSON every sentence is a claim with the columns, cells and line it speaks of.

    MOVES may also be a file, or - for stdin: a position a line, or any format that `convert` reads,
    boards included. A line that cannot be read is reported on stderr with its number (null in
    JSON), and a score of the file that is wrong is named; the exit status is then 1.

    \b
    Examples:
      claimeven explain 4455
      claimeven explain 226744515337 --threads 2
      claimeven explain 4455 --json
      claimeven explain positions.txt --book my.book
    """
    inputs = Inputs(positions, geometry, is_ongoing, source)
    announce_compilation()

    def answer(moves: str, record: GameRecord, solver: Solver, given: ScoreComparison) -> None:
        from claimeven.review.explain import explain  # noqa: PLC0415 - for a quick start

        with status_line() as line:
            explanation = explain(record.position, ProgressSolver(solver, line))
        agrees = given.agree(record, explanation.score, explanation.scores)
        if as_json:
            shown = {"moves": moves, **explanation.as_dict(), **comparison_dict(record, agrees)}
            write_json(shown, sys.stdout)
            return
        print(board_text(record.position), explanation.text(text_width()), sep="\n\n", end="\n\n")
        if not agrees:
            print(f"The score given, {scores_text(record)}, is wrong.\n")
        show(LEGEND)

    answer_inputs(ctx, inputs, "position", solver_choice, geometry, as_json, answer)
