"""`claimeven dataset`: the files it writes, and work that was stopped."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from claimeven.dataset.files import DatasetJournal
from tests.cli.conftest import Run, bad_input, interrupted

SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--table-mb", "1")

unix = pytest.mark.skipif(sys.platform == "win32", reason="no such signals")


def test_a_file_is_written_and_reported(run: Run, tmp_path: Path) -> None:
    out_file = tmp_path / "set.parquet"
    words = ("dataset", "--positions", "40", "--plies", "4-12", "--out", str(out_file), *SMALL)
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    assert " ".join(result.out.split()).startswith(f"{out_file}: 40 positions")
    output = bad_input(run(*words))
    assert output == f"{out_file} already exists: choose another name or remove it"
    other = str(tmp_path / "one.csv")
    asked = ("--positions", "3", "--out", other, "--json")
    output = json.loads(run("dataset", *asked, *SMALL).out)
    assert output["plies"] == "2-13"  # as far into a game of this board as 8-36 of the usual one
    Path(other).unlink()
    asked = ("--positions", "3", "--plies", "6", "--out", other, "--json")
    assert json.loads(run("dataset", *asked, *SMALL).out)["positions"] == 3
    out_file = tmp_path / "a.csv"
    result = run("dataset", "--positions", "1", "--plies", "4", "--out", str(out_file), *SMALL)
    assert " ".join(result.out.split()).startswith(f"{out_file}: 1 position, ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--out x.csv", "the source random needs a number of positions; only the source all"),
        ("--source all --positions 5 --out x.csv", "leave positions out"),
        ("--source all --seed 5 --out x.csv", "the source all takes no seed"),
        ("--positions 5 --out x.txt", "must end in .csv or .parquet"),
        ("--positions 0 --out x.csv", "positions must be 1 or more, got 0"),
        (
            "--positions 5 --plies a-b --out x.csv",
            "--plies must be a number or a range such as 8-20",
        ),
        (
            "--positions 5 --plies 20-8 --out x.csv",
            "plies must be within 0-41 on 7x6 connect 4, the lower one first, got 20-8",
        ),
        (
            "--positions 5 --source games --out x.csv",
            "there is no source 'games': choose from random, selfplay, mixed, all",
        ),
        ("--positions 5 --source mixed --random-moves 2 --out x.csv", "must be 0 to 1, got 2.0"),
        ("--positions 5 --random-moves 0.1 --out x.csv", "only the source mixed takes a share"),
        ("--positions 5 --random-moves 0 --out x.csv", "only the source mixed takes a share"),
        ("--positions 5 --one-per-game --out x.csv", "only the source mixed takes one position"),
        ("--positions 5 --split 2 --out x.csv", "share to train on must be 0 to 1, got"),
        ("--positions 5 --optimal-only --out x.csv", "only the source mixed takes optimal only"),
        ("--positions 5 --source rndom --out x.csv", "there is no source 'rndom' (did you mean"),
        ("--positions 5 --out /nowhere/x.csv", "cannot be written: there is no folder /nowhere"),
        ("--positions 5 --out=", "a file to write must have a name, got ''"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: str, sentence: str) -> None:
    assert sentence in bad_input(run("dataset", *words.split()))


def test_both_sides_of_a_split_are_reported(run: Run, tmp_path: Path) -> None:
    path, other = tmp_path / "set.csv", tmp_path / "set-held-out.csv"
    words = ("dataset", "--positions", "60", "--plies", "4-12", "--source", "mixed", "--split",
             "0.8", "--random-moves", "0.1", "--out", str(path), *SMALL)  # fmt: skip
    output = json.loads(run(*words, "--json").out)
    assert (output["out"], output["held_out"]) == (str(path), str(other))
    assert output["positions"] + output["held_out_positions"] == 60
    assert (output["random_moves"], output["one_per_game"]) == (0.1, False)
    assert len(path.read_text().splitlines()) == output["positions"] + 1
    path.unlink()
    other.unlink()
    text = " ".join(run(*words).out.split())
    held_out = f"held out, {other}: {output['held_out_positions']}, "
    assert text.startswith(f"{path}: {output['positions']} positions; {held_out}")
    assert output["nodes"] > 0


def test_several_playouts_of_a_game_are_resumed_equally(run: Run, tmp_path: Path) -> None:
    words = ("dataset", "--plies", "6-14", "--source", "mixed", "--playouts-per-game", "3",
             "--branch-ply", "9", *SMALL)  # fmt: skip
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    output = json.loads(run(*words, "--positions", "90", "--out", str(whole), "--json").out)
    assert (output["playouts_per_game"], output["branch_ply"]) == (3, 9)
    others = ("out", "positions", "nodes", "seconds", "claimeven", "provenance")
    header = {name: output[name] for name in output if name not in others}
    lines = whole.read_text().splitlines()
    with closing(DatasetJournal(parts, header, lines[0].split(","))) as journal:
        journal.append((int(line.split(",")[0]), line.split(",")) for line in lines[1:41])
    run(*words, "--positions", "90", "--out", str(parts))
    assert parts.read_bytes() == whole.read_bytes()


def test_only_the_best_columns_are_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    words = ("dataset", "--positions", "30", "--plies", "4-12", "--source", "mixed",
             "--optimal-only", "--out", str(path), *SMALL)  # fmt: skip
    output = json.loads(run(*words, "--json").out)
    assert (output["positions"], output["optimal_only"]) == (30, 1)
    first, *rows = path.read_text().splitlines()
    assert first == "game,moves,ply,mine,mask,score,optimal,optimal_1,optimal_2,optimal_3,optimal_4"
    for row in rows:
        optimal, *each = row.split(",")[6:]
        assert each.count("1") == int(optimal) and set(each) <= {"0", "1", ""}


def test_all_positions_of_a_small_board(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    words = ("dataset", "--source", "all", "--plies", "0-2", "--out", str(path), *SMALL)
    output = json.loads(run(*words, "--json").out)
    assert (output["positions"], output["source"], output["seed"]) == (1 + 2 + 8, "all", 0)
    assert "held_out" not in output
    path.unlink()
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    assert " ".join(result.out.split()).startswith(f"{path}: 11 positions")


@unix
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_all_positions_resume_after_a_signal(run: Run, tmp_path: Path, end: signal.Signals) -> None:
    board = ("--columns", "5", "--rows", "5", "--no-book", "--table-mb", "4")

    def words(name: str, plies: str) -> list[str]:
        path = str(tmp_path / name)
        return ["dataset", "--source", "all", "--plies", plies, "--out", path, *board]

    partial = tmp_path / "parted.csv.partial"

    def is_under_way() -> bool:
        if not partial.exists() or partial.stat().st_size <= 500:
            return False
        output = bad_input(run(*words("parted.csv", "6")))
        assert output == f"{partial} cannot be written: another process is writing it"
        return True

    finished = interrupted(*words("parted.csv", "6"), when=is_under_way, by=end)
    assert "Traceback" not in finished.err
    assert ("run the same command to continue from" in finished.err) == (end == signal.SIGINT)
    assert finished.status == (130 if end == signal.SIGINT else -signal.SIGKILL)
    assert [path.name for path in tmp_path.iterdir()] == [partial.name]
    for name in ("parted.csv", "whole.csv"):
        assert run(*words(name, "6")).status == 0
    assert (tmp_path / "parted.csv").read_text() == (tmp_path / "whole.csv").read_text()


@unix
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("source", ["random", "mixed"])
def test_a_data_set_ended_by_a_signal_continues(
    run: Run, tmp_path: Path, end: signal.Signals, source: str
) -> None:
    board = ("--columns", "5", "--rows", "5", "--plies", "6-20", "--seed", "4", "--table-mb", "1",
             "--source", source, "--threads", "2")  # fmt: skip

    def words(name: str, positions: int) -> list[str]:
        return ["dataset", *board, "--positions", str(positions), "--out", str(tmp_path / name)]

    partial = tmp_path / "parted.csv.partial"
    finished = interrupted(
        *words("parted.csv", 10**7),
        when=lambda: partial.exists() and partial.stat().st_size > 5000,
        by=end,
    )
    assert "Traceback" not in finished.err
    assert ("run the same command to continue from" in finished.err) == (end == signal.SIGINT)
    assert finished.status == (130 if end == signal.SIGINT else -signal.SIGKILL)
    rows = partial.read_bytes().count(b"\n") - 1
    assert rows > 0
    for name in ("parted.csv", "whole.csv"):
        assert run(*words(name, rows + 70)).status == 0
    assert (tmp_path / "parted.csv").read_text() == (tmp_path / "whole.csv").read_text()
    left = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".toml")
    assert left == ["parted.csv", "parted.csv.md", "whole.csv", "whole.csv.md"]


@unix
def test_ctrl_c_ends_threads_that_search_long(tmp_path: Path) -> None:
    partial = tmp_path / "set.csv.partial"
    words = ("dataset", "--columns", "8", "--rows", "7", "--source", "mixed", "--random-moves", "0",
             "--threads", "2", "--positions", "9", "--out", str(tmp_path / "set.csv"))  # fmt: skip
    result = interrupted(*words, when=partial.exists)
    assert (result.status, result.out) == (130, "")
    assert "run the same command to continue from" in result.err and "Traceback" not in result.err


@unix
def test_random_positions_that_take_long_are_stored_one_by_one(tmp_path: Path) -> None:
    """Of 8x7 with few discs one takes seconds: a second's work is lost, and not 64 positions."""
    partial = tmp_path / "set.csv.partial"
    words = ("dataset", "--columns", "8", "--rows", "7", "--plies", "30-34", "--seed", "3",
             "--positions", "500", "--out", str(tmp_path / "set.csv"))  # fmt: skip

    def has_rows() -> bool:
        return partial.exists() and partial.read_bytes().count(b"\n") > 4

    result = interrupted(*words, when=has_rows)
    assert result.status == 130
    assert partial.read_bytes().count(b"\n") < 64


@unix
def test_a_full_disk_names_the_file(run: Run, tmp_path: Path) -> None:
    """No file may grow beyond 2000 bytes, as on a full disk."""
    resource: Any = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    out_file = tmp_path / "set.csv"
    words = ("--positions", "1000", "--plies", "4-12", "--out", str(out_file))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        result = run("dataset", *words, *SMALL)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    output = bad_input(result)
    assert output == f"{out_file}.partial cannot be written: File too large"
    assert not out_file.exists()
