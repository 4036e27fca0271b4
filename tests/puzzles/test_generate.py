"""Making puzzles: the seed determines them, also after interruptions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bench.check_puzzles import puzzle_errors

from claimeven import Geometry, Solver
from claimeven.puzzles import InvalidPuzzles, make_puzzles, read_puzzles
from claimeven.puzzles.generate import PuzzlePlan, PuzzleProgress

BOARD = Geometry(5, 4)
ASKED = {"seed": 3, "lowest": 3, "highest": 11, "geometry": BOARD}


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(BOARD, 1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, solver: Solver) -> Path:
    path = tmp_path_factory.mktemp("puzzles") / "whole.txt"
    make_puzzles(path, 12, **ASKED, solver=solver)
    return path


def test_the_puzzles_are_right_and_no_two_the_same(whole: Path, solver: Solver) -> None:
    puzzles = read_puzzles(whole, BOARD).puzzles
    assert len(puzzles) == 12
    assert [fault for puzzle in puzzles for fault in puzzle_errors(puzzle, solver)] == []
    assert len({puzzle.position.canonical_key for puzzle in puzzles}) == 12
    assert all(3 <= puzzle.position.ply <= 11 for puzzle in puzzles)
    spread = Counter((puzzle.motif, puzzle.difficulty) for puzzle in puzzles)
    assert len(spread) >= 6 and max(spread.values()) <= 4
    # Twice the even share is less than one puzzle until there are ten.
    assert len({(puzzle.motif, puzzle.difficulty) for puzzle in puzzles[:5]}) == 5
    assert "block" in {puzzle.motif for puzzle in puzzles}


def made_five(path: Path, solver: Solver) -> None:
    """Start a set of twelve, and stop it by Ctrl-C after five."""

    def stop_at_five(at: PuzzleProgress) -> None:
        if at.made == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_puzzles(path, 12, **ASKED, solver=solver, on_progress=stop_at_five)


def test_interrupted_work_continues_to_the_same_set(
    whole: Path, solver: Solver, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    partial = tmp_path / "a.txt.partial"
    made_five(path, solver)
    assert not path.exists()
    kept = partial.read_bytes()
    assert kept.count(b"\n") == 6
    partial.write_bytes(kept + b"77 1500 win dou")  # a line cut off by a kill
    resumed: list[int] = []
    make_puzzles(
        path, 12, **ASKED, solver=solver, on_progress=lambda at: resumed.append(at.resumed)
    )
    assert set(resumed) == {5}
    assert path.read_bytes() == whole.read_bytes()
    assert not partial.exists()


def test_a_smaller_set_is_the_start_of_a_larger_one(
    whole: Path, solver: Solver, tmp_path: Path
) -> None:
    made = make_puzzles(tmp_path / "a.txt", 4, **ASKED, solver=solver)
    assert made.puzzles == read_puzzles(whole, BOARD).puzzles[:4]


def test_fewer_puzzles_than_were_made_may_be_asked(
    whole: Path, solver: Solver, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    made_five(path, solver)
    made = make_puzzles(path, 3, **ASKED, solver=solver)
    assert made.puzzles == read_puzzles(path, BOARD).puzzles
    assert made.puzzles == read_puzzles(whole, BOARD).puzzles[:3]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 4},
        {"lowest": 4},
        {"highest": 10},
        {"geometry": Geometry(6, 4)},
        {"geometry": Geometry(5, 5)},
        {"geometry": Geometry(5, 4, 3)},
    ],
)
def test_a_partial_file_of_any_other_option_is_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    started = PuzzlePlan(1, **ASKED)
    (tmp_path / "a.txt.partial").write_text(json.dumps(started.header()) + "\n")
    with pytest.raises(InvalidPuzzles, match="was started with other options"):
        make_puzzles(tmp_path / "a.txt", 1, **{**ASKED, **change})


def test_a_partial_file_of_something_else_is_refused(tmp_path: Path, solver: Solver) -> None:
    path = tmp_path / "a.txt"
    partial = tmp_path / "a.txt.partial"

    def asked() -> None:
        make_puzzles(path, 1, **ASKED, solver=solver)

    for text in ('{"seed": 4}\n', "without an end of line"):
        partial.write_text(text)
        with pytest.raises(InvalidPuzzles, match="was started with other options"):
            asked()
        assert partial.read_text() == text
    partial.unlink()
    with pytest.raises(KeyboardInterrupt):
        make_puzzles(path, 2, **ASKED, solver=solver, on_progress=_interrupt)
    whole = partial.read_bytes()
    games = int(whole.splitlines()[1].split()[0])
    for line in (
        f"{games + 9} 1500 win double 9 9",
        f"{games + 9} 1500 win double 123 11111111111",
        f"{games + 9} 1500 win double 121212 1",
        f"{games} 1500 win double 123 1",
        "-5 1500 win double 123 1",
        f"{'9' * 30} 1500 win double 123 1",
    ):
        partial.write_bytes(whole + f"{line}\n".encode())
        with pytest.raises(InvalidPuzzles, match=r"line 3 of .* is corrupt: remove the file"):
            asked()


def test_a_file_in_the_way_is_kept(whole: Path, solver: Solver) -> None:
    before = whole.read_bytes()
    with pytest.raises(InvalidPuzzles, match="already exists"):
        make_puzzles(whole, 1, **ASKED, solver=solver)
    assert whole.read_bytes() == before


@pytest.mark.parametrize(
    ("plan", "output"),
    [
        ((0,), "count must be 1 or more, got 0"),
        ((1, -1), "seed must be 0 or more, got -1"),
        ((1, 0, 0), "plies must be within 1-41 on 7x6 connect 4, lower one first, got 0-34"),
        ((1, 0, 9, 8), "plies must be within 1-41 on 7x6 connect 4, lower one first, got 9-8"),
        ((1, 0, 1, 42), "plies must be within 1-41 on 7x6 connect 4, .* got 1-42"),
        ((1, 0, 1, 3, Geometry(13, 9)), "the solver supports boards"),
        ((1, 0, 1, 3, Geometry(2, 4)), "a puzzle needs 3 columns to choose from"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan: tuple[int, ...], output: str) -> None:
    with pytest.raises(InvalidPuzzles, match=output):
        PuzzlePlan(*plan)


def test_a_lack_of_puzzles_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimeven.puzzles.generate.MAX_GAMES_WITHOUT", 30)
    with pytest.raises(InvalidPuzzles, match="found 0 puzzles instead of 5"):
        make_puzzles(tmp_path / "a.txt", 5, lowest=1, highest=1, geometry=Geometry(4, 4))


def _interrupt(at: PuzzleProgress) -> None:
    raise KeyboardInterrupt
