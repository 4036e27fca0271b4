"""Bytes of any kind come in and any text goes out: nothing ends in a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from claimeven.cli.shared.streams import printable
from claimeven.networks.evaluators import SHIPPED_NET
from tests.cli.conftest import Run

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")

#: A move string, no text in UTF-8, a surrogate half, a null, other digits, a move string.
ODD_LINES = b"12\n1\xff\n\xed\xa0\x80\n1\x002\n\xd9\xa1\n21\n"


def test_a_stream_that_is_no_utf8_is_answered_line_by_line(process: Run) -> None:
    ran = process("solve", "-", *SMALL, typed=b"12\n\xff\n21\n", PYTHONIOENCODING="utf-8:strict")
    assert ran.status == 1
    assert [line.split(" ")[0] for line in ran.out.splitlines()] == ["12", "", "21"]
    assert ran.err == ("claimeven: line 2: move 1: '\\udcff' is not a column: choose from 1 to 4\n")


@pytest.mark.parametrize("verb", ["solve", "explain", "analyze"])
@pytest.mark.parametrize("from_file", [False, True], ids=["stdin", "file"])
def test_odd_lines_are_refused_and_the_others_answered(
    run: Run, tmp_path: Path, verb: str, from_file: bool
) -> None:
    file = tmp_path / "games.txt"
    file.write_bytes(ODD_LINES)
    name, where = (str(file), f"{file}, line") if from_file else ("-", "line")
    ran = run(verb, name, *SMALL, "--json", typed=ODD_LINES)
    assert ran.status == 1
    answers = ran.out.splitlines()
    assert [answer == "null" for answer in answers] == [False, True, True, True, True, False]
    told = ran.err.splitlines()
    assert [line.partition(": move")[0] for line in told] == [
        f"claimeven: {where} {number}" for number in (2, 3, 4, 5)
    ]
    words = run(verb, name, *SMALL, typed=ODD_LINES)
    assert (words.status, words.err) == (1, ran.err)


def test_a_game_takes_odd_lines_for_no_columns(run: Run) -> None:
    ran = run("play", "--second", "human", typed=b"\xff\n4\n\x00\nq\n")
    assert ran.status == 0
    assert "'\\udcff' is not a column: choose from 1 to 7, or type help." in ran.out.splitlines()
    assert "game left after moves 4" in ran.out


def test_a_book_text_with_odd_bytes_names_the_line(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "book.txt"
    text.write_bytes(b"# claimeven book: 4x4 connect 3, plies 1\n 4\n1\xff 3\n")
    ran = run("book", "import", str(text), "--out", str(tmp_path / "a.book"))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        f"claimeven: line 3 of {text}: move 2: '\\udcff' is not a column: choose from 1 to 4\n"
    )


def test_a_byte_order_mark_is_passed_over(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_bytes(b"\xef\xbb\xbf12\r\n21\r\n")
    assert run("solve", str(file), *SMALL).out == run("solve", "12", "21", *SMALL).out


def test_an_ascii_terminal_shows_names_and_reasons_with_escapes(
    process: Run, tmp_path: Path
) -> None:
    file = tmp_path / "böt.py"
    file.write_text("def agent(p):\n    raise ValueError('grüße \\x1b[2J')\n", encoding="utf-8")
    spec = f"{file}:agent"
    for words in (
        ("match", spec, "random", "--games", "2", "--show"),
        ("think", "44", "--agent", spec),
    ):
        ran = process(*words, PYTHONIOENCODING="ascii:strict", LC_ALL="C")
        told = ran.out + ran.err
        assert "Traceback" not in told
        assert "b\\xf6t.py" in "".join(told.split())
        assert "gr\\xfc\\xdfe" in told
        assert told.isascii()


#: One game, by a player whose name no locale but UTF-8 has.
TABLE = "moves,first,second,opening,result,fault,reason\n4455,Jürgen ☃,bob,,unfinished,,\n"


@pytest.mark.parametrize("locale", ["ascii:strict", "latin-1:strict"])
def test_what_stands_for_a_file_is_utf8_in_any_locale(
    process: Run, run: Run, tmp_path: Path, locale: str
) -> None:
    # Arguments in UTF-8, whatever the streams are.
    there = {"PYTHONIOENCODING": locale, "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    assert process("convert", "-", "--to", "csv", typed=TABLE, **there).out == TABLE
    rows = process("convert", "-", "--to", "jsonl", typed=TABLE, **there).out
    assert json.loads(rows)["first"] == "Jürgen ☃"
    games = str(tmp_path / "games.db")
    assert process("games", games, "--import", "-", typed=TABLE, **there).status == 0
    assert json.loads(run("games", games, "--json").out)["first"] == "Jürgen ☃"
    assert process("solve", "-", *SMALL, typed="\ufeff12\n", **there).status == 0
    shutil.copy(SHIPPED_NET, tmp_path / "nü.npz")
    submission = process("export", f"net:model={tmp_path / 'nü.npz'}", "-o", "-", **there)
    assert "nü.npz" in submission.out


def test_foreign_text_is_shown_on_a_line_without_control_characters() -> None:
    assert printable("a\n\tb\r\x1b[31m\x9b\x00ü\u2028") == "a b \\x1b[31m\\x9b\\x00ü"
