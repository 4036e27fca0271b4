"""`claimeven solve`: exact scores of positions."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import click

from claimeven.cli.common import options
from claimeven.cli.common.move_inputs import (
    Input,
    Inputs,
    ScoreComparison,
    answers,
    comparison_dict,
    is_ongoing,
    source_option,
)
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import write_json
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_column
from claimeven.game.position import Position
from claimeven.parallel.jobs import Executor
from claimeven.records import GameRecord, open_records
from claimeven.solver.scores import sign

if TYPE_CHECKING:
    from claimeven.solver import Solver
    from claimeven.solver.solver import Answer

Scores = tuple[int | None, ...]
#: Score of a full column with --pons.
_FULL = -1000


@dataclass(frozen=True)
class Query:
    """The requested results: of every column, only the outcome, nodes and time, JSON."""

    every: bool
    weak: bool
    stats: bool
    as_json: bool

    @property
    def scores(self) -> str:
        """The question for a `ScoreSource`."""
        return "scores" if self.every else "outcome" if self.weak else "score"


class ScoreSource:
    """Scores of the exact solver, or of another program named `pons:COMMAND`."""

    def __init__(self, spec: str | None, choice: options.SolverChoice, geometry: Geometry) -> None:
        self.spec = spec
        self._seconds = 0.0
        if spec is None:
            self._solver: Any = choice.solver(geometry)
        else:
            from claimeven.agents.external.pons import solver_of  # noqa: PLC0415 - quick start

            self._solver = solver_of(spec, geometry)

    @property
    def spent(self) -> tuple[int | None, float]:
        """Nodes (None for another program) and seconds so far."""
        if self.spec is not None:
            return None, self._seconds
        return self._solver.statistics.nodes, self._solver.statistics.seconds

    def ask(self, what: str, position: Position, moves: str) -> Scores:
        """Return the "scores" of all columns (None if full), or the "score" or "outcome".

        The outcome is 1, 0 or -1. Raises `AgentFault`.
        """
        if self.spec is None:
            with status_line() as line:
                found = getattr(self._solver, what)(
                    position,
                    on_progress=lambda at: line.show(lambda: options.progress_text(moves, at)),
                )
        else:
            found = self._ask_program(what, position)
        return tuple(found) if what == "scores" else (found,)

    def _ask_program(self, what: str, position: Position) -> Any:
        from claimeven.agents.base import AgentFault  # noqa: PLC0415 - for a quick start

        start = time.perf_counter()
        try:
            if what == "scores":
                return self._solver.scores(position)
            score = self._solver.score(position)
            return score if what == "score" else sign(score)
        except AgentFault as fault:
            raise AgentFault(f"{self.spec} {fault}", kind=fault.kind) from None
        finally:
            self._seconds += time.perf_counter() - start

    def close(self) -> None:
        if self.spec is not None:
            self._solver.close()


class Answered:
    """The answers of a worker to one input, in the place of a `ScoreSource`."""

    def __init__(self, found: dict[str, Answer]) -> None:
        self._found = found
        self.spent = 0, 0.0

    def ask(self, what: str, position: Position, moves: str) -> Scores:
        """Return an answer, and count its nodes and seconds."""
        value, nodes, seconds = self._found[what]
        self.spent = self.spent[0] + nodes, self.spent[1] + seconds
        return tuple(value) if what == "scores" else (value,)


AnySource = ScoreSource | Answered


def _asked(
    query: Query, moves: str, record: GameRecord, solver_of: Callable[[Geometry], Solver]
) -> dict[str, Answer]:
    """Return all that `_answer` asks about an input."""
    from claimeven.solver.solver import ask  # noqa: PLC0415 - for a quick start

    needed = {"scores" if query.as_json else query.scores}
    if len(record.scores) > 1 and not query.weak:
        needed.add("scores")
    solver = solver_of(record.geometry)
    return {what: ask(methodcaller(what, record.position), solver) for what in needed}


@click.command("solve")
@click.argument("positions", metavar="[MOVES]...", nargs=-1)
@click.option("-a", "--all", "every", is_flag=True, help="Print the score of every column.")
@click.option("-w", "--weak", is_flag=True, help="Print only 1, 0 or -1; faster.")
@click.option("--stats", is_flag=True, help="Append nodes and microseconds to each line.")
@click.option("--solver", metavar="SOLVER", help="Use another solver, pons:COMMAND.")
@click.option("--against", metavar="SOLVER", help="Compare with another solver.")
@source_option
@click.option("--pons", is_flag=True, help="Read and write in the format of Pons's solver.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per position.")
@options.solver_options
@options.workers_options
@options.geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    positions: tuple[str, ...],
    every: bool,
    weak: bool,
    stats: bool,
    solver: str | None,
    against: str | None,
    source: str | None,
    pons: bool,
    as_json: bool,
    solver_choice: options.SolverChoice,
    workers: Executor | None,
    geometry: Geometry,
) -> None:
    """Print the exact score of each position after MOVES ("" is the empty board).

    A score is for the player to move: 0 is a draw, positive a win, negative a loss; the sooner the
    end, the further from 0. The guide "Reading the output" has the formula.

    With --all a line has one score per column, left to right, `.` for a full column. JSON always
    has the scores of all columns (null if full), the outcome for the player to move, the plies to
    the end, and the nodes and seconds of the search.

    MOVES may also be a file, or - for stdin: one position per line, or any format that `convert`
    reads, boards included. Scores in the file, as in published test sets, are compared: a wrong one
    is printed after a #, and the last line has the totals. An invalid line is reported on stderr
    with its number and answered by an empty line (null in JSON). The exit status is 1 for an
    invalid line, a wrong score or a difference found by --against.

    --pons replaces Pons's connect4: it reads stdin without MOVES, prints its error messages, scores
    a full column -1000 and a full board 0, and exits with status 0.

    \b
    Examples:
      claimeven solve 4455
      claimeven solve 4455 226744515337 --all
      claimeven solve "" --json
      claimeven solve positions.txt --book my.book
      claimeven solve positions.txt --against "pons:./c4solver"
      printf '4455\\n12\\n' | claimeven solve - --threads 2
      claimeven solve - --executor ray --address auto < positions.txt
      printf '4455\\n12\\n' | claimeven solve --pons --stats
      claimeven solve "" --columns 5 --rows 5
    """
    query = Query(every, weak, stats, as_json)
    _check(query, solver, against, pons, workers)
    if solver is not None and solver_choice != options.SolverChoice():
        raise ClaimevenError(
            "--threads, --table-mb, --book, --no-book and --guide are for the built-in solver: they"
            " do not go with --solver"
        )
    options.check_workers(workers, solver_choice.threads)
    if not positions and not pons:
        raise ClaimevenError(
            'give the moves of a position such as 4455, "" for the empty board, a file, or - for'
            " stdin"
        )
    if pons:
        announce_compilation()
        with closing(ScoreSource(solver, solver_choice, geometry)) as one:
            _answer_like_pons(positions, one, geometry, query)
        return
    inputs = Inputs(positions, geometry, is_ongoing, source)
    announce_compilation()
    specs = (solver,) if against is None else (solver, against)
    comparison, differ = ScoreComparison(), list[bool]()
    sources: dict[Geometry, list[ScoreSource]] = {}
    try:
        ask = partial(_asked, query)
        here = zip(inputs, repeat(None))
        for given, found in answers(inputs, ask, solver_choice, workers) if workers else here:
            board = geometry if given.record is None else given.record.geometry
            if board not in sources and workers is None:
                sources[board] = [ScoreSource(spec, solver_choice, board) for spec in specs]
            if given.record is None:
                if as_json or against is None:
                    print("null" if as_json else "")
            elif found is not None:
                _answer(given.moves, given.record, Answered(found), query, comparison)
            elif against is None:
                _answer(given.moves, given.record, sources[board][0], query, comparison)
            else:
                differ.append(_differ(given, given.record, sources[board], query, comparison))
            sys.stdout.flush()
    finally:
        for each in sources.values():
            for one in each:
                one.close()
    _summarize([*sources.values()], None if against is None else differ, as_json, comparison)
    if inputs.failed or any(differ) or comparison.wrong:
        ctx.exit(1)


def _summarize(
    pairs: list[list[ScoreSource]],
    differ: list[bool] | None,
    as_json: bool,
    comparison: ScoreComparison,
) -> None:
    if differ is not None and not as_json:
        ours, theirs = (sum(pair[side].spent[1] for pair in pairs) for side in (0, 1))
        print(
            f"{len(differ):,} positions, {sum(differ):,} differ; {ours:.2f} s against"
            f" {theirs:.2f} s"
        )
    if comparison.count and as_json:
        counts = {"compared": comparison.count, "right": comparison.right}
        write_json(counts | {"wrong": comparison.wrong}, sys.stdout)
    elif comparison.count:
        print(f"# {comparison}")


def _check(
    query: Query, solver: str | None, against: str | None, pons: bool, workers: Executor | None
) -> None:
    for option, is_set in (("--weak", query.weak), ("--stats", query.stats), ("--pons", pons)):
        if is_set and query.as_json:
            raise ClaimevenError(f"{option} is for lines of text: --json always prints all results")
    if against is not None and (pons or query.stats):
        raise ClaimevenError(f"--against does not go with {'--pons' if pons else '--stats'}")
    if query.weak and query.every:
        raise ClaimevenError("--weak prints the outcome of a position: it does not go with --all")
    for option, given in (("--solver", solver), ("--against", against), ("--pons", pons)):
        if given and workers is not None:
            raise ClaimevenError(f"{option} does not go with --jobs and --executor")


def _answer(
    moves: str, record: GameRecord, source: AnySource, query: Query, comparison: ScoreComparison
) -> None:
    before = source.spent
    if query.as_json:
        found = _as_dict(source, moves, record.position)
        agrees = comparison.agree(record, found["score"], found["scores"])
        write_json(found | comparison_dict(record, agrees), sys.stdout)
        return
    scores = source.ask(query.scores, record.position, moves)
    words = [moves, options.scores_text(scores)]
    if query.stats:
        words += _stats_words(source, before)
    if len(record.scores) > 1 and not query.weak:
        scores = source.ask("scores", record.position, moves)
    if not _agree(record, scores, query, comparison):
        words.append(f" # given {options.scores_text(record.scores)}")
    print(" ".join(words))


def _agree(record: GameRecord, scores: Scores, query: Query, comparison: ScoreComparison) -> bool:
    """Count and return whether the scores agree with a record; with --weak only their signs."""
    if query.weak:
        record = replace(record, scores=tuple(score and sign(score) for score in record.scores))
    best = max(score for score in scores if score is not None)
    return comparison.agree(record, best, scores)


def _stats_words(source: AnySource, before: tuple[int | None, float]) -> list[str]:
    """Return nodes (0 if unknown) and microseconds since `before`, as Pons's solver prints them."""
    (nodes, seconds), (earlier, start) = source.spent, before
    return [str((nodes or 0) - (earlier or 0)), str(round(1e6 * (seconds - start)))]


