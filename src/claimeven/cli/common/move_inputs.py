"""Positions and games of commands: from arguments, stdin or files."""

from __future__ import annotations

import io
import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TextIO

import click

from claimeven.cli.common import options
from claimeven.cli.common.output import show
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import as_file, one_line, print_error
from claimeven.game.errors import ClaimevenError, IllegalMove
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.parallel.jobs import Calls, Executor, made, read_ahead
from claimeven.records import (
    FORMATS,
    GameRecord,
    InvalidRecord,
    format_of,
    guess_by_lines,
    open_records,
    tried_records,
)
from claimeven.records.boards import DrawnBoard
from claimeven.records.move_strings import every_item

#: The argument for the lines of stdin.
STDIN = "-"
#: Characters of an input that names it in messages.
_MAX_NAME = 256
#: Characters that only names of files have.
_FILE_CHARACTERS = "./\\"
#: Added to the message for a board that no game reaches.
_SHOW_HINT = "; claimeven show draws, counts and evaluates such a board"
#: Names of an input without moves.
_NO_MOVES = {"position": "(the empty board)", "game": "(no moves)"}

#: Sets the format of the input; the command receives `source`, a name or None.
source_option = click.option(
    "--from",
    "source",
    type=options.WordChoice(*FORMATS),
    help="Format of the input.  [default: recognized]  moves0: columns from 0.",
)

#: Sets the start position; the command receives `moves`, for `read_one`.
position_option = click.option(
    "--position",
    "moves",
    default="",
    show_default=False,
    help="Start position: moves such as 4455, a board, or a file with one.",
)


@dataclass(frozen=True)
class Input:
    """A position or game: its moves and its record, None if it is invalid.

    `board` has discs that no game reaches, if `Inputs` accepts them.
    """

    moves: str
    record: GameRecord | None
    error: str = ""
    board: DrawnBoard | None = None


def is_ongoing(record: GameRecord) -> None:
    if record.position.is_over:
        raise IllegalMove(f"the game is over after {record.moves}: {record.position.outcome}")


