"""`claimeven describe`: the origin of a file, as its description states it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from claimeven.arena.store.runs import runs_of
from claimeven.arena.store.store import Store
from claimeven.atomic_io import DATABASE, starts_with
from claimeven.book import format as book_format
from claimeven.book.locations import load_book
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import show
from claimeven.cli.common.streams import one_line, write_json
from claimeven.dataset.card import SUFFIX, card_path, read_card
from claimeven.dataset.files import SUFFIXES
from claimeven.dataset.read import read_header
from claimeven.errors import ClaimevenError
from claimeven.learning.run_dir import ABOUT
from claimeven.networks.model_file import MAX_CHECKPOINT_BYTES, read_model
from claimeven.provenance import SCHEMAS, check_schema

#: Characters of a JSON file up to the end of its first object.
_MAX_LINE = 1 << 24

Description = Mapping[str, Any]


class InvalidDescription(ClaimevenError):
    """A file without a readable description of its origin."""


@click.command("describe")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FilePath(path_type=Path))
@json_option
def command(files: tuple[Path, ...], as_json: bool) -> None:
    """Print the origin of FILE: version, machine, command, board, limits, openings, seed, digests.

    FILE is a file of games, a data set or its card, a model or checkpoint, a book, the folder of a
    training run, or the output of a command with --json. A file of games that several versions or
    machines have added to has a description for each. Files of version 0.2 have none.

    \b
    Examples:
      claimeven describe class.db
      claimeven describe train.parquet run1/model.npz run1 --json
    """
    for path in files:
        try:
            found = _descriptions(path)
        except ClaimevenError:
            raise
        except (OSError, ValueError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or "it is of none of the kinds"
            raise InvalidDescription(f"{path} cannot be described: {reason}") from None
        if as_json:
            write_json({"file": str(path), "descriptions": found}, sys.stdout)
            continue
        for about in found:
            texts = {name: _text(value) for name, value in about.items()}
            if isinstance(given := about.get("command"), dict):
                rest = {name: value for name, value in given.items() if name != "command"}
                texts["command"] = f"{given.get('command')}: {_text(rest)}"
            lines = [f"{name:<12}{one_line(text)}" for name, text in texts.items()]
            show("\n".join([one_line(str(path)), *(f"  {line}" for line in lines)]))


def _text(value: object) -> str:
    """Return a value as text.

    >>> _text({"seconds": 1, "agents": ["a", "b"]}), _text({})
    ('seconds 1, agents a b', '-')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items()) or "-"
    if isinstance(value, list):
        return " ".join(map(_text, value)) or "-"
    return str(value)


def _descriptions(path: Path) -> list[Description]:
    """Return the descriptions of a file of any kind. Raises `ClaimevenError` or `OSError`."""
    if path.is_dir():
        return [_checked(path, "run", json.loads((path / ABOUT).read_text(encoding="utf-8")))]
    if starts_with(path, DATABASE):
        with Store.read(path) as store:
            runs = [*runs_of(store)] or [store.meta.get("provenance", {})]
            return [_checked(path, "store", run) for run in runs]
    if starts_with(path, book_format.MAGIC):
        return [_checked(path, "book", load_book(path).description)]
    if starts_with(path, b"PK"):
        facts = read_model(path, max_bytes=MAX_CHECKPOINT_BYTES).facts
        return [_checked(path, "model", facts.get("provenance"))]
    if path.suffix in SUFFIXES:
        card = card_path(path)
        found = read_card(card) if card.is_file() else None
        return [_checked(path, "data set", found or read_header(path).get("provenance"))]
    if path.suffix == SUFFIX:
        return [_checked(path, "data set", read_card(path))]
    with path.open(encoding="utf-8") as stream:
        return [_checked(path, "result", json.loads(stream.read(_MAX_LINE).splitlines()[0]))]


def _checked(path: Path, kind: str, found: Any) -> Description:
    """Return a description, which is part of a result. Raises `InvalidDescription`."""
    if isinstance(found, dict) and kind == "result":
        found = found.get("provenance")
    if not isinstance(found, dict) or found.get("kind") not in SCHEMAS:
        raise InvalidDescription(
            f"{path} does not describe its origin: it is of claimeven 0.2, or not a {kind}"
        )
    check_schema(found["kind"], found.get("schema"), path, found, InvalidDescription)
    return found
