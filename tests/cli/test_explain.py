"""`claimeven explain`: sentences and claims for positions typed, in files and on stdin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, bad_input

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")
FAST = ("--table-mb", "4")


def test_every_column_is_reported(run: Run) -> None:
    result = run("explain", "44455554221", *FAST)
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    output = " ".join(result.out.split())
    assert "Yellow wins in 1 move." in output
    assert "Yellow threatens row 1 of column 3 and row 2 above it:" in output
    assert [line[:6] for line in lines if line[:1].isdigit()] == [f"{c}  -15" for c in "4352617"]


def test_json_holds_scores_and_claims(run: Run) -> None:
    result = run("explain", "226744515337", "--json", *FAST)
    data = json.loads(result.out)
    assert result.status == 0
    assert data["moves"] == "226744515337"
    assert data["scores"] == [-1, 0, -1, 7, 6, -2, 0]
    assert (data["score"], data["best"]) == (7, [4])
    assert [column["column"] for column in data["columns"]] == [4, 5, 2, 7, 3, 1, 6]
    for column in data["columns"]:
        assert column["claims"][0]["kind"] == "column_score"
        assert all(claim["text"].endswith(".") for claim in column["claims"])


def test_each_of_many_positions_has_its_moves_above_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "positions.txt"
    file.write_text("12\n9\n\n")
    result = run("explain", "21", str(file), *SMALL)
    assert result.status == 1
    assert result.err.startswith(f"claimeven: {file}, line 2: move 1: '9' is not a column")
    heads = [line for line in result.out.splitlines() if line.startswith("position ")]
    assert heads == ["position 21", "position 12", "position 9", "position (the empty board)"]
    assert "not explained: move 1: '9' is not a column: choose from 1 to 4" in result.out
    answers = [
        json.loads(line)
        for line in run("explain", "21", str(file), "--json", *SMALL).out.splitlines()
    ]
    assert [None if answer is None else answer["moves"] for answer in answers] == [
        "21",
        "12",
        None,
        "",
    ]
    one = json.loads(run("explain", "12", "--json", *SMALL).out)
    assert answers[1] == one


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("4x",), "move 2: 'x' is not a column: choose from 1 to 7"),
        (("4444444",), "move 7: column 4 is full"),
        (("1212121",), "the game is over after 1212121: Yellow wins"),
        (("", "--columns", "13", "--rows", "9"), "the solver supports boards of columns"),
        (("4", "--table-mb", "0"), "the MB of a table must be greater than 0, got 0.0"),
        (("nowhere.txt",), "there is no file nowhere.txt"),
        ((), "Missing argument 'MOVES...'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in bad_input(run("explain", *words))
