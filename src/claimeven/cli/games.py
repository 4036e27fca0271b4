"""`claimeven games` and `report`: list, show, export and import stored games; a page about them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from typing import TextIO

import click

from claimeven.arena.games.game import Game
from claimeven.arena.store import query
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.import_games import ImportSummary, import_games
from claimeven.arena.store.store import Store
from claimeven.cli.common import options
from claimeven.cli.common.games import MAX_JUDGED_GAMES, summary_lines, write_with_progress
from claimeven.cli.common.move_inputs import STDIN, source_option
from claimeven.cli.common.output import (
    board_text,
    fitted,
    print_result,
    show,
    table_width,
    text_width,
)
from claimeven.cli.common.progress import status_line
from claimeven.cli.common.streams import as_file, one_line, write_json
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.option_fields import options_of
from claimeven.parallel.executors import WorkerOptions
from claimeven.parallel.jobs import Executor
from claimeven.records import RESULTS

YELLOW, RED = PLAYER_NAMES
#: Default number of games on a page.
DEFAULT_LIMIT = 1_000
#: Parameters that select games or write them.
_SELECTING = ("agents", "result", "fault", "plies", "opening", "pair", "out")


@click.command("games")
@click.argument("file", type=options.FilePath(path_type=Path))
@click.option("--game", "number", type=int, help="Show the game of this number.")
@click.option("--agent", "agents", multiple=True, help="Only games of this agent (or of two).")
@click.option(
    "--result",
    type=options.WordChoice(*RESULTS, *query.OWN_RESULTS),
    help="Only games with this result; win and loss are for the first --agent.",
)
@click.option(
    "--fault", help=f"Only games lost by this fault: crash, time, ..., {query.ANY_FAULT}."
)
@click.option("--plies", help="Only games with this number of discs, such as 7-20.")
@click.option(
    "--opening", default="", show_default=False, help="Only games that start with these moves."
)
@click.option("--pair", type=int, help="Only the games of the pair of this number.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    show_default=f"{DEFAULT_LIMIT:,}; with --json all",
    help="Number of games on a page.",
)
@click.option("--page", type=click.IntRange(1), default=1, help="Page to list.")
@options.file_option(
    "--export",
    "out",
    help="Write the games to this .csv, .jsonl, .parquet or .txt file instead of listing them.",
)
@click.option(
    "--import",
    "imported",
    type=options.FilePath(),
    multiple=True,
    help="Add the games of this file (- is stdin) to FILE; may be repeated.",
)
@click.argument("more", metavar="[MORE]...", nargs=-1, type=options.FilePath())
@source_option
@click.option("--first", help="Name of the first player in imported games.")
@click.option("--second", help="Name of the second player in imported games.")
@options.json_option
@options.geometry_options
@click.pass_context
def games(
    ctx: click.Context,
    file: Path,
    number: int | None,
    agents: tuple[str, ...],
    result: str | None,
    fault: str | None,
    plies: str | None,
    opening: str,
    pair: int | None,
    limit: int | None,
    page: int,
    out: Path | None,
    imported: tuple[str, ...],
    more: tuple[str, ...],
    source: str | None,
    first: str | None,
    second: str | None,
    as_json: bool,
    geometry: Geometry,
) -> None:
    """List the games of FILE, which `tournament --out` or --import wrote.

    Options select games. --export writes them in the format of the ending: a table (.csv, or
    .parquet with the extra "data"), one JSON object per line (.jsonl) or one move string per line
    (.txt); .jsonl and .parquet also have the time, nodes and values of each move.

    --import adds games of other programs to FILE and creates it if necessary: move strings, .csv or
    .jsonl tables with the columns moves, first and second, Kaggle replays, OpenSpiel histories. The
    result follows from the moves. An unfinished game, or one of a player against itself, is not
    rated, but its moves can be judged. A file with an invalid line is not imported. More files may
    follow the first.

    \b
    Examples:
      claimeven games class.db
      claimeven games class.db --agent ann --agent bob --result loss
      claimeven games class.db --game 12
      claimeven games class.db --fault any --export faults.csv
      claimeven games imported.db --import moves.txt --first ann --second bob
      claimeven games imported.db --import replays/*.json
    """
    if imported:
        why = "{} selects stored games: it does not go with --import"
        options.reject_options(ctx, ("number", *_SELECTING), why)
        board = None if file.exists() and geometry == STANDARD else geometry
        for name in (*imported, *more):
            lines = as_file(sys.stdin) if name == STDIN else name
            done = import_games(file, lines, first, second, board, source)
            _print_imported(done, file, name, as_json)
        return
    if more or source or first is not None or second is not None:
        named = "--first and --second" if first or second else "--from and more files"
        raise ClaimevenError(f"{named} need --import")
    if number is not None:
        why = "--game shows one game: it does not go with {}"
        options.reject_options(ctx, _SELECTING, why)
        _show(file, number, as_json, geometry)
        return
    if pair is not None and pair < 1:
        raise ClaimevenError(f"--pair must be 1 or more, got {pair}")
    discs = None if plies is None else options.parse_ply_range(plies, "number of discs", "7-20")
    place = None if pair is None else pair - 1
    wanted = query.GameFilter(agents, result, fault, discs, opening, place)
    if out is not None:
        if limit is not None or page != 1:
            raise ClaimevenError(
                "--export writes all games: it does not go with --limit and --page"
            )
        _export(file, wanted, out, as_json, geometry)
    elif as_json:
        size = DEFAULT_LIMIT if limit is None and page > 1 else limit
        with Store.read(file) as store:
            options.check_board(file, store.start.geometry, geometry)
            labels = {agent.id: agent.label for agent in store.agents}
            for game in query.each_game(store, wanted, size, page):
                write_json(query.game_dict(game, labels), sys.stdout)
            _warn_unreadable(len(store.corrupt), file)
    else:
        size = limit or DEFAULT_LIMIT
        games = query.find_games(file, wanted, size, page)
        options.check_board(file, games.geometry, geometry)
        _warn_unreadable(games.corrupt, file)
        is_full = len(games.games) + games.corrupt == size and page * size < games.stored
        _print_list(games, sys.stdout, f"; --page {page + 1} lists the next" * is_full)


def _export(
    file: Path, wanted: query.GameFilter, out: Path, as_json: bool, geometry: Geometry
) -> None:
    query.writer_for(out)
    with Store.read(file) as store:
        options.check_board(file, store.start.geometry, geometry)
        if out.exists() and out.samefile(file):
            raise ClaimevenError(f"{out} is the file of the games: name another file for --export")
        total = len(store)
        with status_line() as line:
            count = query.export_games(
                store, out, wanted, lambda at: line.count(at, total, "games")
            )
        _warn_unreadable(len(store.corrupt), file)
    data = {"out": str(out), "games": count}
    print_result(as_json, data, f"{out}: {count:,} game{'s' * (count != 1)}")


def _warn_unreadable(count: int, file: Path) -> None:
    if count:
        click.echo(f"{count:,} more games of {file} are unreadable and left out", err=True)


def _print_imported(done: ImportSummary, file: Path, source: str, as_json: bool) -> None:
    name = "stdin" if source == STDIN else source
    text = f"{file}: {done.added:,} game{'s' * (done.added != 1)} added from {name}"
    if done.unfinished:
        text += f", {done.unfinished:,} of them unfinished"
    if done.before:
        text += f"; {done.before:,} of this file were there already"
    if done.scored:
        text += f"\n{done.scored:,} of them have scores, which are not stored: claimeven solve"
        text += f" {name} compares them"
    print_result(as_json, {"out": str(file), **vars(done)}, text)


def _show(file: Path, number: int, as_json: bool, geometry: Geometry) -> None:
    with Store.read(file) as store:
        found = store.games(number - 1)
        games = list(takewhile(lambda game: game.number == number - 1, found))
        labels = {agent.id: agent.label for agent in store.agents}
        start, count, corrupt = store.start, len(store), len(store.corrupt)
    options.check_board(file, start.geometry, geometry)
    if not games:
        more = f", {corrupt:,} of them unreadable" * bool(corrupt)
        raise InvalidStore(f"there is no game {number} in {file}, which has {count:,}{more}")
    for game in games:
        if as_json:
            write_json(query.game_dict(game, labels), sys.stdout)
            continue
        columns = game.all_columns
        names = [one_line(labels[agent]) for agent in game.agents]
        lines = [
            f"game {number}: {YELLOW} {names[0]}, {RED} {names[1]}",
            f"{query.result_in_words(game)}, {len(columns)} disc{'s' * (len(columns) != 1)}",
        ]
        if game.fault is not None and game.fault_seat is not None:
            lines[-1] += (
                f"; {names[game.fault_seat]} forfeits: {one_line(game.reason or game.fault)}"
            )
        if game.opening:
            lines.append(f"opening {game.opening}")
        lines.append(f"moves {game.all_moves}")
        print(fitted("\n".join(lines), text_width()))
        print(board_text(game.final, sys.stdout, columns[-1] if columns else None))


def _print_list(games: query.GameList, out: TextIO, more: str) -> None:
    width = table_width()
    labels = {agent.id: one_line(agent.label) for agent in games.agents}
    if games.games:
        out.write(f" game  result      discs  {YELLOW} - {RED}\n")
    for game in games.games:
        out.write(fitted(_line(game, labels), width) + "\n")
    out.write("\n" * bool(games.games) + fitted(_summary(games) + more, text_width()) + "\n")


def _line(game: Game, labels: dict[int, str]) -> str:
    text = (
        f"{game.number + 1:>5}  {query.result_of(game):<10}  {len(game.all_moves):>5}"
        f"  {labels[game.first]} - {labels[game.second]}"
    )
    if game.fault is not None and game.fault_seat is not None:
        text += f" (forfeit of {labels[game.agents[game.fault_seat]]}: {game.fault})"
    return text + " (adjudicated)" * (game.adjudicated is not None)


def _summary(games: query.GameList) -> str:
    count, stored = len(games.games), games.stored
    text = f"{count:,} game{'s' * (count != 1)}"
    if count != stored:
        text += f" of {stored:,}"
    text += (
        f" on {games.geometry}: {YELLOW} won {games.count('first'):,},"
        f" {RED} {games.count('second'):,}, drawn {games.count('draw'):,}"
    )
    unfinished = games.count("unfinished")
    forfeits = sum(game.fault is not None for game in games.games)
    text += f", unfinished {unfinished:,}" * bool(unfinished)
    return text + f"; forfeits {forfeits:,}" * bool(forfeits)


@click.command("report")
@click.argument("file", type=options.FilePath(path_type=Path))
@options.file_option(
    "-o", "--out", metavar="FILE", help="Page to write.  [default: FILE with the ending .html]"
)
@click.option("--title", help="Title of the page.")
@click.option(
    "--accuracy-games",
    type=click.IntRange(0),
    default=MAX_JUDGED_GAMES,
    metavar="GAMES",
    help="Maximum number of games judged by exact scores.",
)
@click.option("--no-accuracy", is_flag=True, help="Judge no games.")
@options.file_option(
    "--plots", metavar="DIR", help="Also write the charts to this folder, as PNG and SVG."
)
@click.option("--threads", type=click.IntRange(1), help="Number of threads.  [default: all]")
@options.workers_options
@options.json_option
@click.pass_context
def report(
    ctx: click.Context,
    file: Path,
    out: Path | None,
    title: str | None,
    accuracy_games: int,
    no_accuracy: bool,
    plots: Path | None,
    threads: int | None,
    workers: Executor | None,
    as_json: bool,
) -> None:
    """Write an HTML page about the games of FILE, which `tournament --out` stored.

    The page has the ladder with intervals, the cross table, the forfeits and a game viewer. It
    shows the accuracy of each agent by exact scores and explains its worst moves. It is one file
    that works offline, on a phone and in print. The same games give the same page.

    Exact scores take time if there are many games: at most --accuracy-games of them, evenly spread,
    are judged. The scores are stored in FILE, so the next report is quick and continues after
    Ctrl-C. Charts need Matplotlib (pip install 'claimeven[plot]'); without it they are left out.

    \b
    Examples:
      claimeven report class.db
      claimeven report class.db -o results.html --title "Autumn 2026"
      claimeven report class.db --accuracy-games 1000
      claimeven report class.db --no-accuracy --plots charts
      claimeven report class.db --accuracy-games 9999 --executor ray
    """
    if no_accuracy:
        options.reject_options(
            ctx,
            ("accuracy_games", "threads", *options_of(WorkerOptions)),
            "{} is for judging games: it does not go with --no-accuracy",
        )
    options.check_workers(workers, threads or 1)
    out = default_page(file) if out is None else out
    page = write_with_progress(
        file,
        out,
        title=title,
        judge=0 if no_accuracy else accuracy_games,
        plots=plots,
        threads=threads,
        executor=workers,
        remedy="run the same command to continue; --accuracy-games judges fewer games",
    )
    if as_json:
        contents, accuracy = page.contents, page.contents.accuracy
        data = {
            **asdict(contents.geometry),
            "limit": contents.plan.get("limit"),
            "openings": list(dict.fromkeys(game.opening for game in contents.games)),
            "out": str(page.path),
            "bytes": page.path.stat().st_size,
            "plots": [str(path) for path in page.plots],
            **contents.standings.as_dict(),
            "accuracy": None if accuracy is None else accuracy.as_dict(),
        }
        write_json(data, sys.stdout)
        return
    for text in summary_lines(page):
        show(one_line(text))


def default_page(file: Path) -> Path:
    if not file.name:  # . and /
        raise ClaimevenError(f"{file} cannot be read: it is a folder")
    out = file.with_suffix(".html")
    if out == file:
        raise ClaimevenError(f"{file} has the ending of a page: name the page to write with --out")
    return out
