"""Puzzles made: positions from games, kept where one column alone wins or holds, and rated.

One puzzle a game, no two the same or mirror images. In a game both sides take wins, block wins and
play at random else, so that the positions are lively and the moves not absurd. A ply is drawn, and
the puzzle is the nearest position within a few plies that is one (`solutions.kind_of`) and in which
nobody can complete a line at once. `difficulty` rates it. No kind of a
band gets more than twice its even share as long as others turn up, so that there is something for
everyone.

The seed decides everything. Puzzles go to a journal beside the file as they are made, so work that
was ended goes on where it was; asked for more, a set begins with those of a smaller one.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven import atomic_io
from claimeven.errors import ClaimevenError
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.puzzles.puzzle import (
    BANDS,
    KINDS,
    MIN_COLUMNS,
    InvalidPuzzles,
    Puzzle,
    is_quiet,
)
from claimeven.puzzles.sets import PuzzleSet, check_moves, puzzle_line, puzzle_of, write_puzzles
from claimeven.puzzles.solutions import (
    idea_of,
    kind_of,
    rate,
    solution_of,
)
from claimeven.solver.solver import Solver

#: Plies from the one drawn within which a puzzle is looked for.
NEAR = 3
#: Puzzles in a row that are passed over because their kind and band have enough; then one is kept.
WAIT = 40
#: Games in a row without a puzzle after which there are taken to be no more.
PATIENCE = 3000
PARTIAL = ".partial"
_STREAM = 6
#: More games than are ever played for a set.
_MAX_GAMES = 10**12


@dataclass(frozen=True)
class PuzzlePlan:
    """What to make: so many puzzles, with `lowest` to `highest` discs on the board, by a seed.

    Raises `InvalidPuzzles` naming what is out of its range.
    """

    count: int
    seed: int = 0
    lowest: int = 8
    highest: int = 34
    geometry: Geometry = STANDARD

    def __post_init__(self) -> None:
        if self.geometry.columns < MIN_COLUMNS:
            raise InvalidPuzzles(
                f"a puzzle needs {MIN_COLUMNS} columns to choose from: {self.geometry} has fewer"
            )
        for name, low in (("count", 1), ("seed", 0), ("lowest", None), ("highest", None)):
            whole_number(getattr(self, name), name, InvalidPuzzles, low=low)
        self.geometry.check_fits_word("the solver", InvalidPuzzles)
        last = self.geometry.cells - 1
        if not 1 <= self.lowest <= self.highest <= last:
            raise InvalidPuzzles(
                f"plies must lie within 1-{last} on {self.geometry}, the lower one first,"
                f" not {self.lowest}-{self.highest}"
            )

    def header(self) -> dict[str, int | str]:
        """Return what two runs must share to be one: everything but the count."""
        plies = f"{self.lowest}-{self.highest}"
        return {"seed": self.seed, "plies": plies, **self.geometry.as_dict()}


@dataclass(frozen=True)
class PuzzleProgress:
    """How far the work is: `made` of `count` puzzles, `resumed` of them from an earlier run.

    `games` were played by then; `spread` counts the puzzles by kind and band.
    """

    made: int
    count: int
    resumed: int
    games: int
    seconds: float
    spread: Counter[tuple[str, str]]


def make_puzzles(
    path: str | Path,
    count: int,
    seed: int = 0,
    *,
    lowest: int = PuzzlePlan.lowest,
    highest: int = PuzzlePlan.highest,
    geometry: Geometry = STANDARD,
    solver: Solver | None = None,
    progress: Callable[[PuzzleProgress], object] | None = None,
) -> PuzzleSet:
    """Make a set of puzzles, write it to a file, and return it.

    Work that was ended, Ctrl-C and kill included, is kept in `path` + ".partial" and goes on from
    there when the same is asked again; more or fewer puzzles may be asked. Raises `InvalidPuzzles`
    for what cannot be made, a file that is there already, or a partial one of other options, and
    `CannotWrite`.
    """
    path = Path(path)
    plan = PuzzlePlan(count, seed, lowest, highest, geometry)
    atomic_io.check_output(path)
    if path.exists():
        raise InvalidPuzzles(f"{path} is there already: choose another name or remove it")
    begin = time.perf_counter()
    journal = PuzzleJournal(path.with_name(path.name + PARTIAL), plan)
    try:
        resumed = len(journal.puzzles)
        games = journal.games
        making = made(plan, solver or Solver(geometry), journal.puzzles, games)
        while len(journal.puzzles) < count:
            games, puzzle = next(making)
            if puzzle is not None:
                journal.append(games, puzzle)
            if progress is not None:
                at = len(journal.puzzles)
                seconds = time.perf_counter() - begin
                progress(PuzzleProgress(at, count, resumed, games, seconds, journal.spread))
        puzzles = tuple(journal.puzzles[:count])
        write_puzzles(path, puzzles)
        journal.done()
    finally:
        journal.close()
    return PuzzleSet(str(path), puzzles)


def made(
    plan: PuzzlePlan, solver: Solver, known: list[Puzzle], games: int = 0
) -> Iterator[tuple[int, Puzzle | None]]:
    """Yield after each game how many were played, and the puzzle it gave or None.

    `known` are the puzzles of the first `games` games; the caller adds the new ones. Raises
    `InvalidPuzzles` when there seem to be no more.
    """
    seen = {puzzle.position.canonical_key for puzzle in known}
    spread = Counter((each.kind, each.band) for each in known)
    waited = in_vain = 0
    while in_vain < PATIENCE:
        found = candidate(plan, games, solver, seen)
        games += 1
        in_vain += 1
        if found is None:
            yield games, None
            continue
        columns, position, kind = found
        solution = solution_of(position, kind, solver)
        idea = idea_of(position, kind, solution[0], solver)
        rating = rate(position, kind, idea, solution, solver)
        moves, number = format_moves(columns, plan.geometry), len(known) + 1
        puzzle = Puzzle(number, moves, kind, rating, idea, solution, plan.geometry)
        cell = (puzzle.kind, puzzle.band)
        share = len(known) / (len(KINDS) * len(BANDS))
        if spread[cell] > 2 * share and waited < WAIT:
            waited += 1
            yield games, None
            continue
        waited = in_vain = 0
        seen.add(puzzle.position.canonical_key)
        spread[cell] += 1
        yield games, puzzle
    raise InvalidPuzzles(
        f"only {len(known)} puzzles were found, not {plan.count}: ask for at most that many"
    )


def candidate(
    plan: PuzzlePlan, game: int, solver: Solver, seen: set[int]
) -> tuple[tuple[int, ...], Position, str] | None:
    """Return the moves, the position and the kind of the puzzle a game gives, None if none.

    `seen` holds the canonical keys of positions that are puzzles already.
    """
    rng = np.random.default_rng([plan.seed, _STREAM, game])
    target = int(rng.integers(plan.lowest, plan.highest + 1))
    last = min(plan.highest, target + NEAR)
    columns, positions = _played(plan.geometry, last, rng)
    plies = range(max(plan.lowest, target - NEAR), min(last, len(columns)) + 1)
    for ply in sorted(plies, key=lambda ply: abs(ply - target)):
        position = positions[ply]
        if position.is_over or not is_quiet(position) or position.canonical_key in seen:
            continue
        kind = kind_of(_outcomes(position, solver))
        if kind is not None:
            return columns[:ply], position, kind
    return None


def _played(
    geometry: Geometry, last: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], list[Position]]:
    """Return the columns of a game up to a ply, and the positions from the empty board on."""
    positions, columns = [Position(geometry)], list[int]()
    while len(columns) < last and not positions[-1].is_over:
        position = positions[-1]
        choices = list(position.legal_columns)
        playable = playable_cells(position.mask, geometry)
        for discs in (position.mine, position.theirs):
            wins = winning_cells(discs, position.mask, geometry) & playable
            if wins:
                choices = [column for column, _ in geometry.cells_of(wins)]
                break
        columns.append(choices[int(rng.integers(len(choices)))])
        positions.append(position.play(columns[-1]))
    return tuple(columns), positions


def _outcomes(position: Position, solver: Solver) -> tuple[int | None, ...]:
    """Return 1, 0 or -1 for each column, None where full, or all None if two columns win.

    Cheaper than scores, and as good to tell the kind of a puzzle.
    """
    found: list[int | None] = [None] * position.geometry.columns
    for column in position.geometry.center_order:
        if column in position.legal_columns:
            found[column] = -solver.outcome(position.play(column))
            if found.count(1) > 1:
                return (None,) * len(found)
    return tuple(found)


class PuzzleJournal:
    """The puzzles made so far, in a file that grows: options, then a game's number and puzzle each.

    A last line that was cut off is dropped; anything else that is wrong is refused with
    `InvalidPuzzles`.
    """

    def __init__(self, path: Path, plan: PuzzlePlan) -> None:
        self.path = path
        self.puzzles: list[Puzzle] = []
        self.spread: Counter[tuple[str, str]] = Counter()
        self.games = 0
        whole = self._load(plan) if path.exists() else 0
        self._file = atomic_io.GrowingFile(path, whole)
        if not whole:
            self._file.append(json.dumps(plan.header()).encode() + b"\n")

    def append(self, games: int, puzzle: Puzzle) -> None:
        self._add(puzzle)
        self._file.append(f"{games} {puzzle_line(puzzle)}\n".encode())

    def close(self) -> None:
        """Close the file; it stays unless the work is done."""
        self._file.close()

    def done(self) -> None:
        self._file.remove()

    def _load(self, plan: PuzzlePlan) -> int:
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InvalidPuzzles(f"{self.path} cannot be read: {error.strerror or error}") from None
        whole = content.rfind(b"\n") + 1
        first, _, rest = content[:whole].partition(b"\n")
        if not first:
            return 0
        if first != json.dumps(plan.header()).encode():
            raise InvalidPuzzles(
                f"{self.path} was begun with other options: ask for the same, or remove it to"
                " begin again"
            )
        for number, line in enumerate(rest.splitlines(), start=2):
            try:
                games, _, text = line.decode("ascii").partition(" ")
                puzzle = puzzle_of(text, len(self.puzzles) + 1, plan.geometry)
                check_moves(puzzle)
                if not self.games < int(games) < _MAX_GAMES:
                    raise ValueError
                self.games = int(games)
            except (ClaimevenError, ValueError):
                raise InvalidPuzzles(
                    f"{self.path} is damaged in line {number}: remove it to begin again"
                ) from None
            self._add(puzzle)
        return whole

    def _add(self, puzzle: Puzzle) -> None:
        self.puzzles.append(puzzle)
        self.spread[puzzle.kind, puzzle.band] += 1
