"""Opening books: exact scores of every position of the first plies, in a small file."""

from claimeven.book.book import Book, open_book, shipped, shipped_path
from claimeven.book.errors import InvalidBook

__all__ = ["Book", "InvalidBook", "open_book", "shipped", "shipped_path"]
