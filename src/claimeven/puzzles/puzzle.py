"""Puzzles, positions with only one right column; sets of them, and the daily puzzle.

If its kind is `win`, one column wins and no other does; if it is `hold`, one column draws and every
other loses. The solution continues while only one column is right, up to six columns. The other
side replies with the defence that lasts longest.

The file of a set is text, one puzzle a line, plain or packed with gzip (`.gz`):

```text
    1450 win double 44355 415 4     rating, kind, idea, moves to the position, solution, length
```

Older files have no lengths. Empty lines and comments after a # are ignored. Two sets are equal if
their digests are.
"""

from __future__ import annotations

import datetime
import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from claimeven import atomic_io, markup
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position, positions_along
from claimeven.game.svg import draw_svg
from claimeven.game.validation import one_of, whole_number
from claimeven.montecarlo.playouts.textbook import blocking_columns, winning_columns
from claimeven.text_io import text_of

WIN: Final = "win"
HOLD: Final = "hold"
KINDS: Final = (WIN, HOLD)

#: Minimum number of playable columns in a puzzle: with two, every second guess would be right.
MIN_COLUMNS: Final = 3

#: Difficulties, the easiest first, and the lowest rating of each.
DIFFICULTIES: Final[Mapping[str, int]] = {
    "beginner": 0, "easy": 1200, "medium": 1400, "hard": 1600, "expert": 1850
}  # fmt: skip

#: Ideas of solutions, for the first hint. The threats may exist already, and may belong to either
#: side.
IDEAS: Final = {
    "line": "complete a line now",
    "block": "fill the cell in which the other side completes a line with its next disc",
    "double": "make two threats with one disc: only one of them can be blocked",
    "stack": "make two threats one on the other: blocking the lower opens the upper",
    "forces": "make threat after threat, so that the answers are forced",
    "zugzwang": "win by a threat out of reach: the other side must play below it in the end",
    "follow_up": "find the column after which every reply in the same column is enough",
    "denies": "find the cell the other side needs for a double threat",
    "stops": "see which threat out of reach will be filled in the end, and by whom",
    "only": "see why every other column loses",
}

#: Ideas of puzzles that the next disc decides.
AT_ONCE: Final = ("line", "block")

#: Motifs for people, the easiest first, and the ideas of each.
MOTIFS: Final[Mapping[str, tuple[str, ...]]] = {
    "win-in-1": ("line",),
    "block": ("block",),
    "double-threat": ("double", "stack"),
    "forcing": ("forces",),
    "defense": ("denies", "only"),
    "zugzwang": ("zugzwang", "follow_up", "stops"),
}


class InvalidPuzzles(ClaimevenError):
    """A puzzle, a file of puzzles or a request for puzzles that is invalid."""


def is_quiet(position: Position) -> bool:
    """Whether neither side can complete a line with the next disc."""
    return not (winning_columns(position) or blocking_columns(position))


