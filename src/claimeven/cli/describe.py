"""`claimeven describe`: the origin of a file, as its description states it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from claimeven.cli.common.descriptions import descriptions
from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.output import show
from claimeven.cli.common.streams import one_line, write_json
from claimeven.errors import ClaimevenError
from claimeven.provenance import SCHEMAS, check_schema


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
            texts = [_lines(about) for about in found if isinstance(about, dict)]
        except ClaimevenError:
            raise
        except (OSError, ValueError, LookupError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or "it is of none of the kinds"
            raise ClaimevenError(f"{path} cannot be described: {reason}") from None
        for about in found:
            if not isinstance(about, dict) or str(about.get("kind")) not in SCHEMAS:
                raise ClaimevenError(f"{path} does not describe its origin: it is unfinished, a part, or of 0.2")
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
