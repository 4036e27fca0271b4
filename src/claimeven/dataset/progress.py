"""What the maker of a data set tells of it: how far it is, and what it wrote where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DatasetProgress:
    """How far the work is: `done` of `total` rows, `resumed` of them from an earlier run.

    `nodes` positions were visited for the others. The source `all` is in two parts, and `what`
    tells which: "positions solved", those of one ply beyond, and then "positions written".
    """

    done: int
    total: int
    resumed: int
    seconds: float
    nodes: int
    what: str = "positions"


@dataclass(frozen=True)
class Made:
    """What was written: `positions` rows, and `held_out` rows to a file of their own."""

    positions: int
    held_out: int = 0
    held_out_path: Path | None = None


def held_out_path(path: Path) -> Path:
    """Return where the side of a split that is held out is written.

    >>> held_out_path(Path("set.csv")).name
    'set-held-out.csv'
    """
    return path.with_name(f"{path.stem}-held-out{path.suffix}")
