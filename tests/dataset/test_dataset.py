"""Data sets: exact, without doubles, the same for a seed, and going on after a kill."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset import DatasetPlan, DatasetProgress, InvalidDataset, make_dataset
from claimeven.solver import Solver
from tests.standin import PlainSolver

SMALL = Geometry(4, 4, 3)


def solver(geometry: Geometry = SMALL) -> Solver:
    return Solver(geometry, table_mb=1)


def plan(positions: int = 150, source: str = "random", seed: int = 1) -> DatasetPlan:
    return DatasetPlan(positions, 6, 12, seed, source, SMALL)


def read(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("source", ["random", "selfplay"])
def test_rows_are_exact_distinct_and_in_range(tmp_path: Path, source: str) -> None:
    path = tmp_path / "set.csv"
    assert make_dataset(path, plan(source=source), solver()) == 150
    rows = read(path)
    assert len(rows) == 150
    plain = PlainSolver(SMALL)
    keys = set()
    for row in rows:
        position = Position.from_moves(row["moves"], SMALL)
        assert 6 <= position.ply <= 12 and not position.is_over
        assert (int(row["ply"]), int(row["mine"]), int(row["mask"])) == (
            position.ply,
            position.mine,
            position.mask,
        )
        keys |= {frozenset((position, position.mirror()))}
        if position.ply < 9:
            continue  # the plain solver takes long there
        scores = plain.scores(position)
        assert [row[f"score_{c + 1}"] for c in range(4)] == [
            "" if score is None else str(score) for score in scores
        ]
        assert int(row["score"]) == plain.score(position)
    assert len(keys) == 150


@pytest.mark.parametrize("source", ["random", "selfplay"])
def test_a_seed_gives_the_same_rows_and_another_seed_others(tmp_path: Path, source: str) -> None:
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_dataset(tmp_path / f"{name}.csv", plan(60, source, seed), solver())
        texts.append((tmp_path / f"{name}.csv").read_text())
    assert texts[0] == texts[1] != texts[2]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("source", ["random", "selfplay"])
@pytest.mark.parametrize("cut", [0, 7])
def test_ended_work_goes_on_and_gives_the_same_file(tmp_path: Path, source: str, cut: int) -> None:
    whole, parted = tmp_path / "whole.csv", tmp_path / "parted.csv"
    make_dataset(whole, plan(source=source), solver())

    def kill(at: DatasetProgress) -> None:
        if at.done >= 40 + at.resumed:
            raise Killed

    partial = tmp_path / "parted.csv.partial"
    runs = 0
    while not parted.exists():
        runs += 1
        try:
            make_dataset(parted, plan(source=source), solver(), kill)
        except Killed:
            assert not parted.exists()
            content = partial.read_bytes()
            partial.write_bytes(content[: len(content) - cut])
    assert runs > 1
    assert parted.read_text() == whole.read_text()
    assert not partial.exists()


def test_partial_work_may_be_asked_for_fewer_or_more_rows(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    with pytest.raises(InvalidDataset, match=r"only .* different positions were found at plies 0"):
        make_dataset(path, DatasetPlan(5000, 0, 2, 0, "random", SMALL), solver())
    found = len((tmp_path / "set.csv.partial").read_text().splitlines()) - 1
    # By mirror image: 1 empty board, 2 of the 4 first moves, 8 of the 16 positions after two.
    assert found == 1 + 2 + 8
    assert make_dataset(path, DatasetPlan(5, 0, 2, 0, "random", SMALL), solver()) == 5
    assert len(read(path)) == 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"positions": 0}, "positions must be 1 or more, not 0"),
        ({"lowest": -1}, "plies must lie within 0-15 on 4x4 connect 3"),
        ({"highest": 16}, "plies must lie within 0-15 on 4x4 connect 3.*not 3-16"),
        ({"lowest": 13}, "the lower one first, not 13-12"),
        ({"seed": -1}, "a seed is a whole number from 0"),
        ({"positions": 1.5}, "positions must be a whole number, not 1.5"),
        ({"positions": float("nan")}, "positions must be a whole number, not nan"),
        ({"positions": True}, "positions must be a whole number, not True"),
        ({"lowest": 3.0}, "the lowest ply must be a whole number, not 3.0"),
        ({"highest": None}, "the highest ply must be a whole number, not None"),
        ({"seed": 0.5}, "a seed must be a whole number, not 0.5"),
        ({"source": "games"}, "there is no source 'games': choose from random, selfplay"),
    ],
)
def test_plans_that_cannot_be_are_refused(change: dict[str, Any], sentence: str) -> None:
    options: dict[str, Any] = {
        "positions": 5, "lowest": 3, "highest": 12, "seed": 0, "source": "random",
        "geometry": SMALL, **change,
    }  # fmt: skip
    with pytest.raises(InvalidDataset, match=sentence):
        DatasetPlan(**options)


def test_numbers_of_any_integer_type_make_the_same_plan() -> None:
    made = DatasetPlan(*np.array([150, 6, 12, 1]), "random", SMALL)
    assert made == plan()
    assert json.dumps(made.header()) == json.dumps(plan().header())
