"""Making puzzles: positions of random games in which only one column wins or holds the draw.

A game gives at most one puzzle; no two puzzles are the same or mirror images. Both sides complete
and block lines, and otherwise play at random. The puzzle is the position nearest to a random ply
that is one (`solutions.kind_of`). In most games neither side can complete a line in it with the
next disc; in some games the task is to complete or to block a line. While other puzzles turn up, no
motif of a difficulty gets more than twice its even share.

The seed determines the set; a larger set starts with the puzzles of a smaller one. Each puzzle is
appended to a journal next to the file, so that interrupted work resumes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven.atomic_io import GrowingFile, check_output
from claimeven.compiled import MAX_BITS
from claimeven.errors import ClaimevenError, path_of
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.montecarlo.playouts.textbook import blocking_columns, winning_columns
from claimeven.puzzles.puzzle import (
    BUNDLED_VERSION,
    MIN_COLUMNS,
    WIN,
    InvalidPuzzles,
    Puzzle,
    PuzzleSet,
    check_moves,
    is_quiet,
    puzzle_line,
    puzzle_of,
    write_puzzles,
)
from claimeven.puzzles.solutions import kind_of, puzzle_at
from claimeven.solver.solver import Solver

#: Distance in plies from the drawn ply within which a puzzle is searched for.
MAX_DISTANCE = 3
#: Probabilities of games with a line to complete, and with one to block.
AT_ONCE_SHARES = (0.12, 0.3)
#: Number of motifs of difficulties with many puzzles.
CELLS = 20
#: Consecutive puzzles skipped because their motif and difficulty have enough.
MAX_SKIPPED = 40
#: Consecutive games without a puzzle after which the search for puzzles ends.
MAX_GAMES_WITHOUT = 3000
PARTIAL = ".partial"
_STREAM = 6
_COMPLETE, _BLOCK, _QUIET = range(3)
#: Number of games that no set reaches.
_MAX_GAMES = 10**12


@dataclass(frozen=True)
class PuzzlePlan:
    """Settings of a set: `count` puzzles with `lowest` to `highest` discs, by a seed.

    Raises `InvalidPuzzles` for a value out of its range.
    """

    count: int
    seed: int = 0
    lowest: int = 8
    highest: int = 34
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.geometry.columns < MIN_COLUMNS:
            raise InvalidPuzzles(
                f"a puzzle needs {MIN_COLUMNS} columns to choose from, got {self.geometry}"
            )
        for name, low in (("count", 1), ("seed", 0), ("lowest", None), ("highest", None)):
            whole_number(getattr(self, name), name, InvalidPuzzles, low=low)
        self.geometry.check_fits_word("the solver", InvalidPuzzles, MAX_BITS)
        last = self.geometry.cells - 1
        if not 1 <= self.lowest <= self.highest <= last:
            raise InvalidPuzzles(
                f"plies must be within 1-{last} on {self.geometry}, lower one first,"
                f" got {self.lowest}-{self.highest}"
            )

    def header(self) -> dict[str, int | str]:
        """Return the settings that a resumed run must share: all except the count."""
        plies = f"{self.lowest}-{self.highest}"
        facts = {"version": BUNDLED_VERSION, "plies": plies}
        return {**facts, "seed": self.seed, **self.geometry.as_dict()}


@dataclass(frozen=True)
class PuzzleProgress:
    """The progress of a set: `made` of `count` puzzles, `resumed` of them from an earlier run."""

    made: int
    count: int
    resumed: int


def make_puzzles(
    path: str | Path,
    count: int,
    seed: int = 0,
    *,
    lowest: int = PuzzlePlan.lowest,
    highest: int = PuzzlePlan.highest,
    geometry: Geometry = STANDARD,
    solver: Solver | None = None,
    on_progress: Callable[[PuzzleProgress], object] | None = None,
) -> PuzzleSet:
    """Make a set of puzzles, write it to a file, and return it.

    Interrupted work (Ctrl-C, kill) is stored in `path` + ".partial"; the same call resumes it, also
    with another count. `on_progress` is called after each game. Raises `CannotWrite`, and
    `InvalidPuzzles` for settings without puzzles, existing files, partial files of other settings.
    """
    path = path_of(path, InvalidPuzzles)
    plan = PuzzlePlan(count, seed, lowest, highest, geometry)
    check_output(path)
    if path.exists():
        raise InvalidPuzzles(f"{path} already exists: choose another name or remove it")
    journal = PuzzleJournal(path.with_name(path.name + PARTIAL), plan)
    try:
        resumed = len(journal.puzzles)
        new_puzzles = generate(plan, solver or Solver(geometry), journal.puzzles, journal.games)
        while len(journal.puzzles) < count:
            games, puzzle = next(new_puzzles)
            if puzzle is not None:
                journal.append(games, puzzle)
            if on_progress is not None:
                on_progress(PuzzleProgress(len(journal.puzzles), count, resumed))
        puzzles = tuple(journal.puzzles[:count])
        write_puzzles(path, puzzles)
        journal.file.remove()
    finally:
        journal.file.close()
    return PuzzleSet(str(path), puzzles)


def generate(
    plan: PuzzlePlan, solver: Solver, known: list[Puzzle], games: int = 0
) -> Iterator[tuple[int, Puzzle | None]]:
    """Yield after each game the number of games played, and the puzzle of the game or None.

    `known` are the puzzles of the first `games` games; the caller appends the new ones. Raises
    `InvalidPuzzles` if `MAX_GAMES_WITHOUT` games in a row give no puzzle.
    """
    seen = {puzzle.position.canonical_key for puzzle in known}
    spread = Counter((each.motif, each.difficulty) for each in known)
    skipped = games_without = 0
    while games_without < MAX_GAMES_WITHOUT:
        found = candidate(plan, games, solver, seen)
        games += 1
        games_without += 1
        if found is None:
            yield games, None
            continue
        columns, position, kind = found
        moves = format_moves(columns, plan.geometry)
        puzzle = puzzle_at(len(known) + 1, moves, position, kind, solver)
        cell = (puzzle.motif, puzzle.difficulty)
        if spread[cell] > 2 * len(known) / CELLS and skipped < MAX_SKIPPED:
            skipped += 1
            yield games, None
            continue
        skipped = games_without = 0
        seen.add(puzzle.position.canonical_key)
        spread[cell] += 1
        yield games, puzzle
    raise InvalidPuzzles(
        f"found {len(known)} puzzles instead of {plan.count}: choose a count up to {len(known)}"
    )


def candidate(
    plan: PuzzlePlan, game: int, solver: Solver, seen: set[int]
) -> tuple[tuple[int, ...], Position, str] | None:
    """Return the moves, the position and the kind of the puzzle in a game, or None.

    `seen` holds the canonical keys of the positions that are puzzles already.
    """
    rng = np.random.default_rng([plan.seed, _STREAM, game])
    target = int(rng.integers(plan.lowest, plan.highest + 1))
    wanted = int(np.searchsorted(np.cumsum(AT_ONCE_SHARES), rng.random()))
    last = min(plan.highest, target + MAX_DISTANCE)
    columns, positions = _random_game(plan.geometry, last, rng)
    plies = range(max(plan.lowest, target - MAX_DISTANCE), min(last, len(columns)) + 1)
    for ply in sorted(plies, key=lambda ply: abs(ply - target)):
        position = positions[ply]
        if position.is_over or _task_of(position) != wanted or position.canonical_key in seen:
            continue
        kind = kind_of(_outcomes(position, solver))
        if kind is not None and not (wanted == _BLOCK and kind == WIN):
            return columns[:ply], position, kind
    return None


def _random_game(
    geometry: Geometry, last: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], list[Position]]:
    """Return the columns of a game up to a ply, and all positions from the empty board on."""
    positions, columns = [Position(geometry)], list[int]()
    while len(columns) < last and not positions[-1].is_over:
        position = positions[-1]
        urgent = winning_columns(position) or blocking_columns(position)
        choices = urgent or position.legal_columns
        columns.append(choices[int(rng.integers(len(choices)))])
        positions.append(position.play(columns[-1]))
    return tuple(columns), positions


def _task_of(position: Position) -> int:
    """Return `_COMPLETE` or `_BLOCK` if a side can complete a line now, else `_QUIET`."""
    if is_quiet(position):
        return _QUIET
    return _COMPLETE if winning_columns(position) else _BLOCK


def _outcomes(position: Position, solver: Solver) -> tuple[int | None, ...]:
    """Return 1, 0 or -1 for each column, None if it is full, or all None if two columns win."""
    found: list[int | None] = [None] * position.geometry.columns
    for column in position.geometry.center_order:
        if column in position.legal_columns:
            found[column] = -solver.outcome(position.play(column))
            if found.count(1) > 1:
                return (None,) * len(found)
    return tuple(found)


class PuzzleJournal:
    """The puzzles made so far, in a file: the settings, then a line for each puzzle.

    An incomplete last line is dropped. Raises `InvalidPuzzles` for any other invalid line.
    """

    def __init__(self, path: Path, plan: PuzzlePlan) -> None:
        self.path = path
        self.puzzles: list[Puzzle] = []
        self.games = 0
        self._plan, self._head = plan, json.dumps(plan.header()).encode()
        self.file: GrowingFile = GrowingFile.of_lines(path, self._head + b"\n", self._read)

    def append(self, games: int, puzzle: Puzzle) -> None:
        self.puzzles.append(puzzle)
        self.file.append(f"{games} {puzzle_line(puzzle)}\n".encode())

    def _read(self, lines: list[bytes]) -> bool:
        if lines[:1] != [self._head]:
            raise InvalidPuzzles(
                f"{self.path} was started with other options: use the same ones, or remove the file"
                " to start again"
            )
        for number, line in enumerate(lines[1:], start=2):
            try:
                games, _, text = line.decode("ascii").partition(" ")
                puzzle = puzzle_of(text, len(self.puzzles) + 1, self._plan.geometry)
                check_moves(puzzle)
                if not self.games < int(games) < _MAX_GAMES:
                    raise ValueError
                self.games = int(games)
            except (ClaimevenError, ValueError):
                raise InvalidPuzzles(
                    f"line {number} of {self.path} is corrupt: remove the file to start again"
                ) from None
            self.puzzles.append(puzzle)
        return True
