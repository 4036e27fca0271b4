"""`claimeven solve`: exact scores of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

import click

from claimeven.cli.common import geometry_options, say_when_compiling, write_json
from claimeven.cli.solving import progress_text, score_text, solver_options, status_line
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:
    from claimeven.solver import Solver

#: The argument that stands for the lines of stdin.
STREAM = "-"


@click.command("solve")
@click.argument("positions", metavar="[MOVES]...", nargs=-1)
@click.option(
    "--all", "every", is_flag=True, help="The score of every column, not of the position."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a position.")
@click.option("--no-book", is_flag=True, help="Search positions of the opening book too.")
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    every: bool,
    as_json: bool,
    no_book: bool,
    threads: int,
    table_mb: float,
    geometry: Geometry,
) -> None:
    """Print the exact score of each position, given by its moves ("" is the empty board).

    The score is seen from the side to move: 0 is a draw; with n discs on the board before the
    winning one, (cells + 1 - n) // 2 rounded down when the side to move wins, and minus that
    when it loses. With --all a line has one score a column, `.` where the column is full. JSON
    always holds the scores of all columns (null where full), the outcome for the side to move, the
    plies to the end, and the nodes and seconds spent.

    `-` reads positions from stdin, one a line, and answers each at once. A line that is wrong is
    told on stderr with its number and answered by an empty line (null in JSON); the exit status
    is then 1.

    \b
    Examples:
      claimeven solve 4455
      claimeven solve 4455 226744515337 --all
      claimeven solve "" --json
      printf '4455\\n12\\n' | claimeven solve - --threads 2
      claimeven solve "" --columns 5 --rows 5
    """
    streamed = STREAM in positions
    if streamed and len(positions) > 1:
        raise ClaimevenError("'-' stands for all positions: give moves or '-', not both")
    if not positions:
        raise ClaimevenError("give the moves of a position such as 4455, \"\" or '-' for stdin")
    joined = [] if streamed else ["".join(moves.split()) for moves in positions]
    given = [(moves, ongoing(moves, geometry)) for moves in joined]
    say_when_compiling()
    from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    solver = Solver(geometry, table_mb, threads, None if no_book else "auto")
    failed = False
    for moves, position in _stream(sys.stdin, geometry) if streamed else given:
        if position is None:
            failed = True
            print("null" if as_json else "", flush=True)
        elif as_json:
            write_json(_as_dict(solver, moves, position), sys.stdout)
        else:
            scores = _scores(solver, moves, position, every)
            print(" ".join([moves, *map(score_text, scores)]))
        sys.stdout.flush()
    if failed:
        ctx.exit(1)


def ongoing(moves: str, geometry: Geometry) -> Position:
    """Return the position after the moves; `ClaimevenError` if the game is over by then."""
    position = Position.from_moves(moves, geometry)
    if position.is_over:
        raise ClaimevenError(f"the game is over after {moves}: {position.outcome}")
    return position


def _stream(lines: TextIO, geometry: Geometry) -> Iterator[tuple[str, Position | None]]:
    """Yield each line's moves with its position; None for a wrong one, which is told on stderr."""
    for number, line in enumerate(lines, start=1):
        moves = "".join(line.split())
        try:
            yield moves, ongoing(moves, geometry)
        except ClaimevenError as error:
            print(f"claimeven: line {number}: {error}", file=sys.stderr, flush=True)
            yield moves, None


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
    from claimeven.solver import outcome_word, plies_to_end  # noqa: PLC0415 - as above

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
