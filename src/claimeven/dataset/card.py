"""The card of a data set: a page of Markdown next to its file, as on the hub of Hugging Face.

The head is YAML. Its line `claimeven:` is the description of the data set as JSON, which is YAML
too, so a CSV file has a description without lines that other readers would not understand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from claimeven.dataset.config import DatasetPlan

#: The end of a card's name.
SUFFIX = ".md"
_TEMPLATE = Path(__file__).parent / "data" / "card.md"
#: The start of the line with the description.
_LINE = "claimeven: "
#: The size categories of the hub, by powers of ten.
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")

#: Positions by ply and score.
PlyScores = Counter[tuple[int, int]]


def card_path(path: Path) -> Path:
    """Return the path of the card of a data set.

    >>> card_path(Path("set.csv")).name
    'set.csv.md'
    """
    return path.with_name(path.name + SUFFIX)


def count_rows(rows: Iterable[bytes], fields: Sequence[str]) -> PlyScores:
    """Count rows, as lines of CSV with these fields, by ply and score.

    >>> count_rows([b"44,2,-2,1\\n", b"43,2,-2,1\\n"], ["moves", "ply", "score", "optimal"])
    Counter({(2, -2): 2})
    """
    ply, score = fields.index("ply"), fields.index("score")
    found = Counter((r[ply], r[score]) for r in (row.split(b",", score + 1) for row in rows))
    return Counter({(int(ply), int(score)): count for (ply, score), count in found.items()})


def card_text(
    name: str, plan: DatasetPlan, about: Mapping[str, Any], counts: PlyScores, digest: str
) -> str:
    """Return the card of the file `name`: its description, sampling, columns, counts and digest."""
    plies: dict[int, Counter[int]] = {}
    scores = Counter[int]()
    for (ply, score), count in sorted(counts.items()):
        plies.setdefault(ply, Counter())[(score > 0) - (score < 0)] += count
        scores[score] += count
    total = counts.total()
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        name=name,
        board=plan.geometry,
        size=_SIZES[min(max(len(str(total)) - 3, 0), len(_SIZES) - 1)],
        total=f"{total:,}",
        description=json.dumps(about),
        settings="\n".join(f"- {key}: {value}" for key, value in about["settings"].items()),
        version=about["claimeven"],
        machine=about["machine"],
        plies=_rows([ply, n.total(), n[1], n[0], n[-1]] for ply, n in plies.items()),
        scores=_rows(sorted(scores.items())),
        digest=digest,
    )


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def read_card(path: Path) -> dict[str, Any] | None:
    """Return the description in a card, None for another file. Raises `OSError`."""
    head, _, _ = path.read_text(encoding="utf-8", errors="replace").partition("\n---\n")
    lines = [line for line in head.splitlines() if line.startswith(_LINE)]
    try:
        found: dict[str, Any] = json.loads(lines[0].removeprefix(_LINE))
        return {**found}
    except (LookupError, ValueError, TypeError, RecursionError):
        return None
