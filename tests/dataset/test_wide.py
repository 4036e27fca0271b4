"""Data sets of boards of 65 to 128 bits, whose words are two fields of a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.compiled.decorators import PLAIN
from claimeven.compiled.wide import WideWords
from claimeven.dataset import (
    Dataset,
    DatasetPlan,
    DatasetProgress,
    InvalidDatasetFile,
    join_datasets,
    make_dataset,
    read_dataset,
    read_rows,
)
from claimeven.dataset.files import held_out_path
from claimeven.solver import ILLEGAL, Solver
from tests import naive
from tests.cli.conftest import Run, bad_input
from tests.dataset.test_generate import Killed, read
from tests.positions import oracle

pytestmark = pytest.mark.skipif(PLAIN, reason="Python has no words of 128 bits")

#: 72 and 128 bits.
BOARD, LARGE = Geometry(8, 8, 5), Geometry(16, 7, 8)
SHORT = Geometry(8, 8, 3)


def solver(geometry: Geometry = BOARD) -> Solver:
    return Solver(geometry, 1, book=None)


def late(count: int = 40, source: str = "random", geometry: Geometry = BOARD) -> DatasetPlan:
    return DatasetPlan(count, geometry.cells - 7, geometry.cells - 2, 3, source, geometry)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("geometry", [BOARD, LARGE], ids=str)
def test_scores_equal_the_oracle(tmp_path: Path, kind: str, geometry: Geometry) -> None:
    path = tmp_path / f"set.{kind}"
    assert make_dataset(path, late(geometry=geometry), solver(geometry)).positions == 40
    found, known = read_dataset(path, geometry), dict[object, int]()
    assert isinstance(found.mines, WideWords) and isinstance(found.keys, WideWords)
    assert len(set(found.keys)) == 40
    for place, row in enumerate(read_rows(path, geometry)):
        position = row.position
        assert (found.mines[place], found.masks[place]) == (position.mine, position.mask)
        assert found.keys[place] == position.canonical_key
        assert found.plies[place] == position.ply
        game = oracle(position)
        expected = [
            -naive.score(game.after(c), known) if c in game.open_columns() else ILLEGAL
            for c in range(geometry.columns)
        ]
        assert found.scores[place].tolist() == expected
        assert found.best[place] == row.score == naive.score(game, known)
    if kind == "csv":
        low, high = ((1 << 64) - 1), 64
        rows = read(path)
        assert [int(row["mine_low"]) for row in rows] == [each & low for each in found.mines]
        assert [int(row["mask_high"]) for row in rows] == [each >> high for each in found.masks]
        if geometry is BOARD:
            assert any(int(row["mask_low"]) >> 63 for row in rows)


@pytest.mark.parametrize("source", ["random", "selfplay", "mixed"])
def test_ended_work_continues_and_gives_the_same_file(tmp_path: Path, source: str) -> None:
    whole, parted = tmp_path / "whole.csv", tmp_path / "parted.csv"
    # The games of "mixed" are perfect in part from their start, which connect 3 lets be solved.
    plan = DatasetPlan(30, 2, 9, 1, source, SHORT) if source == "mixed" else late(30, source)
    make_dataset(whole, plan, solver(plan.geometry))

    def kill(at: DatasetProgress) -> None:
        if at.done >= 10 + at.resumed:
            raise Killed

    with pytest.raises(Killed):
        make_dataset(parted, plan, solver(plan.geometry), kill)
    make_dataset(parted, plan, solver(plan.geometry))
    assert parted.read_bytes() == whole.read_bytes()


def test_all_positions_and_their_journal(tmp_path: Path) -> None:
    plan = DatasetPlan(None, 0, 2, source="all", geometry=SHORT)
    whole, parted = tmp_path / "whole.csv", tmp_path / "parted.csv"
    make_dataset(whole, plan, solver(SHORT))
    found = read_dataset(whole, SHORT)
    grids = naive.positions_by_ply(naive.Game(8, 8, 3), 2)
    images = [
        {min(g, g[::-1], key=repr) for g in map(naive.Game.frozen, of.values())} for of in grids
    ]
    assert np.bincount(found.plies).tolist() == [len(each) for each in images]
    for row in read_rows(whole, SHORT):
        grid = oracle(row.position).frozen()
        images[row.position.ply].remove(min(grid, grid[::-1], key=repr))
    assert not any(images)

    def kill(at: DatasetProgress) -> None:
        raise Killed

    with pytest.raises(Killed):
        make_dataset(parted, plan, solver(SHORT), kill)
    reports: list[DatasetProgress] = []
    make_dataset(parted, plan, solver(SHORT), reports.append)
    assert reports[0].resumed > 0
    assert parted.read_bytes() == whole.read_bytes()


def test_parts_of_sets(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    make_dataset(path, late(30), solver(), split=0.5)
    one, other = (read_dataset(each, BOARD) for each in (path, held_out_path(path)))
    assert len(one) + len(other) == 30 and not set(one.keys) & set(other.keys)
    both = join_datasets([one, other, one])
    assert isinstance(both.mines, WideWords)
    assert both.keys.tolist() == [*one.keys, *other.keys]
    assert both.without(one).keys.tolist() == other.keys.tolist()
    images = [Position(BOARD, *words).mirror() for words in zip(one.mines, one.masks, strict=True)]
    mines, masks = one.mines.copy(), one.masks.copy()
    mines[:], masks[:] = [p.mine for p in images], [p.mask for p in images]
    mirrored = Dataset(BOARD, mines, masks, one.scores[:, ::-1], one.games)
    assert len(join_datasets([one, mirrored])) == len(one)
    training, held_out = both.split_by_game(0.5, seed=2)
    assert len(training) + len(held_out) == 30


def test_forced_wide_words_change_no_byte(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    small = Geometry(4, 4, 3)
    plans = [
        *(DatasetPlan(60, 6, 12, 1, source, small) for source in ("random", "selfplay", "mixed")),
        DatasetPlan(60, 6, 12, 1, "mixed", small, optimal_only=True),
        DatasetPlan(None, 2, 4, source="all", geometry=small),
    ]

    def written(name: str) -> tuple[list[bytes], type]:
        paths = [tmp_path / f"{name}{number}.csv" for number in range(len(plans))]
        for path, plan in zip(paths, plans, strict=True):
            make_dataset(path, plan, Solver(small, 1))
        found = [read_dataset(path, small) for path in paths]
        numbers = [repr((d.mines.tolist(), d.keys.tolist(), d.scores.tolist())) for d in found]
        texts = [path.read_bytes() for path in paths]
        return [*texts, *(each.encode() for each in numbers)], type(found[0].mines)

    narrow, other = written("narrow")
    request.getfixturevalue("wide_words")
    wide, kind = written("wide")
    assert wide == narrow
    assert (kind, other) == (WideWords, np.ndarray)


def test_corrupt_files_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    make_dataset(path, late(3), solver())
    head, first, *rest = path.read_text().splitlines()
    fields = head.split(",")
    for name, value, sentence in (
        ("mine_low", "-1", "must contain whole numbers in row 1"),
        ("mine_low", str(1 << 64), "must contain whole numbers in row 1"),
        ("mine_high", str(1 << 63), "must contain whole numbers in row 1"),
        ("mask_high", "-1", "row 1 of .* is not an unfinished position of 8x8 connect 5"),
        ("mask_high", "256", "row 1 of .* is not an unfinished position of 8x8 connect 5"),
        ("mask_low", "5", "row 1 of .* is not an unfinished position of 8x8 connect 5"),
        ("mask_low", "", "must contain whole numbers in row"),
        ("score", "9", "row 1 of .* contains no scores of a position of 8x8 connect 5"),
    ):
        cells = first.split(",")
        cells[fields.index(name)] = value
        path.write_text("\n".join([head, ",".join(cells), *rest]))
        with pytest.raises(InvalidDatasetFile, match=sentence):
            read_dataset(path, BOARD)
    with pytest.raises(InvalidDatasetFile, match="is not a data set of this version: its fields"):
        read_dataset(path, Geometry(7, 6))
    with pytest.raises(InvalidDatasetFile, match="must have 9 columns for 9x8 connect 4, got 8"):
        read_dataset(path, Geometry(9, 8))
    with pytest.raises(InvalidDatasetFile, match=r"a data set supports .* 13x9 .* takes 130"):
        read_dataset(path, Geometry(13, 9))


def test_the_command(run: Run, tmp_path: Path) -> None:
    board = ("--columns", "9", "--rows", "7", "--table-mb", "1")
    out = str(tmp_path / "set.csv")
    words = ("dataset", "--positions", "5", "--plies", "54-60", "--out", out, "--json", *board)
    assert json.loads(run(*words).out)["positions"] == 5
    result = run("accuracy", "random", "--positions", out, "--json", *board[:4])
    assert result.status == 0, result.err
    board = ("--columns", "13", "--rows", "9")
    words = ("dataset", "--positions", "5", "--out", str(tmp_path / "no.csv"), *board)
    assert "the solver supports boards of" in bad_input(run(*words))


@pytest.mark.parametrize(
    "words",
    [
        ("dataset", "--positions", "20", "--plies", "50-60"),
        ("dataset", "--source", "all", "--plies", "0-1", "--connect", "3"),
        ("book", "build", "--plies", "1", "--connect", "3"),
    ],
    ids=["random", "all", "book"],
)
def test_merged_parts_are_one_run(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    board = ("--columns", "8", "--rows", "8", "--table-mb", "1")
    whole, out = (tmp_path / f"{name}.{'book' * (words[0] == 'book') or 'csv'}" for name in "wo")
    assert run(*words, *board, "--out", str(whole)).status == 0
    for part in ("1/2", "2/2"):
        result = run(*words, *board, "--out", str(out), "--part", part)
        assert result.status == 0, result.err
    result = run("merge", str(out), *(f"{out}.part-{n}-of-2" for n in (1, 2)))
    assert result.status == 0, result.err
    assert out.read_bytes() == whole.read_bytes()
