"""`claimeven analyze`: a whole game judged against perfect play."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from claimeven.cli.common import (
    WIDTH,
    geometry_options,
    say_when_compiling,
    table_width,
    write_json,
)
from claimeven.cli.solving import solver_options, status_line
from claimeven.game.geometry import Geometry
from claimeven.game.position import PLAYER_NAMES, Position

if TYPE_CHECKING:
    from claimeven.review.analysis import Analysis

#: Fewest characters a line of text may have.
LEAST_WIDTH = 40


@click.command("analyze")
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
    """Judge every move of the game MOVES, finished or not.

    Scores are those of the side that moves, before the move (its best column) and after it. A
    move is perfect when it keeps the score, good when it keeps only the outcome (win, draw or
    loss), inaccurate when it throws that away by one step (win to draw, draw to loss), a blunder
    when by two (win to loss).

    Accuracy is the mean credit of a player's moves in per cent: 1 for a perfect move, from 1 down
    to 1/2 for a good one (by the score it lost, out of what could be lost), 1/4 for an inaccurate
    one, 0 for a blunder. Moves where all columns have the same score do not count.

    The drawing shows the score from the first player after each ply, up where that player wins.

    \b
    Examples:
      claimeven analyze 44444325632233
      claimeven analyze 4455 --json
      claimeven analyze 22331 --columns 4 --rows 4
    """
    Position.from_moves(moves, geometry)
    say_when_compiling()
    from claimeven.cli.watched import WatchedSolver  # noqa: PLC0415 - for a quick start
    from claimeven.review.analysis import analyze  # noqa: PLC0415 - as above
    from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    solver = Solver(geometry, table_mb, threads)
    with status_line() as line:
        analysis = analyze(moves, WatchedSolver(solver, line))
    if as_json:
        write_json(analysis.as_dict(), sys.stdout)
        return
    for text in _lines(analysis):
        click.echo(text)


def _lines(analysis: Analysis) -> list[str]:
    from claimeven.review.analysis import MOVE_HEADING, move_line  # noqa: PLC0415 - for a quick start
    from claimeven.review.chart import score_chart  # noqa: PLC0415 - for a quick start

    lines = [MOVE_HEADING, *(move_line(move) for move in analysis.moves)]
    lines += ["", _final_line(analysis), ""]
    lines += [_player_line(analysis, player) for player in (0, 1)]
    width = max(LEAST_WIDTH, min(WIDTH, table_width()))
    lines += ["", score_chart(analysis.course, width, _charset())]
    return lines


def _final_line(analysis: Analysis) -> str:
    """Say how the game ended, or how it would end."""
    from claimeven.solver import score_in_words  # noqa: PLC0415 - for a quick start

    over = analysis.outcome
    if over is not None:
        return f"The game is over: {over} with disc {analysis.final.ply}."
    return f"Best play from here: {score_in_words(analysis.final, analysis.score)}."


def _player_line(analysis: Analysis, player: int) -> str:
    from claimeven.review.analysis import JUDGEMENTS  # noqa: PLC0415 - for a quick start

    accuracy = analysis.accuracy(player)
    shown = "     -" if accuracy is None else f"{accuracy:5.1f}%"
    counts = ", ".join(f"{word} {analysis.count(player, word)}" for word in JUDGEMENTS)
    return f"{PLAYER_NAMES[player] + ':':<14} accuracy {shown}; {counts}"


def _charset() -> str:
    try:
        "█│─┼".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "ascii"
    return "unicode"
