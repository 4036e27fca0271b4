"""Data sets read back: the written rows, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset import (
    Dataset,
    DatasetPlan,
    DatasetProgress,
    InvalidDatasetFile,
    make_dataset,
    read_dataset,
    read_rows,
)
from claimeven.dataset.dataset import field_names
from claimeven.solver import ILLEGAL
from tests.dataset.test_generate import SMALL, plan, read, solver

FIELDS = "game,moves,ply,mine,mask,score,optimal,score_1,score_2,score_3,score_4"
#: The empty board and a position with a full column.
ROWS = ("0,,0,0,0,1,2,0,1,1,0", "1,1111,4,5,15,5,1,,2,5,2")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_written_data_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"set.{kind}"
    make_dataset(tmp_path / "source.csv", plan(120, "mixed"), solver())
    make_dataset(path, plan(120, "mixed"), solver())
    found = read_dataset(path, SMALL)
    assert len(found) == 120 and found.geometry == SMALL
    assert (found.mines.dtype, found.scores.dtype, found.games.dtype) == (
        np.uint64,
        np.int8,
        np.int64,
    )
    for i, row in enumerate(read(tmp_path / "source.csv")):
        position = Position.from_moves(row["moves"], SMALL)
        assert (found.mines[i], found.masks[i]) == (position.mine, position.mask)
        assert (found.games[i], found.plies[i], found.best[i], found.optimal[i].sum()) == tuple(
            int(row[name]) for name in ("game", "ply", "score", "optimal")
        )
        assert found.keys[i] == position.canonical_key
        scores = [row[f"score_{column + 1}"] for column in range(4)]
        assert found.scores[i].tolist() == [int(text) if text else ILLEGAL for text in scores]
    assert (found.scores == ILLEGAL).any()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_are_read_with_their_moves(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"set.{kind}"
    make_dataset(tmp_path / "source.csv", plan(60, "mixed"), solver())
    make_dataset(path, plan(60, "mixed"), solver())
    rows = read_rows(path, SMALL)
    for row, text_row in zip(rows, read(tmp_path / "source.csv"), strict=True):
        assert [str(cell or 0) for cell in row.cells()] == [
            text or "0" for text in text_row.values()
        ]
        assert row.position == Position.from_moves(text_row["moves"], SMALL)
        assert [score is None for score in row.scores] == [
            text_row[f"score_{column + 1}"] == "" for column in range(4)
        ]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (ROWS[1].replace("1111", "1112"), "row 2 of .*: 1112 leads to another position"),
        (ROWS[1].replace("1111", "11"), "row 2 of .*: 11 leads to another position"),
        (ROWS[1].replace("1111", "1119"), "row 2 of .*: move 4: '9' is not a column"),
    ],
)
def test_moves_that_lead_elsewhere_are_named(tmp_path: Path, row: str, sentence: str) -> None:
    path = tmp_path / "set.csv"
    path.write_text(f"{FIELDS}\n{ROWS[0]}\n{row}\n", encoding="latin-1")
    assert len(read_dataset(path, SMALL)) == 2  # which looks at no moves
    with pytest.raises(InvalidDatasetFile, match=sentence):
        read_rows(path, SMALL)


def test_rows_are_read_however_the_file_is_cut_into_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.csv"
    make_dataset(path, plan(90, "selfplay"), solver())
    whole = read_dataset(path, SMALL)
    monkeypatch.setattr("claimeven.dataset.read._BLOCK", 300)
    parts = read_dataset(path, SMALL)
    assert_same(whole, parts)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").rstrip())
    assert_same(whole, read_dataset(path, SMALL))


def test_rows_are_counted_on_from_block_to_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.csv"
    monkeypatch.setattr("claimeven.dataset.read._BLOCK", 90)
    for wrong, sentence in (
        ("0,,0,0,x,1,2,0,1,1,0", "must contain whole numbers in row 9"),
        ("0,,0,0,2,1,2,0,1,1,0", "row 9 of .* is not an unfinished position"),
        ("0,,0", "row 9 of .* does not have 11 fields"),
    ):
        path.write_text("\n".join((FIELDS, *ROWS * 4, wrong, *ROWS)))
        with pytest.raises(InvalidDatasetFile, match=sentence):
            read_dataset(path, SMALL)


@pytest.mark.parametrize("field", ["x", str(2**63), "1" + "0" * 19])
def test_a_row_is_named_though_others_hold_large_numbers(tmp_path: Path, field: str) -> None:
    """Words of this board have up to 63 bits, and so 19 digits."""
    board, path = Geometry(16, 3), tmp_path / "set.csv"
    word = str(1 << board.bit(15, 2))
    assert len(word) == 19
    cells = ["0", "", "2", "0", word, "0", "1", *["0"] * board.columns]
    rows = [",".join(cells)] * 4
    rows[2] = rows[2].replace(word, field)
    path.write_text("\n".join((",".join(field_names(board)), *rows)))
    with pytest.raises(InvalidDatasetFile, match="must contain whole numbers in row 3"):
        read_dataset(path, board)


def assert_same(one: Dataset, other: Dataset) -> None:
    for name in ("mines", "masks", "scores", "games"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("0,,0,0,0,1,2,0,1,1", "row 2 of .* does not have 11 fields"),
        ("0,,0,0,0,1,2,0,1,1,0,0", "row 2 of .* does not have 11 fields"),
        ("0,,0,0,x,1,2,0,1,1,0", "must contain whole numbers in row 2"),
        ("0,,0,0,0,1,2,0,1,1,0.5", "must contain whole numbers"),
        ("0,,0,0,9" + "9" * 30 + ",1,2,0,1,1,0", "must contain whole numbers"),
        ("0,,0,0,\xe9,1,2,0,1,1,0", "must contain whole numbers in row 2"),
        ("0,\xe9,0,0,0,1,2,0,1,1,0", "must contain whole numbers in row 2"),
        ("0,,0,0, 0,1,2,0,1,1,x", "must contain whole numbers in row 2"),
        ("", "does not have 11 fields"),
        ("0,,0,1,0,1,2,0,1,1,0", "row 2 of .* is not an unfinished position of 4x4 connect 3"),
        ("0,,0,0,2,1,2,0,1,1,0", "row 2 of .* is not an unfinished position"),
        ("0,,0,0,-1,1,2,0,1,1,0", "row 2 of .* is not an unfinished position"),
        ("0,11223,5,66,1123,1,2,0,1,1,0", "is not an unfinished position"),
        ("0,,0,0,0,1,2,0,1,1,", "row 2 of .* contains no scores of a position of 4x4"),
        ("0,,0,0,0,99,1,0,99,1,0", "row 2 of .* contains no scores"),
        (f"0,,0,0,0,0,1,{-(2**63)},0,{-(2**63)},{-(2**63)}", "row 2 of .* contains no scores"),
        ("0,,0,0,0,1,1,0,1,1,0", "row 2 of .* contains no scores"),
        ("0,,0,0,0,2,2,0,1,1,0", "row 2 of .* contains no scores"),
        ("0,,3,0,0,1,2,0,1,1,0", "row 2 of .* contains no scores"),
        (ROWS[1].replace(",,2", ",1,2"), "row 2 of .* contains no scores"),
        (ROWS[1].replace(",5,1,,2,5,2", ",6,1,,2,6,2"), "row 2 of .* contains no scores"),
    ],
)
def test_rows_that_cannot_be_are_named(tmp_path: Path, row: str, sentence: str) -> None:
    path = tmp_path / "set.csv"
    path.write_text("\n".join((FIELDS, *ROWS)))
    assert read_dataset(path, SMALL).scores.tolist() == [[0, 1, 1, 0], [ILLEGAL, 2, 5, 2]]
    path.write_text(f"{FIELDS}\n{ROWS[0]}\n{row}\n", encoding="latin-1")
    with pytest.raises(InvalidDatasetFile, match=sentence):
        read_dataset(path, SMALL)


def test_files_of_other_kinds_are_rejected(tmp_path: Path) -> None:
    make_dataset(tmp_path / "good.parquet", plan(20), solver())
    whole = (tmp_path / "good.parquet").read_bytes()
    contents = {
        "empty.csv": b"",
        "other.csv": b"mine,mask\n1,1\n",
        "none.csv": FIELDS.encode() + b"\n",
        "binary.csv": b"\0\xff" * 50,
        "set.txt": b"",
        "text.parquet": b"hello",
        "cut.parquet": whole[: len(whole) // 2],
        "swapped.parquet": whole[:100] + bytes(reversed(whole[100:-8])) + whole[-8:],
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for name, sentence in (
        ("empty.csv", "is not a data set of this version: its fields must be game, moves, ply"),
        ("other.csv", "is not a data set of this version"),
        ("none.csv", "contains no positions"),
        ("binary.csv", "is not a data set of this version"),
        ("set.txt", "set.txt must end in .csv or .parquet as data sets do"),
        ("text.parquet", "is not a Parquet file, or it is corrupt"),
        ("cut.parquet", "is not a Parquet file, or it is corrupt"),
        ("swapped.parquet", "is not a Parquet file, or it is corrupt"),
        ("gone.csv", "gone.csv cannot be read: No such file"),
        ("gone.parquet", "gone.parquet cannot be read: No such file"),
    ):
        for reader in (read_dataset, read_rows):
            with pytest.raises(InvalidDatasetFile, match=sentence):
                reader(tmp_path / name, SMALL)


def test_sets_of_other_boards_are_rejected(tmp_path: Path) -> None:
    for name in ("set.csv", "set.parquet"):
        make_dataset(tmp_path / name, DatasetPlan(9, 2, 8, 0, "random", SMALL), solver())
    with pytest.raises(InvalidDatasetFile, match="must have 7 columns for 7x6 connect 4, got 4"):
        read_dataset(tmp_path / "set.csv")
    with pytest.raises(InvalidDatasetFile, match="is of 4x4 connect 3, not 4x5 connect 3"):
        read_dataset(tmp_path / "set.parquet", Geometry(4, 5, 3))
    with pytest.raises(InvalidDatasetFile, match=r"row 1 of .* is not an unfinished position"):
        read_dataset(tmp_path / "set.csv", Geometry(4, 5, 3))
    make_dataset(tmp_path / "late.csv", DatasetPlan(90, 2, 12, 0, "random", SMALL), solver())
    for connect in (2, 4):
        with pytest.raises(
            InvalidDatasetFile, match=r"is not an unfinished position|contains no scores"
        ):
            read_dataset(tmp_path / "late.csv", Geometry(4, 4, connect))
    with pytest.raises(InvalidDatasetFile, match="a data set supports boards of columns"):
        read_dataset(tmp_path / "late.csv", Geometry(13, 9))
    make_dataset(tmp_path / "early.csv", DatasetPlan(5, 2, 2, 0, "random", SMALL), solver())
    with pytest.raises(InvalidDatasetFile, match=r"early\.csv is not of 4x4 connect 4: .*csv\.md"):
        read_dataset(tmp_path / "early.csv", Geometry(4, 4, 4))
    (tmp_path / "early.csv.md").unlink()
    assert len(read_dataset(tmp_path / "early.csv", SMALL)) == 5


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("\n".join((FIELDS, *ROWS)), encoding="utf-8-sig")
    assert len(read_dataset(path, SMALL)) == len(ROWS)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("optimal_only", [False, True])
def test_data_sets_of_0_2_0_are_read(tmp_path: Path, kind: str, optimal_only: bool) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    plan = DatasetPlan(60, 2, 12, 1, "mixed", SMALL, optimal_only=optimal_only)
    new, old = tmp_path / f"new.{kind}", tmp_path / f"old.{kind}"
    make_dataset(new, plan, solver())
    if kind == "csv":
        header, _, rows = new.read_text().partition("\n")
        old.write_text(header.replace("optimal", "right") + "\n" + rows)
    else:
        from pyarrow import parquet

        table = parquet.read_table(new)
        names = [name.replace("optimal", "right") for name in table.column_names]
        renamed = table.rename_columns(names).replace_schema_metadata(table.schema.metadata)
        parquet.write_table(renamed, old)
    for by_old, by_new in zip(read_rows(old, SMALL), read_rows(new, SMALL), strict=True):
        assert by_old == by_new


def test_an_unfinished_data_set_of_0_2_0_resumes(tmp_path: Path) -> None:
    plan = DatasetPlan(
        60, 2, 12, 1, "mixed", SMALL, playouts_per_game=2, branch_ply=6, optimal_only=True
    )
    whole, part = tmp_path / "whole.csv", tmp_path / "part.csv"
    make_dataset(whole, plan, solver())

    def stop(progress: DatasetProgress) -> None:
        if progress.done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(part, plan, solver(), stop)
    journal = tmp_path / "part.csv.partial"
    header, _, rows = journal.read_bytes().partition(b"\n")
    for new, old in (
        (b"one_per_game", b"one_a_game"), (b"playouts_per_game", b"endings"),
        (b"branch_ply", b"endings_from"), (b"optimal_only", b"right_only"),
    ):  # fmt: skip
        assert new in header
        header = header.replace(new, old)
    journal.write_bytes(header + b"\n" + rows)
    make_dataset(part, plan, solver())
    assert part.read_bytes() == whole.read_bytes()
