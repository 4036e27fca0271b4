"""`claimeven merge`: one result from its parts."""

from __future__ import annotations

from pathlib import Path

import click

from claimeven.arena.store.runs import merge_stores
from claimeven.atomic_io import DATABASE
from claimeven.book.build import merge_book
from claimeven.cli.common.descriptions import descriptions
from claimeven.cli.common.experiments import write_run_file
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import print_result
from claimeven.dataset.generate import merge_datasets
from claimeven.errors import ClaimevenError
from claimeven.experiment_file import COMMAND
from claimeven.text_io import reading

#: The first bytes of a part of a book.
_BOOK = b"claimeven book journal:"


@click.command("merge")
@click.argument("out", type=FilePath(path_type=Path))
@click.argument("parts", nargs=-1, required=True, type=FilePath(path_type=Path))
@json_option
def command(out: Path, parts: tuple[Path, ...], as_json: bool) -> None:
    """Write OUT from all PARTS of one run: games, a data set or a book.

    `match`, `tournament`, `dataset` and `book build` compute a part with --part I/N, into the file
    OUT.part-I-of-N. A merged data set or book is the file that one run writes. A merged file of
    games has the games of one run, in the order of their numbers. OUT.toml has the options of the
    run. A part that is missing, given twice, unfinished or of another run is an error, and OUT is
    not written.

    \b
    Examples:
      claimeven tournament uct greedy --rounds 50 --out games.db --part 1/2
      claimeven tournament uct greedy --rounds 50 --out games.db --part 2/2
      claimeven merge games.db games.db.part-*
      claimeven merge train.csv train.csv.part-*
    """
    if out.exists():
        raise ClaimevenError(f"{out} already exists: choose another name or remove it")
    with reading(parts[0], ClaimevenError), parts[0].open("rb") as stream:
        start = stream.read(100)
    if start.startswith(DATABASE):
        what, count = "games", merge_stores(out, parts)
    elif start.startswith(_BOOK):
        what, count = "positions", len(merge_book(out, parts))
    else:
        what, count = "positions", merge_datasets(out, parts).positions
    made_by = (descriptions(out)[-1] or {}).get(COMMAND)
    if made_by is not None:
        write_run_file(out, made_by)
    data = {"out": str(out), "parts": len(parts), what: count}
    print_result(as_json, data, f"{out}: {count:,} {what} of {len(parts):,} parts")
