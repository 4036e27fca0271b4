"""Draw every picture and table of the documents, and write the listings of the search viewers.

`python -m doctools` writes, `--check` compares.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from doctools import boards, charts, growth, listings, tables, trees

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
FOLDER: Final = DOCS / "pictures"

#: The pictures of the pages, by file name.
PICTURES: Final[dict[str, Callable[[], str]]] = {
    "puzzle": boards.puzzle_board,
    "puzzle-scores": boards.puzzle_scores,
    "bits": boards.bits,
    "finding-a-line": boards.finding_a_line,
    "windows": boards.windows_counted,
    "playout": boards.playout,
    "minimax": trees.minimax_tree,
    "alphabeta": trees.alphabeta_tree,
    "negamax": trees.negamax_tree,
    "nodes": charts.nodes_chart,
    "flat": charts.flat_chart,
    "uct-iteration": growth.iteration,
    "uct-growth": growth.growth,
    "uct-visits": charts.visits_chart,
    "ladder": charts.ladder_chart,
}


def made() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with its content."""
    for name, draw in PICTURES.items():
        yield FOLDER / f"{name}.svg", draw()
    for page in tables.pages_with_tables(DOCS):
        yield page, tables.with_tables(page.read_text(encoding="utf-8"))
    yield listings.PATH, listings.module()


def main(arguments: list[str] | None = None) -> int:
    """Write changed files, or with `--check` only list them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m doctools", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write no file; fail if one is stale")
    check = parser.parse_args(arguments).check
    stale = 0
    for path, text in made():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(path.relative_to(DOCS.parent), "is stale" if check else "written")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
