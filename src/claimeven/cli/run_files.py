"""`claimeven merge` and `describe`: a result from its parts, and the origin of a file.

`descriptions` returns the origin of files of any kind, as they state it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from claimeven.arena.store.runs import merge_stores, runs_of
from claimeven.arena.store.store import Store
from claimeven.atomic_io import DATABASE, starts_with
from claimeven.book.book import MAGIC
from claimeven.book.build import merge_book
from claimeven.book.locations import load_book
from claimeven.cli.common.experiments import FILE_IN_FOLDER, write_run_file
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import print_result, show
from claimeven.cli.common.streams import one_line, write_json
from claimeven.dataset.files import (
    CARD_SUFFIX,
    PARQUET,
    SUFFIXES,
    card_path,
    imported_pyarrow,
    read_card,
)
from claimeven.dataset.generate import merge_datasets
from claimeven.errors import ClaimevenError
from claimeven.experiment_file import COMMAND, described_options
from claimeven.learning.run_dir import ABOUT
from claimeven.networks.model_file import MAX_CHECKPOINT_BYTES, read_model
from claimeven.networks.net.file import PROVENANCE
from claimeven.networks.own_models import ONNX, metadata_of
from claimeven.provenance import SCHEMAS, check_schema
from claimeven.text_io import reading

#: The first bytes of a part of a book.
_BOOK = b"claimeven book journal:"


@click.command("merge")
@click.argument("out", type=FilePath(path_type=Path))
@click.argument("parts", nargs=-1, required=True, type=FilePath(path_type=Path))
@json_option
def merge(out: Path, parts: tuple[Path, ...], as_json: bool) -> None:
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
    if isinstance(made_by, dict):
        write_run_file(out, made_by)
    data = {"out": str(out), "parts": len(parts), what: count}
    print_result(as_json, data, f"{out}: {count:,} {what} of {len(parts):,} parts")


@click.command("describe")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FilePath(path_type=Path))
@json_option
def describe(files: tuple[Path, ...], as_json: bool) -> None:
    """Print the origin of FILE: version, machine, command, board, limits, openings, seed, digests.

    FILE is a file of games, a data set or its card, a model or checkpoint, a book, the output of a
    command with --json, the options of a run (run.toml), or the folder of a training run, of `tune`
    or of `study`. Games that several versions or machines have added to have a description for
    each. Files of version 0.2 have none.

    \b
    Examples:
      claimeven describe class.db
      claimeven describe train.parquet run1/model.npz run1 --json
      claimeven describe tuned
    """
    for path in files:
        try:
            found = descriptions(path)
            texts = [_lines(about) for about in found if isinstance(about, dict)]
        except ClaimevenError:
            raise
        except (OSError, ValueError, LookupError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or "it is of none of the kinds"
            raise ClaimevenError(f"{path} cannot be described: {reason}") from None
        for about in found:
            if not isinstance(about, dict) or str(about.get("kind")) not in SCHEMAS:
                raise ClaimevenError(
                    f"{path} does not describe its origin: it is unfinished, a part, or of 0.2"
                )
            check_schema(about["kind"], about.get("schema"), path, about, ClaimevenError)
        if as_json:
            write_json({"file": str(path), "descriptions": found}, sys.stdout)
            continue
        for lines in texts:
            show("\n".join([one_line(str(path)), *lines]))


def _lines(about: Mapping[str, object]) -> list[str]:
    return [f"  {name:<12}{one_line(_text(value))}" for name, value in about.items()]


def _text(value: object) -> str:
    """Return a value as text.

    >>> _text({"seconds": 1, "agents": ["a", "b"]}), _text({})
    ('seconds 1, agents a b', '-')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items()) or "-"
    return " ".join(map(_text, value)) or "-" if isinstance(value, list) else str(value)


#: Parts of the description of games that differ between the matches in a folder.
_OF_MATCH = ("openings", "seed", "games")


def _of_parquet(path: Path) -> Any:
    metadata = imported_pyarrow()[1].read_schema(path).metadata
    return json.loads(metadata[b"claimeven"]).get("provenance")


#: Readers of descriptions by the ends of names.
_READERS: dict[str, Callable[[Path], Any]] = {
    CARD_SUFFIX: read_card,
    PARQUET: _of_parquet,
    ONNX: lambda path: json.loads(metadata_of(path)[PROVENANCE]),
    ".toml": described_options,
}


def _of_folder(folder: Path) -> list[Any]:
    """Return the descriptions of a folder: of its run, else of its games, else of its options."""
    if (folder / ABOUT).is_file():
        return descriptions(folder / ABOUT)
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.db")):
        for about in descriptions(path):
            same = {name: each for name, each in (about or {}).items() if name not in _OF_MATCH}
            files = found.setdefault(json.dumps(same), {**same, "stores": []})["stores"]
            files += [path.name] * (path.name not in files)
    if not found and not (folder / FILE_IN_FOLDER).is_file():
        raise ClaimevenError(f"{folder} cannot be described: it has no files of a run")
    return [*found.values()] or descriptions(folder / FILE_IN_FOLDER)


def descriptions(path: Path) -> list[Any]:
    """Return the descriptions in a file of any kind, or in a folder."""
    if path.is_dir():
        return _of_folder(path)
    if path.suffix in SUFFIXES and card_path(path).is_file():
        path = card_path(path)
    if path.suffix in _READERS:
        return [_READERS[path.suffix](path)]
    if starts_with(path, DATABASE):
        with Store.read(path) as store:
            return [*runs_of(store)] or [store.meta.get("provenance")]
    if starts_with(path, MAGIC):
        return [load_book(path).description]
    if starts_with(path, b"PK"):
        return [read_model(path, max_bytes=MAX_CHECKPOINT_BYTES).facts.get("provenance")]
    found, _ = json.JSONDecoder().raw_decode(path.read_text(encoding="utf-8"))
    return [found.get("provenance", found) if isinstance(found, dict) else None]
