"""`claimeven book`: build, verify, count, list, export and import opening books."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from claimeven.atomic_io import STDOUT, check_output, make_folder, text_file
from claimeven.book import locations, text_format
from claimeven.book.book import InvalidBook
from claimeven.book.build import build_book, build_part, ply_counts, verify_book
from claimeven.book.import_database import GEOMETRY, PLIES, database_path, import_database
from claimeven.book.locations import AnyBook
from claimeven.cli.common import options, progress
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.move_inputs import STDIN
from claimeven.cli.common.output import print_result, show, show_table
from claimeven.cli.common.streams import as_file, write_json
from claimeven.cli.main import CommandGroup
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.parallel.executors import Part
from claimeven.parallel.jobs import Executor
from claimeven.provenance import describe
from claimeven.records import open_records
from claimeven.solver import Solver

#: Default number of entries of the last ply that `verify` solves again.
DEFAULT_SAMPLE = 100
#: Maximum number of wrong entries that `verify` lists.
MAX_LISTED = 20
#: Outcomes for the first player: of all positions, finished ones included, and of quiet ones.
COUNT_HEADINGS = ("ply", "win", "draw", "loss", "over", "quiet win", "quiet draw", "quiet loss")

book_file = click.argument("file", required=False, type=options.FilePath(path_type=Path))


@click.group("book", cls=CommandGroup)
def command() -> None:
    """Opening books: exact scores of every position of the first plies.

    A book of the 7x6 board is bundled, and a deeper one can be imported. Commands that read a book
    use the deepest one unless FILE is given.

    \b
    Examples:
      claimeven book verify --sample 500
      claimeven book counts
      claimeven book build --plies 6 --columns 6 --rows 5
      claimeven book export | head
      claimeven book import --from bitbully-databases
    """


@command.command("build", cls=ExperimentCommand)
@click.option("--plies", default=8, help="Maximum number of discs.")
@click.option("--out", help="File to write.  [default: named after the board, such as 7x6.book]")
@options.part_option
@options.search_options
@options.workers_options
@options.geometry_options
@options.json_option
def build(
    plies: int,
    out: str | None,
    part: Part | None,
    search: options.SolverChoice,
    workers: Executor | None,
    geometry: Geometry,
    as_json: bool,
) -> None:
    """Build a book. Run the same command again to resume an interrupted build.

    Results are stored every second in a journal next to the book (FILE.journal). With --jobs worker
    processes solve the positions, and with --executor ray a Ray cluster, each worker with a table
    of --table-mb; the book is the same.

    \b
    Examples:
      claimeven book build --plies 4
      claimeven book build --plies 8 --table-mb 1024 --threads 2
      claimeven book build --plies 6 --columns 5 --rows 5 --out small.book
      claimeven book build --plies 9 --executor ray --address auto
    """
    options.check_workers(workers, search.threads)
    progress.announce_compilation()
    Solver(geometry, search.table_mb, search.threads, book=None)  # raises for invalid settings
    path = Path(locations.file_name(geometry) if out is None else out)
    check_output(path if out is None else out)
    _check_replaced(path, geometry, plies)

    journal = part.path(path) if part else f"{path}.journal"
    with progress.resumable_file(journal), progress.status_line() as line:
        how = {"on_progress": line.report, "executor": workers, **_settings(search)}
        if part is not None:
            count = build_part(path, geometry, plies, part, **how)
        else:
            made = build_book(path, geometry, plies, **how)
    if part is not None:
        data = {"out": str(journal), "positions": count}
        print_result(as_json, data, f"{journal}: {count:,} positions")
        return
    write_run_file(path)
    _print_book(path, made, as_json, provenance=describe("result", board=geometry.as_dict()))


@command.command("info")
@book_file
@options.json_option
def info(file: Path | None, as_json: bool) -> None:
    """Print the number of positions of a book, ply by ply.

    \b
    Examples:
      claimeven book info
      claimeven book info small.book --json
    """
    path, book = _read(file)
    _print_book(path, book, as_json)
    if not as_json:
        rows = [[str(ply), f"{count:,}"] for ply, count in enumerate(book.positions)]
        show_table(["ply", "positions"], rows)


@command.command("verify")
@book_file
@click.option("--sample", default=DEFAULT_SAMPLE, help="Entries to solve again.")
@click.option("--all", "every", is_flag=True, help="Solve every entry of the last ply again.")
@click.option("--seed", default=0, help="Seed of the sample.")
@options.search_options
@options.workers_options
@options.json_option
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path | None,
    sample: int,
    every: bool,
    seed: int,
    search: options.SolverChoice,
    workers: Executor | None,
    as_json: bool,
) -> None:
    """Verify a book: it is complete, its plies agree, and a sample of the last ply is right.

    The exit status is 1 if an entry is wrong or missing, and 2 if the file is corrupt or a packed
    book is incomplete.

    \b
    Examples:
      claimeven book verify
      claimeven book verify --sample 1000 --seed 7 --threads 2
      claimeven book verify small.book --all --jobs 2
    """
    if sample < 0 or seed < 0:
        raise ClaimevenError(f"--sample and --seed must be 0 or more, got {min(sample, seed)}")
    options.check_workers(workers, search.threads)
    path, book = _read(file)
    Solver(book.geometry, search.table_mb, search.threads, book=None)  # raises for invalid settings
    with progress.status_line() as line:
        found = verify_book(
            book.unpack(),
            sample=None if every else sample,
            seed=seed,
            **_settings(search),
            on_progress=line.reporter("solved again {:,} of {:,}"),
            executor=workers,
        )
    if as_json:
        checks = ("entries", "missing", "backed", "solved")
        numbers = {name: getattr(found, name) for name in checks}
        wrong = [vars(entry) for entry in found.wrong]
        about = describe("result", board=book.geometry.as_dict(), seed=seed)
        result = {"file": str(path), **numbers, "wrong": wrong, "provenance": about}
        write_json(result, sys.stdout)
    else:
        show(
            f"{path}: {found.entries:,} entries, {found.missing:,} missing or extra,"
            f" {found.backed:,} compared with their children, {found.solved:,} solved again,"
            f" {len(found.wrong):,} wrong"
        )
        for entry in found.wrong[:MAX_LISTED]:
            scores = f"{entry.score}, should be {entry.correct_score}"
            click.echo(f"ply {entry.ply}, key {entry.key}: {scores}")
    if not found.is_correct:
        ctx.exit(1)


@command.command("counts")
@book_file
@options.json_option
def count(file: Path | None, as_json: bool) -> None:
    """Count the positions of each ply by their outcome for the first player.

    First all distinct positions, with finished ones and mirror images; then the quiet ones, with
    mirror images counted once: unfinished positions in which no player can complete a line with
    the next disc. The quiet positions of ply 8 on 7x6 are the "connect-4" data set of the UCI
    repository.

    \b
    Examples:
      claimeven book counts
      claimeven book counts --json
    """
    path, book = _read(file)
    found = list(ply_counts(book.unpack()))
    if as_json:
        names = ("win", "draw", "loss")
        plies = [
            {
                "ply": row.ply,
                "positions": dict(zip(names, row.positions, strict=True)),
                "over": row.over,
                "quiet": dict(zip(names, row.quiet, strict=True)),
            }
            for row in found
        ]
        write_json({"file": str(path), "plies": plies}, sys.stdout)
        return
    numbers = [(row.ply, *row.positions, row.over, *row.quiet) for row in found]
    show_table(COUNT_HEADINGS, [[f"{number:,}" for number in row] for row in numbers])


@command.command("export")
@book_file
@click.option("--out", default="-", help="File to write, - for stdout.")
def export(file: Path | None, out: str) -> None:
    """Write a book as text: a heading, then one line `moves score` for each position.

    \b
    Examples:
      claimeven book export --out book.txt
      claimeven book export small.book | tail
    """
    path, book = _read(file)
    if out != STDOUT and Path(out).exists() and Path(out).samefile(path):
        raise ClaimevenError(f"{out} is the exported book: name another file")
    with nullcontext(as_file(sys.stdout)) if out == STDOUT else text_file(out) as stream:
        stream.writelines(line + "\n" for line in text_format.to_text(book.unpack()))


@command.command("import")
@click.argument("file", required=False, type=options.FilePath())
@click.option(
    "--from",
    "source",
    type=options.WordChoice("text", "bitbully-databases"),
    default="text",
    help="Format of FILE.",
)
@click.option("--out", help="Book file to write; a database has a default.")
@click.option("--sample", default=200, help="Scores to solve again.")
@options.search_options
@options.json_option
def import_book(
    file: str | None,
    source: str,
    out: str | None,
    sample: int,
    search: options.SolverChoice,
    as_json: bool,
) -> None:
    """Make a book from FILE, a text as written by `export` (- for stdin), or from a database.

    A text must have all positions. Its scores are not checked: use `claimeven book verify`.

    The package bitbully-databases (the extra deep-book) has the scores of 7x6 after twelve discs.
    The import completes them, adds the earlier plies, compares them with the bundled book and
    solves a sample again. Without --out the book goes to the folder of your books (`claimeven book
    list`) and becomes the default book.

    \b
    Examples:
      claimeven book import --from bitbully-databases
      claimeven book import book.txt --out 7x6.book
    """
    if source != "text":
        if out is not None:
            _check_replaced(Path(out), GEOMETRY, PLIES)
        _import_database(file, out, sample, search, as_json)
        return
    if file is None:
        raise ClaimevenError("name a FILE to import, or a database with --from bitbully-databases")
    if out is None:
        raise ClaimevenError("name the book to write with --out")
    check_output(out)
    with nullcontext(as_file(sys.stdin)) if file == STDIN else open_records(file) as lines:
        book = text_format.from_text(lines, "stdin" if file == STDIN else file)
    _check_replaced(Path(out), book.geometry, book.plies)
    about = describe("book", board=book.geometry.as_dict())
    replace(book, description=about).save(out)
    _print_book(Path(out), book, as_json)


def _import_database(
    file: str | None, out: str | None, sample: int, search: options.SolverChoice, as_json: bool
) -> None:
    """Import the scores of another program; by default to the folder of the user's books."""
    if sample < 0:
        raise ClaimevenError(f"--sample must be 0 or more, got {sample}")
    progress.announce_compilation()
    path = database_path() if file is None else Path(file)
    place = out
    if place is None:
        folder = locations.user_folder()
        if folder is None:
            raise ClaimevenError("there is no folder for your books: name a file with --out")
        make_folder(folder)
        place = str(folder / locations.file_name(GEOMETRY))
    with progress.status_line() as line:
        made = import_database(
            path,
            place,
            sample=sample,
            **_settings(search),
            on_progress=line.reporter("{} {:,} of {:,}"),
        )
    checks = ("given", "completed", "compared", "solved")
    found = {name: getattr(made, name) for name in checks}
    about = describe("result", board=GEOMETRY.as_dict())
    _print_book(Path(place), made.book, as_json, **found, provenance=about)
    if as_json:
        return
    show(
        f"{made.given:,} scores imported and {made.completed:,} completed;"
        f" {made.compared:,} agree with the bundled book,"
        f" {made.solved:,} with the solver"
    )
    if out is None:
        click.echo("This is now the default book.")


