"""Numbers of NumPy and other types as arguments."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Limit, Position, Solver, play_match, play_tournament
from claimeven.arena import InvalidMatch, run_sprt
from claimeven.arena.games.openings import make_openings
from claimeven.dataset import DatasetPlan, InvalidDataset, make_dataset, read_dataset
from claimeven.errors import ClaimevenError
from claimeven.evaluation import InvalidEvaluation
from claimeven.game.errors import IllegalMove
from claimeven.minimax import InvalidSearch, MinimaxSearch
from claimeven.montecarlo import MonteCarloSearch, preset
from claimeven.puzzles.puzzle import InvalidPuzzles, bundled_puzzles, daily_puzzle
from claimeven.puzzles.solutions import try_column
from claimeven.ratings.bradley_terry import InvalidEvidence
from claimeven.ratings.ladder import rate
from claimeven.ratings.sprt import SequentialRun, SequentialTest
from claimeven.records import GameRecord, InvalidRecord, write_text
from claimeven.solver import SearchStopped


def test_limits_of_numpy_are_limits() -> None:
    for limit in (Limit(iterations=np.int64(20)), Limit(seconds=np.float32(0.01))):  # type: ignore[arg-type]
        output = play_match("uct", "random", games=2, limit=limit)
        assert not any(output.forfeits)
        json.dumps(output.as_dict())
    assert type(Limit(depth=np.int8(3)).depth) is int  # type: ignore[arg-type]
    search = MonteCarloSearch(preset("uct", seconds=None))
    found = search.search(Position(), np.random.default_rng(1), iterations=np.int64(20))  # type: ignore[arg-type]
    assert found.iterations == 20


def test_an_error_of_a_stopped_search_can_be_pickled() -> None:
    stopped = SearchStopped(-3, 4, (None, 2))
    for other in (copy.copy(stopped), pickle.loads(pickle.dumps(stopped))):
        assert (other.low, other.high, other.scores) == (-3, 4, (None, 2))
        assert str(other) == str(stopped)


@pytest.mark.parametrize(
    "asked",
    [
        lambda: play_match("random", "random", games=4, seed=-1, openings="balanced"),
        lambda: play_tournament(["random", "greedy"], rounds=1, seed=-1),
        lambda: run_sprt("greedy", "random", max_games=20, seed=-1),
        lambda: make_openings("random", 2, 1, seed=-1, start=Position()),
        lambda: make_openings("random", 2, 1, seed=1.0, start=Position()),  # type: ignore[arg-type]
        lambda: play_tournament(["random", "greedy"], rounds=2.0),  # type: ignore[arg-type]
        lambda: play_tournament(["random", "greedy"], rounds=1, opening_plies=1.5),  # type: ignore[arg-type]
    ],
)
def test_invalid_seeds_and_counts_are_reported(asked: Callable[[], object]) -> None:
    with pytest.raises(InvalidMatch, match=r"seed must be 0 or more|must be a whole number"):
        asked()


def test_columns_of_numpy_are_columns() -> None:
    for board in (Geometry(), Geometry(16, 16)):
        position = Position.from_moves("4455", board)
        for kind in (np.int8, np.uint8, np.int64):
            assert position.is_legal(kind(3)) and position.height_of(kind(3)) == 2
    for column in (-1, 99):
        with pytest.raises(IllegalMove):
            position.height_of(column)
    puzzle = bundled_puzzles().puzzles[0]
    attempt = try_column(puzzle, 0, np.int64(puzzle.solution[0]), Solver(table_mb=4))  # type: ignore[arg-type]
    assert attempt.correct


def test_valid_and_invalid_days() -> None:
    assert daily_puzzle(datetime.datetime(2026, 1, 5, 12)) == daily_puzzle("2026-01-05")
    for given in ({"day": 5}, {"all_puzzles": []}):
        with pytest.raises(InvalidPuzzles):
            daily_puzzle(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [2.0, None, True, 3])
def test_tables_that_cannot_be_are_refused(table: Any) -> None:
    with pytest.raises(InvalidSearch, match="table"):
        MinimaxSearch(table=table)


@pytest.mark.parametrize("evaluation", [None, 3, "windo"])
def test_evaluations_that_cannot_be_are_refused(evaluation: Any) -> None:
    with pytest.raises(InvalidEvaluation, match="no evaluation"):
        MinimaxSearch(evaluation=evaluation)


def test_records_hold_plain_numbers() -> None:
    plain = GameRecord((3, 3))
    for columns in ([3, 3], np.array([3, 3]), iter((3, 3))):
        record = GameRecord(columns)  # type: ignore[arg-type]
        assert record == plain and hash(record) == hash(plain)
        assert write_text([record], "kaggle") == write_text([plain], "kaggle")
    for given in ({"opening": 1.0}, {"first": None}, {"columns": 3.5}):
        with pytest.raises((InvalidRecord, TypeError)):
            GameRecord(**{"columns": (3,), **given})  # type: ignore[arg-type]


def test_an_empty_ladder_is_shown_without_games() -> None:
    assert "No games to rate" in rate([], np.random.default_rng(1))._repr_html_()


def test_a_repeated_game_is_refused_after_its_pair_too() -> None:
    run = SequentialRun(SequentialTest(0, 50))
    run.add_game(0, 1)
    run.add_game(1, 1)
    run.add_game(5, 1)
    run.add_game(4, 0)
    for number in (0, 1, 4, 5):
        with pytest.raises(InvalidEvidence, match=f"game {number} is given twice"):
            run.add_game(number, 0)
    with pytest.raises(InvalidEvidence, match="the number of a game must be 0 or more, got -1"):
        run.add_game(-1, 0)


def test_shares_of_numpy_split_equally(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    board = Geometry(4, 4, 3)
    make_dataset(
        str(path), DatasetPlan(60, 2, 9, seed=1, geometry=board), Solver(board, table_mb=1)
    )
    data = read_dataset(path, board)
    one, other = data.split_by_game(0.5, 3), data.split_by_game(np.float32(0.5), np.int64(3))  # type: ignore[arg-type]
    assert [part.games.tolist() for part in one] == [part.games.tolist() for part in other]
    for share in ("x", True, float("nan")):
        with pytest.raises(InvalidDataset, match="the share to train on must be"):
            data.split_by_game(share)  # type: ignore[arg-type]


def test_a_score_history_without_a_score_is_reported() -> None:
    from claimeven.review.analysis import score_chart

    with pytest.raises(ClaimevenError, match="a score history must have the score before"):
        score_chart([])
