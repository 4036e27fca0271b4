"""The files of a data set: journal, CSV and Parquet, and those that cannot be used."""

from __future__ import annotations

import builtins
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry
from claimeven.dataset import DatasetPlan, DatasetProgress, InvalidDatasetFile, make_dataset
from claimeven.game.errors import ClaimevenError
from tests.dataset.test_generate import SMALL, plan, read, solver


@pytest.mark.parametrize("asked", [plan(80), DatasetPlan(None, 0, 9, 0, "all", SMALL)])
def test_parquet_holds_the_same_as_csv(tmp_path: Path, asked: DatasetPlan) -> None:
    from pyarrow import parquet

    make_dataset(tmp_path / "set.csv", asked, solver())
    make_dataset(tmp_path / "set.parquet", asked, solver())
    table = parquet.read_table(tmp_path / "set.parquet")
    header = json.loads(table.schema.metadata[b"claimeven"])
    assert header.pop("provenance")["kind"] == "data set"
    assert header == asked.header()
    assert str(table.schema.field("mine").type) == "uint64"
    rows = read(tmp_path / "set.csv")
    for row, other in zip(rows, table.to_pylist(), strict=True):
        assert row == {name: "" if value is None else str(value) for name, value in other.items()}


def test_parquet_without_its_package_is_rejected_immediately(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InvalidDatasetFile, match=r"pip install 'claimeven\[data\]'"):
        make_dataset(tmp_path / "set.parquet", plan(), solver())


def test_files_that_cannot_be_used_are_rejected(tmp_path: Path) -> None:
    there = tmp_path / "there.csv"
    there.write_text("mine")
    for path, sentence in (
        (there, "already exists: choose another name or remove it"),
        (tmp_path / "set.txt", "must end in .csv or .parquet"),
        (tmp_path / "no" / "set.csv", "there is no folder"),
    ):
        with pytest.raises(ClaimevenError, match=sentence):
            make_dataset(path, plan(), solver())
    assert there.read_text() == "mine"


def test_partial_files_of_other_work_are_rejected(tmp_path: Path) -> None:
    path, partial = tmp_path / "set.csv", tmp_path / "set.csv.partial"
    header = json.dumps(plan().header())
    for content, sentence in (
        (json.dumps({**plan().header(), "seed": 9}) + "\n", "was started with seed 9, not 1"),
        (
            json.dumps({**plan().header(), "playouts_per_game": 4}) + "\n",
            "was started with playouts_per_game 4, not without",
        ),
        ('{"source": "random"}\n', "was started without plies, not with plies"),
        (header + "\n3,12,1,1,2,0,0,0,0,0\n", "is of an earlier version of claimeven"),
        (header + "\n3:1,12,1\n", "is corrupt in line 2"),
        (header + "\n3:zz,12,x,1,1,1,1,1,1,1\n", "is corrupt in line 2"),
        (header + "\nx:12,12,1,1,2,0,0,0,0,0\n", "is corrupt in line 2"),
        (header + "\n3:,12," + "9" * 200_000 + "\n", "is corrupt in line 2"),
        (header + "\n3:1,1\0,1,1,2,0,0,0,0,0\n", "is corrupt in line 2"),
        ("[" * 100_000 + "\n", "is not a partial data set"),
        ("hello\n", "is not a partial data set"),
        ("hello", "is not a partial data set"),
        (header + " and more", "is not a partial data set"),
        (header.replace(" ", ""), "is not a partial data set"),
        ("[1]\n", "is not a partial data set"),
    ):
        partial.write_text(content)
        with pytest.raises(InvalidDatasetFile, match=sentence):
            make_dataset(path, plan(), solver())
        assert partial.read_text() == content


