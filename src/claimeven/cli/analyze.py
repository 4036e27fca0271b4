"""`claimeven analyze`: judge a game by perfect play."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from claimeven.cli.common.move_inputs import (
    ScoreComparison,
    answer_command,
    comparison_dict,
    scores_text,
)
from claimeven.cli.common.output import show, text_width
from claimeven.cli.common.streams import can_show, print_error, write_json
from claimeven.game.geometry import Geometry
from claimeven.records import GameRecord
from claimeven.solver.protocols import ExactSolver

if TYPE_CHECKING:
    from claimeven.review.analysis import Analysis

LEGEND = (
    "before, after: score for the moving player; 0 draw, + win, - loss\n"
    "chart: score for Yellow (the first player) after each disc"
)


def _note_order(record: GameRecord) -> None:
    """Warn on stderr that the order of moves was invented for a position without one."""
    if not record.is_ordered:
        print_error(f"the position has no order of moves: it is judged as {record.moves}")


#: The review of a game, and the scores of its last position, if the file has them.
Found = tuple["Analysis", int | None, "tuple[int | None, ...]"]


def _analyzed(
    moves: str, record: GameRecord, solver_of: Callable[[Geometry], ExactSolver]
) -> Found:
    from claimeven.review.analysis import analyze  # noqa: PLC0415 - for a quick start

    solver = solver_of(record.geometry)
    analysis = analyze(moves, solver)
    if not record.scores or record.position.is_over:
        return analysis, None, ()
    columns = solver.scores(record.position) if len(record.scores) > 1 else ()
    return analysis, solver.score(record.position), columns


@answer_command("analyze", "game", _note_order, _analyzed)
def command(
    moves: str, record: GameRecord, found: Found, given: ScoreComparison, as_json: bool
) -> None:
    """Judge every move of the game MOVES, finished or not.

    Scores are for the moving player: before the move (of the best column) and after it. A move
    is perfect if it keeps the score and good if it costs little. Other moves are inaccurate (?!),
    mistakes (?) or blunders (??), by the expected result that they cost. Each of these comes with
    the reason.

    Accuracy is a mean over a player's moves, from 0 % (each turns a win into a loss) to 100 %
    (each is perfect). A move does not count if all columns have the same score.

    The chart shows the score for Yellow, the first player, after each disc.

    MOVES may also be a file with one game a line, or - for stdin, in any format that `convert`
    reads. With --json each game is one object on a line. An invalid line is reported on stderr with
    its number (null in JSON), and so is a wrong score in the file; the exit status is then 1.

    \b
    Examples:
      claimeven analyze 44444325632233
      claimeven analyze 4455 --json
      claimeven analyze games.txt --book my.book
      claimeven analyze games.txt --json --jobs 2
      claimeven analyze replay.json
      claimeven analyze 22331 --columns 4 --rows 4
    """
    analysis, score, columns = found
    agrees = score is None or given.agree(record, score, columns)
    if as_json:
        write_json(analysis.as_dict() | comparison_dict(record, agrees), sys.stdout)
        return
    charset = "unicode" if can_show("█│─┼", sys.stdout) else "ascii"
    show(f"{analysis.text(text_width(), charset)}\n\n{LEGEND}")
    if not agrees:
        print(f"\nThe file gives a wrong score for the last position: {scores_text(record)}.")
