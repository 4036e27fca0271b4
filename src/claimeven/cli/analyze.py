"""`claimeven analyze`: whole games judged against perfect play."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from claimeven.cli.inputs import Given, Inputs
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import geometry_options, json_option, solver_options
from claimeven.cli.progress import say_when_compiling, status_line
from claimeven.cli.solving import SolverChoice, WatchedSolver
from claimeven.cli.streams import can_show, text_width
from claimeven.game.geometry import Geometry
from claimeven.game.position import PLAYER_NAMES, Position

if TYPE_CHECKING:
    from claimeven.review.analysis import Analysis
    from claimeven.solver import Solver


@click.command("analyze")
@click.argument("games", metavar="MOVES...", nargs=-1, required=True)
@json_option
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    games: tuple[str, ...],
    as_json: bool,
    solving: SolverChoice,
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

    MOVES may also be a file with one game a line, or - for stdin; each is judged at once, with
    --json as an object on a line. A line that is wrong is told on stderr with its number (null in
    JSON); the exit status is then 1.

    \b
    Examples:
      claimeven analyze 44444325632233
      claimeven analyze 4455 --json
      claimeven analyze games.txt --book my.book
      claimeven analyze 22331 --columns 4 --rows 4
    """
    inputs = Inputs(games, lambda moves: Position.from_moves(moves, geometry))
    say_when_compiling()
    solver = solving.solver(geometry)
    for given in inputs:
        _answer(given, solver, inputs.are_many, as_json)
        sys.stdout.flush()
    if inputs.failed:
        ctx.exit(1)


def _answer(given: Given[Position], solver: Solver, is_one_of_many: bool, as_json: bool) -> None:
    """Print the judgement of one game; among many each has its moves above it."""
    from claimeven.review.analysis import analyze  # noqa: PLC0415 - for a quick start

    if as_json and given.value is None:
        print("null")
        return
    if is_one_of_many and not as_json:
        print(f"game {given.moves or '(no moves)'}")
    if given.value is None:
        print(f"not judged: {given.error}\n")
        return
    with status_line() as line:
        analysis = analyze(given.moves, WatchedSolver(solver, line))
    if as_json:
        write_json(analysis.as_dict(), sys.stdout)
        return
    for text in _lines(analysis):
        print(text)
    if is_one_of_many:
        print()


def _lines(analysis: Analysis) -> list[str]:
    from claimeven.review.analysis import MOVE_HEADING, move_line  # noqa: PLC0415 - for a quick start
    from claimeven.review.chart import score_chart  # noqa: PLC0415 - for a quick start

    lines = [MOVE_HEADING, *(move_line(move) for move in analysis.moves)]
    lines += ["", _final_line(analysis), ""]
    lines += [_player_line(analysis, player) for player in (0, 1)]
    charset = "unicode" if can_show("█│─┼", sys.stdout) else "ascii"
    lines += ["", score_chart(analysis.course, text_width(), charset)]
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
