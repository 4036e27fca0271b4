"""`claimeven solve`: exact scores of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import click

from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.move_inputs import (
    Given,
    GivenScores,
    Inputs,
    given_dict,
    given_text,
    is_ongoing,
    source_option,
)
from claimeven.cli.common.options import geometry_options, solver_options
from claimeven.cli.common.progress import say_when_compiling
from claimeven.cli.common.solver_options import USUAL_SOLVING, SolverChoice, score_text
from claimeven.cli.parts.solve_pons import answer_like_pons
from claimeven.cli.parts.solve_sources import ScoreSource, effort_words, source_of
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.records import GameRecord


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
@source_option
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
    source: str | None,
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

    MOVES may also be a file, or - for stdin: a position a line, or any format that `convert` reads,
    boards included; each is answered at once. If a file gives scores, as published test sets do,
    they are compared: a wrong one is named after a #, and the last line counts them. A line that
    cannot be read is reported on stderr with its number and answered by an empty line (null in
    JSON). The exit status is 1 if a line cannot be read, a score differs from the one given, or
    --against finds a difference.

    With --pons it stands in for Pons's connect4: stdin unless MOVES are given, lines refused in
    his words, -1000 for a full column, a full board worth 0, exit status 0.

    \b
    Examples:
      claimeven solve 4455
      claimeven solve 4455 226744515337 --all
      claimeven solve "" --json
      claimeven solve positions.txt --book my.book
      claimeven solve begin-hard.txt --threads 2
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
    inputs = Inputs(positions, geometry, is_ongoing, source)
    say_when_compiling()
    specs = (by,) if against is None else (by, against)
    given_scores, differ = GivenScores(), list[bool]()
    sources: dict[Geometry, list[ScoreSource]] = {}
    try:
        for given in inputs:
            board = geometry if given.record is None else given.record.geometry
            if board not in sources:
                sources[board] = [source_of(spec, solving, board) for spec in specs]
            if against is None:
                _answer(given, sources[board][0], asked, given_scores)
            else:
                one, two = sources[board]
                differ += _compare(given, one, two, asked, given_scores)
            sys.stdout.flush()
        _summarize([*sources.values()], None if against is None else differ, asked, given_scores)
    finally:
        for each in sources.values():
            for one in each:
                one.close()
    if inputs.failed or any(differ) or given_scores.wrong:
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


def _answer(given: Given, source: ScoreSource, asked: Asked, given_scores: GivenScores) -> None:
    record, moves = given.record, given.moves
    if record is None:
        print("null" if asked.as_json else "")
    elif asked.as_json:
        told = _as_dict(source, moves, record.position)
        agrees = given_scores.agree(record, told["score"], told["scores"])
        write_json(told | given_dict(record, agrees), sys.stdout)
    else:
        nodes, seconds = source.nodes, source.seconds
        scores = list(_told(source, moves, record.position, asked))
        words = [moves, *map(score_text, scores)]
        if asked.effort:
            words += effort_words(source, nodes, seconds)
        if len(record.scores) > 1 and not asked.weak:
            scores = list(source.scores(record.position, moves))
        if not _agree(record, scores, asked, given_scores):
            words.append(f" # given {given_text(record)}")
        print(" ".join(words))


def _agree(
    record: GameRecord, scores: list[int | None], asked: Asked, given_scores: GivenScores
) -> bool:
    """Count whether the scores found are those that a record gives, or their sign with --weak."""
    if asked.weak:
        record = replace(record, scores=tuple(s and (s > 0) - (s < 0) for s in record.scores))
    best = max(score for score in scores if score is not None)
    return given_scores.agree(record, best, scores)


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
    given: Given, source: ScoreSource, other: ScoreSource, asked: Asked, given_scores: GivenScores
) -> list[bool]:
    """Report whether two solvers differ on a position; return that, or nothing if there is none."""
    record = given.record
    if record is None:
        if asked.as_json:
            print("null")
        return []
    one = list(_told(source, given.moves, record.position, asked))
    two = list(_told(other, given.moves, record.position, asked))
    agrees = _agree(record, one, asked, given_scores)
    if asked.as_json:
        told = {"moves": given.moves, "scores": one, "other_scores": two, "agree": one == two}
        write_json(told | given_dict(record, agrees), sys.stdout)
    elif one != two or not agrees:
        ours, theirs = (" ".join(map(score_text, scores)) for scores in (one, two))
        wrong = f" # given {given_text(record)}" * (not agrees)
        print(f"{given.moves} {ours} against {theirs}{wrong}")
    return [one != two]


def _summarize(
    pairs: list[list[ScoreSource]],
    differ: list[bool] | None,
    asked: Asked,
    given_scores: GivenScores,
) -> None:
    """Print the counts of a comparison, with another solver or with the scores given."""
    if differ is not None and not asked.as_json:
        ours, theirs = (sum(pair[side].seconds for pair in pairs) for side in (0, 1))
        print(
            f"{len(differ):,} positions, {sum(differ):,} differ; {ours:.2f} s against"
            f" {theirs:.2f} s"
        )
    if given_scores.count and asked.as_json:
        counts = {"compared": given_scores.count, "right": given_scores.right}
        write_json(counts | {"wrong": given_scores.wrong}, sys.stdout)
    elif given_scores.count:
        print(f"# {given_scores}")


def _as_dict(source: ScoreSource, moves: str, position: Position) -> dict[str, Any]:
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
