"""`claimeven solve`: exact scores of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import click

from claimeven.cli.parts.solve_pons import answer_like_pons
from claimeven.cli.parts.solve_sources import ScoreSource, effort_words, source_of
from claimeven.cli.shared.boards import ongoing
from claimeven.cli.shared.inputs import Given, Inputs
from claimeven.cli.shared.json_lines import write_json
from claimeven.cli.shared.options import geometry_options, solver_options
from claimeven.cli.shared.progress import say_when_compiling
from claimeven.cli.shared.solving import USUAL_SOLVING, SolverChoice, score_text
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


@dataclass(frozen=True)
class Asked:
    """What is told of a position: of every column, the outcome alone, nodes and time too."""

    every: bool
    weak: bool
    effort: bool
    as_json: bool


@click.command("solve")
@click.argument("positions", metavar="[MOVES]...", nargs=-1)
@click.option(
    "-a", "--all", "every", is_flag=True, help="The score of every column, not of the position."
)
@click.option("-w", "--weak", is_flag=True, help="1, 0 or -1: won, drawn or lost; sooner found.")
@click.option("--effort", is_flag=True, help="Then nodes and microseconds, at the end of a line.")
@click.option("--by", metavar="SOLVER", help="Take the scores of another solver, pons:COMMAND.")
@click.option(
    "--against", metavar="SOLVER", help="Compare with another solver; tell where they differ."
)
@click.option("--pons", is_flag=True, help="Read and write just as Pons's solver does.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a position.")
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    every: bool,
    weak: bool,
    effort: bool,
    by: str | None,
    against: str | None,
    pons: bool,
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
    (null in JSON); the exit status is then 1. With --against it is 1 too where two scores differ.

    With --pons it stands in for Pons's connect4: stdin unless MOVES are given, lines refused in
    his words, -1000 for a full column, a full board worth 0, exit status 0.

    \b
    Examples:
      claimeven solve 4455
      claimeven solve 4455 226744515337 --all
      claimeven solve "" --json
      claimeven solve positions.txt --book my.book
      claimeven solve positions.txt --against "pons:./c4solver"
      printf '4455\\n12\\n' | claimeven solve - --threads 2
      printf '4455\\n12\\n' | claimeven solve --pons --effort
      claimeven solve "" --columns 5 --rows 5
    """
    asked = Asked(every, weak, effort, as_json)
    _check(asked, by, against, pons)
    if by is not None and solving != USUAL_SOLVING:
        raise ClaimevenError(
            "--threads, --table-mb, --book and --no-book are of the solver here, which is not asked"
            " with --by"
        )
    if not positions and not pons:
        raise ClaimevenError(
            "give the moves of a position such as 4455, \"\", a file, or '-' for stdin"
        )
    if pons:
        say_when_compiling()
        answer_like_pons(positions, source_of(by, solving, geometry), geometry, every, weak, effort)
        return
    inputs = Inputs(positions, lambda moves: ongoing(moves, geometry))
    say_when_compiling()
    source = source_of(by, solving, geometry)
    differ = 0
    try:
        if against is not None:
            other = source_of(against, solving, geometry)
            try:
                differ = _compare(inputs, source, other, asked)
            finally:
                other.close()
        else:
            for given in inputs:
                _answer(given, source, asked)
    finally:
        source.close()
    if inputs.failed or differ:
        ctx.exit(1)


def _check(asked: Asked, by: str | None, against: str | None, pons: bool) -> None:
    """Raise `ClaimevenError` for options that do not go together."""
    for option, is_set in (("--weak", asked.weak), ("--effort", asked.effort), ("--pons", pons)):
        if is_set and asked.as_json:
            raise ClaimevenError(f"{option} is for lines of text: JSON tells everything")
    if against is not None and (pons or asked.effort):
        raise ClaimevenError(f"--against does not go with {'--pons' if pons else '--effort'}")
    if asked.weak and asked.every:
        raise ClaimevenError("--weak tells the outcome of a position: it does not go with --all")


def _answer(given: Given[Position], source: ScoreSource, asked: Asked) -> None:
    if given.value is None:
        print("null" if asked.as_json else "")
    elif asked.as_json:
        write_json(_as_dict(source, given.moves, given.value), sys.stdout)
    else:
        nodes, seconds = source.nodes, source.seconds
        words = [given.moves, *map(score_text, _told(source, given.moves, given.value, asked))]
        if asked.effort:
            words += effort_words(source, nodes, seconds)
        print(" ".join(words))
    sys.stdout.flush()


def _told(
    source: ScoreSource, moves: str, position: Position, asked: Asked
) -> Iterable[int | None]:
    """Return the scores of a line: of every column, or of the position alone."""
    if asked.every:
        return source.scores(position, moves)
    if asked.weak:
        return [source.outcome(position, moves)]
    return [source.score(position, moves)]


def _compare(
    inputs: Inputs[Position], source: ScoreSource, other: ScoreSource, asked: Asked
) -> int:
    """Tell where two solvers differ, and how often; return the number of positions."""
    solved = differ = 0
    for given in inputs:
        if given.value is None:
            if asked.as_json:
                print("null", flush=True)
            continue
        one = list(_told(source, given.moves, given.value, asked))
        two = list(_told(other, given.moves, given.value, asked))
        solved += 1
        differ += one != two
        if asked.as_json:
            told = {"moves": given.moves, "scores": one, "other_scores": two, "agree": one == two}
            write_json(told, sys.stdout)
        elif one != two:
            ours, theirs = (" ".join(map(score_text, scores)) for scores in (one, two))
            print(f"{given.moves} {ours} against {theirs}")
        sys.stdout.flush()
    if not asked.as_json:
        print(
            f"{solved:,} positions, {differ:,} differ; {source.seconds:.2f} s against"
            f" {other.seconds:.2f} s"
        )
    return differ


def _as_dict(source: ScoreSource, moves: str, position: Position) -> dict[str, object]:
    from claimeven.solver import outcome_word, plies_to_end  # noqa: PLC0415 - for a quick start

    nodes, seconds = source.nodes, source.seconds
    scores = list(source.scores(position, moves))
    score = max(score for score in scores if score is not None)
    return {
        "moves": moves,
        "score": score,
        "scores": scores,
        "outcome": outcome_word(score),
        "plies_to_end": plies_to_end(position, score),
        "nodes": None if source.nodes is None or nodes is None else source.nodes - nodes,
        "seconds": source.seconds - seconds,
    }
