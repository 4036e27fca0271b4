"""Sets of puzzles: their files, the bundled set, choosing by band and kind, one for each day.

A file is text, one puzzle a line, plain or packed with gzip (`.gz`):

```text
    1450 win double 44355 415       rating, kind, idea, the moves that lead there, the solution
```

Empty lines and what follows a # are passed over. The digest of a set shows whether two people have
the same one.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from claimeven import atomic_io
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.validation import one_of
from claimeven.puzzles.puzzle import (
    BANDS,
    IDEAS,
    KINDS,
    MIN_COLUMNS,
    InvalidPuzzles,
    Puzzle,
    is_quiet,
)
from claimeven.text_io import text_of

#: Hexadecimal digits of a digest that are told.
DIGEST_SHOWN = 12
#: Bytes of a file that are read at most, unpacked.
MAX_BYTES = 16 << 20
#: Ratings lie below this.
RATINGS = 10_000
#: The folder of the sets that come along, named by board and version, and their digests; a set
#: never changes under its name.
SHIPPED = Path(__file__).parent / "data"
SHIPPED_VERSION = "v2"
DIGESTS = {"7x6-v2": "f2a7a88b287e"}
#: The bands of a week's puzzles, from Monday on.
WEEK = ("beginner", "easy", "easy", "medium", "medium", "hard", "expert")
#: Day 0 of the daily puzzles: a Monday.
_FIRST_DAY = datetime.date(2024, 1, 1)


@dataclass(frozen=True)
class PuzzleSet:
    """Puzzles of one board under a name."""

    name: str
    puzzles: tuple[Puzzle, ...]

    @property
    def digest(self) -> str:
        """The first digits of the SHA-256 digest of the puzzles."""
        return digest_of(map(puzzle_line, self.puzzles))


def digest_of(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGEST_SHOWN]


def puzzle_line(puzzle: Puzzle) -> str:
    solution = format_moves(puzzle.solution, puzzle.geometry)
    return f"{puzzle.rating} {puzzle.kind} {puzzle.idea} {puzzle.moves} {solution}"


def puzzle_of(line: str, number: int, geometry: Geometry = STANDARD) -> Puzzle:
    """Return the puzzle of a line, with its number in the set. Raises `ClaimevenError`.

    Whether moves and solution can be played is not looked at: see `check_moves`.
    """
    words = line.split()
    if len(words) != 5:
        raise InvalidPuzzles(
            f"a puzzle is a rating, a kind, an idea, moves and a solution, not {len(words)} words"
        )
    rating, kind, idea, moves, solution = words
    if not (rating.isascii() and rating.isdigit() and int(rating[:9]) < RATINGS):
        raise InvalidPuzzles(f"a rating is a number below {RATINGS}, not {rating!r}")
    one_of(kind, "kind", KINDS, InvalidPuzzles)
    one_of(idea, "idea", IDEAS, InvalidPuzzles)
    columns = parse_moves(solution, geometry)
    return Puzzle(number, moves, kind, int(rating), idea, columns, geometry)


def check_moves(puzzle: Puzzle) -> None:
    """Raise `ClaimevenError` unless the moves and the solution can be played, from where a puzzle
    can begin.
    """
    if len(puzzle.solution) % 2 == 0:
        raise InvalidPuzzles("a solution ends with a move of the side that solves")
    position = puzzle.position
    if position.is_over or not is_quiet(position):
        raise InvalidPuzzles("a puzzle begins where nobody can complete a line with the next disc")
    if len(position.legal_columns) < MIN_COLUMNS:
        raise InvalidPuzzles(f"a puzzle has {MIN_COLUMNS} columns to choose from, or more")
    for column in puzzle.solution:
        position = position.play(column)


def read_puzzles(path: str | Path, geometry: Geometry = STANDARD) -> PuzzleSet:
    """Read a set of puzzles of a board. Raises `InvalidPuzzles` naming the file and the line."""
    found: list[Puzzle] = []
    for number, line in _lines(text_of(path, MAX_BYTES, InvalidPuzzles)):
        try:
            puzzle = puzzle_of(line, len(found) + 1, geometry)
            check_moves(puzzle)
        except ClaimevenError as error:
            raise InvalidPuzzles(f"line {number} of {path}: {error}") from None
        found.append(puzzle)
    if not found:
        raise InvalidPuzzles(f"{path} holds no puzzle")
    return PuzzleSet(str(path), tuple(found))


def read_checked(path: Path, digest: str, geometry: Geometry = STANDARD) -> tuple[Puzzle, ...]:
    """Read a set whose digest is known, which takes a tenth of the time of `read_puzzles`.

    Raises `InvalidPuzzles` if it is another one.
    """
    lines = [line for _, line in _lines(text_of(path, MAX_BYTES, InvalidPuzzles))]
    if digest_of(lines) != digest:
        raise InvalidPuzzles(f"{path} is corrupt: install claimeven again")
    return tuple(puzzle_of(line, n, geometry) for n, line in enumerate(lines, start=1))


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write a set, whole or not at all; packed where the name ends in .gz. Raises `CannotWrite`."""
    data = "".join(f"{puzzle_line(puzzle)}\n" for puzzle in puzzles).encode()
    atomic_io.write_bytes(path, atomic_io.packed(data) if path.suffix == ".gz" else data)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        held = line.partition("#")[0].strip()
        if held:
            yield number, held


def select_puzzles(
    band: str | None = None, kind: str | None = None, geometry: Geometry = STANDARD
) -> tuple[Puzzle, ...]:
    """Return the puzzles that come along, all of them or those of a band and a kind.

    Raises `InvalidPuzzles` for a band or kind that there is not, or a board without puzzles.

    >>> len(select_puzzles("easy", "win")) > 100
    True
    """
    return filter_puzzles(bundled_puzzles(geometry).puzzles, band, kind)


@cache
def bundled_puzzles(geometry: Geometry = STANDARD) -> PuzzleSet:
    """Return the set of puzzles that comes along for a board. Raises `InvalidPuzzles` for none."""
    name = f"{geometry.columns}x{geometry.rows}-{SHIPPED_VERSION}"
    if geometry.connect != Geometry.connect or name not in DIGESTS:
        raise InvalidPuzzles(
            f"no puzzles of {geometry} come along: make some with claimeven puzzles make"
        )
    path = SHIPPED / f"puzzles-{name}.txt.gz"
    return PuzzleSet(f"puzzles-{name}", read_checked(path, DIGESTS[name], geometry))


def filter_puzzles(
    every: Sequence[Puzzle], band: str | None = None, kind: str | None = None
) -> tuple[Puzzle, ...]:
    """Return the puzzles of a band and a kind, None for any. Raises `InvalidPuzzles`."""
    if band is not None:
        one_of(band, "band", BANDS, InvalidPuzzles)
    if kind is not None:
        one_of(kind, "kind", KINDS, InvalidPuzzles)
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
        every = bundled_puzzles().puzzles
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
    of_band = filter_puzzles(every, band) or tuple(every)
    turn = week * WEEK.count(band) + WEEK[:weekday].count(band)
    return of_band[turn % len(of_band)]


def puzzle_by_number(every: Sequence[Puzzle], number: int) -> Puzzle:
    """Return the puzzle of a number, from 1. Raises `InvalidPuzzles`."""
    if not 1 <= number <= len(every):
        raise InvalidPuzzles(f"there is no puzzle {number}: choose from 1 to {len(every)}")
    return every[number - 1]
