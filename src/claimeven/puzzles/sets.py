"""Sets of puzzles: files, the bundled set, selection by difficulty and kind, the daily puzzle.

A file is text, one puzzle a line, plain or packed with gzip (`.gz`):

```text
    1450 win double 44355 415       rating, kind, idea, the moves to the position, the solution
```

Empty lines and comments after a # are ignored. Two sets are equal if their digests are.
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
    DIFFICULTIES,
    IDEAS,
    KINDS,
    MIN_COLUMNS,
    InvalidPuzzles,
    Puzzle,
    is_quiet,
)
from claimeven.text_io import text_of

#: Hexadecimal digits of a digest.
DIGEST_LENGTH = 12
#: Maximum size of a file in bytes, unpacked.
MAX_BYTES = 16 << 20
#: Ratings are lower than this.
RATING_LIMIT = 10_000
#: The folder of the bundled sets, named by board and version, and their digests. A set never
#: changes under its name.
BUNDLED = Path(__file__).parent / "data"
BUNDLED_VERSION = "v2"
DIGESTS = {"7x6-v2": "f2a7a88b287e"}
#: The difficulties of the puzzles of a week, from Monday on.
WEEK = ("beginner", "easy", "easy", "medium", "medium", "hard", "expert")
#: Day 0 of the daily puzzles: a Monday.
FIRST_DAY = datetime.date(2024, 1, 1)


@dataclass(frozen=True)
class PuzzleSet:
    """Puzzles of one board under a name."""

    name: str
    puzzles: tuple[Puzzle, ...]

    @property
    def digest(self) -> str:
        """The start of the SHA-256 digest of the puzzles."""
        return digest_of(map(puzzle_line, self.puzzles))


def digest_of(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGEST_LENGTH]


def puzzle_line(puzzle: Puzzle) -> str:
    solution = format_moves(puzzle.solution, puzzle.geometry)
    return f"{puzzle.rating} {puzzle.kind} {puzzle.idea} {puzzle.moves} {solution}"


def puzzle_of(line: str, number: int, geometry: Geometry = STANDARD) -> Puzzle:
    """Return the puzzle of a line; its moves are not checked. Raises `ClaimevenError`."""
    words = line.split()
    if len(words) != 5:
        raise InvalidPuzzles(
            f"a puzzle must have a rating, a kind, an idea, moves and a solution: 5 words, got"
            f" {len(words)}"
        )
    rating, kind, idea, moves, solution = words
    if not (rating.isascii() and rating.isdigit() and int(rating[:9]) < RATING_LIMIT):
        raise InvalidPuzzles(f"a rating must be a number below {RATING_LIMIT}, got {rating!r}")
    one_of(kind, "kind", KINDS, InvalidPuzzles)
    one_of(idea, "idea", IDEAS, InvalidPuzzles)
    columns = parse_moves(solution, geometry)
    return Puzzle(number, moves, kind, int(rating), idea, columns, geometry)


def check_moves(puzzle: Puzzle) -> None:
    """Raise `ClaimevenError` unless the position is a puzzle whose solution can be played."""
    if len(puzzle.solution) % 2 == 0:
        raise InvalidPuzzles("a solution must end with a move of the side to move in the puzzle")
    position = puzzle.position
    if position.is_over or not is_quiet(position):
        raise InvalidPuzzles(
            "in a puzzle neither side may be able to complete a line with the next disc"
        )
    if len(position.legal_columns) < MIN_COLUMNS:
        raise InvalidPuzzles(f"a puzzle must have at least {MIN_COLUMNS} playable columns")
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
        raise InvalidPuzzles(f"{path} contains no puzzles")
    return PuzzleSet(str(path), tuple(found))


def read_checked(path: Path, digest: str, geometry: Geometry = STANDARD) -> tuple[Puzzle, ...]:
    """Read a set with a known digest, faster than `read_puzzles`. Raises `InvalidPuzzles`."""
    lines = [line for _, line in _lines(text_of(path, MAX_BYTES, InvalidPuzzles))]
    if digest_of(lines) != digest:
        raise InvalidPuzzles(f"{path} is corrupt: install claimeven again")
    return tuple(puzzle_of(line, n, geometry) for n, line in enumerate(lines, start=1))


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write a set atomically, packed if the name ends in .gz. Raises `CannotWrite`."""
    data = "".join(f"{puzzle_line(puzzle)}\n" for puzzle in puzzles).encode()
    atomic_io.write_bytes(path, atomic_io.packed(data) if path.suffix == ".gz" else data)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if content:
            yield number, content


