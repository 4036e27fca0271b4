"""`claimeven describe`: the origin of a file, as its description states it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from claimeven.arena.store.runs import runs_of
from claimeven.arena.store.store import Store
from claimeven.atomic_io import DATABASE, starts_with
from claimeven.book.book import MAGIC
from claimeven.book.locations import load_book
from claimeven.cli.common.experiments import FILE_IN_FOLDER
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import show
from claimeven.cli.common.streams import one_line, write_json
from claimeven.dataset.files import (
    CARD_SUFFIX,
    PARQUET,
    SUFFIXES,
    card_path,
    imported_pyarrow,
    read_card,
)
from claimeven.errors import ClaimevenError
from claimeven.experiment_file import described_options
from claimeven.learning.run_dir import ABOUT
from claimeven.networks.model_file import MAX_CHECKPOINT_BYTES, read_model
from claimeven.networks.net.file import PROVENANCE
from claimeven.networks.own_models import ONNX, metadata_of
from claimeven.provenance import SCHEMAS, check_schema

#: Parts of the description of games that differ between the matches in a folder.
_OF_MATCH = ("openings", "seed", "games")


@click.command("describe")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FilePath(path_type=Path))
@json_option
def command(files: tuple[Path, ...], as_json: bool) -> None:
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
        except ClaimevenError:
            raise
        except (OSError, ValueError, LookupError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or "it is of none of the kinds"
            raise ClaimevenError(f"{path} cannot be described: {reason}") from None
        for about in found:
            if not isinstance(about, dict) or str(about.get("kind")) not in SCHEMAS:
                raise ClaimevenError(f"{path} does not describe its origin: it is of claimeven 0.2")
            check_schema(about["kind"], about.get("schema"), path, about, ClaimevenError)
        if as_json:
            write_json({"file": str(path), "descriptions": found}, sys.stdout)
            continue
        for about in found:
            lines = [f"  {name:<12}{one_line(_text(value))}" for name, value in about.items()]
            show("\n".join([one_line(str(path)), *lines]))


def _text(value: object) -> str:
    """Return a value as text.

    >>> _text({"seconds": 1, "agents": ["a", "b"]}), _text({})
    ('seconds 1, agents a b', '-')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items()) or "-"
    return " ".join(map(_text, value)) or "-" if isinstance(value, list) else str(value)


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
