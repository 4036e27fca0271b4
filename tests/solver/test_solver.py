"""The solver as programs use it, against the oracle and published scores."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book import InvalidBook
from claimeven.book.build import build_book
from claimeven.solver import (
    ILLEGAL,
    InvalidSolve,
    SearchStopped,
    SolveProgress,
    Solver,
    session,
)
from claimeven.solver.protocols import MISSING
from claimeven.solver.queries import as_boards, unfinished
from tests import naive
from tests.positions import oracle, random_positions

SMALL = (Geometry(3, 4, 3), Geometry(4, 3, 3), Geometry(4, 2, 4), Geometry(3, 3, 2))

#: Scores the oracle has worked out, by board.
KNOWN: dict[Geometry, dict[object, int]] = {geometry: {} for geometry in SMALL}

#: Scores of columns 1..7 (published).
PUBLISHED = {
    "226744515337": (-1, 0, -1, 7, 6, -2, 0),
    "475772722323": (-14, 4, 4, 3, 4, -3, 4),
    "44455554221": (-15,) * 7,
}


def oracle_scores(position: Position) -> tuple[int | None, ...]:
    """The score of every column by plain minimax, None if it cannot be played."""
    game, known = oracle(position), KNOWN[position.geometry]
    return tuple(
        -naive.score(game.play(column), known) if column in game.legal() else None
        for column in range(position.geometry.columns)
    )


@pytest.mark.parametrize("geometry", SMALL, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("with_book", [False, True])
def test_all_answers_of_a_solver_equal_the_oracle(
    geometry: Geometry, threads: int, with_book: bool, tmp_path: Path
) -> None:
    book = build_book(tmp_path / "a.book", geometry, 4, table_mb=1) if with_book else None
    solver = Solver(geometry, table_mb=1, threads=threads, book=book)
    positions = list(random_positions(geometry, 25, seed=1))
    columns = [oracle_scores(position) for position in positions]
    scores = [naive.score(oracle(position), KNOWN[geometry]) for position in positions]
    for position, expected, score in zip(positions, columns, scores, strict=True):
        assert solver.score(position) == score
        assert solver.outcome(position) == np.sign(score)
        if position.is_over:
            assert solver.principal_variation(position) == ()
            continue
        assert solver.scores(position) == expected
        best = [c for c in geometry.center_order if expected[c] == score]
        assert solver.best_columns(position) == tuple(best)
        assert solver.best(position) == (score, tuple(best))
        assert solver.principal_variation(position)[0] == best[0]
    np.testing.assert_array_equal(solver.score_many(positions), scores)
    np.testing.assert_array_equal(
        solver.scores_many(positions),
        [[ILLEGAL if score is None else score for score in row] for row in columns],
    )
    assert (solver.statistics.book_hits > 0) == with_book


@pytest.mark.parametrize("moves", PUBLISHED)
def test_published_scores_of_every_column(moves: str) -> None:
    solver = Solver(book=None, table_mb=16)
    position = Position.from_moves(moves)
    assert solver.scores(position) == PUBLISHED[moves]
    assert solver.score(position) == max(PUBLISHED[moves])


def test_many_positions_may_be_given_as_arrays() -> None:
    geometry = Geometry(5, 4, 4)
    solver = Solver(geometry, table_mb=1)
    positions = list(random_positions(geometry, 50, seed=2))
    positions += [position.mirror() for position in positions]
    mine = np.array([position.mine for position in positions], dtype=np.uint64)
    mask = np.array([position.mask for position in positions], dtype=np.uint64)
    scores = solver.score_many((mine, mask))
    assert scores.dtype == np.int8
    np.testing.assert_array_equal(scores, solver.score_many(positions))
    np.testing.assert_array_equal(scores[:50], scores[50:])
    by_column = solver.scores_many((mine, mask))
    assert by_column.shape == (100, 5)
    np.testing.assert_array_equal(by_column[:50], by_column[50:, ::-1])
    open_ones = [i for i, position in enumerate(positions) if not position.is_over]
    np.testing.assert_array_equal(by_column.max(axis=1)[open_ones], scores[open_ones])
    assert solver.score_many([]).shape == (0,)
    assert solver.scores_many([]).shape == (0, 5)


def test_full_boards_and_lines_end_games() -> None:
    geometry = Geometry(2, 4, 3)
    positions = list(random_positions(geometry, 200, seed=3))
    assert {p.winner for p in positions if p.is_over} == {0, 1, None}
    found = unfinished(*as_boards(positions, geometry), geometry)
    assert found.tolist() == [i for i, p in enumerate(positions) if not p.is_over]


@pytest.mark.parametrize(
    ("mine", "mask"),
    [
        (0, 2),
        (2, 1),
        (1, 1),
        (7 << 5, 7 << 5 | 1 | 1 << 10 | 1 << 15),
        (0, 0b111),
        (1 << 63, 1 << 63),
        (0b01010, 0b11111),
    ],
)
def test_arrays_that_are_no_positions_are_refused(mine: int, mask: int) -> None:
    arrays = tuple(np.array([0, word], dtype=np.uint64) for word in (mine, mask))
    with pytest.raises(InvalidSolve, match="entry 1 is not a valid position of 4x4 connect 3"):
        Solver(Geometry(4, 4, 3), table_mb=1).score_many(arrays)


def test_arrays_of_other_kinds_are_refused() -> None:
    solver = Solver(Geometry(4, 4, 3), table_mb=1)
    word, other = np.zeros(2, dtype=np.uint64), np.zeros(2, dtype=np.int64)
    for arrays in ((word, other), (word, word[:1]), (word[None], word[None])):
        with pytest.raises(InvalidSolve, match="uint64 arrays of one shape"):
            solver.score_many(arrays)
    for positions in ([Position()], ["44"], (word, word, word), 5, None, float("nan"), "44"):
        expected = "the board must be 4x4|position must be a Position|positions must be a sequence"
        with pytest.raises(InvalidSolve, match=expected):
            solver.score_many(positions)  # type: ignore[arg-type]  # bad on purpose


def test_bad_requests_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidSolve, match="13x9 connect 4 takes 130"):
        Solver(Geometry(13, 9))
    with pytest.raises(InvalidSolve, match="the MB of a table must be greater than 0"):
        Solver(table_mb=0)
    with pytest.raises(InvalidSolve, match="threads must be 1 to 256, got 0"):
        Solver(threads=0)
    with pytest.raises(InvalidBook, match="cannot be read"):
        Solver(book=tmp_path / "none.book")
    solver = Solver(Geometry(4, 4), table_mb=1)
    with pytest.raises(InvalidSolve, match="the board must be 4x4 connect 4, got 7x6"):
        solver.score(Position())
    over = Position.from_moves("1212121", Geometry(4, 4))
    for ask in (solver.scores, solver.best_columns):
        with pytest.raises(InvalidSolve, match="the game is over: Yellow wins"):
            ask(over)
    book = build_book(tmp_path / "a.book", Geometry(4, 4), 2, table_mb=1)
    with pytest.raises(InvalidSolve, match="the book is for 4x4 connect 4, the solver for 5x4"):
        Solver(Geometry(5, 4), book=book)
    with pytest.raises(InvalidSolve, match="a book must be an `OpeningBook`, a path or"):
        Solver(book=5)  # type: ignore[arg-type]


def test_a_stopped_call_raises_and_the_solver_continues() -> None:
    solver = Solver(book=None, table_mb=16)
    reports: list[SolveProgress] = []

    def report(at: SolveProgress) -> None:
        reports.append(at)
        threading.Thread(target=solver.stop).start()

    with pytest.raises(SearchStopped):
        solver.score(Position(), on_progress=report)
    assert reports[0].nodes > 0
    assert reports[0].rate > 0
    assert -21 <= reports[0].low <= reports[0].high <= 21
    assert solver.score(Position.from_moves("4455")) == 18


#: A position that the side to move wins with a score of 16.
WON = Position(Geometry(), mine=4569694208, mask=16917725184)


def test_a_stopped_call_for_the_outcome_reports_bounds_of_the_score() -> None:
    solver = Solver(table_mb=1, book=None)
    solver.load()
    with pytest.raises(SearchStopped, match="the score is -21 to 21") as stopped:
        solver.outcome(WON, seconds=1e-6)
    assert (stopped.value.low, stopped.value.high) == (-21, 21)
    assert solver.score(WON) == 16 and solver.outcome(WON, seconds=60) == 1


def bounds_reported(
    ask: Callable[[Callable[[SolveProgress], None]], object],
) -> set[tuple[int, int]]:
    """The bounds that a call reports."""
    output = set()
    ask(lambda at: output.add((at.low, at.high)))
    return output


@pytest.fixture
def many_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report the progress of short searches too."""
    monkeypatch.setattr(session, "SOLO_NODES", 1_000)
    monkeypatch.setattr(session, "SLICE_NODES", 1_000)