def _differ(
    given: Input,
    record: GameRecord,
    sources: list[ScoreSource],
    query: Query,
    comparison: ScoreComparison,
) -> bool:
    one, two = (source.ask(query.scores, record.position, given.moves) for source in sources)
    agrees = _agree(record, one, query, comparison)
    if query.as_json:
        found = {"moves": given.moves, "scores": one, "other_scores": two, "agree": one == two}
        write_json(found | comparison_dict(record, agrees), sys.stdout)
    elif one != two or not agrees:
        ours, theirs = map(options.scores_text, (one, two))
        wrong = f" # given {options.scores_text(record.scores)}" * (not agrees)
        print(f"{given.moves} {ours} against {theirs}{wrong}")
    return one != two


def _as_dict(source: AnySource, moves: str, position: Position) -> dict[str, Any]:
    from claimeven.solver import outcome_word, plies_to_end  # noqa: PLC0415 - for a quick start

    earlier, start = source.spent
    scores = source.ask("scores", position, moves)
    score = max(score for score in scores if score is not None)
    nodes, seconds = source.spent
    return {
        "moves": moves,
        "score": score,
        "scores": scores,
        "outcome": outcome_word(score),
        "plies_to_end": plies_to_end(position, score),
        "nodes": None if nodes is None or earlier is None else nodes - earlier,
        "seconds": seconds - start,
    }


