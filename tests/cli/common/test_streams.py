"""Bytes of any kind come in and any text goes out, without a traceback."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from claimeven import __version__
from claimeven.cli.common.output import table_width, text_width
from claimeven.cli.common.streams import as_file, one_line, write_json
from claimeven.networks.loading import BUNDLED_NET
from tests import forks
from tests.cli.conftest import Run

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs the streams of Unix")

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")

#: A move string, no text in UTF-8, a surrogate half, a null, other digits, a move string.
ODD_LINES = b"12\n1\xff\n\xed\xa0\x80\n1\x002\n\xd9\xa1\n21\n"


def test_a_stream_that_is_no_utf8_is_answered_line_by_line(run: Run) -> None:
    result = run("solve", "-", *SMALL, typed=b"12\n\xff\n21\n")
    assert result.status == 1
    assert [line.split(" ")[0] for line in result.out.splitlines()] == ["12", "", "21"]
    assert result.err == (
        "claimeven: line 2: move 1: '\\udcff' is not a column: choose from 1 to 4\n"
    )


@pytest.mark.parametrize("verb", ["solve", "explain", "analyze"])
@pytest.mark.parametrize("from_file", [False, True], ids=["stdin", "file"])
def test_odd_lines_are_rejected_and_the_others_answered(
    run: Run, tmp_path: Path, verb: str, from_file: bool
) -> None:
    file = tmp_path / "games.txt"
    file.write_bytes(ODD_LINES)
    name, where = (str(file), f"{file}, line") if from_file else ("-", "line")
    result = run(verb, name, *SMALL, "--json", typed=ODD_LINES)
    assert result.status == 1
    answers = result.out.splitlines()
    assert [answer == "null" for answer in answers] == [False, True, True, True, True, False]
    data = result.err.splitlines()
    assert [line.partition(": move")[0] for line in data] == [
        f"claimeven: {where} {number}" for number in (2, 3, 4, 5)
    ]
    words = run(verb, name, *SMALL, typed=ODD_LINES)
    assert (words.status, words.err) == (1, result.err)


def test_a_game_takes_odd_lines_for_no_columns(run: Run) -> None:
    result = run("play", "--second", "human", typed=b"\xff\n4\n\x00\nq\n")
    assert result.status == 0
    assert "'\\udcff' is not a column: choose from 1 to 7, or type help." in result.out.splitlines()
    assert "unfinished game: moves 4" in result.out


def test_a_book_text_with_odd_bytes_names_the_line(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "book.txt"
    text.write_bytes(b"# claimeven book: 4x4 connect 3, plies 1\n 4\n1\xff 3\n")
    result = run("book", "import", str(text), "--out", str(tmp_path / "a.book"))
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        f"claimeven: line 3 of {text}: move 2: '\\udcff' is not a column: choose from 1 to 4\n"
    )


def test_a_byte_order_mark_is_passed_over(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_bytes(b"\xef\xbb\xbf12\r\n21\r\n")
    assert run("solve", str(file), *SMALL).out == run("solve", "12", "21", *SMALL).out


def test_an_ascii_terminal_shows_names_and_reasons_with_escapes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "böt.py"
    file.write_text("def agent(p):\n    raise ValueError('grüße ☃ \\x1b[2J')\n", "utf-8")
    spec = f"{file}:agent"
    for words in (
        ("match", spec, "random", "--games", "2", "--show"),
        ("think", "44", "--agent", spec),
    ):
        result = run(*words, encoding="ascii")
        data = result.out + result.err
        assert "Traceback" not in data
        assert "b\\xf6t.py" in "".join(data.split())
        assert "gr\\xfc\\xdfe \\u2603" in data
        assert data.isascii()


#: One game, by a player whose name no locale but UTF-8 has.
TABLE = (
    "moves,first,second,opening,result,fault,reason,adjudicated\n4455,Jürgen ☃,bob,,unfinished,,,\n"
)


@pytest.mark.parametrize("locale", ["ascii", "latin-1"])
def test_standard_streams_are_utf8_in_any_locale(run: Run, tmp_path: Path, locale: str) -> None:
    there = {"typed": TABLE, "encoding": locale}
    assert run("convert", "-", "--to", "csv", **there).out == TABLE
    rows = run("convert", "-", "--to", "jsonl", **there).out
    assert json.loads(rows)["first"] == "Jürgen ☃"
    games = str(tmp_path / "games.db")
    assert run("games", games, "--import", "-", **there).status == 0
    assert json.loads(run("games", games, "--json").out)["first"] == "Jürgen ☃"
    assert run("solve", "-", *SMALL, typed="\ufeff12\n", encoding=locale).status == 0
    shutil.copy(BUNDLED_NET, tmp_path / "nü.npz")
    submission = run("export", f"net:model={tmp_path / 'nü.npz'}", "-o", "-", **there)
    assert "nü.npz" in submission.out


def test_a_program_in_another_locale_writes_utf8(process: Run) -> None:
    """Arguments in UTF-8, with other streams."""
    there = {"PYTHONIOENCODING": "latin-1:strict", "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    assert process("convert", "-", "--to", "csv", typed=TABLE, **there).out == TABLE


def test_foreign_text_is_shown_on_a_line_without_control_characters() -> None:
    assert one_line("a\n\tb\r\x1b[31m\x9b\x00ü\u2028") == "a b \\x1b[31m\\x9b\\x00ü"


@pytest.mark.parametrize(
    ("columns", "width"),
    [
        ("", 80), ("0", 80), ("-5", 80), ("1.5", 80), ("wide", 80), ("\u0661", 80), ("\xb2", 80),
        ("1", 1), ("120", 120), ("9" * 6, 999_999), ("9" * 5000, 999_999),
    ],
)  # fmt: skip
def test_the_variable_of_the_width_may_hold_anything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    with (tmp_path / "a").open("w") as file:
        assert table_width(file) == width
        assert text_width(file) == min(80, max(40, width))
    assert table_width(io.StringIO()) == table_width(file) == width  # one closed by now


@unix
def test_a_terminal_shows_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        for there, table, text in ((100, 100, 80), (57, 57, 57), (20, 20, 40), (0, 80, 80)):
            termios.tcsetwinsize(theirs, (24, there))
            assert (table_width(stream), text_width(stream)) == (table, text)
    os.close(ours)


#: Every part that can print does, in the middle of a result.
PRINTS = """
import os, subprocess, sys
from claimeven.cli.common.streams import clean_stdout, prepare_streams
prepare_streams()
print("bef\\xf6re")
with clean_stdout() as out:
    out.write("the r\xfc")
    print("printed")
    os.write(1, b"written\\n")
    sys.__stdout__.write("past it\\n")
    subprocess.run([sys.executable, "-c", "print('a child')"], check=True)
    out.write("sult\\n")