@pytest.mark.parametrize(
    "change",
    [
        {"lowest": 7},
        {"highest": 11},
        {"seed": 2},
        {"geometry": Geometry(5, 4, 3)},
        {"geometry": Geometry(4, 5, 3)},
        {"geometry": Geometry(4, 4, 4)},
        {"random_moves": 0.25},
        {"playouts_per_game": 3},
        {"branch_ply": 9},
        {"playouts_per_game": 1, "branch_ply": None},
        {"playouts_per_game": 1, "branch_ply": None, "one_per_game": True},
        {"optimal_only": True},
    ],
)
def test_partial_files_of_any_other_option_are_rejected(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    earlier = replace(plan(source="mixed"), playouts_per_game=2, branch_ply=8)
    partial = tmp_path / "set.csv.partial"
    partial.write_text(json.dumps(earlier.header()) + "\n")
    asked = replace(earlier, **change)
    with pytest.raises(InvalidDatasetFile, match="give the same options, or remove it"):
        make_dataset(tmp_path / "set.csv", asked, solver(asked.geometry))


@pytest.mark.parametrize(
    "row",
    [
        "3,12,1,0,2,0,0,0,0,0,0\n",  # a disc lies on nothing
        "3,,0,-1,0,0,0,0,0,0,0\n",
        "3,12,1,0,2,0,0,0,0,0\n",
        "3,12\r4,1,0,2,0,0,0,0,0,0\n",
        "3," + "1" * 200_000 + ",1,0,2,0,0,0,0,0,0\n",
        "\n",
    ],
)
def test_a_whole_line_that_holds_no_position_is_rejected(tmp_path: Path, row: str) -> None:
    """The checksum of the line is right, its facts are not."""
    partial = tmp_path / "set.csv.partial"
    check = zlib.crc32(row.encode(), 3)
    partial.write_text(f"{json.dumps(plan().header())}\n3:{check:08x},{row}", newline="")
    with pytest.raises(InvalidDatasetFile, match="is corrupt in line 2"):
        make_dataset(tmp_path / "set.csv", plan(), solver())


def test_a_truncated_first_line_is_started_again(tmp_path: Path) -> None:
    path, partial = tmp_path / "set.csv", tmp_path / "set.csv.partial"
    header = json.dumps(plan(9).header())
    for length in (0, 1, len(header)):
        partial.write_text(header[:length])
        assert make_dataset(path, plan(9), solver()).positions == 9
        path.unlink()


@pytest.mark.parametrize("number", [-1, 0, 1 << 63, 1 << 100])
def test_rows_out_of_order_are_rejected(tmp_path: Path, number: int) -> None:
    """Work would continue from a number that it never reached, or has passed."""
    partial = tmp_path / "set.csv.partial"
    rows = []
    for each, row in ((1, "1,,0,0,0,0,4,0,0,0,0\n"), (number, "2,1,1,0,1,0,4,0,0,0,0\n")):
        rows.append(f"{each}:{zlib.crc32(row.encode(), each & 0xFFFFFFFF):08x},{row}")
    partial.write_text(json.dumps(plan().header()) + "\n" + "".join(rows))
    with pytest.raises(InvalidDatasetFile, match="is corrupt in line 3"):
        make_dataset(tmp_path / "set.csv", plan(), solver())


@pytest.mark.parametrize("source", ["random", "mixed"])
def test_a_row_that_is_there_twice_is_rejected(tmp_path: Path, source: str) -> None:
    path, partial = tmp_path / "set.csv", tmp_path / "set.csv.partial"

    def killed(at: DatasetProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(path, plan(source=source), solver(), killed)
    lines = partial.read_text().splitlines(keepends=True)
    partial.write_text("".join([*lines[:3], *lines[2:]]))
    with pytest.raises(InvalidDatasetFile, match="is corrupt in line 4"):
        make_dataset(path, plan(source=source), solver())
    assert not path.exists()


@pytest.mark.parametrize("source", ["random", "mixed", "all"])
def test_a_row_that_was_changed_is_rejected(tmp_path: Path, source: str) -> None:
    path, partial = tmp_path / "set.csv", tmp_path / "set.csv.partial"
    asked = plan() if source != "all" else DatasetPlan(None, 0, 6, 0, "all", SMALL)
    asked = replace(asked, source=source)

    def killed(at: DatasetProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(path, asked, solver(), killed)
    whole = partial.read_text().splitlines(keepends=True)
    assert len(whole) > 3
    for place, old in enumerate(whole[2]):
        for new in ("7" if old != "7" else "6", ""):
            line = whole[2][:place] + new + whole[2][place + 1 :]
            partial.write_text("".join([*whole[:2], line, *whole[3:]]))
            with pytest.raises(InvalidDatasetFile, match=r"is corrupt in line [34]"):
                make_dataset(path, asked, solver())
            assert not path.exists()
    partial.write_text("".join(whole))
    assert make_dataset(path, asked, solver()).positions > 3
