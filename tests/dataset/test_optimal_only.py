"""Data sets with the best columns and their score, and no other scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Position
from claimeven.dataset import (
    WORSE,
    DatasetPlan,
    InvalidDatasetFile,
    join_datasets,
    make_dataset,
    read_dataset,
    read_rows,
)
from claimeven.solver import ILLEGAL
from tests.dataset.test_generate import SMALL, read, solver
from tests.dataset.test_read import assert_same
from tests.standin import PlainSolver

PLAN = DatasetPlan(150, 6, 14, 1, "mixed", SMALL)
FIELDS = "game,moves,ply,mine,mask,score,optimal,optimal_1,optimal_2,optimal_3,optimal_4"
#: The empty board and a position with a full column.
ROWS = ("0,,0,0,0,1,2,0,1,1,0", "1,1111,4,5,15,5,1,,0,1,0")


def made(path: Path, plan: DatasetPlan) -> Path:
    make_dataset(path, plan, solver())
    return path


@pytest.mark.parametrize(
    "others",
    [{}, {"one_per_game": True}, {"playouts_per_game": 3, "branch_ply": 9}, {"random_moves": 0.0}],
    ids=["all", "one", "playouts_per_game", "best"],
)
def test_rows_equal_all_scores_without_the_other_columns(
    tmp_path: Path, others: dict[str, float]
) -> None:
    plan = replace(PLAN, positions=60, **others)
    whole = read(made(tmp_path / "whole.csv", plan))
    right = read(made(tmp_path / "right.csv", replace(plan, optimal_only=True)))
    assert ",".join(right[0]) == FIELDS
    for optimal_row, row in zip(right, whole, strict=True):
        assert list(optimal_row.values())[:7] == list(row.values())[:7]
        for column in range(1, 5):
            score = row[f"score_{column}"]
            assert optimal_row[f"optimal_{column}"] == (
                str(int(score == row["score"])) if score else ""
            )


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_written_data_are_read(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path / f"right.{kind}", replace(PLAN, optimal_only=True))
    data = read_dataset(path, SMALL)
    whole = read_dataset(made(tmp_path / f"whole.{kind}", PLAN), SMALL)
    keeps = whole.scores == whole.best[:, None]
    assert np.array_equal(
        data.scores, np.where(keeps | (whole.scores == ILLEGAL), whole.scores, WORSE)
    )
    for name in ("mines", "masks", "games", "best", "optimal"):
        assert np.array_equal(getattr(data, name), getattr(whole, name))
    assert np.array_equal(whole.known, whole.scores != ILLEGAL)
    assert np.array_equal(data.known, keeps) and (data.scores == WORSE).sum() > 100
    some = data.select(np.arange(50))
    assert_same(join_datasets([some, whole]).select(np.arange(50)), some)
    rows, plain, worse_columns = read_rows(path, SMALL), PlainSolver(SMALL), 0
    assert [list(map(str, row.cells(optimal_only=True))) for row in rows[:20]] == [
        [text or "None" for text in row.values()]
        for row in read(made(tmp_path / "b.csv", replace(PLAN, optimal_only=True)))[:20]
    ]
    for row in rows:
        assert row.position == Position.from_moves(row.moves, SMALL)
        if row.position.ply < 9:
            continue  # the plain solver takes long there
        for score, exact in zip(row.scores, plain.scores(row.position), strict=True):
            worse = exact is not None and exact < row.score
            assert score == (WORSE if worse else exact)
            worse_columns += worse
    assert worse_columns > 50


@pytest.mark.parametrize(
    "row",
    [
        "0,,0,0,0,1,2,0,1,1,",  # nothing told of a column
        "0,,0,0,0,1,2,0,1,1,2",
        "0,,0,0,0,1,2,0,1,1,-1",
        "0,,0,0,0,1,2,0,1,1,-127",
        "0,,0,0,0,1,1,0,1,1,0",  # other numbers of right ones
        "0,,0,0,0,1,0,0,0,0,0",
        "0,,0,0,0,,2,0,1,1,0",
        "0,,0,0,0,-127,0,0,0,0,0",
        "0,,0,0,0,-127,4,0,0,0,0",
        "0,,0,0,0,-127,4,1,1,1,1",
        "0,,0,0,0,-127,4,1,0,1,0",
        f"0,,0,0,0,{-(2**63)},4,1,1,1,1",
        "0,,0,0,0,9,2,0,1,1,0",  # sooner than can be
        "0,,3,0,0,1,2,0,1,1,0",
        ROWS[1].replace(",,0", ",0,0"),  # of a full column
        ROWS[1].replace(",,0", ",1,0"),
        "0,121,3,32,35,7,1,1,0,0,0",  # a win immediately where there is none
        "0,1213,4,3,1059,0,1,0,1,0,0",  # none where there is one
    ],
)
def test_rows_that_cannot_be_are_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "set.csv"
    path.write_text("\n".join((FIELDS, *ROWS)))
    assert read_dataset(path, SMALL).scores.tolist() == [
        [WORSE, 1, 1, WORSE],
        [ILLEGAL, WORSE, 5, WORSE],
    ]
    path.write_text(f"{FIELDS}\n{ROWS[0]}\n{row}\n")
    with pytest.raises(
        InvalidDatasetFile, match=r"row 2 of .* contains no scores of a position of"
    ):
        read_dataset(path, SMALL)


def test_scores_that_are_not_known_are_no_scores_elsewhere(tmp_path: Path) -> None:
    """Their mark in memory is not read as a score from a file of scores."""
    path = tmp_path / "set.csv"
    path.write_text(f"{FIELDS.replace('optimal_', 'score_')}\n0,,0,0,0,1,2,{WORSE},1,1,{WORSE}\n")
    with pytest.raises(InvalidDatasetFile, match=r"row 1 of .* contains no scores"):
        read_dataset(path, SMALL)


def test_fields_of_both_kinds_or_of_another_board_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("\n".join((FIELDS.replace("optimal_4", "score_4"), *ROWS)))
    with pytest.raises(
        InvalidDatasetFile, match="is not a data set of this version: its fields must"
    ):
        read_dataset(path, SMALL)
    path.write_text("\n".join((FIELDS, *ROWS)))
    with pytest.raises(InvalidDatasetFile, match="must have 7 columns for 7x6 connect 4, got 4"):
        read_dataset(path)