class Inputs:
    """The positions or games of the arguments of a command, in order.

    An argument is `-` for stdin, the name of a file in any format of `claimeven.records`, a move
    string or the text of a board. An empty line of moves is the empty board. An invalid argument
    raises `ClaimevenError` here, before the first answer. An invalid line is reported on stderr
    with its number when it is reached, and `failed` is set. `check` raises `ClaimevenError` for
    records that the command cannot use. `geometry` is the default board; `source` names the format.
    With `takes_boards` boards that no game reaches are accepted.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        geometry: Geometry = STANDARD,
        check: Callable[[GameRecord], object] = lambda record: None,
        source: str | None = None,
        takes_boards: bool = False,
        is_silent: bool = False,
    ) -> None:
        self._geometry, self._check = geometry, check
        self._source, self._takes_boards = source, takes_boards
        self._is_silent = is_silent
        self.failed = False
        self.are_many = len(arguments) > 1
        self._parts = [self._part(argument) for argument in arguments]

    def __iter__(self) -> Iterator[Input]:
        for part in self._parts:
            if isinstance(part, Input):
                yield part
            else:
                yield from self._of_file(*part)

    def _part(self, argument: str) -> Input | tuple[str, TextIO]:
        if argument == STDIN:
            self.are_many = True
            return "", as_file(sys.stdin)
        form = format_of(self._source or "moves")
        try:
            record = form.read(argument, self._geometry)
            self._check(record)
            self._note(argument, form.doubt(argument, self._geometry))
            return Input(record.moves, record)
        except ClaimevenError as error:
            if self._source or _looks_like_moves(argument):
                lines = _open(argument)
                if lines is None:
                    _check_base(argument, self._geometry, error)
                    raise
            else:
                lines = _open(argument, may_be_text=True) or io.StringIO(argument)
        self.are_many = True
        is_short = "\n" not in argument and len(argument) < _MAX_NAME
        return argument if is_short else "the text", lines

    def _of_file(self, name: str, lines: TextIO) -> Iterator[Input]:
        where = f"{name}, " if name else ""
        with lines if name else nullcontext(lines) as stream:
            try:
                form, rest = guess_by_lines(name, stream)
                form = format_of(self._source) if self._source else form
                if form.name in ("moves", "moves0"):
                    base = int(form.name == "moves")
                    form = replace(form, items=partial(every_item, base=base))
                for tried in tried_records(rest, form, self._geometry):
                    try:
                        record = tried.game()
                        self._check(record)
                        self._note(f"{where}line {tried.line}", tried.doubt)
                        yield Input(record.moves, record, board=tried.board)
                    except ClaimevenError as error:
                        reason = getattr(error, "reason", str(error))
                        moves = "".join(tried.text.split()) or f"on line {tried.line}"
                        if tried.board is None or not self._takes_boards:
                            shown = _SHOW_HINT * (tried.board is not None and tried.record is None)
                            self._complain(f"{where}line {tried.line}: {reason}{shown}")
                        yield Input(moves, None, reason, tried.board)
            except InvalidRecord as error:  # the rest is unreadable
                self._complain(str(error) if error.line is None else f"{where}{error}")
                yield Input(name or "stdin", None, error.reason)

    def _note(self, what: str, doubt: str) -> None:
        """Report the guessed meaning of an ambiguous input, once for a command."""
        if doubt and not self._source and not self._has_noted:
            self._has_noted = True
            print_error(f"{what} is read as {doubt}")

    _has_noted = False

    def _complain(self, error: str) -> None:
        if not self._is_silent:
            print_error(error)
        self.failed = True


def read_one(argument: str, geometry: Geometry) -> GameRecord:
    """Return the only game or position of an argument. Raises `ClaimevenError`."""
    found = list(itertools.islice(Inputs([argument], geometry, is_silent=True), 2))
    if len(found) != 1:
        many = "more than one position" if found else "no position"
        raise ClaimevenError(f"{argument} has {many}: give a file with one, or its moves")
    if found[0].record is None:
        raise ClaimevenError(found[0].error)
    return found[0].record


def _looks_like_moves(text: str) -> bool:
    try:
        return guess_by_lines("", io.StringIO(text))[0].name == "moves"
    except InvalidRecord:
        return True


def _check_base(argument: str, geometry: Geometry, error: ClaimevenError) -> None:
    """Raise `IllegalMove` if the columns of moves are numbered from 0."""
    try:
        list(every_item([argument], geometry))
    except InvalidRecord as reason:
        raise IllegalMove(f"{error}; {reason.reason}") from None


def _open(argument: str, may_be_text: bool = False) -> TextIO | None:
    try:
        is_there = Path(argument).exists()
    except (OSError, ValueError):  # too long or invalid as a name
        is_there = False
    if is_there:
        return open_records(argument)
    if not may_be_text and any(character in argument for character in _FILE_CHARACTERS):
        raise ClaimevenError(f"there is no file {argument}")
    return None


class ScoreComparison:
    """Compares scores in files with exact scores; counts the `right` and `wrong` ones."""

    def __init__(self) -> None:
        self.right = self.wrong = 0

    def agree(self, record: GameRecord, score: int, scores: Sequence[int | None] = ()) -> bool:
        """Count and return whether the scores of a record are right; True without scores.

        `scores` are the exact scores of the columns, empty if unknown.
        """
        if not record.scores:
            return True
        is_right = record.score == score
        if scores and len(record.scores) == len(scores) > 1:
            is_right = list(record.scores) == list(scores)
        self.right += is_right
        self.wrong += not is_right
        return is_right

    @property
    def count(self) -> int:
        return self.right + self.wrong

    def __str__(self) -> str:
        each = "score" if self.count == 1 else "scores"
        return f"{self.count:,} {each} given: {self.right:,} right, {self.wrong:,} wrong"


def comparison_dict(record: GameRecord, agrees: bool) -> dict[str, object]:
    """Return the JSON keys for the scores of a record, empty without scores."""
    return {"given": list(record.scores), "agrees": agrees} if record.scores else {}


#: Returns the answer to an input, in a worker too, from its moves, record and solvers by board.
Ask = Callable[[str, GameRecord, Callable[[Geometry], Any]], Any]


def answers(
    inputs: Inputs, ask: Ask, choice: options.SolverChoice, workers: Executor
) -> Iterator[tuple[Input, Any]]:
    """Yield each input with the answer that a worker gives, in order; None for an invalid one."""
    given: deque[Input] = deque()

    def items() -> Iterator[tuple[str, GameRecord | None]]:
        for each in inputs:
            given.append(each)
            yield each.moves, each.record

    calls = Calls(partial(_answer_there, ask), partial(made, partial(cache, choice.solver)), "line")
    with closing(calls.in_order(read_ahead(items()), workers)) as found:
        for answer in found:
            yield given.popleft(), answer


def _answer_there(
    ask: Ask, solver_of: Callable[[Geometry], Any], item: tuple[str, GameRecord | None]
) -> Any:
    moves, record = item
    return None if record is None else ask(moves, record, solver_of)


#: Prints an answer: its moves, record, itself, the comparison of scores, whether as JSON.
Show = Callable[[str, GameRecord, Any, ScoreComparison, bool], None]


def answer_command(
    name: str, kind: str, check: Callable[[GameRecord], object], ask: Ask
) -> Callable[[Show], click.Command]:
    """Return a decorator that makes a command of `ask` and a `Show`, which has its help text.

    The inputs are of a kind, "position" or "game". If there are several, each has its moves above
    and an empty line below. The exit status is 1 if an input is invalid or has a wrong score.
    """

    def decorated(show_answer: Show) -> click.Command:
        @click.command(name, help=show_answer.__doc__)
        @click.argument("moves", metavar="MOVES...", nargs=-1, required=True)
        @source_option
        @options.json_option
        @options.solver_options
        @options.workers_options
        @options.geometry_options
        @click.pass_context
        def command(
            ctx: click.Context,
            moves: tuple[str, ...],
            source: str | None,
            as_json: bool,
            solver_choice: options.SolverChoice,
            workers: Executor | None,
            geometry: Geometry,
        ) -> None:
            options.check_workers(workers, solver_choice.threads)
            inputs = Inputs(moves, geometry, check, source)
            announce_compilation()
            solver_of, scores = cache(solver_choice.solver), ScoreComparison()

            def answer_here(given: Input) -> Any:
                if given.record is None:
                    return None
                with status_line() as line:
                    return ask(
                        given.moves,
                        given.record,
                        lambda board: options.ProgressSolver(solver_of(board), line),
                    )

            found = ((each, answer_here(each)) for each in inputs)
            for given, answer in answers(inputs, ask, solver_choice, workers) if workers else found:
                record = given.record
                if inputs.are_many and not as_json:
                    print(f"{kind} {one_line(given.moves) or _NO_MOVES[kind]}")
                if record is not None:
                    show_answer(given.moves, record, answer, scores, as_json)
                elif as_json:
                    print("null")
                else:
                    show(f"not {'judged' if kind == 'game' else 'explained'}: {given.error}")
                if not as_json and (inputs.are_many or record is None):
                    print()
                sys.stdout.flush()
            if inputs.failed or scores.wrong:
                ctx.exit(1)

        return command

    return decorated
