"""The tables of the pages on reading the output, made of `docs/output.toml`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

#: By command: the kind of a name (key, column, ...), and for each name its description.
DESCRIPTIONS: Final[dict[str, dict[str, dict[str, str]]]] = tomllib.loads(
    (Path(__file__).parent.parent / "docs" / "output.toml").read_text(encoding="utf-8")
)
_NAME = re.compile(r"[a-z_0-9]+")


def table(command: str, kind: str) -> str:
    """Return the table of a command's names. Raises `KeyError` for one without descriptions."""
    rows = [
        f"| {_heading(names, kind)} | {description} |"
        for names, description in DESCRIPTIONS[command][kind].items()
    ]
    return "\n".join([f"| {kind} | description |", "|---|---|", *rows])


def described_keys(*commands: str) -> set[str]:
    """Return the keys that the tables of some commands describe, and the keys of all objects."""
    keys = {"claimeven"}
    for command in ("all", *commands):
        for kind, descriptions in DESCRIPTIONS[command].items():
            for names, description in descriptions.items():
                keys.update(re.findall(r"`([a-z_0-9]+)`", description))
                keys.update(_NAME.findall(names) if "key" in kind or kind == "detail" else ())
    return keys


def _heading(names: str, kind: str) -> str:
    """Names of keys are code; names of columns are text."""
    if not re.search("key|detail|command", kind):
        return names
    return re.sub(
        r"[^,;]+",
        lambda name: (
            re.sub(r"(\S+)", r"`\1`", name[0]) if _NAME.fullmatch(name[0].strip()) else name[0]
        ),
        names,
    )
