"""The locations of books, and the default book of a board.

The package includes a small book. A deeper imported book is in the user's folder of books, with a
name for its board, and replaces the small one. `CLAIMEVEN_BOOK_DIR` moves that folder; with an
empty folder only the book of the package is used.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import platformdirs

from claimeven.book.book import MAGIC, Book, InvalidBook, read
from claimeven.book.mmap_book import VERSION as MAPPED_VERSION
from claimeven.book.mmap_book import MappedBook
from claimeven.errors import path_of
from claimeven.game.geometry import Geometry
from claimeven.solver.protocols import DEFAULT_BOOK, SHIPPED_BOOK
from claimeven.text_io import reading

AnyBook: TypeAlias = Book | MappedBook

#: The folder of the books of the package, named by board: `7x6.book`.
SHIPPED_DIR = Path(__file__).parent / "data"
_VERSION = slice(len(MAGIC), len(MAGIC) + 2)


def file_name(geometry: Geometry) -> str:
    """Return the file name of the book of a board.

    >>> file_name(Geometry()), file_name(Geometry(5, 4, 3))
    ('7x6.book', '5x4-connect3.book')
    """
    board = f"{geometry.columns}x{geometry.rows}"
    return f"{board}{'' if geometry.connect == 4 else f'-connect{geometry.connect}'}.book"


def shipped_book_path(geometry: Geometry) -> Path | None:
    """Return the path of the package's book for a board, None without one."""
    path = SHIPPED_DIR / file_name(geometry)
    return path if path.is_file() else None


def user_folder() -> Path | None:
    """Return the folder of the user's books, which may not exist; None if the user has no home.

    `CLAIMEVEN_BOOK_DIR` is read at every call.
    """
    chosen = os.environ.get("CLAIMEVEN_BOOK_DIR")
    if chosen:
        return Path(chosen)
    try:
        users = Path(platformdirs.user_data_dir("claimeven"))
    except RuntimeError:  # neither HOME nor an entry in the list of users
        return None
    return users / "books" if users.is_absolute() else None


def user_path(geometry: Geometry) -> Path | None:
    """Return the path of the user's book for a board, None without one.

    A folder without permission counts as empty.
    """
    folder = user_folder()
    if folder is not None:
        path = folder / file_name(geometry)
        with suppress(OSError):
            return path if path.is_file() else None
    return None


def default_path(geometry: Geometry) -> Path | None:
    """Return the path of the default book of a board, None without one."""
    return user_path(geometry) or shipped_book_path(geometry)


def load_book(path: str | Path) -> AnyBook:
    """Open a book file of either version. Raises `InvalidBook` with its path."""
    path = path_of(path, InvalidBook)
    with reading(path, InvalidBook), path.open("rb") as stream:
        start = stream.read(_VERSION.stop)
    if start[_VERSION] == MAPPED_VERSION.to_bytes(2, "little"):
        return MappedBook(path)
    return Book.load(path)


@lru_cache(maxsize=8)
def shipped_book(geometry: Geometry) -> Book | None:
    """Return the package's book for a board, None without one.

    Raises `InvalidBook` if its file is corrupt.
    """
    path = shipped_book_path(geometry)
    return None if path is None else Book.from_bytes(read(path), str(path), trusted=True)


def open_book(geometry: Geometry, where: str | Path) -> AnyBook | None:
    """Return the book in a file, or a book for a board, None without one.

    `DEFAULT_BOOK` is the user's book or else the package's, `SHIPPED_BOOK` always the package's.
    Raises `InvalidBook` for a corrupt file.
    """
    if where == SHIPPED_BOOK:
        return shipped_book(geometry)
    if where != DEFAULT_BOOK:
        return load_book(where)
    path = user_path(geometry)
    if path is None:
        return shipped_book(geometry)
    there = path.stat()
    return _open_user_book(geometry, path, (there.st_mtime_ns, there.st_size, there.st_ino))


@lru_cache(maxsize=8)
def _open_user_book(geometry: Geometry, path: Path, version: tuple[int, ...]) -> AnyBook:
    """Return the user's book for a board; it is opened again only if the file changes."""
    book = load_book(path)
    if book.geometry != geometry:
        raise InvalidBook(f"{path} is for {book.geometry}, not for {geometry}: move it away")
    return book
