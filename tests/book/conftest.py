"""Shared by the tests of books: the command line, run in this process; contents of books."""

from __future__ import annotations

from claimeven.book import Book
from tests.cli.conftest import run  # noqa: F401


def content(book: Book) -> bytes:
    """The file of a book without the description of its origin."""
    return Book(book.geometry, book.keys, book.scores).to_bytes()