@command.command("list")
@options.json_option
def list_books(as_json: bool) -> None:
    """List the books and mark the default one.

    A book in your folder replaces the bundled one as the default. Commands that solve take `--book
    FILE`, `--book shipped` (the bundled book) or `--no-book`. CLAIMEVEN_BOOK_DIR sets the folder.

    \b
    Examples:
      claimeven book list
      claimeven book list --json
    """
    folder = locations.user_folder()
    found, bad = [], []
    for place in (folder, locations.SHIPPED_DIR):
        for path in sorted(place.glob("*.book")) if place is not None else []:
            try:
                book = locations.load_book(path)
            except InvalidBook as error:
                bad.append((path, str(error)))
            else:
                found.append((path, book, locations.default_path(book.geometry) == path))
    if as_json:
        books = [{**_facts(path, book), "used": used} for path, book, used in found]
        books += [{"file": str(path), "error": error} for path, error in bad]
        write_json({"folder": None if folder is None else str(folder), "books": books}, sys.stdout)
        return
    for path, book, used in found:
        show(f"{'used' if used else 'idle'}  {_in_words(path, book)}")
    for _, reason in bad:
        show(f"bad   {reason}")
    show(
        "There is no folder for your books: set CLAIMEVEN_BOOK_DIR."
        if folder is None
        else f"The folder of your books is {folder}."
    )


