"""The parts of `claimeven book` about the user's books: which there are, importing one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from claimeven.atomic_io import make_folder
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import json_option
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.progress import say_when_compiling, status_line
from claimeven.errors import ClaimevenError

if TYPE_CHECKING:
    from claimeven.book.import_database import Imported
    from claimeven.book.locations import AnyBook


def facts(path: Path, book: AnyBook) -> dict[str, object]:
    """Return what a book holds, as plain data."""
    board = book.geometry
    return {
        "file": str(path),
        **board.as_dict(),
        "plies": book.plies,
        "positions": list(book.positions),
        "entries": len(book),
        "bytes": path.stat().st_size,
        "source": book.source or None,
    }


def in_words(path: Path, book: AnyBook) -> str:
    """Return what a book holds, in a sentence or two."""
    size = path.stat().st_size
    text = (
        f"{path}: {book.geometry}, plies 0 to {book.plies}, {len(book):,} positions, {size:,} bytes"
    )
    return f"{text}, from {book.source}" if book.source else text


@click.command("list")
@json_option
def list_books(as_json: bool) -> None:
    """Tell which books there are, and which is used where none is named.

    A book of the user's folder is used in place of the one that comes with the package. Commands
    that solve take `--book FILE`, `--book shipped` (that of the package) or `--no-book`.
    CLAIMEVEN_BOOK_DIR moves the folder.

    \b
    Examples:
      claimeven book list
      claimeven book list --json
    """
    from claimeven.book.errors import InvalidBook  # noqa: PLC0415 - for a quick start
    from claimeven.book.locations import (  # noqa: PLC0415 - for a quick start
        SHIPPED,
        load_book,
        user_folder,
        usual_path,
    )

    folder = user_folder()
    found, bad = [], []
    for place in (folder, SHIPPED):
        for path in sorted(place.glob("*.book")) if place is not None else []:
            try:
                book = load_book(path)
            except InvalidBook as error:
                bad.append((path, str(error)))
            else:
                found.append((path, book, usual_path(book.geometry) == path))
    if as_json:
        books: list[dict[str, Any]] = [
            {**facts(path, book), "used": used} for path, book, used in found
        ]
        books += [{"file": str(path), "error": told} for path, told in bad]
        write_json({"folder": None if folder is None else str(folder), "books": books}, sys.stdout)
        return
    for path, book, used in found:
        text = f"{'used' if used else 'idle'}  {in_words(path, book)}"
        click.echo(fitted(text, text_width()))
    for _, told in bad:
        click.echo(fitted(f"bad   {told}", text_width()))
    where = (
        "There is no folder for your books: CLAIMEVEN_BOOK_DIR names one."
        if folder is None
        else f"The folder of your books is {folder}."
    )
    click.echo(fitted(where, text_width()))


@dataclass(frozen=True)
class DatabaseImport:
    """What is asked of `book import --from`; a `file` or `out` of None are the usual ones."""

    file: str | None
    out: str | None
    sample: int
    threads: int
    table_mb: float

    def run(self, as_json: bool) -> None:
        """Import and tell."""
        if self.sample < 0:
            raise ClaimevenError(f"--sample is 0 or more, not {self.sample}")
        say_when_compiling()
        from claimeven.book.bitbully import GEOMETRY, database_path  # noqa: PLC0415 - quick start
        from claimeven.book.import_database import import_database  # noqa: PLC0415 - as above
        from claimeven.book.locations import file_name, user_folder  # noqa: PLC0415 - as above

        path = database_path() if self.file is None else Path(self.file)
        out = self.out
        if out is None:
            folder = user_folder()
            if folder is None:
                raise ClaimevenError("there is no folder for your books: name a file with --out")
            make_folder(folder)
            out = str(folder / file_name(GEOMETRY))
        with status_line() as line:
            made = import_database(
                path,
                out,
                sample=self.sample,
                threads=self.threads,
                table_mb=self.table_mb,
                report=lambda what, done, total: line.show(lambda: f"{what} {done:,} of {total:,}"),
            )
        self._tell(Path(out), made, as_json)

    def _tell(self, out: Path, made: Imported, as_json: bool) -> None:
        checks = {
            "given": made.given,
            "completed": made.completed,
            "compared": made.compared,
            "solved": made.solved,
        }
        if as_json:
            write_json({**facts(out, made.book), **checks}, sys.stdout)
            return
        click.echo(fitted(in_words(out, made.book), text_width()))
        text = (
            f"{made.given:,} scores were given and {made.completed:,} completed;"
            f" {made.compared:,} agree with the book of the package,"
            f" {made.solved:,} with the solver"
        )
        click.echo(fitted(text, text_width()))
        if self.out is None:
            click.echo("This book is used from now on where none is named.")
