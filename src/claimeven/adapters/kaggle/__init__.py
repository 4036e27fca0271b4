"""Our agents as submissions to Kaggle ConnectX: one file each, that needs Python alone.

`export` puts a file together, from the modules in `parts`, which are plain Python and are tested
as they stand; `recipes` says which of them an agent needs, `book_file` holds the book of moves
that the exact player takes along.
"""

from claimeven.adapters.kaggle.export import export_submission, submission

__all__ = ["export_submission", "submission"]
