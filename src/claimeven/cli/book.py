"""`claimeven book`: build, check, count, export and import opening books."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claimeven.cli.inputs import STDIN, open_text
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import geometry_options, json_option, search_options
from claimeven.cli.progress import count_text, say_when_compiling, status_line
from claimeven.cli.streams import table_width, text_width
from claimeven.cli.tables import fitted, table_lines
from claimeven.cli.verbs import Verbs
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.outputs import check_output, text_file

if TYPE_CHECKING:
    from claimeven.book.book import Book
    from claimeven.book.build import BuildProgress

#: Entries of the last ply that `verify` solves again where nothing else is asked for.
SAMPLE = 100
#: Wrong entries that `verify` lists.
LISTED = 20
#: Outcomes of all positions for the first player, those over by then among them, and of quiet ones.
COUNT_HEADINGS = ("ply", "win", "draw", "loss", "over", "quiet win", "quiet draw", "quiet loss")

book_file = click.argument("file", required=False, type=click.Path(path_type=Path))


@click.group("book", cls=Verbs)
def command() -> None:
    """Opening books: exact scores of every position of the first plies.

    The package comes with the book of the 7x6 board; commands that read a book use it where no
    FILE is given.

    \b
    Examples:
      claimeven book verify --sample 500
      claimeven book counts
      claimeven book build --plies 6 --columns 6 --rows 5
      claimeven book export | head
    """


@command.command("build")
@click.option("--plies", default=8, show_default=True, help="The greatest number of discs held.")
@click.option("--out", help="File to write; usually 7x6.book.")
@search_options
@geometry_options
@json_option
def build(
    plies: int,
    out: str | None,
    threads: int,
    table_mb: float,
    geometry: Geometry,
    as_json: bool,
) -> None:
    """Build a book. A build that was ended goes on where it was: run the same command again.

    Results are kept second by second in a journal beside the book (FILE.journal).

    \b
    Examples:
      claimeven book build --plies 4
      claimeven book build --plies 8 --table-mb 1024 --threads 2
      claimeven book build --plies 6 --columns 5 --rows 5 --out small.book
    """
    say_when_compiling()
    from claimeven.book.build import build_book  # noqa: PLC0415 - for a quick start
    from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    Solver(geometry, table_mb, threads, book=None)  # refuses what cannot be, in words
    name = out if out is not None else f"{geometry.columns}x{geometry.rows}.book"
    check_output(name)
    path = Path(name)
    with status_line() as line:
        made = build_book(
            path,
            geometry,
            plies,
            table_mb=table_mb,
            threads=threads,
            report=lambda at: line.show(lambda: _build_text(at)),
        )
    _tell(path, made, as_json)


@command.command("info")
@book_file
@json_option
def info(file: Path | None, as_json: bool) -> None:
    """Say what a book holds, ply by ply.

    \b
    Examples:
      claimeven book info
      claimeven book info small.book --json
    """
    path, book = _read(file)
    _tell(path, book, as_json)
    if not as_json:
        rows = [[str(ply), f"{len(keys):,}"] for ply, keys in enumerate(book.keys)]
        for line in table_lines(["ply", "positions"], rows, table_width()):
            click.echo(line)


@command.command("verify")
@book_file
@click.option("--sample", default=SAMPLE, show_default=True, help="Entries to solve again.")
@click.option("--all", "every", is_flag=True, help="Solve every entry of the last ply again.")
@click.option("--seed", default=0, show_default=True, help="Decides which entries are drawn.")
@search_options
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path | None,
    sample: int,
    every: bool,
    seed: int,
    threads: int,
    table_mb: float,
    as_json: bool,
) -> None:
    """Check a book: whole, every ply the best of minus the next, last ply solved again.

    Exit status 1 if an entry is wrong or missing.

    \b
    Examples:
      claimeven book verify
      claimeven book verify --sample 1000 --seed 7 --threads 2
      claimeven book verify small.book --all
    """
    if sample < 0 or seed < 0:
        raise ClaimevenError(f"--sample and --seed are 0 or more, not {min(sample, seed)}")
    path, book = _read(file)
    from claimeven.book.verify import verify_book  # noqa: PLC0415 - for a quick start
    from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

    Solver(book.geometry, table_mb, threads, book=None)  # refuses what cannot be, in words
    with status_line() as line:
        found = verify_book(
            book,
            sample=None if every else sample,
            seed=seed,
            table_mb=table_mb,
            threads=threads,
            report=lambda done, total: line.show(lambda: f"solved again {done:,} of {total:,}"),
        )
    if as_json:
        write_json(
            {
                "file": str(path),
                "entries": found.entries,
                "missing": found.missing,
                "backed": found.backed,
                "solved": found.solved,
                "wrong": [vars(entry) for entry in found.wrong],
            },
            sys.stdout,
        )
    else:
        text = (
            f"{path}: {found.entries:,} entries, {found.missing:,} missing or extra,"
            f" {found.backed:,} compared with their children, {found.solved:,} solved again,"
            f" {len(found.wrong):,} wrong"
        )
        click.echo(fitted(text, text_width()))
        for entry in found.wrong[:LISTED]:
            click.echo(f"ply {entry.ply}, key {entry.key}: {entry.held}, should be {entry.right}")
    if not found.is_right:
        ctx.exit(1)


@command.command("counts")
@book_file
@json_option
def count(file: Path | None, as_json: bool) -> None:
    """Count the positions of each ply by their outcome for the first player.

    All distinct positions, finished ones included and mirror images as two; then the quiet ones,
    mirror images as one: unfinished, and nobody can complete a line with the next disc. The quiet
    positions of ply 8 on 7x6 are the "connect-4" data set of the UCI repository.

    \b
    Examples:
      claimeven book counts
      claimeven book counts --json
    """
    path, book = _read(file)
    from claimeven.book.verify import counts  # noqa: PLC0415 - for a quick start

    found = list(counts(book))
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
    rows = [
        [str(row.ply), *(f"{count:,}" for count in (*row.positions, row.over, *row.quiet))]
        for row in found
    ]
    for line in table_lines(COUNT_HEADINGS, rows, table_width()):
        click.echo(line)


@command.command("export")
@book_file
@click.option("--out", default="-", show_default=True, help="File to write, - for stdout.")
def export(file: Path | None, out: str) -> None:
    """Write a book as text: a heading, then a line `moves score` a position.

    \b
    Examples:
      claimeven book export --out book.txt
      claimeven book export small.book | tail
    """
    _, book = _read(file)
    from claimeven.book.text import to_text  # noqa: PLC0415 - for a quick start

    with nullcontext(sys.stdout) if out == "-" else text_file(out) as stream:
        stream.writelines(line + "\n" for line in to_text(book))


@command.command("import")
@click.argument("text")
@click.option("--out", required=True, help="Book file to write.")
@json_option
def import_text(text: str, out: str, as_json: bool) -> None:
    """Make a book of TEXT, a file as `export` writes it (- for stdin); all positions must be there.

    The scores are taken as they are; `claimeven book verify` checks them.

    \b
    Examples:
      claimeven book import book.txt --out 7x6.book
    """
    from claimeven.book.text import from_text  # noqa: PLC0415 - for a quick start

    check_output(out)
    with nullcontext(sys.stdin) if text == STDIN else open_text(text) as lines:
        book = from_text(lines, "stdin" if text == STDIN else text)
    book.save(out)
    _tell(Path(out), book, as_json)


def _read(file: Path | None) -> tuple[Path, Book]:
    """Return a book and where it lies: the file given, or the book of the package."""
    say_when_compiling()
    from claimeven.book.book import Book, shipped_path  # noqa: PLC0415 - for a quick start

    path = file if file is not None else shipped_path(Geometry())
    if path is None:
        raise ClaimevenError("the package comes without a book: name a FILE")
    return path, Book.load(path)


def _tell(path: Path, book: Book, as_json: bool) -> None:
    """Print what a book holds, in a line or as JSON."""
    board, size = book.geometry, path.stat().st_size
    if as_json:
        write_json(
            {
                "file": str(path),
                "columns": board.columns,
                "rows": board.rows,
                "connect": board.connect,
                "plies": book.plies,
                "positions": [len(keys) for keys in book.keys],
                "entries": len(book),
                "bytes": size,
            },
            sys.stdout,
        )
        return
    text = f"{path}: {board}, plies 0 to {book.plies}, {len(book):,} positions, {size:,} bytes"
    click.echo(fitted(text, text_width()))


def _build_text(at: BuildProgress) -> str:
    """Say how far a build is, and how long the rest will take at this rate."""
    counted = count_text(at.done, at.total, "positions", at.seconds, at.resumed)
    return f"{counted}, {at.nodes:,} nodes"
