"""The verbs explain, analyze and dataset: what they print, refuse and write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimeven.cli.main import main

SMALL = ["--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1"]
FAST = ["--table-mb", "4"]

#: What a command says on stderr when it is the first to need compiled code.
COMPILING = "compiling the searches, once after an installation ...\n"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    captured = capsys.readouterr()
    # Whichever test needs compiled code first is told so; that is not what is tested here.
    return int(ended.value.code or 0), captured.out, captured.err.replace(COMPILING, "")


def test_explain_tells_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "explain", "44455554221", *FAST)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    told = " ".join(out.split())
    assert "The first player wins with disc 13, in 2 plies." in told
    assert "The first player threatens row 1 of column 3 and row 2 above it:" in told
    assert [line[:6] for line in lines if line[:1].isdigit()] == [f"{c}  -15" for c in "4352617"]


def test_explain_json_holds_scores_and_claims(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "explain", "226744515337", "--json", *FAST)
    data = json.loads(out)
    assert status == 0
    assert data["moves"] == "226744515337"
    assert data["scores"] == [-1, 0, -1, 7, 6, -2, 0]
    assert (data["score"], data["best"]) == (7, [4])
    assert [column["column"] for column in data["columns"]] == [4, 5, 2, 7, 3, 1, 6]
    for column in data["columns"]:
        assert column["claims"][0]["kind"] == "verdict"
        assert all(claim["text"].endswith(".") for claim in column["claims"])


def test_analyze_prints_a_table_accuracies_and_a_chart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "analyze", "12121", *SMALL)
    assert status == 0
    assert "The game is over: first player wins with disc 5." in out
    assert "first player:  accuracy" in out and "second player: accuracy" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    status, out, _ = run(capsys, "analyze", "1212", *SMALL)
    assert "Best play from here: first player wins with disc 5, in 1 ply." in out


def test_analyze_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "analyze", "1212", "--json", *SMALL)
    data = json.loads(out)
    assert status == 0
    assert len(data["judged"]) == 4 and len(data["course"]) == 5
    assert data["outcome"] is None


def test_dataset_writes_a_file_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out_file = tmp_path / "set.parquet"
    words = ["dataset", "--positions", "40", "--plies", "4-12", "--out", str(out_file), *SMALL]
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert out.startswith(f"{out_file}: 40 positions")
    status, _, err = run(capsys, *words)
    assert status == 2
    assert err == f"claimeven: {out_file} is there already: choose another name or remove it\n"
    other = str(tmp_path / "one.csv")
    status, out, _ = run(
        capsys, "dataset", "--positions", "3", "--plies", "6", "--out", other, "--json", *SMALL
    )
    assert json.loads(out)["positions"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["explain", "4x"], "move 2: 'x' is not a column: choose from 1 to 7"),
        (["explain", "4444444"], "move 7: column 4 is full"),
        (["explain", "1212121"], "the game is over after 1212121: first player wins"),
        (["explain", "", "--columns", "9", "--rows", "9"], "the solver holds boards of columns"),
        (["explain", "4", "--table-mb", "0"], "a table takes more than 0 MB, not 0.0"),
        (["analyze", "8"], "move 1: '8' is not a column: choose from 1 to 7"),
        (["analyze", "4444444"], "move 7: column 4 is full"),
        (["analyze", "12121212"], "move 8: column 2 cannot be played: the game is over"),
        (["analyze", "", "--columns", "9", "--rows", "9"], "the solver holds boards of columns"),
        (["analyze", "4", "--threads", "0"], "a solver works with 1 thread or more, not 0"),
        (["dataset", "--out", "x.csv"], "Missing option '--positions'"),
        (["dataset", "--positions", "5", "--out", "x.txt"], "must end in .csv or .parquet"),
        (["dataset", "--positions", "0", "--out", "x.csv"], "positions must be 1 or more, not 0"),
        (
            ["dataset", "--positions", "5", "--plies", "a-b", "--out", "x.csv"],
            "--plies a-b: give two plies such as 8-20, or one",
        ),
        (
            ["dataset", "--positions", "5", "--plies", "20-8", "--out", "x.csv"],
            "plies must lie within 0-41 on 7x6 connect 4, the lower one first, not 20-8",
        ),
        (
            ["dataset", "--positions", "5", "--source", "games", "--out", "x.csv"],
            "there is no source 'games': choose from random, selfplay",
        ),
        (
            ["dataset", "--positions", "5", "--out", "/nowhere/x.csv"],
            "/nowhere/x.csv cannot be written: there is no folder /nowhere",
        ),
    ],
)
def test_bad_input_ends_in_one_sentence_and_status_2(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert sentence in err


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_data_set_ended_by_a_signal_goes_on(tmp_path: Path, end: signal.Signals) -> None:
    command = [sys.executable, "-m", "claimeven", "dataset", "--plies", "14-30", "--seed", "4"]

    def words(name: str, positions: int) -> list[str]:
        return [*command, "--positions", str(positions), "--out", str(tmp_path / name), *FAST]

    endless = subprocess.Popen(words("parted.csv", 10**7), stderr=subprocess.PIPE)
    partial = tmp_path / "parted.csv.partial"
    while endless.poll() is None and not (partial.exists() and partial.stat().st_size > 5000):
        time.sleep(0.02)
    os.kill(endless.pid, end)
    _, err = endless.communicate()
    assert b"Traceback" not in err
    assert (b"run the same again to go on from" in err) == (end == signal.SIGINT)
    assert endless.returncode == (130 if end == signal.SIGINT else -signal.SIGKILL)
    rows = partial.read_bytes().count(b"\n") - 1
    assert rows > 0
    for name in ("parted.csv", "whole.csv"):
        subprocess.run(words(name, rows + 70), check=True, capture_output=True)
    assert (tmp_path / "parted.csv").read_text() == (tmp_path / "whole.csv").read_text()
