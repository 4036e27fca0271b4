"""Books as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.atomic_io import CannotWrite
from claimeven.book import Book
from claimeven.book.build import build_book
from claimeven.book.text_format import from_text, to_text
from claimeven.game.errors import ClaimevenError
from claimeven.solver import Solver
from tests.book.conftest import content

SMALL = Geometry(4, 4, 3)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, 4, table_mb=1)


@pytest.fixture
def lines(book: Book) -> list[str]:
    return list(to_text(book))


def test_text_gives_the_same_book_in_any_order(book: Book, lines: list[str]) -> None:
    assert lines[0] == "# claimeven book: 4x4 connect 3, plies 4"
    assert content(from_text(lines)) == content(book)
    assert content(from_text(["\ufeff" + lines[0], *lines[1:]])) == content(book)
    turned = [lines[0], "# a remark", "", *reversed(lines[1:])]
    assert content(from_text(line + "\n" for line in turned)) == content(book)


def test_every_line_is_a_position_with_its_score(book: Book, lines: list[str]) -> None:
    solver = Solver(SMALL, table_mb=1)
    assert len(lines) == 1 + len(book)
    for line in lines[1:]:
        moves, _, score = line.rpartition(" ")
        assert solver.score(Position.from_moves(moves, SMALL)) == int(score)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "t.txt is not a book: it must start with a line such as"),
        (lambda lines: lines[1:], "is not a book"),
        (lambda lines: lines[:-1], r"1 of the \d+ positions of ply 4 are missing in t.txt"),
        (
            lambda lines: ["# claimeven book: 7x6 connect 4, plies 14", " 1"],
            "4 of the 4 posi",
        ),
        (lambda lines: [f"# claimeven book: 7x{'6' * 9999} connect 4, plies 1"], "is not a book"),
        (
            lambda lines: [*lines, "1 9"],
            r"line \d+ of t.txt: the score after 1 moves must be .*, got 9",
        ),
        (lambda lines: [*lines, "1 -8"], "the score after 1 moves must be -7 to 8"),
        (lambda lines: [*lines, "1 " + "9" * 5000], "is not a score"),
        (
            lambda lines: [*lines, lines[5]],
            r"line \d+ of t.txt: its position is in an earlier",
        ),
        (lambda lines: [*lines, "12x 1"], "move 3: 'x' is not a column"),
        (lambda lines: [*lines, "12 good"], "'good' is not a score"),
        (lambda lines: [*lines, "12 1 # good"], "move 4: '#' is not a column"),
        (lambda lines: [*lines, "11111 1"], "more than 4 moves"),
        (lambda lines: ["# claimeven book: 4x2 connect 3, plies 4", "111 0"], "in a full column"),
        (lambda lines: ["# claimeven book: 4x4 connect 1, plies 4"], "connect must be 2 to 8"),
        (lambda lines: ["# claimeven book: 4x4 connect 3, plies 40"], "must be 0 to 14"),
    ],
)
def test_text_that_is_wrong_is_refused(lines: list[str], change, message: str) -> None:
    with pytest.raises(ClaimevenError, match=message):
        from_text(change(lines), "t.txt")


def test_a_change_of_a_score_changes_the_book(book: Book, lines: list[str], tmp_path: Path) -> None:
    moves, _, score = lines[9].rpartition(" ")
    lines[9] = f"{moves} {int(score) - 1}"
    changed = from_text(lines)
    assert content(changed) != content(book)
    with pytest.raises(CannotWrite, match="cannot be written"):
        changed.save(tmp_path / "none" / "a.book")


def test_finished_games_are_no_entries(tmp_path: Path) -> None:
    tiny = build_book(tmp_path / "tiny.book", Geometry(3, 2, 2), 3, table_mb=1)
    lines = list(to_text(tiny))
    assert content(from_text(lines)) == content(tiny)
    with pytest.raises(ClaimevenError, match=f"line {len(lines) + 1} of t.txt: the game is over"):
        from_text([*lines, "121 -1"], "t.txt")
    over = list(to_text(build_book(tmp_path / "over.book", Geometry(2, 3, 2), 5, table_mb=1)))
    with pytest.raises(ClaimevenError, match=f"line {len(over) + 1} of t.txt: the game is over"):
        from_text([*over, "11122 0"], "t.txt")  # no game continues after five discs
