"""The card of a data set: a page of Markdown next to its file, as on the hub of Hugging Face.

The head is YAML. Its line `claimeven:` is the description of the data set as JSON, which is YAML
too, so a CSV file has a description without lines that other readers would not understand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claimeven.dataset.config import DatasetPlan

#: The end of a card's name.
SUFFIX = ".md"
#: The start of the line with the description.
_LINE = "claimeven: "
#: The powers of ten of the size categories of the hub.
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_FIELDS = {
    "game": "number of the position's game",
    "moves": "moves that lead to the position, as columns from 1",
    "ply": "discs on the board",
    "mine": "discs of the side to move, as an integer of bits",
    "mask": "all discs, as an integer of bits",
    "score": "exact score for the side to move: 0 a draw, above 0 a win, sooner wins are greater",
    "optimal": "number of columns that keep the score",
    "score_1, score_2, ...": "exact score of each column, empty for a full column",
    "optimal_1, optimal_2, ...": "1 if the column keeps the score, else 0; empty for a full column",
}
_SOURCES = {
    "random": "the last positions of games of random moves, each to a random ply",
    "selfplay": "all positions of games in which both sides know the scores and make small errors",
    "mixed": "positions of games in which some moves are random and the others perfect",
    "all": "every position of the plies",
}

#: Positions by ply and score.
PlyScores = Counter[tuple[int, int]]


def card_path(path: Path) -> Path:
    """Return the path of the card of a data set.

    >>> card_path(Path("set.csv")).name
    'set.csv.md'
    """
    return path.with_name(path.name + SUFFIX)


def count_rows(rows: Iterable[bytes]) -> PlyScores:
    """Count rows, as lines of CSV, by ply and score.

    >>> count_rows([b"1,44,2,1,3,-2,1,0\\n", b"2,43,2,1,5,-2,1,0\\n"])
    Counter({(2, -2): 2})
    """
    found = Counter((cells[2], cells[5]) for cells in (row.split(b",", 6) for row in rows))
    return Counter({(int(ply), int(score)): count for (ply, score), count in found.items()})


def card_text(
    name: str, plan: DatasetPlan, about: Mapping[str, Any], counts: PlyScores, digest: str
) -> str:
    """Return the card of the file `name`: its description, sampling, columns, counts and digest."""
    board, total = plan.geometry, counts.total()
    each = "optimal_1, optimal_2, ..." if plan.optimal_only else "score_1, score_2, ..."
    fields = {key: text for key, text in _FIELDS.items() if "," not in key or key == each}
    settings = [f"- {key}: {value}" for key, value in about["settings"].items()]
    plies = []
    for ply in sorted({ply for ply, _ in counts}):
        there = Counter[int]()
        for (other, score), count in counts.items():
            there[(score > 0) - (score < 0)] += count * (other == ply)
        plies.append([ply, there.total(), there[1], there[0], there[-1]])
    scores = Counter[int]()
    for (_, score), count in counts.items():
        scores[score] += count
    lines = [
        "---",
        f"pretty_name: Connect Four positions with exact scores, {board}",
        "license: other",
        "task_categories: [tabular-classification, tabular-regression]",
        "tags: [connect-four, board-games, exact-scores]",
        f"size_categories: [{_SIZES[min(max(len(str(total)) - 3, 0), len(_SIZES) - 1)]}]",
        _LINE + json.dumps(about),
        "---",
        f"# {name}",
        "",
        f"{total:,} positions of Connect Four on {board}: {_SOURCES[plan.source]}. Equal positions"
        " and mirror images appear once. A solver computed the scores; they are exact.",
        "",
        "## Sampling",
        "",
        *settings,
        "",
        f"Made with claimeven {about['claimeven']} on {about['machine']}. The same version and"
        " options give the same rows.",
        "",
        *_section("Columns", ["column", "content"], fields.items()),
        *_section("Positions by ply", ["ply", "positions", "won", "drawn", "lost"], plies),
        *_section("Positions by score", ["score", "positions"], sorted(scores.items())),
        "## Digest",
        "",
        f"SHA-256 of {name}: `{digest}`",
        "",
        "## License",
        "",
        "The rows are computed, not collected: they contain no work and no data of other people."
        " The maker of the file may choose its license; the code of claimeven is MIT.",
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    table = [heads, ["---"] * len(heads), *rows]
    return [f"## {title}", "", *(f"| {' | '.join(map(str, row))} |" for row in table), ""]


def read_card(path: Path) -> dict[str, Any] | None:
    """Return the description in a card, None for another file. Raises `OSError`."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for line in text.partition("\n---\n")[0].splitlines():
        if line.startswith(_LINE):
            try:
                found = json.loads(line.removeprefix(_LINE))
            except (ValueError, RecursionError):
                return None
            return found if isinstance(found, dict) else None
    return None
