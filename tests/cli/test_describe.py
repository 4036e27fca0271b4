"""`claimeven describe`: what made a file of any kind."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import claimeven
from tests.cli.conftest import Run, bad_input

PAGE = Path(__file__).parents[2] / "docs" / "files.md"
SMALL = ("--columns", "4", "--rows", "4", "--connect", "3")
BOARD = {"columns": 4, "rows": 4, "connect": 3}
MATCH = ("match", "greedy", "random", "--games", "4", "--seed", "3", *SMALL)
DATASET = ("dataset", "--positions", "20", "--plies", "3-8", "--seed", "5", *SMALL)
TRAINING = (
    "train", "ntuple", "--games", "20", "--eval-every", "20", "--tuples", "3", "--length", "3",
    "--eval-games", "1", "--seed", "7", *SMALL,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def described(run: Run, *files: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in run("describe", *files, "--json").out.splitlines():
        found += json.loads(line)["descriptions"]
    return found


def meta_of(path: str) -> dict[str, Any]:
    """Return the values of a store, read without claimeven."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT key, value FROM meta").fetchall()
    return {key: json.loads(value) for key, value in rows}


def header_of(path: str) -> dict[str, Any]:
    """Return the header of a model, read without claimeven."""
    with zipfile.ZipFile(path) as archive:
        header = np.load(io.BytesIO(archive.read("header.npy")))
    found: dict[str, Any] = json.loads(header.tobytes())
    return found


def test_each_kind_of_file_states_its_origin(run: Run) -> None:
    result = run(*MATCH, "--out", "games.db", "--json")
    Path("result.json").write_text(result.out)
    for end in ("csv", "parquet"):
        assert run(*DATASET, "--out", f"set.{end}").status == 0
    assert run(*TRAINING, "--out", "run").status == 0
    assert run("book", "build", "--plies", "2", "--out", "small.book", *SMALL).status == 0
    (book,) = described(run, "small.book")
    assert (book["kind"], book["schema"], book["board"]) == ("book", 3, BOARD)
    assert book["command"] == {"command": "book build", "plies": 2, **BOARD}
    files = ("games.db", "result.json", "set.csv", "set.csv.md", "set.parquet", "run/model.npz",
             "run/checkpoint.npz", "run")  # fmt: skip
    found = described(run, *files)
    kinds = ["store", "result", *["data set"] * 3, "model", "run", "run"]
    assert [about["kind"] for about in found] == kinds
    page = PAGE.read_text(encoding="utf-8")
    for about in found:
        assert about["schema"] == 1
        assert about["claimeven"] == claimeven.__version__
        assert about["python"] == platform.python_version()
        assert about["packages"]["numpy"] == np.__version__
        assert about["board"] == BOARD
        assert platform.system() in about["machine"]
        assert all(f"`{key}`" in page for key in about)
    assert [about["seed"] for about in found] == [3, 3, 5, 5, 5, 7, 7, 7]
    commands = [about["command"]["command"] for about in found]
    assert commands == ["match"] * 2 + ["dataset"] * 3 + ["train ntuple"] * 3
    assert meta_of("games.db")["runs"] == found[:1]
    assert json.loads(result.out)["provenance"] == found[1]
    assert header_of("run/model.npz")["provenance"] == found[5]
    assert found[3] == found[2]
    Path("set.parquet.md").unlink()
    assert described(run, "set.parquet") == [found[4]]  # the file has it too


def test_folders_of_games_and_files_of_options(run: Run) -> None:
    words = ("--option", "block=yes,no", "--against", "random", "--tries", "2", "--games", "4",
             "--final-games", "2", *SMALL)  # fmt: skip
    assert run("tune", "greedy", *words, "--out", "tuned").status == 0
    assert run("study", "run", "polito-counting", "--out", "studies").status == 0
    (tuned,) = described(run, "tuned")
    assert (tuned["kind"], tuned["claimeven"], tuned["board"]) == (
        "store",
        claimeven.__version__,
        BOARD,
    )
    assert tuned["stores"] == sorted(path.name for path in Path("tuned").glob("*.db"))
    (options,) = described(run, "tuned/run.toml")
    assert options == {
        "kind": "options", "schema": 1, "claimeven": claimeven.__version__,
        "command": tuned["command"],
    }  # fmt: skip
    (without_games,) = described(run, "studies")
    assert without_games["command"]["studies"] == ["polito-counting"]
    Path("own.toml").write_text('agents = ["greedy"]\n')
    assert bad_input(run("describe", "own.toml")).endswith(
        "own.toml does not name the version of claimeven that wrote it"
    )


