"""Sets of puzzles as files: text, one puzzle a line, plain or packed with gzip (`.gz`).

```text
    1450 win double 44355 415       rating, kind, idea, the moves that lead there, the solution
```

Empty lines and what follows a # are passed over. The digest of a set tells whether two people have
the same one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimeven import atomic_io
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.practice.puzzle import (
    IDEAS,
    KINDS,
    LEAST_COLUMNS,
    InvalidPuzzles,
    Puzzle,
    is_quiet,
)
from claimeven.suggestions import no_such
from claimeven.text_io import text_of

#: Hexadecimal digits of a digest that are told.
DIGEST_SHOWN = 12
#: Bytes of a file that are read at most, unpacked.
MOST_BYTES = 16 << 20
#: Ratings lie below this.
RATINGS = 10_000


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
    """Return the digest of a set with these lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGEST_SHOWN]


def puzzle_line(puzzle: Puzzle) -> str:
    """Return a puzzle as the line of a file."""
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
    for what, word, known in (("kind", kind, KINDS), ("idea", idea, tuple(IDEAS))):
        if word not in known:
            raise InvalidPuzzles(no_such(what, word, known))
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
    if len(position.legal_columns) < LEAST_COLUMNS:
        raise InvalidPuzzles(f"a puzzle has {LEAST_COLUMNS} columns to choose from, or more")
    for column in puzzle.solution:
        position = position.play(column)


def read_puzzles(path: str | Path, geometry: Geometry = STANDARD) -> PuzzleSet:
    """Read a set of puzzles of a board. Raises `InvalidPuzzles` naming the file and the line."""
    found: list[Puzzle] = []
    for number, line in _lines(text_of(path, MOST_BYTES, InvalidPuzzles)):
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
    lines = [line for _, line in _lines(text_of(path, MOST_BYTES, InvalidPuzzles))]
    if digest_of(lines) != digest:
        raise InvalidPuzzles(f"{path} is damaged: install claimeven again")
    return tuple(puzzle_of(line, n, geometry) for n, line in enumerate(lines, start=1))


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write a set, whole or not at all; packed where the name ends in .gz. Raises `CannotWrite`."""
    data = "".join(f"{puzzle_line(puzzle)}\n" for puzzle in puzzles).encode()
    atomic_io.write_bytes(path, atomic_io.packed(data) if path.suffix == ".gz" else data)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold something, with their numbers from 1, without comments."""
    for number, line in enumerate(text.splitlines(), start=1):
        held = line.partition("#")[0].strip()
        if held:
            yield number, held
