"""Outputs fit 80 columns, and 40 without losing anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claimeven.cli.common.output import text_size
from tests.cli.conftest import Run

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")

OUTPUTS = {
    "counts": ("book", "counts", "BOOK"),
    "info": ("book", "info", "BOOK"),
    "perft": ("perft", "9"),
    "explain": ("explain", "44455554221", "--table-mb", "4"),
    "analyze": ("analyze", "12121", *SMALL),
    "agents": ("agents",),
    "think": ("think", "112233", "--agent", "alphabeta:depth=3"),
    "think wide": ("think", "", "--agent", "uct:iterations=50", "--columns", "16", "--rows", "4"),
    "play": ("play", "--first", "greedy", "--second", "random", "--thinking", "low", "--seed", "1"),
}


def lines_of(run: Run, words: tuple[str, ...]) -> list[str]:
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    return result.out.splitlines()


@pytest.mark.parametrize("words", OUTPUTS.values(), ids=OUTPUTS)
def test_outputs_fit_without_loss(
    run: Run, small_book: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    words = tuple(str(small_book) if word == "BOOK" else word for word in words)
    wide = lines_of(run, words)
    monkeypatch.setenv("COLUMNS", "40")
    narrow = lines_of(run, words)
    shown = {word for line in narrow for word in line.split()}
    # Times differ from run to run.
    lost = {word for line in wide for word in line.split()} - shown
    assert not {word for word in lost if "." not in word}
    # A path or a name without a blank in it cannot be parted.
    for lines, width in ((wide, 80), (narrow, 40)):
        assert all(len(line) <= width or " " not in line.strip() for line in lines)


def test_the_tree_of_a_search_fits_an_ordinary_terminal(run: Run) -> None:
    lines = lines_of(run, ("think", "4455", "--agent", "alphabeta:depth=3", "--tree"))
    tree = lines[next(at for at, line in enumerate(lines) if line.startswith("window, value")) :]
    assert max(map(len, tree)) <= 78  # `play` indents a tree by two


@pytest.mark.parametrize(
    "words",
    [
        ("match", "BOT", "greedy", "--games", "2"),
        ("tournament", "BOT", "greedy", "--rounds", "1", "--jobs", "1"),
        ("accuracy", "BOT", "greedy", "--count", "3", "--jobs", "1", "--show-worst", "0"),
    ],
    ids=lambda words: words[0],
)
def test_the_rows_of_wide_names_go_below_the_names(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    name = "\u6f22\u5b57\u306e\u540d\u524d"
    (tmp_path / f"{name}.py").write_text("def agent(position): return position.legal_columns[0]\n")
    monkeypatch.chdir(tmp_path)
    result = run(*(f"{name}.py" if word == "BOT" else word for word in words))
    lines = result.out.splitlines()
    assert max(map(text_size, lines)) <= 80
    rows = [line for line in lines if re.match(rf"[> \d-]*(greedy|{name})( |\.py )", line)]
    assert len(rows) >= 2
    assert text_size(rows[0]) == text_size(rows[1])
