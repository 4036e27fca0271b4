"""`claimeven explain`: explain columns in sentences, by exact scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from claimeven.cli.common.move_inputs import (
    ScoreComparison,
    answer_command,
    comparison_dict,
    is_ongoing,
    scores_text,
)
from claimeven.cli.common.options import ProgressSolver
from claimeven.cli.common.output import board_text, show, text_width
from claimeven.cli.common.progress import status_line
from claimeven.cli.common.streams import write_json
from claimeven.records import GameRecord

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: The legend below the sentences.
LEGEND = (
    "Scores are for the player to move: 0 draw, + win, - loss; the sooner the end, the further from"
    " 0. Disc 7 is the seventh disc of the game. Rows are numbered from 1 at the bottom."
)


@answer_command("explain", "position", is_ongoing)
def command(
    moves: str, record: GameRecord, solver: Solver, given: ScoreComparison, as_json: bool
) -> None:
    """Explain the position after MOVES ("" is the empty board): every column, best ones first.

    Each column has its exact score for the player to move and at most four sentences: the result,
    the strongest reason, best play. In JSON every sentence is a claim with its columns, cells and
    line.

    MOVES may also be a file, or - for stdin: one position per line, or any format that `convert`
    reads, boards included. An invalid line is reported on stderr with its number (null in JSON),
    and so is a wrong score in the file; the exit status is then 1.

    \b
    Examples:
      claimeven explain 4455
      claimeven explain 226744515337 --threads 2
      claimeven explain 4455 --json
      claimeven explain positions.txt --book my.book
    """
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
        print(f"The file gives a wrong score: {scores_text(record)}.\n")
    show(LEGEND)
