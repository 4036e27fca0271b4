"""Opening books: exact scores of every position of the first plies, in a small file."""

from claimeven.book.book import Book as Book
from claimeven.book.book import InvalidBook as InvalidBook
from claimeven.book.locations import load_book as load_book
from claimeven.book.locations import open_book as open_book
from claimeven.book.locations import shipped_book as shipped_book
from claimeven.book.locations import shipped_book_path as shipped_book_path
from claimeven.book.mmap_book import MappedBook as MappedBook
