"""Columns distributed to threads, and the bounds of a book for positions just behind it."""

from __future__ import annotations

import pytest

from claimeven import Geometry, Position, Solver
from claimeven.book import Book
from claimeven.book.build import build_book
from claimeven.solver.errors import SearchStopped
from claimeven.solver.progress import SolveProgress
from claimeven.solver.queries import BestMoves, column_floors, images_among
from claimeven.solver.search import ExactSearch
from claimeven.solver.search_thread import ChildTask
from claimeven.solver.session import SOLO_NODES, Session
from tests.positions import random_positions

SMALL, PLIES = Geometry(5, 5), 5


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, PLIES, table_mb=4)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_apart_find_the_scores_of_one(threads: int) -> None:
    """Positions from easy to ones that need all threads."""
    one, many = (Solver(table_mb=8, threads=count, book=None) for count in (1, threads))
    positions = [p for p in random_positions(Geometry(), 120, seed=8, ongoing=True) if p.ply >= 13]
    for position in [*positions[:20], Position.from_moves("226744515337")]:
        many.clear()
        assert many.scores(position) == one.scores(position)
    assert many.statistics.nodes > 20 * SOLO_NODES
    assert many.statistics.searched == one.statistics.searched


def test_each_column_is_reported_once_or_left_to_all() -> None:
    position = Position.from_moves("226744515337")
    children = [ChildTask(c, position.play(c), None) for c in position.legal_columns]
    search = ExactSearch(Geometry(), table_mb=8, threads=3)
    lost = Position.from_moves("7176763235454")
    with pytest.raises(SearchStopped):  # the next call starts afresh
        search.score(lost.mine, lost.mask, nodes=100)
    output: list[tuple[int, int]] = []

    def apart(session: Session) -> None:
        session.score_children(children, lambda column, score: output.append((column, score)))

    search.run_session(apart)
    columns = [column for column, _ in output]
    assert len(set(columns)) == len(columns) >= len(children) - 2
    right = (-1, 0, -1, 7, 6, -2, 0)
    assert all(score == -right[column] for column, score in output)

    def stopped(session: Session) -> None:
        session.stop()
        output.clear()
        session.score_children(children[:1], lambda column, score: output.append((column, score)))
        assert not output

    search.run_session(stopped)


def test_progress_of_one_thread_counts_columns_and_keeps_to_floors() -> None:
    position = Position.from_moves("226744515337")
    right = (-1, 0, -1, 7, 6, -2, 0)
    children = [ChildTask(c, position.play(c), -right[c]) for c in position.legal_columns]
    search = ExactSearch(Geometry(), table_mb=8)
    output: list[tuple[int, int]] = []
    seen: list[int] = []

    def report(at: SolveProgress) -> None:
        assert (at.done, at.total) == (len(output), len(children))
        assert -right[at.done] <= at.low < at.high
        seen.append(at.done)

    def apart(session: Session) -> None:
        session.score_children(
            children, lambda column, score: output.append((column, score)), report
        )

    search.run_session(apart)
    assert output == [(column, -score) for column, score in enumerate(right)]
    assert len(set(seen)) > 1


def test_progress_is_reported_while_threads_work_separately() -> None:
    output: list[SolveProgress] = []
    solver = Solver(table_mb=8, threads=2, book=None)

    def report(at: SolveProgress) -> None:
        output.append(at)
        solver.stop()

    with pytest.raises(SearchStopped) as stopped:
        solver.scores(Position.from_moves("44444"), on_progress=report)
    assert all(at.nodes > 0 and at.low < at.high and at.total == 4 for at in output)
    assert output
    assert stopped.value.low < stopped.value.high


def test_scores_of_a_book_hold_for_the_next_ply(book: Book) -> None:
    plain = Solver(SMALL, table_mb=4, book=None)
    with_book = Solver(SMALL, table_mb=4, book=book)
    sharper = 0
    for position in random_positions(SMALL, 500, seed=11, ongoing=True):
        if position.ply != PLIES:
            continue
        children = {c: position.play(c) for c in position.legal_columns}
        children = {c: child for c, child in children.items() if not child.is_over}
        known = book.look_up(position)
        floors = column_floors(book, children, known)
        assert known is not None
        for column, child in children.items():
            assert -known <= floors[column] <= plain.score(child)
            sharper += floors[column] > -known
        scores = plain.scores(position)
        assert with_book.scores(position) == scores
        best = tuple(c for c in SMALL.center_order if scores[c] == known)
        assert with_book.best(position) == BestMoves(known, best)
    assert sharper > 5
    assert with_book.statistics.nodes < plain.statistics.nodes
    assert column_floors(None, children, 0) == column_floors(book, children, None) == {}


def test_equal_columns_are_found() -> None:
    start = Position(Geometry(4, 4, 3))
    children = {column: start.play(column) for column in start.geometry.center_order}
    assert images_among(children, start) == {2: 1, 3: 0}
    assert images_among(children, start.play(0)) == {}
