"""The origin of files of any kind, as their descriptions state it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claimeven.arena.store.runs import runs_of
from claimeven.arena.store.store import Store
from claimeven.atomic_io import DATABASE, starts_with
from claimeven.book.book import MAGIC
from claimeven.book.locations import load_book
from claimeven.cli.common.experiments import FILE_IN_FOLDER
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
