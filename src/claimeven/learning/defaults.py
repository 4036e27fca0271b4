"""What is usual where a run is not told: apart from `oracle`, which play must not know."""

from __future__ import annotations

from typing import Final

from claimeven.game.geometry import STANDARD, Geometry

#: Cells of the greatest board on which perfect games take seconds without a book.
_MOST_CELLS: Final = 36


def usual_against(geometry: Geometry, games: int) -> int:
    """Return how many games against the perfect agent measure a run: so many, or none on boards
    where it would think for hours.

    >>> usual_against(Geometry(), 10), usual_against(Geometry(8, 7), 10)
    (10, 0)
    """
    return games if geometry == STANDARD or geometry.cells <= _MOST_CELLS else 0
