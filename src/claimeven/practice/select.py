"""Puzzles chosen: those that come along, by band and kind, and one for each day."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.practice.format import PuzzleSet, read_checked
from claimeven.practice.puzzle import BANDS, KINDS, InvalidPuzzles, Puzzle
from claimeven.suggestions import no_such

#: The folder of the sets that come along, named by board and version, and their digests; a set
#: never changes under its name.
SHIPPED = Path(__file__).parent / "data"
SHIPPED_VERSION = "v2"
DIGESTS = {"7x6-v2": "f2a7a88b287e"}
#: The bands of a week's puzzles, from Monday on.
WEEK = ("beginner", "easy", "easy", "medium", "medium", "hard", "expert")
#: Day 0 of the daily puzzles: a Monday.
_FIRST_DAY = datetime.date(2024, 1, 1)


def puzzles(
    band: str | None = None, kind: str | None = None, geometry: Geometry = STANDARD
) -> tuple[Puzzle, ...]:
    """Return the puzzles that come along, all of them or those of a band and a kind.

    Raises `InvalidPuzzles` for a band or kind that there is not, or a board without puzzles.

    >>> len(puzzles("easy", "win")) > 100
    True
    """
    return picked(shipped_puzzles(geometry).puzzles, band, kind)


@cache
def shipped_puzzles(geometry: Geometry = STANDARD) -> PuzzleSet:
    """Return the set of puzzles that comes along for a board. Raises `InvalidPuzzles` for none."""
    name = f"{geometry.columns}x{geometry.rows}-{SHIPPED_VERSION}"
    if geometry.connect != Geometry.connect or name not in DIGESTS:
        raise InvalidPuzzles(
            f"no puzzles of {geometry} come along: make some with claimeven puzzles make"
        )
    path = SHIPPED / f"puzzles-{name}.txt.gz"
    return PuzzleSet(f"puzzles-{name}", read_checked(path, DIGESTS[name], geometry))


def picked(
    every: Sequence[Puzzle], band: str | None = None, kind: str | None = None
) -> tuple[Puzzle, ...]:
    """Return the puzzles of a band and a kind, None for any. Raises `InvalidPuzzles`."""
    if band is not None and band not in BANDS:
        raise InvalidPuzzles(no_such("band", band, tuple(BANDS)))
    if kind is not None and kind not in KINDS:
        raise InvalidPuzzles(no_such("kind", kind, KINDS))
    return tuple(
        puzzle for puzzle in every if band in (None, puzzle.band) and kind in (None, puzzle.kind)
    )


def daily_puzzle(
    day: datetime.date | str | None = None, every: Sequence[Puzzle] | None = None
) -> Puzzle:
    """Return the puzzle of a day, today by default; it is the same for everyone.

    `day` may be text such as 2026-01-31. The week begins easy and ends hard; no puzzle comes again
    before all of its band were there. `every` are the puzzles to choose from, by default those that
    come along. Raises `InvalidPuzzles` for a day that cannot be.

    >>> daily_puzzle("2026-01-05").band, daily_puzzle("2026-01-11").band
    ('beginner', 'expert')
    """
    if every is None:
        every = shipped_puzzles().puzzles
    if isinstance(day, str):
        with suppress(ValueError):
            day = datetime.date.fromisoformat(day)
    if isinstance(day, datetime.datetime):
        day = day.date()
    if not isinstance(day, datetime.date | None):
        raise InvalidPuzzles(f"{day!r} is no day: give one such as 2026-01-31")
    if not every:
        raise InvalidPuzzles("there is no puzzle to choose from")
    days = ((day or datetime.date.today()) - _FIRST_DAY).days
    week, weekday = divmod(days, len(WEEK))
    band = WEEK[weekday]
    of_band = picked(every, band) or tuple(every)
    turn = week * WEEK.count(band) + WEEK[:weekday].count(band)
    return of_band[turn % len(of_band)]


def numbered(every: Sequence[Puzzle], number: int) -> Puzzle:
    """Return the puzzle of a number, from 1. Raises `InvalidPuzzles`."""
    if not 1 <= number <= len(every):
        raise InvalidPuzzles(f"there is no puzzle {number}: choose from 1 to {len(every)}")
    return every[number - 1]
