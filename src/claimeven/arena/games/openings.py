"""The openings of tournaments: drawn by a seed, by exact score, or from a file.

An opening is a tuple of 0-based columns played from a start position. Each is played twice with the
seats swapped, so that neither agent has an advantage. If one side wins by force, strong agents
split every such pair, and the pair gives no information. *Balanced* openings have an exact score
near the border of win, draw and loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from claimeven.arena.games.game import EMPTY
from claimeven.arena.options import InvalidMatch
from claimeven.game.game_line import GameLine
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.position import Position
from claimeven.game.validation import items_of, seed_number, whole_number
from claimeven.records import GameRecord, InvalidRecord, guess_by_lines, open_records
from claimeven.records.formats import made_of_records
from claimeven.solver.protocols import ExactSolver
from claimeven.suggestions import did_you_mean

#: The 0-based columns of an opening.
Columns = tuple[int, ...]
#: Sources of openings other than files: random, or random with a balanced exact score.
SOURCES = ("random", "balanced")
#: The form of a band of exact scores: `3..8`, `-6..-1`.
_BAND = re.compile(r"([-+]?\d+)\.\.([-+]?\d+)")

#: Scores, for the side to move, between which an opening counts as balanced.
BAND = (-2, 2)
#: Maximum number of openings drawn; more games use them again, in turn.
MAX_DRAWN = 10_000
#: Draws in a row without a new opening, after which openings are repeated.
_MAX_REPEATS = 2000


@dataclass(frozen=True)
class Opening:
    """The start of a game: the position after `columns` (0-based) have been played from `root`.

    >>> Opening(columns=(3, 3)).moves
    '44'
    """

    root: Position = EMPTY
    columns: tuple[int, ...] = ()

    @classmethod
    def of(cls, start: Position | Opening) -> Opening:
        """Return an opening; a position is one without moves."""
        return start if isinstance(start, Opening) else Opening(start)

    @cached_property
    def position(self) -> Position:
        """The position that the agents are given."""
        return GameLine(self.root, self.columns).position

    @cached_property
    def moves(self) -> str:
        """The move string of the columns."""
        return format_moves(self.columns, self.root.geometry)

    def then(self, columns: tuple[int, ...]) -> Opening:
        """Return the opening with more columns."""
        return Opening(self.root, self.columns + columns)


@dataclass(frozen=True)
class Pairing:
    """One game to be played.

    Games 2k and 2k + 1 share an opening with the seats swapped. `first`, the first player on the
    empty board, and `second` are agents by their place in the plan.
    """

    number: int
    first: int
    second: int
    opening: Opening

    @property
    def pair(self) -> int:
        """The number of the pair."""
        return self.number // 2


def make_openings(
    source: str | Path | Sequence[str], count: int, plies: int, seed: int, start: Position
) -> tuple[Columns, ...]:
    """Return "random" or "balanced" openings of `plies` plies, or the openings of a file.

    A band of exact scores such as "3..8" replaces "balanced". At most `MAX_DRAWN` are drawn. A file
    or a sequence of move strings gives all its openings, and `count` is ignored. Raises
    `InvalidMatch` if no opening is found or the file is invalid, and `InvalidNotation`.

    >>> make_openings("random", 2, 1, seed=4, start=Position())
    ((2,), (5,))
    """
    if not isinstance(source, (str, Path)):
        listed = items_of(source, "openings", InvalidMatch)
        return tuple(tuple(parse_moves(moves, start.geometry)) for moves in listed)
    count = min(whole_number(count, "count", InvalidMatch), MAX_DRAWN)
    if source == "random":
        return random_openings(count, plies, seed, start)
    band = band_of(source)
    if band is not None:
        from claimeven.solver import Solver  # noqa: PLC0415 - brings in the compiled search

        return balanced_openings(count, plies, seed, start, Solver(start.geometry), band)
    return read_openings(source, start)


def band_of(source: str | Path) -> tuple[int, int] | None:
    """Return the lowest and highest exact score that openings may have; None if any.

    >>> band_of("balanced"), band_of("-6..-1"), band_of("random")
    ((-2, 2), (-6, -1), None)
    """
    if source == "balanced":
        return BAND
    found = _BAND.fullmatch(str(source))
    return None if found is None else (int(found[1]), int(found[2]))


def random_openings(count: int, plies: int, seed: int, start: Position) -> tuple[Columns, ...]:
    """Return openings of `plies` random plies, different ones as far as possible.

    Mirror images count as equal. Raises `InvalidMatch` if every opening ends the game.

    >>> [len(opening) for opening in random_openings(2, 3, seed=1, start=Position())]
    [3, 3]
    """
    what = f"no random opening of {plies} plies was found that leaves a game to play"
    return _drawn(count, plies, seed, start, lambda position: True, what)


def balanced_openings(
    count: int,
    plies: int,
    seed: int,
    start: Position,
    solver: ExactSolver,
    band: tuple[int, int] = BAND,
) -> tuple[Columns, ...]:
    """Return random openings with a score, for the side to move, in a band; or `InvalidMatch`."""
    low, high = band
    if low > high:
        raise InvalidMatch(f"a band of scores must have its lower end first, got {low} to {high}")
    what = f"no opening of {plies} plies with a score from {low} to {high} was found"
    return _drawn(count, plies, seed, start, lambda p: low <= solver.score(p) <= high, what)


def read_openings(path: str | Path, start: Position) -> tuple[Columns, ...]:
    """Return the openings of a file of any format of `records`. Raises `InvalidMatch`."""

    def opening_of(record: GameRecord) -> Columns:
        position = GameLine(start, record.columns).position
        if position.is_over:
            raise InvalidRecord(f"the game is over after {record.moves}: {position.outcome}")
        return record.columns

    try:
        with open_records(path) as stream:
            form, lines = guess_by_lines(str(path), stream)
            found = tuple(made_of_records(lines, form, str(path), start.geometry, opening_of))
    except InvalidRecord as error:
        if not Path(path).is_file():
            raise InvalidMatch(f"{error}{did_you_mean(str(path), SOURCES)}") from None
        raise InvalidMatch(f"line {error.line or 1} of {path}: {error.reason}") from None
    if not found:
        raise InvalidMatch(f"{path} holds no opening")
    return found


def _drawn(
    count: int,
    plies: int,
    seed: int,
    start: Position,
    wanted: Callable[[Position], bool],
    what: str,
) -> tuple[Columns, ...]:
    count = whole_number(count, "count", InvalidMatch)
    plies = whole_number(plies, "opening_plies", InvalidMatch, low=0)
    seed = seed_number(seed, InvalidMatch)
    rng = np.random.default_rng([seed, 2])
    found: list[Columns] = []
    seen: set[int] = set()
    in_vain = 0
    while len(found) < count and in_vain < _MAX_REPEATS:
        in_vain += 1
        columns, position = random_moves(plies, start, rng)
        if position.is_over or position.canonical_key in seen:
            continue
        seen.add(position.canonical_key)
        if wanted(position):
            found.append(columns)
            in_vain = 0
    if not found:
        raise InvalidMatch(what)
    return tuple(found[i % len(found)] for i in range(count))


def random_moves(
    plies: int, position: Position, rng: np.random.Generator
) -> tuple[Columns, Position]:
    """Return `plies` random moves, fewer if the game ends, and the position after them."""
    columns: list[int] = []
    while len(columns) < plies and not position.is_over:
        legal = position.legal_columns
        columns.append(legal[int(rng.integers(len(legal)))])
        position = position.play_unchecked(columns[-1])
    return tuple(columns), position