def test_progress_reports_bounds_of_the_position(many_reports: None) -> None:
    position = Position.from_moves("4441234")

    def solver() -> Solver:
        return Solver(table_mb=1, book=None)

    score = solver().score(position)
    best = bounds_reported(lambda report: solver().best_columns(position, on_progress=report))
    line = bounds_reported(
        lambda report: solver().principal_variation(position, on_progress=report)
    )
    assert (score, score) in best
    assert all(low <= score <= high for low, high in best | line)


def test_progress_of_a_call_for_the_outcome_reports_bounds_of_the_score(many_reports: None) -> None:
    solver, lost = Solver(table_mb=4, book=None), Position.from_moves("4441234")
    output = bounds_reported(lambda report: solver.outcome(lost, on_progress=report))
    assert output and all(low == -21 and high in (0, 21) for low, high in output)


def test_progress_reports_the_decided_columns() -> None:
    solver = Solver(book=None, table_mb=16)
    seen: list[SolveProgress] = []

    def report(at: SolveProgress) -> None:
        seen.append(at)
        if sum(score is not None for score in at.scores) == 2:
            solver.stop()

    with pytest.raises(SearchStopped):
        solver.scores(Position.from_moves("475772"), on_progress=report)
    assert all(len(at.scores) == 7 for at in seen)
    assert sum(score is not None for score in seen[-1].scores) == 2


