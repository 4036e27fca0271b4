"""`claimeven analyze`: games typed, in files and on stdin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, bad_input

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")


def test_a_table_accuracies_and_a_chart(run: Run) -> None:
    result = run("analyze", "12121", *SMALL)
    assert (result.status, result.err) == (0, "")
    assert "The game is over: Yellow wins with move 3." in result.out
    assert "Yellow: accuracy" in result.out
    assert "Red:    accuracy" in result.out
    assert all(len(line) <= 80 for line in result.out.splitlines())
    unfinished = run("analyze", "1212", *SMALL).out
    assert "Best play from here: Yellow wins in 1 move." in unfinished


def test_the_chart_is_drawn_as_the_terminal_can_show_it(run: Run) -> None:
    blocks = run("analyze", "12121", *SMALL)
    plain = run("analyze", "12121", *SMALL, encoding="ascii")
    assert (blocks.status, plain.status, plain.err) == (0, 0, "")
    assert "█" in blocks.out
    assert plain.out.isascii() and "?" not in plain.out


def test_json(run: Run) -> None:
    data = json.loads(run("analyze", "1212", "--json", *SMALL).out)
    assert len(data["judged_moves"]) == 4
    assert len(data["score_history"]) == 5
    assert data["outcome"] is None


def test_a_line_of_moves_is_read_as_in_records(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("-\n12121\n12 3\n1 2 3\n")
    result = run("analyze", str(path), *SMALL)
    assert (result.status, result.err) == (1, "")  # 12 is worth something else than 3
    assert result.out.count("The file gives a wrong score for the last position: 3.") == 1
    heads = [line for line in result.out.splitlines() if line.startswith("game ")]
    assert heads == ["game (no moves)", "game 12121", "game 12", "game 123"]


@pytest.mark.parametrize("from_file", [False, True], ids=["stdin", "file"])
def test_many_games_are_judged_line_by_line(run: Run, tmp_path: Path, from_file: bool) -> None:
    games = "12121\n1 2 3\n55\n\n"
    file = tmp_path / "games.txt"
    file.write_text(games)
    name = str(file) if from_file else "-"
    result = run("analyze", name, *SMALL, typed=games)
    assert result.status == 1
    where = f"{file}, line" if from_file else "line"
    assert result.err == (
        f"claimeven: {where} 3: move 1: '5' is not a column: choose from 1 to 4\n"
    )
    heads = [line for line in result.out.splitlines() if line.startswith("game ")]
    assert heads == ["game 12121", "game 123", "game 55", "game (no moves)"]
    assert "not judged: move 1: '5' is not a column: choose from 1 to 4" in result.out.splitlines()
    lines = run("analyze", name, "--json", *SMALL, typed=games).out.splitlines()
    assert lines[2] == "null"
    for line, moves in zip(lines, ("12121", "123", None, ""), strict=True):
        assert moves is None or json.loads(line)["moves"] == moves
    assert lines[0] + "\n" == run("analyze", "12121", "--json", *SMALL).out


def test_a_book_may_be_named(run: Run, tmp_path: Path) -> None:
    """A book whose scores are wrong shows that it was asked."""
    text, book = tmp_path / "book.txt", str(tmp_path / "odd.book")
    text.write_text("# claimeven book: 4x4 connect 3, plies 1\n -7\n1 5\n2 6\n")
    assert run("book", "import", str(text), "--out", book).status == 0
    with_book, without, default = (
        json.loads(run("analyze", "1", "--json", *SMALL, *words).out)["score_history"]
        for words in (("--book", book), ("--no-book",), ())
    )
    assert with_book[-1] == -5
    assert without == default != with_book
    assert run("solve", "", "1", "--book", book, *SMALL).out == " -7\n1 5\n"
    output = bad_input(run("explain", "", "--book", book, *SMALL))
    assert output.startswith("the book is wrong: no column leads to its score ")
    result = run("solve", "", "--book", book)
    assert bad_input(result) == "the book is for 4x4 connect 3, the solver for 7x6 connect 4"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("8",), "move 1: '8' is not a column: choose from 1 to 7"),
        (("4444444",), "move 7: column 4 is full"),
        (("12121212",), "move 8: column 2 cannot be played: the game is over"),
        (("", "--columns", "13", "--rows", "9"), "the solver supports boards of columns"),
        (("4", "--threads", "0"), "threads must be 1 to 256, got 0"),
        (("games.txt",), "there is no file games.txt"),
        (
            ("44", "--book", "missing.book"),
            "missing.book cannot be read: No such file or directory",
        ),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in bad_input(run("analyze", *words))