print("after")
os.write(1, b"the end\\n")
"""


@unix
def test_a_result_stays_whole_despite_other_prints() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", PRINTS],
        capture_output=True, text=True, timeout=300, check=False,
        env={**forks.environment(), "PYTHONIOENCODING": "ascii:strict", "PYTHONUNBUFFERED": ""},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    message = sorted(finished.stdout.splitlines())
    assert message == ["after", "bef\\xf6re", "the end", "the r\\xfcsult"]
    assert sorted(finished.stderr.splitlines()) == ["a child", "past it", "printed", "written"]


@unix
@pytest.mark.parametrize(
    "words", [("convert", "a.txt", "--to", "csv"), ("match", "random", "random", "--games", "2")]
)
def test_a_program_without_streams_works(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "a.txt").write_text("4455\n", "utf-8")
    finished = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *forks.command(*words)],
        cwd=tmp_path, env=forks.environment(), timeout=300, check=False,
    )  # fmt: skip
    assert finished.returncode == 0


@unix
def test_a_terminal_keeps_the_encoding_it_shows(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="latin-1") as stream:
        assert as_file(stream).encoding == "latin-1"
    os.close(ours)
    with (tmp_path / "a").open("w", encoding="latin-1", errors="backslashreplace") as file:
        assert (as_file(file).encoding, file.errors) == ("utf-8", "backslashreplace")


def test_a_result_can_be_written() -> None:
    given = {
        "array": np.array([[1.5, math.inf], [2, math.nan]]),
        "number": np.int64(3),
        "flags": [True, None, np.bool_(False)],
        "sets": [{4}, frozenset(), (5,), range(2)],
        "float": [np.float64(0.5), -math.inf],
        2: {None: 1},
    }
    stream = io.StringIO()
    write_json(given, stream)
    assert stream.getvalue().endswith("}\n")
    assert stream.getvalue().count("\n") == 1
    assert '"flags": [true, null, false]' in stream.getvalue()
    assert json.loads(stream.getvalue()) == {
        "claimeven": __version__,
        "array": [[1.5, None], [2.0, None]],
        "number": 3,
        "flags": [True, None, False],
        "sets": [[4], [], [5], "range(0, 2)"],
        "float": [0.5, None],
        "2": {"None": 1},
    }