def test_statistics_count_the_work() -> None:
    solver = Solver(Geometry(5, 4), table_mb=1)
    assert solver.statistics.nodes == solver.statistics.searched == 0
    solver.score(Position(Geometry(5, 4)))
    after = solver.statistics
    assert after.nodes > 0
    assert after.seconds > 0
    assert (after.searched, after.book_hits) == (1, 0)
    solver.clear()
    solver.score(Position(Geometry(5, 4)))
    assert solver.statistics.nodes == 2 * after.nodes


def test_a_solver_that_is_asked_for_no_size_takes_the_usual_table() -> None:
    def table(solver: Solver) -> int:
        return solver._search.entries.nbytes >> 20

    assert table(Solver()) == table(Solver(book=None)) == table(Solver(book=Deep())) == 16
    assert table(Solver(book=Deep(), table_mb=64)) == 64
    assert table(Solver(Geometry(9, 7))) == 16


class Deep:
    """A book without entries for many plies."""

    geometry = Geometry()
    plies = 12

    def look_up(self, position: Position) -> None:
        return None

    def look_up_many(self, keys: np.ndarray, plies: np.ndarray) -> np.ndarray:
        return np.full(len(keys), -128, dtype=np.int8)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_a_copy_is_another_solver_of_its_kind(copied: Callable[[Any], Any]) -> None:
    solver = Mine(Geometry(4, 4, 3), table_mb=1)
    before = solver.score(Position(solver.geometry))
    other = copied(solver)
    assert type(other) is Mine and other.table_mb == 1
    assert other.statistics.nodes == 0 < solver.statistics.nodes
    assert other.score(Position(other.geometry)) == before
    assert solver.statistics.nodes == other.statistics.nodes


class Mine(Solver):
    """A third-party solver."""


def test_a_deleted_solver_frees_its_table_immediately() -> None:
    solver = Solver(Geometry(4, 4, 3), table_mb=1)
    solver.best(Position(solver.geometry))
    search = weakref.ref(solver._search)
    gc.disable()
    try:
        del solver
        assert search() is None
    finally:
        gc.enable()


def test_a_book_with_impossible_scores_is_reported() -> None:
    board = Geometry(4, 4, 3)
    solver = Solver(board, table_mb=1, book=Seven(board))
    at = Position.from_moves("22", board)
    for ask in (solver.best, solver.best_columns, solver.principal_variation):
        with pytest.raises(
            InvalidSolve,
            match="no column leads to its score 7 of a position with 2 d",
        ):
            ask(at)


class Seven:
    """A book that takes every position of two discs for a win."""

    plies = 2

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry

    def look_up(self, position: Position) -> int | None:
        return 7 if position.ply == self.plies else None

    def look_up_many(self, keys: np.ndarray, plies: np.ndarray) -> np.ndarray:
        return np.where(plies == self.plies, 7, MISSING).astype(np.int8)