def _answer_like_pons(
    arguments: tuple[str, ...], source: ScoreSource, geometry: Geometry, query: Query
) -> None:
    """Answer in the format of Pons's solver: an invalid line gives an empty one."""
    for number, line in enumerate(_lines_of(arguments), start=1):
        moves = line.rstrip("\r\n")
        position, wrong = _played(moves, geometry)
        if wrong:
            print(f'Line {number}: Invalid move {wrong} "{moves}"', file=sys.stderr)
            print(flush=True)
            continue
        before = source.spent
        scores: Scores = (0,)
        if not position.is_over:
            scores = source.ask(query.scores, position, moves)
        elif query.every:
            scores = (None,) * geometry.columns
        words = [moves, *(str(_FULL if score is None else score) for score in scores)]
        print(" ".join(words + _stats_words(source, before) * query.stats), flush=True)


def _lines_of(arguments: tuple[str, ...]) -> Iterable[str]:
    """Yield the lines of stdin, or of files and move strings."""
    for argument in arguments or ("-",):
        if argument == "-":
            yield from sys.stdin
        elif any(character in argument for character in "./\\"):
            with open_records(argument) as lines:
                yield from lines
        else:
            yield argument


def _played(moves: str, geometry: Geometry) -> tuple[Position, int]:
    """Return the position after some moves, and the number of the first invalid move, or 0."""
    position = Position(geometry)
    for number, move in enumerate(moves, start=1):
        try:
            position = position.play(parse_column(move, geometry) if move.strip() else -1)
        except ClaimevenError:
            return position, number
        if position.outcome is not None and position.outcome.winner is not None:
            return position, number
    return position, 0
