"""Data sets: exact, without doubles, the same for a seed, and resumed after a kill."""

from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.atomic_io import CannotWrite
from claimeven.dataset import (
    DatasetPlan,
    DatasetProgress,
    InvalidDataset,
    files,
    make_dataset,
    read_dataset,
)
from claimeven.dataset.files import held_out_path
from claimeven.solver import Solver
from tests.standin import PlainSolver

SMALL = Geometry(4, 4, 3)
SOURCES = ("random", "selfplay", "mixed")


def solver(geometry: Geometry = SMALL, threads: int = 1) -> Solver:
    return Solver(geometry, table_mb=1, threads=threads)


def plan(positions: int = 150, source: str = "random", seed: int = 1) -> DatasetPlan:
    """Return a plan; the source "optimal" is `mixed` with only the best columns."""
    if source == "optimal":
        return DatasetPlan(positions, 6, 12, seed, "mixed", SMALL, optimal_only=True)
    return DatasetPlan(positions, 6, 12, seed, source, SMALL)


def read(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("source", SOURCES)
def test_rows_are_exact_distinct_and_in_range(tmp_path: Path, source: str) -> None:
    path = tmp_path / "set.csv"
    assert make_dataset(path, plan(source=source), solver()).positions == 150
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
        assert int(row["optimal"]) == scores.count(plain.score(position))
    assert len(keys) == 150


@pytest.mark.parametrize("source", SOURCES)
def test_a_seed_gives_the_same_rows_and_another_seed_others(tmp_path: Path, source: str) -> None:
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_dataset(tmp_path / f"{name}.csv", plan(60, source, seed), solver())
        texts.append((tmp_path / f"{name}.csv").read_text())
    assert texts[0] == texts[1] != texts[2]


class Killed(BaseException):
    """Raised in place of the end of the process."""


@pytest.mark.parametrize("source", [*SOURCES, "optimal"])
@pytest.mark.parametrize(("cut", "threads"), [(0, 1), (7, 1), (7, 2)])
def test_ended_work_continues_and_gives_the_same_file(
    tmp_path: Path, source: str, cut: int, threads: int
) -> None:
    """With any number of threads."""
    whole, parted = tmp_path / "whole.csv", tmp_path / "parted.csv"
    make_dataset(whole, plan(source=source), solver())
    reports: list[DatasetProgress] = []

    def kill(at: DatasetProgress) -> None:
        reports.append(at)
        if at.done >= 80 + at.resumed:
            raise Killed

    partial = tmp_path / "parted.csv.partial"
    runs = 0
    while not parted.exists():
        runs += 1
        try:
            make_dataset(parted, plan(source=source), solver(threads=threads), kill)
        except Killed:
            assert not parted.exists()
            content = partial.read_bytes()
            partial.write_bytes(content[: len(content) - cut])
    assert runs > 1
    assert (reports[-1].done, reports[-1].total) == (150, 150)
    assert 0 < reports[-1].resumed < 150 and reports[-1].nodes > 0
    assert parted.read_text() == whole.read_text()
    assert not partial.exists()


def test_a_guide_of_the_caller_is_used_by_this_process(tmp_path: Path) -> None:
    class Even:
        geometry = SMALL
        load = staticmethod(lambda: None)

        def guess(self, position: Position) -> int:
            return 0

    makers = Solver(SMALL, 1, threads=2, guide=Even()), solver()
    for name, maker in zip("ab", makers, strict=True):
        make_dataset(tmp_path / f"{name}.csv", plan(40, "mixed"), maker)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_million_rows_take_no_more_memory_than_their_keys(tmp_path: Path) -> None:
    """Rows are on the disk: memory other than the keys must not grow with their number."""
    path = tmp_path / "set.csv"
    peaks = []
    for positions in (10, 200, 1000):  # the first time imports count too
        tracemalloc.start()
        make_dataset(path, plan(positions), solver())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        path.unlink()
    assert (peaks[2] - peaks[1]) / 800 < 200, "bytes a row"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("source", ["random", "mixed"])
def test_a_split_writes_two_files_that_share_no_game(
    tmp_path: Path, kind: str, source: str
) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / f"set.{kind}"
    make_dataset(whole, plan(source=source), solver())
    made = make_dataset(path, plan(source=source), solver(), split=0.7)
    other = tmp_path / f"set-held-out.{kind}"
    assert made.held_out_path == other == held_out_path(path)
    training, held_out, all_of_it = (read_dataset(p, SMALL) for p in (path, other, whole))
    assert (len(training), len(held_out)) == (made.positions, made.held_out)
    assert made.positions + made.held_out == 150 and made.held_out > 10
    assert not set(training.games.tolist()) & set(held_out.games.tolist())
    assert sorted([*training.keys, *held_out.keys]) == sorted(all_of_it.keys)
    if kind == "parquet":
        from pyarrow import parquet

        for side in (path, other):
            header = json.loads(parquet.read_schema(side).metadata[b"claimeven"])
            assert (header["split"], header["source"], header["seed"]) == (0.7, source, 1)
    same = all_of_it.split_by_game(0.7, seed=1)
    assert [len(side) for side in same] == [made.positions, made.held_out]
    files = (whole.name, path.name, other.name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*files, *(f"{name}.md" for name in files)]
    )


