"""The interfaces of solvers and books, shared with the packages above the solver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from claimeven.game.geometry import Geometry
    from claimeven.game.position import Position

#: The score of a position that is not in a book; it is less than every score.
MISSING = -128


class ExactSolver(Protocol):
    """An object with the exact scores of the positions of one board.

    `claimeven.solver.scores` explains the scores, which are for the side to move.
    """

    @property
    def geometry(self) -> Geometry:
        """The board that is solved."""

    def score(self, position: Position) -> int:
        """Return the score of a position, finished or not."""

    def scores(self, position: Position) -> tuple[int | None, ...]:
        """Return the score of each column for the side to move, None if it cannot be played."""

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end of the game: quickest wins, slowest losses."""


class OpeningBook(Protocol):
    """Stored exact scores, in which a solver looks positions up before it searches."""

    @property
    def geometry(self) -> Geometry:
        """The board of the positions."""

    @property
    def plies(self) -> int:
        """The greatest number of discs of the positions."""

    def look_up(self, position: Position) -> int | None:
        """Return the score of an unfinished position for its side to move, None if missing."""

    def look_up_many(
        self, keys: npt.NDArray[np.uint64], plies: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int8]:
        """Return the scores of positions by key and number of discs, or `MISSING`."""


#: The default book: the user's, or the one of the package, if they exist.
DEFAULT_BOOK = "auto"
#: The book of the package, even if the user has another one.
SHIPPED_BOOK = "shipped"


def _no_books(geometry: Geometry, where: str | Path) -> OpeningBook | None:
    return None


#: Opens a book: for `DEFAULT_BOOK` the default of a board (or None), or a file.
#: The book package sets it, because the solver does not import that package.
open_book: Callable[[Geometry, str | Path], OpeningBook | None] = _no_books


def book_for(geometry: Geometry, book: OpeningBook | str | Path | None) -> OpeningBook | None:
    """Return the book for a solver. Raises `InvalidSolve` if it is for another board."""
    found = open_book(geometry, book) if isinstance(book, str | Path) else book
    if found is not None and not hasattr(found, "geometry"):
        from claimeven.solver.errors import InvalidSolve  # noqa: PLC0415 - brings in the game

        raise InvalidSolve(f"a book must be an `OpeningBook`, a path or None, not {book!r}")
    if found is not None and found.geometry != geometry:
        from claimeven.solver.errors import InvalidSolve  # noqa: PLC0415 - brings in the game

        raise InvalidSolve(f"the book is for {found.geometry}, the solver for {geometry}")
    return found