def _settings(search: options.SolverChoice) -> dict[str, Any]:
    return {"table_mb": search.table_mb, "threads": search.threads}


def _read(file: Path | None) -> tuple[Path, AnyBook]:
    """Return a book and its path: of the file, or the default book of 7x6."""
    progress.announce_compilation()
    path = file if file is not None else locations.default_path(Geometry())
    if path is None:
        raise ClaimevenError("there is no bundled book in this installation: name a FILE")
    return path, locations.load_book(path)


def _check_replaced(path: Path, geometry: Geometry, plies: int) -> None:
    """Raise `ClaimevenError` if a book would replace a deeper one or another board's."""
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        there = locations.load_book(path)
    except InvalidBook as error:
        raise ClaimevenError(f"{error}: choose another name or remove it") from None
    if there.geometry != geometry or there.plies > plies:
        raise ClaimevenError(
            f"{path} is already a book of {there.geometry} up to ply {there.plies}: choose another"
            " name or remove it"
        )


def _print_book(path: Path, book: AnyBook, as_json: bool, **more: Any) -> None:
    """Print the facts of a book on a line, or as JSON with `more` keys."""
    print_result(as_json, _facts(path, book) | more, _in_words(path, book))


def _facts(path: Path, book: AnyBook) -> dict[str, Any]:
    return {
        "file": str(path),
        **book.geometry.as_dict(),
        "plies": book.plies,
        "positions": list(book.positions),
        "entries": len(book),
        "bytes": path.stat().st_size,
        "source": book.source or None,
    }


def _in_words(path: Path, book: AnyBook) -> str:
    size = path.stat().st_size
    text = (
        f"{path}: {book.geometry}, plies 0 to {book.plies}, {len(book):,} positions, {size:,} bytes"
    )
    return f"{text}, from {book.source}" if book.source else text
