"""Books: their entries, their file, and untrusted files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book import Book, InvalidBook
from claimeven.book.build import build_book, ply_counts, verify_book
from claimeven.book.locations import shipped_book, shipped_book_path
from claimeven.game.perft import distinct
from claimeven.solver import Solver
from claimeven.solver.protocols import MISSING
from tests.positions import random_positions

SMALL = Geometry(5, 4)
PLIES = 5


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, PLIES, table_mb=4)


def test_a_book_holds_every_unfinished_position_of_its_plies(book: Book) -> None:
    solver = Solver(SMALL, table_mb=4, book=None)
    held = 0
    for position in random_positions(SMALL, 300, seed=6):
        found = book.look_up(position)
        if position.ply <= PLIES and not position.is_over:
            held += 1
            assert found == book.look_up(position.mirror()) == solver.score(position)
        else:
            assert found is None
    assert held > 30
    assert book.plies == PLIES
    assert len(book) == sum(map(len, book.keys))


def test_many_positions_are_looked_up_together(book: Book) -> None:
    positions = list(random_positions(SMALL, 300, seed=7))
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    found = book.look_up_many(keys, np.array([position.ply for position in positions]))
    one_by_one = [book.look_up(position) for position in positions]
    assert found.tolist() == [MISSING if score is None else score for score in one_by_one]


def test_keys_beyond_those_held_are_not_found(book: Book) -> None:
    """Own discs in both corners make a greater key than a game does, and a ply may be empty."""
    beyond = 2 + (2 << SMALL.bit(4, 0))
    assert book.keys[2][-1] < beyond
    keys = np.array([beyond, 0], dtype=np.uint64)
    assert book.look_up_many(keys, np.array([2, 0])).tolist() == [MISSING, book.scores[0][0]]
    none = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int8)
    emptied = Book(SMALL, (book.keys[0], none[0]), (book.scores[0], none[1]))
    assert emptied.look_up_many(keys, np.array([1, 0])).tolist() == [MISSING, book.scores[0][0]]
    assert emptied.look_up(Position(SMALL).play(2)) is None


def test_a_file_gives_the_same_book(book: Book, tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    book.save(path)
    again = Book.load(path)
    assert again.geometry == SMALL
    assert again.to_bytes() == book.to_bytes() == path.read_bytes()
    for mine, other in zip((*book.keys, *book.scores), (*again.keys, *again.scores), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert list(tmp_path.iterdir()) == [path]


def test_a_right_book_is_verified_and_a_wrong_one_is_not(book: Book) -> None:
    found = verify_book(book, table_mb=4)
    assert found.is_correct
    assert found.backed + found.solved == len(book) == found.entries
    assert verify_book(book, sample=10, table_mb=4).solved == 10

    def changed(ply: int, place: int) -> Book:
        scores = [layer.copy() for layer in book.scores]
        scores[ply][place] += 1
        return Book(SMALL, book.keys, tuple(scores))

    above = verify_book(changed(2, 3), sample=0, table_mb=4)
    assert {entry.ply for entry in above.wrong} <= {1, 2}
    assert any(entry.ply == 2 and entry.score == entry.correct_score + 1 for entry in above.wrong)
    last = verify_book(changed(PLIES, 7), table_mb=4)
    assert any(entry.key == int(book.keys[PLIES][7]) for entry in last.wrong)
    fewer = Book(
        SMALL,
        (*book.keys[:-1], book.keys[-1][1:]),
        (*book.scores[:-1], book.scores[-1][1:]),
    )
    lacking = verify_book(fewer, sample=0, table_mb=4)
    assert lacking.missing == 1
    assert not lacking.is_correct
    more = Book(
        SMALL,
        (*book.keys[:-1], np.append(book.keys[-1], book.keys[-1][-1] + np.uint64(1))),
        (*book.scores[:-1], np.append(book.scores[-1], np.int8(0))),
    )
    assert verify_book(more, sample=0, table_mb=4).missing == 1
    with pytest.raises(InvalidBook, match=f"does not have the positions of ply {PLIES}"):
        list(ply_counts(fewer))


def test_a_sample_of_the_last_ply_is_drawn_by_its_seed(book: Book) -> None:
    """In a book whose last scores are all one too high, every entry drawn is found."""
    high = Book(SMALL, book.keys, (*book.scores[:-1], book.scores[-1] + np.int8(1)))
    output: list[tuple[int, int]] = []

    def drawn(seed: int) -> list[int]:
        found = verify_book(
            high, sample=5, seed=seed, table_mb=1, on_progress=lambda *at: output.append(at)
        )
        last = [entry for entry in found.wrong if entry.ply == PLIES]
        assert all(entry.score == entry.correct_score + 1 for entry in last)
        return [entry.key for entry in last]

    first = drawn(1)
    assert len(set(first)) == 5
    assert output == [(done, 5) for done in range(1, 6)]
    assert drawn(1) == first != drawn(2)
    start = Book(SMALL, book.keys[:2], book.scores[:2])
    assert verify_book(start, sample=1000, table_mb=4).solved == len(start.keys[1])


def test_counts_cover_all_positions(book: Book) -> None:
    found = list(ply_counts(book))
    expected = distinct(Position(SMALL), PLIES, "python")
    assert tuple(sum(row.positions) for row in found) == expected
    assert all(row.over <= sum(row.positions) for row in found)
    assert found[0].quiet == found[0].positions == (0, 1, 0)


def test_the_shipped_book_is_right() -> None:
    book = shipped_book(Geometry())
    assert book is not None
    path = shipped_book_path(Geometry())
    assert path is not None
    assert path.stat().st_size <= 400_000
    assert book.plies == 9
    assert Book.load(path).to_bytes() == book.to_bytes()
    found = verify_book(book, sample=5)
    assert found.is_correct, found


def test_published_outcomes_of_all_positions_up_to_nine_plies() -> None:
    book = shipped_book(Geometry())
    assert book is not None
    rows = list(ply_counts(book))
    assert [row.positions for row in rows] == [
        (1, 0, 0),
        (1, 2, 4),
        (27, 12, 10),
        (35, 58, 145),
        (690, 200, 230),
        (1080, 697, 2486),
        (10889, 1943, 3590),
        (17507, 5944, 31408),
        (124624, 14676, 44975),
        (197749, 42896, 317541),
    ]
    assert [row.over for row in rows[7:9]] == [728, 1892]
    assert rows[8].quiet == (44473, 6449, 16635)  # the UCI data set


def test_the_shipped_book_gives_published_scores_without_a_search() -> None:
    solver = Solver(table_mb=1)
    assert solver.scores(Position()) == (-2, -1, 0, 1, 0, -1, -2)
    assert solver.scores(Position.from_moves("4455")) == (-4, -3, 18, 2, 2, 18, -3)
    assert solver.scores(Position.from_moves("44444152")) is not None
    assert solver.statistics.nodes == 0
