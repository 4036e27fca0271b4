"""`claimeven explain`: explain columns in sentences, by exact scores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from claimeven.cli.common.move_inputs import (
    ScoreComparison,
    answer_command,
    comparison_dict,
    is_ongoing,
    scores_text,
)
from claimeven.cli.common.output import board_text, show, text_width
from claimeven.cli.common.streams import write_json
from claimeven.game.geometry import Geometry
from claimeven.records import GameRecord
from claimeven.solver.protocols import ExactSolver

if TYPE_CHECKING:
    from claimeven.review.explain import Explanation

LEGEND = (
    "Scores are for the player to move: 0 draw, + win, - loss; the sooner the end, the further from"
    " 0. Disc 7 is the seventh disc of the game. Rows are numbered from 1 at the bottom."
)


def _explained(
    moves: str, record: GameRecord, solver_of: Callable[[Geometry], ExactSolver]
) -> Explanation:
    from claimeven.review.explain import explain  # noqa: PLC0415 - for a quick start

    return explain(record.position, solver_of(record.geometry))


@answer_command("explain", "position", is_ongoing, _explained)
def command(
    moves: str,
    record: GameRecord,
    explanation: Explanation,
    given: ScoreComparison,
    as_json: bool,
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
      claimeven explain positions.txt --json --jobs 2
    """
    agrees = given.agree(record, explanation.score, explanation.scores)
    if as_json:
        shown = {"moves": moves, **explanation.as_dict(), **comparison_dict(record, agrees)}
        write_json(shown, sys.stdout)
        return
    print(board_text(record.position), explanation.text(text_width()), sep="\n\n", end="\n\n")
    if not agrees:
        print(f"The file gives a wrong score: {scores_text(record)}.\n")
    show(LEGEND)
