"""Every position of some plies: against the oracle, against the solver, and after a kill."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book.build import build_book
from claimeven.dataset import (
    DatasetPlan,
    DatasetProgress,
    InvalidDataset,
    InvalidDatasetFile,
    exhaustive,
    make_dataset,
    read_dataset,
)
from claimeven.solver import Solver
from tests import naive
from tests.dataset.test_generate import Killed, read

BOARD = Geometry(4, 4, 3)
#: Few enough positions for the oracle to score them all.
SMALL = Geometry(3, 4, 3)


def plan(lowest: int, highest: int, geometry: Geometry = BOARD) -> DatasetPlan:
    return DatasetPlan(None, lowest, highest, source="all", geometry=geometry)


def made(path: Path, wanted: DatasetPlan, **options: Any) -> list[dict[str, str]]:
    solver = Solver(wanted.geometry, table_mb=4)
    rows = read(path) if make_dataset(path, wanted, solver, **options).positions else []
    assert not path.with_name(path.name + ".partial").exists()
    return rows


def cells_of(row: dict[str, str]) -> list[str]:
    """The facts of a row about its position, for any number and path."""
    return [text for name, text in row.items() if name not in ("game", "moves")]


@pytest.mark.parametrize(("lowest", "highest"), [(0, 11), (2, 6)])
def test_rows_are_all_positions_of_the_oracle_with_its_scores(
    tmp_path: Path, lowest: int, highest: int
) -> None:
    """The first plan knows the last scores by the rules, the second by solving."""
    columns, rows, connect = SMALL.columns, SMALL.rows, SMALL.connect
    expected, known = {}, {}
    for games in naive.positions_by_ply(naive.Game(columns, rows, connect), highest)[lowest:]:
        expected |= {game.frozen(): game for game in games.values() if not game.over()}
    order = []
    for number, row in enumerate(made(tmp_path / "a.csv", plan(lowest, highest, SMALL))):
        moves = [int(move) - 1 for move in row["moves"]]
        grid = naive.from_columns(moves, columns, rows, connect).frozen()
        game = expected.pop(grid)
        expected.pop(grid[::-1], None)
        scores = [
            -naive.score(game.play(column), known) if column in game.legal() else None
            for column in range(columns)
        ]
        best = max(score for score in scores if score is not None)
        position = Position.from_moves(row["moves"], SMALL)
        assert [int(row[name]) for name in ("game", "ply", "mine", "mask", "score", "optimal")] == [
            number, len(moves), position.mine, position.mask, best, scores.count(best)
        ]  # fmt: skip
        assert [row[f"score_{column + 1}"] for column in range(columns)] == [
            "" if score is None else str(score) for score in scores
        ]
        order.append((position.ply, position.key))
    assert not expected
    assert order == sorted(order)


def test_early_positions_of_the_standard_board_equal_the_solver(tmp_path: Path) -> None:
    """Its book holds all the scores."""
    rows = made(tmp_path / "a.csv", plan(0, 4, Geometry()))
    assert len(rows) == 1 + 4 + 25 + 121 + 568
    assert cells_of(rows[0]) == ["0", "0", "0", "1", "1", "-2", "-1", "0", "1", "0", "-1", "-2"]
    found = read_dataset(tmp_path / "a.csv")
    scores = Solver(table_mb=16).scores_many((found.mines, found.masks))
    assert (found.scores == scores).all()
    for row, mine, mask in zip(rows, found.mines.tolist(), found.masks.tolist(), strict=True):
        position = Position.from_moves(row["moves"])
        assert (position.mine, position.mask) == (mine, mask)


def test_positions_missing_in_a_book_are_solved(tmp_path: Path) -> None:
    """The book ends with ply 3: plies up to 2 follow from it, those beyond do not."""
    small_book = tmp_path / "small.book"
    build_book(small_book, BOARD, 3, table_mb=1)
    nodes = []
    for name, book, highest in (("a", small_book, 2), ("b", small_book, 5), ("c", None, 5)):
        solver = Solver(BOARD, table_mb=4, book=book)
        make_dataset(tmp_path / f"{name}.csv", plan(0, highest), solver)
        nodes.append(solver.statistics.nodes)
    short, by_book, solved = ((tmp_path / f"{name}.csv").read_text() for name in "abc")
    assert by_book == solved and by_book.startswith(short)
    assert nodes[0] == 0 < nodes[1]


def test_rows_are_the_same_however_they_are_cut_into_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(tmp_path / "whole.csv", plan(1, 6))
    monkeypatch.setattr(exhaustive, "_BLOCK", 7)
    assert made(tmp_path / "cut.csv", plan(1, 6)) == whole


def test_a_split_writes_each_position_to_one_side(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.csv", plan(1, 7))
    sides = made(tmp_path / "set.csv", plan(1, 7), split=0.8)
    held_out = read(tmp_path / "set-held-out.csv")
    assert len(held_out) > len(whole) // 10
    assert sorted(map(cells_of, sides + held_out)) == sorted(map(cells_of, whole))


@pytest.mark.parametrize("cut", [0, 3])
@pytest.mark.parametrize("threads", [1, 2])
def test_ended_work_continues_and_gives_the_same_file(
    tmp_path: Path, cut: int, threads: int
) -> None:
    whole, parted = tmp_path / "whole.csv", tmp_path / "parted.csv"
    made(whole, plan(2, 6))
    resumed = []

    def kill(at: DatasetProgress) -> None:
        resumed.append(at.resumed)
        if at.what == "positions solved":
            assert at.done > at.resumed
            raise Killed

    partial = tmp_path / "parted.csv.partial"
    runs = 0
    while not parted.exists():
        runs += 1
        solver = Solver(BOARD, table_mb=4, threads=threads)
        try:
            make_dataset(parted, plan(2, 6), solver, kill if runs < 4 else None)
        except Killed:
            assert not parted.exists()
            content = partial.read_bytes()
            partial.write_bytes(content[: len(content) - cut])
    assert resumed == [0, 16 - bool(cut), 32 - 2 * bool(cut)]
    assert parted.read_text() == whole.read_text()
    cards = [f"{name}.csv.md" for name in ("parted", "whole")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["parted.csv", "whole.csv", *cards]
    )


@pytest.mark.parametrize(
    "row",
    ["5,1", "999999999999,1", "-5,1", ",1", "5", "{key},100", "{key},6", "{key},-5", "{key},x"],
)
@pytest.mark.parametrize("is_checked", [True, False])
def test_a_damaged_journal_is_rejected(tmp_path: Path, row: str, is_checked: bool) -> None:
    """Whether the checksum of the line is right and its facts are wrong, or it has no checksum.

    With 7 of 16 discs played a score is 5 at most, for a win with disc 8, and -4 at least.
    """
    path, partial = tmp_path / "a.csv", tmp_path / "a.csv.partial"

    def kill(at: DatasetProgress) -> None:
        raise Killed

    with pytest.raises(Killed):
        make_dataset(path, plan(2, 6), Solver(BOARD, table_mb=4), kill)
    header, first = partial.read_text().splitlines()[:2]
    text = row.format(key=first.split(",")[1])
    check = zlib.crc32(f"{text}\n".encode(), 1)
    line = f"1:{check:08x},{text}" if is_checked else f"0,{text}"
    partial.write_text(f"{header}\n{first}\n{line}\n")
    with pytest.raises(InvalidDatasetFile, match="is corrupt in line 3"):
        make_dataset(path, plan(2, 6), Solver(BOARD, table_mb=4))
    with pytest.raises(InvalidDatasetFile, match="was started with plies 2-6, not 2-7"):
        make_dataset(path, plan(2, 7), Solver(BOARD, table_mb=4))


@pytest.mark.parametrize(("bound", "most"), [("MAX_POSITIONS", 718), ("_MAX_MOVES", 121 * 7)])
def test_too_many_positions_are_rejected_with_the_maximum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    """There are 719 up to ply 4, and 121 of 7 columns each at ply 3."""
    monkeypatch.setattr(exhaustive, bound, most)
    with pytest.raises(InvalidDataset) as refused:
        make_dataset(tmp_path / "a.csv", plan(2, 20, Geometry()), Solver(table_mb=4))
    assert str(refused.value) == (
        "7x6 connect 4 has too many positions up to ply 20 (719 up to ply 4): the highest ply must"
        " be 3 or less"
    )
    assert not [*tmp_path.iterdir()]


def test_the_ply_beyond_those_asked_for_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are 151 positions up to ply 3, and 568 more at ply 4, which are only looked up."""
    monkeypatch.setattr(exhaustive, "MAX_POSITIONS", 151)
    assert len(made(tmp_path / "a.csv", plan(0, 3, Geometry()))) == 151


def test_plies_after_the_end_of_every_game_are_rejected(tmp_path: Path) -> None:
    board = Geometry(3, 3, 2)
    with pytest.raises(InvalidDataset, match="every game on 3x3 connect 2 is over before ply 8"):
        make_dataset(tmp_path / "a.csv", plan(8, 8, board), Solver(board, table_mb=4))


def test_rows_of_wide_boards_name_columns_by_letters(tmp_path: Path) -> None:
    wide = Geometry(12, 4, 3)
    rows = made(tmp_path / "a.csv", plan(0, 1, wide))
    assert [row["moves"] for row in rows] == ["", *"abcdef"]
    assert len(read_dataset(tmp_path / "a.csv", wide)) == 7
    assert np.all(read_dataset(tmp_path / "a.csv", wide).games == np.arange(7))
