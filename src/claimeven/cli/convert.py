"""`claimeven convert`: records of games from one format into another."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

import click

from claimeven.arena.store.query import each_game
from claimeven.arena.store.store import Store
from claimeven.atomic_io import STDOUT, check_output, holds_games, text_file
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.move_inputs import STDIN, source_option
from claimeven.cli.common.options import (
    SOLVER_OPTIONS,
    FilePath,
    WordChoice,
    geometry_options,
    json_option,
    reject_options,
    solver_options,
)
from claimeven.cli.common.output import show
from claimeven.cli.common.progress import StatusLine, announce_compilation, status_line
from claimeven.cli.common.solver_options import ProgressSolver, SolverChoice
from claimeven.cli.common.streams import as_file, print_error
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import parse_moves
from claimeven.records import (
    FORMATS,
    GameRecord,
    InvalidRecord,
    format_of,
    guess_by_lines,
    guess_format,
    open_records,
    tried_records,
    write_records,
)
from claimeven.records.line_formats import label_of
from claimeven.records.record import LABELS


@click.command("convert")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FilePath())
@source_option
@click.option("--to", "target", type=WordChoice(*FORMATS), help="Format to write.")
@click.option(
    "-o", "--out", help="File to write; its ending may tell the format. Else, and for -, stdout."
)
@click.option(
    "--skip-invalid",
    "skip",
    is_flag=True,
    help="Leave out games that cannot be read, and tell them.",
)
@json_option
@solver_options
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    source: str | None,
    target: str | None,
    out: str | None,
    skip: bool,
    as_json: bool,
    solver_choice: SolverChoice,
    geometry: Geometry,
) -> None:
    """Write the games of files, or of - for stdin, in another format.

    \b
    moves      a move string a line, perhaps with scores            .txt
    moves0     the same with columns counted from 0                 .moves0
    csv        a table: moves, players, opening, result, fault      .csv
    jsonl      the same as a JSON object a line                     .jsonl
    kaggle     replays of ConnectX and the Game Arena, other JSON   .json
    openspiel  histories of OpenSpiel, 0-based: 3, 3, 4             .openspiel
    uci        rows of the UCI data set: cells, then win/draw/loss  .data
    board      drawings; read: also arrays, FEN                     .board
    turns      columns and colors: A_Red B_Yellow                   .turns

    The format of FILE is recognized by its ending and by how it starts, and that of the output is
    --to or its ending, by default `moves`. --columns, --rows and --connect name the board
    where FILE does not. A file of stored games, as tournament --out writes, is read too.

    A format keeps what it has a place for: names only csv, jsonl and kaggle, openings csv and
    jsonl, boards kaggle and openspiel. Scores are kept by jsonl alone. A row of the UCI data
    set or a board is a position: read, its discs are given an order that could have been; a row
    written ends with what perfect play gives.

    A game that cannot be read is refused with its line and the reason, and no file is written.

    \b
    Examples:
      claimeven convert replay.json
      claimeven convert replays/*.json -o games.csv
      claimeven convert theirs.txt --from moves0 -o ours.txt
      claimeven convert games.txt --to kaggle -o replays.json
      claimeven convert connect-4.data --to moves
      claimeven convert class.db -o games.csv
    """
    out = None if out == STDOUT else out
    form = format_of(target) if target else guess_format(out or "", "")
    if as_json and out is None:
        raise ClaimevenError(
            "--json tells of the file that -o names; for games as JSON: --to jsonl"
        )
    if form.name != "uci":
        reject_options(ctx, SOLVER_OPTIONS, "{} is for --to uci, whose labels are solved")
    if out is not None:
        check_output(out)
    reading = _Reading(source, geometry, skip)
    for name in files:
        reading.check(name)
    with status_line() as line:
        records: Iterator[GameRecord] = itertools.chain.from_iterable(map(reading.games, files))
        if form.name == "uci":
            records = _labelled(records, solver_choice, line)
        try:
            with nullcontext(as_file(sys.stdout)) if out is None else text_file(out) as stream:
                count = write_records(stream, records, form)
        except InvalidRecord as error:
            where = reading.where if error.line is not None else ""
            no_file = "; nothing was written" if out is not None else ""
            raise ClaimevenError(f"{where}{error}{no_file}") from None
    if reading.scored and form.name != "jsonl":
        print_error(
            f"{reading.scored:,} of the games have scores, which {form.name} does not keep (jsonl"
            " does); claimeven solve compares them"
        )
    if reading.unordered and form.name not in ("uci", "board"):
        print_error(
            f"{reading.unordered:,} of the games are positions alone, whose discs were given an"
            " order that could have been"
        )
    names = ", ".join(reading.format_names)
    if as_json:
        facts = {"out": out, "from": names, "to": form.name, "games": count}
        write_json({**facts, "skipped": reading.skipped}, sys.stdout)
    elif out is not None:
        show(f"{out}: {count:,} game{'s' * (count != 1)}, {names} to {form.name}")
    if reading.skipped:
        ctx.exit(1)


class _Reading:
    """The games of files as they are read, and what is to be reported of them afterwards."""

    def __init__(self, source: str | None, geometry: Geometry, skip: bool) -> None:
        self.geometry = geometry
        self.skip = skip
        self.skipped = self.unordered = self.scored = 0
        self.has_noted = False
        self.source = source
        self.format_names: dict[str, None] = {}
        #: What precedes the number of a line: the name of its file.
        self.where = ""

    def check(self, name: str) -> bool:
        """Return whether a file holds stored games. Raises `ClaimevenError` if it is not there."""
        if not Path(name).is_file():  # of a pipe nothing is to be lost
            return False
        open_records(name).close()
        if holds_games(name) and self.source:
            raise ClaimevenError(f"{name} holds stored games: it is read without --from")
        return holds_games(name)

    def games(self, name: str) -> Iterator[GameRecord]:
        """Yield the games of a file. Raises `InvalidRecord`."""
        if self.check(name):
            self.format_names["store"] = None
            yield from _stored(name, self.geometry)
            return
        is_stdin = name == STDIN
        self.where = "" if is_stdin else f"{name}, "
        with nullcontext(as_file(sys.stdin)) if is_stdin else open_records(name) as stream:
            form, lines = guess_by_lines(name, stream)
            form = format_of(self.source) if self.source else form
            self.format_names[form.name] = None
            for tried in tried_records(lines, form, self.geometry):
                if tried.record is None and self.skip:
                    self.skipped += 1
                    print_error(f"{self.where}line {tried.line}: {tried.error}")
                    continue
                record = tried.game()
                if tried.doubt and not self.source and not self.has_noted:
                    self.has_noted = True
                    print_error(f"{self.where}line {tried.line} is read as {tried.doubt}")
                self.unordered += not record.is_ordered
                self.scored += bool(record.scores)
                yield record


def _stored(path: str, geometry: Geometry) -> Iterator[GameRecord]:
    """Yield the games of a file that a tournament wrote.

    Raises `ClaimevenError` if another board was asked for than theirs.
    """
    with Store.read(path) as store:
        if store.start.ply:
            raise ClaimevenError(
                f"the games of {path} begin from a position of their own, which records of moves"
                " do not tell"
            )
        board = store.start.geometry
        if geometry not in (STANDARD, board):
            raise ClaimevenError(f"the games of {path} are of {board}, not {geometry}")
        labels = {agent.id: agent.label for agent in store.agents}
        for game in each_game(store):
            columns = parse_moves(game.all_moves, board)
            names, lost = (labels[game.first], labels[game.second]), (game.fault, game.fault_seat)
            yield GameRecord(columns, board, *names, len(game.opening), *lost, game.reason)


def _labelled(
    records: Iterable[GameRecord], solver_choice: SolverChoice, line: StatusLine
) -> Iterator[GameRecord]:
    """Yield games with what perfect play gives the first player, solved where it is not known."""

    @cache
    def solver_of(board: Geometry) -> ProgressSolver:
        announce_compilation()
        return ProgressSolver(solver_choice.solver(board), line)

    for record in records:
        if label_of(record) is not None:
            yield record
            continue
        try:
            score = solver_of(record.geometry).score(record.position)
        except ClaimevenError as error:
            moves = record.moves or "the empty board"
            raise ClaimevenError(f"{moves} cannot be labelled: {error}") from None
        sign = (score > 0) - (score < 0)
        yield replace(record, label=LABELS[1 - (-sign if record.position.turn else sign)])