@dataclass(frozen=True)
class Puzzle:
    """A puzzle. `number` counts from 1 in its set; `moves` lead to it.

    `rating` measures the difficulty. `idea` is one of `IDEAS`. `solution` holds 0-based columns: a
    column of the side to move, the best defence, and so on. It ends with a column of the side to
    move, when the win is obvious, more than one column is right, or six columns were found.
    `length` is the number of moves to foresee: to the win, or to the last loss of the other
    columns. It is None in puzzles of older files.
    """

    number: int
    moves: str
    kind: str
    rating: int
    idea: str
    solution: tuple[int, ...]
    geometry: Geometry = STANDARD
    length: int | None = None

    @cached_property
    def position(self) -> Position:
        return Position.from_moves(self.moves, self.geometry)

    @property
    def difficulty(self) -> str:
        """The name of the range that the rating is in."""
        number = bisect_right([*DIFFICULTIES.values()], self.rating)
        return [*DIFFICULTIES][max(0, number - 1)]

    @property
    def motif(self) -> str:
        """The motif that the idea belongs to."""
        return next(motif for motif, ideas in MOTIFS.items() if self.idea in ideas)

    @property
    def columns_to_find(self) -> int:
        return (len(self.solution) + 1) // 2

    @property
    def task(self) -> str:
        """The task in a sentence.

        >>> Puzzle(1, "", "hold", 1500, "only", (3,)).task
        'Yellow to move: one column holds the draw, every other loses.'
        """
        player = PLAYER_NAMES[self.position.turn]
        if self.kind == WIN:
            return f"{player} to move: one column wins, no other does."
        return f"{player} to move: one column holds the draw, every other loses."

    def _repr_html_(self) -> str:
        """Return the board, the task and the difficulty, without the solution."""
        return markup.below(
            markup.line(f"Puzzle {self.number}: {self.difficulty}, rating {self.rating}"),
            markup.drawing(draw_svg(self.position, bare=True)),
            markup.line(markup.strong(self.task)),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the puzzle as plain data; players count from 1, solution is a move string."""
        position = self.position
        return {
            "number": self.number,
            "moves": self.moves,
            "kind": self.kind,
            "difficulty": self.difficulty,
            "rating": self.rating,
            "motif": self.motif,
            "idea": self.idea,
            "task": self.task,
            "turn": position.turn + 1,
            "ply": position.ply,
            "length": self.length,
            "columns_to_find": self.columns_to_find,
            "solution": format_moves(self.solution, self.geometry),
        }


#: Hexadecimal digits of a digest.
DIGEST_LENGTH = 12
#: Maximum size of a file in bytes, unpacked.
MAX_BYTES = 16 << 20
#: Ratings are lower than this.
RATING_LIMIT = 10_000
#: The folder of the bundled sets and their digests. A set never changes under its name.
BUNDLED = Path(__file__).parent / "data"
BUNDLED_VERSION = "v3"
DIGESTS = {"7x6-v3": "1eadfcf1f270"}
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
    length = "" if puzzle.length is None else f" {puzzle.length}"
    return f"{puzzle.rating} {puzzle.kind} {puzzle.idea} {puzzle.moves} {solution}{length}"


def puzzle_of(line: str, number: int, geometry: Geometry = STANDARD) -> Puzzle:
    """Return the puzzle of a line; its moves are not checked. Raises `ClaimevenError`."""
    words = line.split()
    if not 5 <= len(words) <= 6:
        raise InvalidPuzzles(
            f"a puzzle must have a rating, a kind, an idea, moves, a solution and its length: 5 or"
            f" 6 words, got {len(words)}"
        )
    rating, kind, idea, moves, solution, *length = words
    for name, number_text in (("rating", rating), *(("length", each) for each in length)):
        is_number = number_text.isascii() and number_text.isdigit()
        if not (is_number and int(number_text[:9]) < RATING_LIMIT):
            raise InvalidPuzzles(
                f"a {name} must be a number below {RATING_LIMIT}, got {number_text!r}"
            )
    one_of(kind, "kind", KINDS, InvalidPuzzles)
    one_of(idea, "idea", IDEAS, InvalidPuzzles)
    columns = parse_moves(solution, geometry)
    moves_ahead = int(length[0]) if length else None
    return Puzzle(number, moves, kind, int(rating), idea, columns, geometry, moves_ahead)


def check_moves(puzzle: Puzzle) -> None:
    """Raise `ClaimevenError` unless the position is a puzzle whose solution can be played."""
    if len(puzzle.solution) % 2 == 0:
        raise InvalidPuzzles("a solution must end with a move of the side to move in the puzzle")
    position = puzzle.position
    if position.is_over or is_quiet(position) == (puzzle.idea in AT_ONCE):
        raise InvalidPuzzles(
            f"neither side may be able to complete a line with the next disc, except in puzzles"
            f" with the idea {' or '.join(AT_ONCE)}"
        )
    if len(position.legal_columns) < MIN_COLUMNS:
        raise InvalidPuzzles(f"a puzzle must have at least {MIN_COLUMNS} playable columns")
    positions_along(position, puzzle.solution)


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
    difficulty: str | None = None,
    kind: str | None = None,
    geometry: Geometry = STANDARD,
    *,
    motif: str | None = None,
    length: int | None = None,
) -> tuple[Puzzle, ...]:
    """Return the bundled puzzles, or only the ones of a difficulty, a kind, a motif, a length.

    Raises `InvalidPuzzles` for unknown names, or a board without bundled puzzles.

    >>> len(select_puzzles("beginner", motif="win-in-1")) > 50
    True
    """
    return filter_puzzles(bundled_puzzles(geometry).puzzles, difficulty, kind, motif, length)


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
    all_puzzles: Sequence[Puzzle],
    difficulty: str | None = None,
    kind: str | None = None,
    motif: str | None = None,
    length: int | None = None,
) -> tuple[Puzzle, ...]:
    """Return the puzzles with all of these, None for any. Raises `InvalidPuzzles`."""
    if length is not None:
        whole_number(length, "length", InvalidPuzzles, low=1)
    found = [each for each in all_puzzles if length in (None, each.length)]
    names = (("difficulty", difficulty, DIFFICULTIES), ("kind", kind, KINDS))
    for name, value, choices in (*names, ("motif", motif, MOTIFS)):
        if value is not None:
            one_of(value, name, choices, InvalidPuzzles)
            found = [each for each in found if getattr(each, name) == value]
    return tuple(found)


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
