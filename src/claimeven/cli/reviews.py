"""`claimeven explain` and `analyze`: columns and games in words, by exact scores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from claimeven.cli.common.move_inputs import (
    ScoreComparison,
    answer_command,
    comparison_dict,
    is_ongoing,
)
from claimeven.cli.common.options import scores_text
from claimeven.cli.common.output import board_text, show, text_width
from claimeven.cli.common.streams import can_show, print_error, write_json
from claimeven.game.geometry import Geometry
from claimeven.records import GameRecord
from claimeven.solver.protocols import ExactSolver

if TYPE_CHECKING:
    from claimeven.review.analysis import Analysis
    from claimeven.review.explain import Explanation

POSITION_LEGEND = (
    "Scores are for the player to move: 0 draw, + win, - loss; the sooner the end, the further from"
    " 0. Disc 7 is the seventh disc of the game. Rows are numbered from 1 at the bottom."
)


def _explained(
    moves: str, record: GameRecord, solver_of: Callable[[Geometry], ExactSolver]
) -> Explanation:
    from claimeven import review  # noqa: PLC0415 - for a quick start

    return review.explain(record.position, solver_of(record.geometry))


@answer_command("explain", "position", is_ongoing, _explained)
def explain(
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
        print(f"The file gives a wrong score: {scores_text(record.scores)}.\n")
    show(POSITION_LEGEND)


GAME_LEGEND = (
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
    from claimeven import review  # noqa: PLC0415 - for a quick start

    solver = solver_of(record.geometry)
    found = review.analyze(moves, solver)
    if not record.scores or record.position.is_over:
        return found, None, ()
    columns = solver.scores(record.position) if len(record.scores) > 1 else ()
    return found, solver.score(record.position), columns


@answer_command("analyze", "game", _note_order, _analyzed)
def analyze(
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
    show(f"{analysis.text(text_width(), charset)}\n\n{GAME_LEGEND}")
    if not agrees:
        given_scores = scores_text(record.scores)
        print(f"\nThe file gives a wrong score for the last position: {given_scores}.")
