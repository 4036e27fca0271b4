"""Opening books: exact scores of every position of the first plies, in a small file."""

from claimeven.book.book import Book, InvalidBook
from claimeven.book.locations import load_book, open_book, shipped_book, shipped_book_path
from claimeven.book.mmap_book import MappedBook

__all__ = [
    "Book",
    "InvalidBook",
    "MappedBook",
    "load_book",
    "open_book",
    "shipped_book",
    "shipped_book_path",
]
