"""`claimeven convert`: convert game records between formats."""

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
from claimeven.cli.common import options
from claimeven.cli.common.move_inputs import STDIN, source_option
from claimeven.cli.common.output import print_result
from claimeven.cli.common.progress import StatusLine, announce_compilation, status_line
from claimeven.cli.common.streams import as_file, print_error
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.option_fields import options_of
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
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.FilePath())
@source_option
@click.option("--to", "target", type=options.WordChoice(*FORMATS), help="Format to write.")
@click.option("-o", "--out", help="File to write, with the ending of a format.  [default: stdout]")
@click.option("--skip-invalid", "skip", is_flag=True, help="Leave out and report invalid games.")
@options.json_option
@options.solver_options
@options.geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    source: str | None,
    target: str | None,
    out: str | None,
    skip: bool,
    as_json: bool,
    solver_choice: options.SolverChoice,
    geometry: Geometry,
) -> None:
    """Write the games of files (- is stdin) in another format.

    \b
    moves      one move string per line, optional scores            .txt
    moves0     the same, columns numbered from 0                    .moves0
    csv        a table: moves, players, opening, result, fault      .csv
    jsonl      the same as one JSON object per line                 .jsonl
    kaggle     replays of ConnectX and the Game Arena, other JSON   .json
    openspiel  histories of OpenSpiel, 0-based: 3, 3, 4             .openspiel
    uci        rows of the UCI data set: cells, then win/draw/loss  .data
    board      drawings; arrays and FEN can be read                 .board
    turns      columns and colors: A_Red B_Yellow                   .turns

    The format of FILE is recognized by its ending and its first lines. The format of the output is
    --to or its ending, `moves` by default. --columns, --rows and --connect set the board if FILE
    does not. Files of stored games, as written by tournament --out, can be read too.

    Only csv, jsonl and kaggle store names, csv and jsonl openings, kaggle and openspiel boards,
    and jsonl scores. A UCI row or a board is a position: reading it invents a possible order of the
    discs. A written UCI row ends with the result of perfect play.

    An invalid game is reported with its line and the reason, and no file is written.

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
            "--json describes the file of -o: add it, or use --to jsonl for games as JSON"
        )
    if form.name != "uci":
        options.reject_options(
            ctx, options_of(options.SolverChoice), "{} is for --to uci, which needs the solver"
        )
    if out is not None:
        check_output(out)
        endings = ["", *(each for known in FORMATS.values() for each in known.endings)]
        if target is None and Path(out).suffix.lower() not in endings:
            raise ClaimevenError(f"{out} must end in {', '.join(endings[1:])}, or add --to")
    reader = _Reader(source, geometry, skip)
    for name in files:
        reader.check(name)
    with status_line() as line:
        records: Iterator[GameRecord] = itertools.chain.from_iterable(map(reader.games, files))
        if form.name == "uci":
            records = _labeled(records, solver_choice, line)
        try:
            with nullcontext(as_file(sys.stdout)) if out is None else text_file(out) as stream:
                count = write_records(stream, records, form)
        except InvalidRecord as error:
            where = reader.where if error.line is not None else ""
            no_file = "; no file was written" if out is not None else ""
            raise ClaimevenError(f"{where}{error}{no_file}") from None
    if reader.scored and form.name != "jsonl":
        print_error(
            f"{reader.scored:,} games have scores, which {form.name} cannot store (jsonl can);"
            " claimeven solve compares them"
        )
    if reader.unordered and form.name not in ("uci", "board"):
        print_error(
            f"{reader.unordered:,} games are only positions: a possible order of their moves was"
            " invented"
        )
    names = ", ".join(reader.format_names)
    if out is not None:
        facts = {"out": out, "from": names, "to": form.name, "games": count}
        text = f"{out}: {count:,} game{'s' * (count != 1)}, {names} to {form.name}"
        print_result(as_json, {**facts, "skipped": reader.skipped}, text)
    if reader.skipped:
        ctx.exit(1)


class _Reader:
    """Reads the games of files and counts them for the final report."""

    def __init__(self, source: str | None, geometry: Geometry, skip: bool) -> None:
        self.geometry = geometry
        self.skip = skip
        self.skipped = self.unordered = self.scored = 0
        self.has_noted = False
        self.source = source
        self.format_names: dict[str, None] = {}
        #: Prefix of a line number: the name of the file.
        self.where = ""

    def check(self, name: str) -> bool:
        """Return whether a file has stored games. Raises `ClaimevenError` if it is missing."""
        if not Path(name).is_file():  # a pipe must not be opened twice
            return False
        open_records(name).close()
        if holds_games(name) and self.source:
            raise ClaimevenError(f"{name} has stored games: leave --from out")
        return holds_games(name)

    def games(self, name: str) -> Iterator[GameRecord]:
        if self.check(name):
            self.format_names["store"] = None
            yield from _stored(name, self.geometry)
            return
        is_stdin = name == STDIN
        self.where = "" if is_stdin else f"{name}, "
        with nullcontext(as_file(sys.stdin)) if is_stdin else open_records(name) as stream:
            form, lines = guess_by_lines(name, stream)
            self.format_names[self.source or form.name] = None
            for tried in tried_records(lines, self.source or form, self.geometry):
                if tried.record is None and self.skip:
                    self.skipped += 1
                    print_error(f"{self.where}line {tried.line}: {tried.error}")
                    continue
                record = tried.game()
                if tried.doubt and not self.has_noted:
                    self.has_noted = True
                    print_error(f"{self.where}line {tried.line} is read as {tried.doubt}")
                self.unordered += not record.is_ordered
                self.scored += bool(record.scores)
                yield record


def _stored(path: str, geometry: Geometry) -> Iterator[GameRecord]:
    """Yield the games of a tournament's file. Raises `ClaimevenError` for another board."""
    with Store.read(path) as store:
        if store.start.ply:
            raise ClaimevenError(
                f"the games of {path} start from a position, which game records cannot store"
            )
        board = store.start.geometry
        options.check_board(path, board, geometry)
        labels = {agent.id: agent.label for agent in store.agents}
        for game in each_game(store):
            columns = parse_moves(game.all_moves, board)
            names, lost = (labels[game.first], labels[game.second]), (game.fault, game.fault_seat)
            yield GameRecord(
                columns, board, *names, len(game.opening), *lost, game.reason,
                adjudicated=game.adjudicated,
            )  # fmt: skip


def _labeled(
    records: Iterable[GameRecord], solver_choice: options.SolverChoice, line: StatusLine
) -> Iterator[GameRecord]:
    """Yield games with the result of perfect play, solved if it is unknown."""

    @cache
    def solver_of(board: Geometry) -> options.ProgressSolver:
        announce_compilation()
        return options.ProgressSolver(solver_choice.solver(board), line)

    for record in records:
        if label_of(record) is not None:
            yield record
            continue
        try:
            score = solver_of(record.geometry).score(record.position)
        except ClaimevenError as error:
            moves = record.moves or "the empty board"
            raise ClaimevenError(f"{moves} cannot be labeled: {error}") from None
        sign = (score > 0) - (score < 0)
        yield replace(record, label=LABELS[1 - (-sign if record.position.turn else sign)])
