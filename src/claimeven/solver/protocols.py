"""The interfaces of solvers, books and guides, shared with the packages above the solver."""

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


class Guide(Protocol):
    """Guesses of scores, where searches start. Scores are exact with any guesses.

    Several threads may call a guide at the same time.
    """

    @property
    def geometry(self) -> Geometry:
        """The board of the positions."""

    def load(self) -> None:
        """Load everything that the first guess needs; `Solver.load` calls it."""

    def guess(self, position: Position) -> int | None:
        """Return a guess of the score of an unfinished position, None for no guess."""


#: The default book: the user's, or the one of the package, if they exist.
DEFAULT_BOOK = "auto"
#: The book of the package, even if the user has another one.
SHIPPED_BOOK = "shipped"
#: The guide with the bundled net.
NET_GUIDE = "net"


def _nothing(geometry: Geometry, where: str | Path) -> None:
    return None


#: Opens a book: for `DEFAULT_BOOK` the default of a board (or None), or a file. `claimeven` sets
#: both functions, because the solver does not import the packages of books and nets.
open_book: Callable[[Geometry, str | Path], OpeningBook | None] = _nothing
#: Opens a guide: for `NET_GUIDE` the bundled net, or the file of a net.
open_guide: Callable[[Geometry, str | Path], Guide | None] = _nothing


def book_for(geometry: Geometry, book: OpeningBook | str | Path | None) -> OpeningBook | None:
    """Return the book for a solver. Raises `InvalidSolve` if it is for another board."""
    found = open_book(geometry, book) if isinstance(book, str | Path) else book
    _check(geometry, found, "book", "an `OpeningBook`")
    return found


def guide_for(geometry: Geometry, guide: Guide | str | Path | None) -> Guide | None:
    """Return the guide for a solver. Raises `InvalidSolve` if it is for another board."""
    found = open_guide(geometry, guide) if isinstance(guide, str | Path) else guide
    _check(geometry, found, "guide", "a `Guide`")
    return found


def _check(geometry: Geometry, found: OpeningBook | Guide | None, name: str, kind: str) -> None:
    if found is None or getattr(found, "geometry", None) == geometry:
        return
    from claimeven.solver.errors import InvalidSolve  # noqa: PLC0415 - brings in the game

    if not hasattr(found, "geometry"):
        raise InvalidSolve(f"a {name} must be {kind}, a path or None, got {found!r}")
    raise InvalidSolve(f"the {name} is for {found.geometry}, the solver for {geometry}")
