"""What the solver and the rooms above it agree on: what a solver answers, what a book answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from claimeven.game.geometry import Geometry
    from claimeven.game.position import Position

#: Stands for the score of a position that a book does not hold; no score is as small.
MISSING = -128


class ExactSolver(Protocol):
    """Anything that knows the exact score of every position of one board.

    Scores are those of `claimeven.solver.scores`, seen from the side to move.
    """

    @property
    def geometry(self) -> Geometry:
        """The board that is solved."""

    def score(self, position: Position) -> int:
        """Return the score of a position, finished or not."""

    def scores(self, position: Position) -> tuple[int | None, ...]:
        """Return what each column is worth to the side to move, None where none can be played."""

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end of the game: quickest wins, slowest losses."""


class OpeningBook(Protocol):
    """Exact scores known beforehand, which a solver asks before it searches."""

    @property
    def geometry(self) -> Geometry:
        """The board whose positions are held."""

    @property
    def plies(self) -> int:
        """The greatest number of discs of positions held."""

    def look_up(self, position: Position) -> int | None:
        """Return the score of an unfinished position for its side to move; None if not held."""

    def look_up_many(
        self, keys: npt.NDArray[np.uint64], plies: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int8]:
        """Return the scores of positions by key and number of discs, `MISSING` where not held."""


#: The word for "the book that is used where none is named": the user's, or the package's, or none.
DEFAULT_BOOK = "auto"
#: The word for "the book that comes with the package, whatever others there are".
SHIPPED_BOOK = "shipped"


def _no_books(geometry: Geometry, where: str | Path) -> OpeningBook | None:
    return None


#: Opens a book: the usual one of a board for `DEFAULT_BOOK` (None if there is none), or a file.
#: The package sets it to what the room of books offers, which the solver knows nothing of.
open_book: Callable[[Geometry, str | Path], OpeningBook | None] = _no_books


def book_for(geometry: Geometry, book: OpeningBook | str | Path | None) -> OpeningBook | None:
    """Return the book a solver is to use; `InvalidSolve` if it is for another board."""
    found = open_book(geometry, book) if isinstance(book, str | Path) else book
    if found is not None and not hasattr(found, "geometry"):
        from claimeven.solver.errors import InvalidSolve  # noqa: PLC0415 - brings in the game

        raise InvalidSolve(f"a book is an `OpeningBook`, the name of a file or None, not {book!r}")
    if found is not None and found.geometry != geometry:
        from claimeven.solver.errors import InvalidSolve  # noqa: PLC0415 - brings in the game

        raise InvalidSolve(f"the book is for {found.geometry}, the solver for {geometry}")
    return found