def select_puzzles(
    difficulty: str | None = None, kind: str | None = None, geometry: Geometry = STANDARD
) -> tuple[Puzzle, ...]:
    """Return the bundled puzzles, all of them or only the ones of a difficulty or a kind.

    Raises `InvalidPuzzles` for an unknown difficulty or kind, or a board without bundled puzzles.

    >>> len(select_puzzles("easy", "win")) > 100
    True
    """
    return filter_puzzles(bundled_puzzles(geometry).puzzles, difficulty, kind)


@cache
def bundled_puzzles(geometry: Geometry = STANDARD) -> PuzzleSet:
    """Return the bundled set of a board. Raises `InvalidPuzzles` for other boards."""
    name = f"{geometry.columns}x{geometry.rows}-{BUNDLED_VERSION}"
    if geometry.connect != Geometry.connect or name not in DIGESTS:
        raise InvalidPuzzles(
            f"the board {geometry} has no bundled puzzles: make some with claimeven puzzles make"
        )
    path = BUNDLED / f"puzzles-{name}.txt.gz"
    return PuzzleSet(f"puzzles-{name}", read_checked(path, DIGESTS[name], geometry))


def filter_puzzles(
    all_puzzles: Sequence[Puzzle], difficulty: str | None = None, kind: str | None = None
) -> tuple[Puzzle, ...]:
    """Return the puzzles of a difficulty and a kind, None for any. Raises `InvalidPuzzles`."""
    if difficulty is not None:
        one_of(difficulty, "difficulty", DIFFICULTIES, InvalidPuzzles)
    if kind is not None:
        one_of(kind, "kind", KINDS, InvalidPuzzles)
    return tuple(
        puzzle
        for puzzle in all_puzzles
        if difficulty in (None, puzzle.difficulty) and kind in (None, puzzle.kind)
    )


def daily_puzzle(
    day: datetime.date | str | None = None, all_puzzles: Sequence[Puzzle] | None = None
) -> Puzzle:
    """Return the puzzle of a day, today by default; it is the same for everyone.

    `day` may be text such as 2026-01-31. The week starts easy and ends hard. A puzzle is repeated
    only after all others of its difficulty. `all_puzzles` are the puzzles to choose from, the
    bundled ones by default. Raises `InvalidPuzzles` for an invalid day.

    >>> daily_puzzle("2026-01-05").difficulty, daily_puzzle("2026-01-11").difficulty
    ('beginner', 'expert')
    """
    if all_puzzles is None:
        all_puzzles = bundled_puzzles().puzzles
    if isinstance(day, str):
        with suppress(ValueError):
            day = datetime.date.fromisoformat(day)
    if isinstance(day, datetime.datetime):
        day = day.date()
    if not isinstance(day, datetime.date | None):
        raise InvalidPuzzles(f"a day must be a date such as 2026-01-31, got {day!r}")
    if not all_puzzles:
        raise InvalidPuzzles("daily_puzzle needs at least one puzzle to choose from")
    days = ((day or datetime.date.today()) - FIRST_DAY).days
    week, weekday = divmod(days, len(WEEK))
    difficulty = WEEK[weekday]
    of_difficulty = filter_puzzles(all_puzzles, difficulty) or tuple(all_puzzles)
    turn = week * WEEK.count(difficulty) + WEEK[:weekday].count(difficulty)
    return of_difficulty[turn % len(of_difficulty)]


def puzzle_by_number(puzzles: Sequence[Puzzle], number: int) -> Puzzle:
    """Return the puzzle of a number, from 1. Raises `InvalidPuzzles`."""
    if not 1 <= number <= len(puzzles):
        raise InvalidPuzzles(f"the number of a puzzle must be 1 to {len(puzzles)}, got {number}")
    return puzzles[number - 1]