def test_a_split_that_cannot_be_is_rejected_before_any_work(tmp_path: Path) -> None:
    path, other = tmp_path / "set.csv", tmp_path / "set-held-out.csv"
    other.write_text("mine")
    for split, sentence in (
        (1.5, r"the share to train on must be 0 to 1, got 1\.5"),
        (0.5, "set-held-out.csv already exists"),
    ):
        with pytest.raises(InvalidDataset, match=sentence):
            make_dataset(path, plan(), solver(), split=split)
    assert [*tmp_path.iterdir()] == [other]


@pytest.mark.parametrize("source", ["random", "all"])
def test_a_disk_that_fills_between_the_sides_of_a_split_leaves_work_that_continues(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = plan(source=source) if source != "all" else DatasetPlan(None, 0, 3, 0, "all", SMALL)
    path, table = tmp_path / "set.csv", files._table

    for room in (0, 1):
        written: list[int] = []

        @contextmanager
        def full(*asked: Any, room: int = room, written: list[int] = written) -> Iterator[Any]:
            if len(written) == room:
                raise CannotWrite(f"{path} cannot be written: No space left on device")
            with table(*asked) as write:
                yield write
            written.append(1)
            # A kill now would leave no file that is in the way.
            assert not path.exists() and not held_out_path(path).exists()

        monkeypatch.setattr(files, "_table", full)
        with pytest.raises(CannotWrite):
            make_dataset(path, asked, solver(), split=0.7)
        assert not path.exists() and not held_out_path(path).exists()
    monkeypatch.setattr(files, "_table", table)
    made = make_dataset(path, asked, solver(), split=0.7)
    assert len(read_dataset(path, SMALL)) == made.positions > 10
    assert len(read_dataset(held_out_path(path), SMALL)) == made.held_out


def test_partial_work_may_be_asked_for_fewer_or_more_rows(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    with pytest.raises(InvalidDataset, match=r"only [\d,]+ of [\d,]+ different positions were"):
        make_dataset(path, DatasetPlan(5000, 0, 2, 0, "random", SMALL), solver())
    with pytest.raises(InvalidDataset, match="only 1 of 2 different positions were found at plies"):
        make_dataset(tmp_path / "a.csv", DatasetPlan(2, 0, 0, 0, "random", SMALL), solver())
    found = len((tmp_path / "set.csv.partial").read_text().splitlines()) - 1
    # By mirror image: 1 empty board, 2 of the 4 first moves, 8 of the 16 positions after two.
    assert found == 1 + 2 + 8
    assert make_dataset(path, DatasetPlan(5, 0, 2, 0, "random", SMALL), solver()).positions == 5
    assert len(read(path)) == 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"source": "all"}, "takes every position of the plies: leave positions out"),
        (
            {"source": "all", "positions": None, "seed": 3},
            "the source all takes no seed: it contains",
        ),
        ({"positions": None}, "the source random needs a number of positions; only the source"),
        ({"positions": 0}, "positions must be 1 or more, got 0"),
        ({"lowest": -1}, "plies must be within 0-15 on 4x4 connect 3"),
        ({"highest": 16}, "plies must be within 0-15 on 4x4 connect 3.*got 3-16"),
        ({"lowest": 13}, "the lower one first, got 13-12"),
        ({"seed": -1}, "seed must be 0 to 9,223,372,036,854,775,807, got -1"),
        ({"seed": 1 << 63}, "seed must be 0 to .*, got 9,223,372,036,854,775,808"),
        ({"positions": 1.5}, "positions must be a whole number, got 1.5"),
        ({"positions": float("nan")}, "positions must be a whole number, got nan"),
        ({"positions": True}, "positions must be a whole number, got True"),
        ({"lowest": 3.0}, "the lowest ply must be a whole number, got 3.0"),
        ({"highest": None}, "the highest ply must be a whole number, got None"),
        ({"seed": 0.5}, "seed must be a whole number, got 0.5"),
        (
            {"source": "games"},
            "there is no source 'games': choose from random, selfplay, mixed, all",
        ),
        (
            {"source": "mixed", "random_moves": 1.5},
            "random moves must be 0 to 1, got 1.5",
        ),
        (
            {"source": "mixed", "random_moves": float("nan")},
            "moves must be a number, got nan",
        ),
        ({"random_moves": 0.1}, "only the source mixed takes a share of random moves"),
        (
            {"source": "selfplay", "one_per_game": True},
            "only the source mixed takes one position p",
        ),
        ({"source": "random", "optimal_only": True}, "only the source mixed takes optimal only"),
        ({"source": "mixed", "playouts_per_game": 0}, "playouts per game must be 1 or more, got 0"),
        (
            {"source": "mixed", "playouts_per_game": 1.5},
            "playouts per game must be a whole number, got 1.5",
        ),
        ({"source": "mixed", "branch_ply": 5}, "branch ply needs playouts per game"),
        ({"source": "mixed", "playouts_per_game": 2}, "several playouts per game need a branch"),
        (
            {"source": "mixed", "playouts_per_game": 2, "branch_ply": 2},
            "branch ply must be one of the plies 3-12, got 2",
        ),
        (
            {"source": "mixed", "playouts_per_game": 2, "branch_ply": 13},
            "branch ply must be one of the plies 3-12, got 13",
        ),
        (
            {"source": "random", "playouts_per_game": 2, "branch_ply": 5},
            "only the source mixed, with all positions of its games, takes several playouts",
        ),
        (
            {"source": "mixed", "one_per_game": True, "playouts_per_game": 2, "branch_ply": 5},
            "only the source mixed, with all positions of its games, takes several playouts",
        ),
    ],
)
def test_plans_that_cannot_be_are_rejected(change: dict[str, Any], sentence: str) -> None:
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
