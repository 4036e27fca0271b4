"""What is played in a match: a pure function of the seed, whoever plays it and in what order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from claimeven.arena.errors import InvalidMatch
from claimeven.game.geometry import Geometry
from claimeven.game.line import Line
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number

#: The empty board that is meant where nothing else is said.
STANDARD_START = Position()
#: Games of a match: more than anybody waits for.
MOST_GAMES = 20_000_000
#: Tries to find a random opening that does not end the game.
_TRIES = 1000


@dataclass(frozen=True)
class Opening:
    """Where a game begins: the position after `columns` (0-based) have been played from `root`.

    >>> Opening(columns=(3, 3)).moves
    '44'
    """

    root: Position = STANDARD_START
    columns: tuple[int, ...] = ()

    @classmethod
    def of(cls, start: Position | Opening) -> Opening:
        """Return an opening; a position is one without moves."""
        return start if isinstance(start, Opening) else Opening(start)

    @cached_property
    def position(self) -> Position:
        """The position that the agents are given."""
        return Line(self.root, self.columns).position

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

    `number` counts from 0; games 2k and 2k + 1 share an opening with the seats swapped.
    `first` and `second` are the agents, by their place in the plan: `first` is the first player,
    whose turn it is on the empty board.
    """

    number: int
    first: int
    second: int
    opening: Opening

    @property
    def pair(self) -> int:
        """The number of the pair."""
        return self.number // 2


def generators_of(seed: int, number: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the random generators of a game's agents, the one that comes first in the plan first.

    They depend on the seed and the game's number alone, not on who plays it or when.
    """
    one, other = (np.random.SeedSequence([seed, 1, number], spawn_key=(i,)) for i in (0, 1))
    return np.random.default_rng(one), np.random.default_rng(other)


@dataclass(frozen=True)
class Schedule:
    """The games of a match: `games` from `opening`, each pair after `opening_plies` random plies
    more, or after one of `openings` (0-based columns), which are taken in turn. `start` may be
    given as a position or an `Opening`. Without `swap` agent 0 makes the first move of every game,
    as in studies that never changed the seats.
    """

    games: int
    seed: int
    start: Position | Opening = STANDARD_START
    opening_plies: int = 0
    swap: bool = True
    openings: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        for name in ("games", "seed", "opening_plies"):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, InvalidMatch))
        if self.games < 1:
            raise InvalidMatch(f"a match has at least 1 game, not {self.games}")
        if self.games > MOST_GAMES:
            raise InvalidMatch(f"a match has at most {MOST_GAMES:,} games, not {self.games:,}")
        if self.seed < 0:
            raise InvalidMatch(f"a seed is 0 or more, not {self.seed}")
        if self.opening.position.is_over:
            outcome = self.opening.position.outcome
            raise InvalidMatch(f"the game is over in the start position: {outcome}")
        if self.opening_plies < 0:
            raise InvalidMatch(f"an opening has 0 plies or more, not {self.opening_plies}")
        for columns in self.openings:
            outcome = self.opening.then(columns).position.outcome
            if outcome is not None:
                moves = format_moves(columns, self.geometry)
                raise InvalidMatch(f"the game is over after {moves}: {outcome}")

    @property
    def is_varied(self) -> bool:
        """Whether pairs begin differently."""
        return bool(self.opening_plies or len(self.openings) > 1)

    @property
    def plies_before(self) -> int | None:
        """Plies from `start` to where games begin; None where they differ."""
        if not self.openings:
            return self.opening_plies
        lengths = {len(columns) for columns in self.openings}
        return lengths.pop() if len(lengths) == 1 else None

    @cached_property
    def opening(self) -> Opening:
        """What all games have in common."""
        return Opening.of(self.start)

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.opening.root.geometry

    def pairing(self, number: int) -> Pairing:
        """Return the game of that number."""
        opening = self._opening(number // 2)
        first = self._first(number, opening)
        return Pairing(number, first, 1 - first, opening)

    def generators(self, number: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the random generators of agent 0 and agent 1 in the game of that number."""
        return generators_of(self.seed, number)

    def _first(self, number: int, opening: Opening) -> int:
        """Agent 0 makes the first move of even games, whoever's turn it is then."""
        return (number % 2 if self.swap else 0) ^ opening.position.ply % 2

    def _opening(self, pair: int) -> Opening:
        if self.openings:
            return self.opening.then(self.openings[pair % len(self.openings)])
        if not self.opening_plies:
            return self.opening
        rng = np.random.default_rng([self.seed, 2, pair])
        for _ in range(_TRIES):
            position = self.opening.position
            columns: list[int] = []
            for _ in range(self.opening_plies):
                legal = position.legal_columns
                if not legal:
                    break
                columns.append(legal[int(rng.integers(len(legal)))])
                position = position.play_unchecked(columns[-1])
            if not position.is_over:
                return self.opening.then(tuple(columns))
        raise InvalidMatch(
            f"no random opening of {self.opening_plies} plies was found that leaves a game to play"
        )
