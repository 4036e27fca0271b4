"""The default book."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, Solver
from claimeven.book import Book, InvalidBook, MappedBook, open_book
from claimeven.book.build import build_book
from claimeven.book.locations import (
    default_path,
    file_name,
    shipped_book,
    shipped_book_path,
    user_folder,
    user_path,
)
from claimeven.book.mmap_book import write_mapped
from claimeven.solver.protocols import DEFAULT_BOOK, SHIPPED_BOOK
from tests import forks

SMALL = Geometry(4, 4, 3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    monkeypatch.setenv("CLAIMEVEN_BOOK_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, 4, table_mb=1)


def test_a_book_in_the_folder_is_used_in_place_of_the_others(folder: Path, book: Book) -> None:
    assert open_book(SMALL, DEFAULT_BOOK) is None
    assert default_path(SMALL) is None
    path = folder / file_name(SMALL)
    write_mapped(path, book, "")
    assert path.name == "4x4-connect3.book"
    assert user_path(SMALL) == default_path(SMALL) == path
    used = open_book(SMALL, DEFAULT_BOOK)
    assert isinstance(used, MappedBook)
    assert open_book(SMALL, DEFAULT_BOOK) is used
    assert open_book(SMALL, SHIPPED_BOOK) is None
    solver = Solver(SMALL, table_mb=1)
    assert solver.score(Position(SMALL)) == book.scores[0][0]
    assert solver.statistics.nodes == 0
    higher = Book(SMALL, book.keys, (book.scores[0] + np.int8(1), *book.scores[1:]))
    size = path.stat().st_size
    write_mapped(path, higher, "")
    assert path.stat().st_size == size
    replaced = open_book(SMALL, DEFAULT_BOOK)
    assert replaced is not None
    assert replaced.look_up(Position(SMALL)) == book.scores[0][0] + 1
    book.save(path)
    assert isinstance(open_book(SMALL, DEFAULT_BOOK), Book)


def test_the_book_of_the_package_is_used_without_another(folder: Path) -> None:
    assert open_book(Geometry(), DEFAULT_BOOK) is shipped_book(Geometry())
    assert open_book(Geometry(), SHIPPED_BOOK) is shipped_book(Geometry())
    assert default_path(Geometry()) == shipped_book_path(Geometry())
    assert open_book(Geometry(5, 5), DEFAULT_BOOK) is None


def test_a_book_that_cannot_be_used_is_refused(folder: Path, book: Book) -> None:
    path = folder / file_name(Geometry())
    write_mapped(path, book, "")
    with pytest.raises(InvalidBook, match=r"7x6\.book is for 4x4 .*, not for .*: move it away"):
        Solver(table_mb=1)
    path.unlink()
    path.write_bytes(b"no book at all")
    with pytest.raises(InvalidBook, match=r"7x6\.book is not an opening book"):
        Solver(table_mb=1)
    assert Solver(table_mb=1, book=SHIPPED_BOOK).score(Position()) == 1


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
def test_a_folder_that_may_not_be_looked_into_is_done_without(folder: Path) -> None:
    (folder / file_name(Geometry())).write_bytes(b"not to be read")
    before = (
        "os.environ['CLAIMEVEN_BOOK_DIR'] = os.devnull\n"
        "from claimeven import Position, Solver\n"
        "Solver(table_mb=1).score(Position())"
    )
    code = (
        "os.environ['CLAIMEVEN_BOOK_DIR'] = sys.argv[1]\n"
        "print(Solver(table_mb=1).score(Position.from_moves('444444')))"
    )
    folder.chmod(0o000)
    try:
        result = forks.run_as_nobody(before, code, str(folder))
    finally:
        folder.chmod(0o755)
    assert result == (0, "1\n", "")


def test_the_folder_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMEVEN_BOOK_DIR", "")
    folder = user_folder()
    assert folder is not None
    assert folder.is_absolute()
    assert folder.name == "books"
    assert os.fspath(folder).count("claimeven") >= 1