def test_the_description_is_equal_however_the_result_was_made(run: Run) -> None:
    for name, jobs in (("one.db", "1"), ("two.db", "2")):
        run(*MATCH, "--out", name, "--jobs", jobs)
    one, two = described(run, "one.db", "two.db")
    assert one == two
    run(*MATCH[:4], "2", *MATCH[5:], "--out", "parts.db")
    run(*MATCH, "--out", "parts.db", "--resume")
    assert described(run, "parts.db") == [one]
    for name, threads in (("one.csv", "1"), ("two.csv", "2")):
        run(*DATASET, "--out", name, "--threads", threads)
    cards = [Path(f"{name}.csv.md").read_text() for name in ("one", "two")]
    assert cards[0].replace("one.csv", "two.csv") == cards[1]


def test_no_secret_and_no_folder_is_in_a_command(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    run("match", str(bot), "random", "--games", "2", "--out", str(tmp_path / "games.db"))
    (about,) = described(run, "games.db")
    assert about["command"]["agents"] == ["bot.py", "random"]
    assert str(tmp_path) not in json.dumps(about)
    digest = about["files"][0]["bot.py"]
    size = len(digest) // 2
    assert digest == hashlib.blake2b(bot.read_bytes(), digest_size=size).hexdigest()


def test_the_card_counts_the_rows_of_its_file(run: Run) -> None:
    run(*DATASET, "--out", "set.csv", "--source", "mixed", "--split", "0.7")
    for name in ("set.csv", "set-held-out.csv"):
        data = Path(name).read_bytes()
        rows = [line.split(",") for line in data.decode().splitlines()[1:]]
        card = Path(f"{name}.md").read_text()
        assert f"{len(rows)} positions of Connect Four on 4x4 connect 3" in card
        assert f"`{hashlib.sha256(data).hexdigest()}`" in card
        assert re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", card, re.M) == [
            (
                ply,
                *(
                    str(sum(row[2] == ply and sign(int(row[5])) in wanted for row in rows))
                    for wanted in ((1, 0, -1), (1,), (0,), (-1,))
                ),
            )
            for ply in sorted({row[2] for row in rows}, key=int)
        ]
        scores = re.findall(r"^\| (-?\d+) \| (\d+) \|$", card, re.M)
        assert scores == [
            (score, str(sum(row[5] == score for row in rows)))
            for score in sorted({row[5] for row in rows}, key=int)
        ]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def test_a_file_of_a_newer_schema_names_the_version_that_reads_it(run: Run) -> None:
    run(*MATCH, "--out", "games.db")
    run(*DATASET, "--out", "set.csv")
    newer = {**described(run, "games.db")[0], "schema": 9, "claimeven": "9.1.0"}
    with closing(sqlite3.connect("games.db")) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'runs'", (json.dumps([newer]),))
        connection.execute("PRAGMA user_version = 9")
    card = Path("set.csv.md")
    card.write_text(re.sub('"schema": 1, "claimeven": "[^"]+"', '"schema": 9', card.read_text()))
    reads = f"has schema 9, and claimeven {claimeven.__version__} reads 1 or less"
    for words, sentence in (
        (("games", "games.db"), f"games.db {reads}: claimeven 9.1.0 reads it"),
        (("describe", "set.csv"), f"set.csv {reads}: a newer claimeven reads it"),
    ):
        result = run(*words)
        assert (result.status, result.err) == (2, f"claimeven: {sentence}\n")


@pytest.mark.parametrize(
    "name", ["plain.txt", "none.db", "odd.json", "list.json", "deep.json", "empty"]
)
def test_another_file_has_no_description(run: Run, name: str) -> None:
    Path("plain.txt").write_text("4455\n")
    Path("odd.json").write_text("{}\n")
    Path("list.json").write_text('{"provenance": {"kind": ["store"], "schema": 1}}')
    about = '"kind": "store", "schema": 1, "seed": '
    Path("deep.json").write_text("{" + about + "[" * 900 + "]" * 900 + "}")
    Path("empty").mkdir()
    result = run("describe", name)
    assert result.status == 2
    assert result.err.startswith(f"claimeven: {name} ")
    assert len(result.err.splitlines()) == 1
