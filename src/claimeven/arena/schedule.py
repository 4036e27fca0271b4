"""What is played in a match: a pure function of the seed, whoever plays it and in what order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from claimeven.arena.errors import InvalidMatch
from claimeven.game.position import Position

#: Tries to find a random opening that does not end the game.
_TRIES = 1000


@dataclass(frozen=True)
class Pairing:
    """One game to be played.

    `number` counts from 0; games 2k and 2k + 1 share an opening with the seats swapped.
    `first` says which agent (0 or 1) is the first player, whose turn it is on the empty board.
    """

    number: int
    first: int
    start: Position


@dataclass(frozen=True)
class Schedule:
    """The games of a match: `games` from `start`, each pair after `opening_plies` random plies."""

    games: int
    seed: int
    start: Position
    opening_plies: int = 0

    def __post_init__(self) -> None:
        if self.games < 1:
            raise InvalidMatch(f"a match has at least 1 game, not {self.games}")
        if self.seed < 0:
            raise InvalidMatch(f"a seed is 0 or more, not {self.seed}")
        if self.start.is_over:
            raise InvalidMatch(f"the game is over in the start position: {self.start.outcome}")
        if self.opening_plies < 0:
            raise InvalidMatch(f"an opening has 0 plies or more, not {self.opening_plies}")

    def pairing(self, number: int) -> Pairing:
        """Return the game of that number."""
        return Pairing(number, self._first(number), self._opening(number // 2))

    def generators(self, number: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the random generators of agent 0 and agent 1 in the game of that number."""
        one, other = np.random.SeedSequence([self.seed, 1, number]).spawn(2)
        return np.random.default_rng(one), np.random.default_rng(other)

    def _first(self, number: int) -> int:
        """Agent 0 makes the first move of even games, whoever's turn it is then."""
        turn = (self.start.ply + self.opening_plies) % 2
        return number % 2 ^ turn

    def _opening(self, pair: int) -> Position:
        if not self.opening_plies:
            return self.start
        rng = np.random.default_rng([self.seed, 2, pair])
        for _ in range(_TRIES):
            position = self.start
            for _ in range(self.opening_plies):
                legal = position.legal_columns
                if not legal:
                    break
                position = position.play(legal[int(rng.integers(len(legal)))])
            if not position.is_over:
                return position
        raise InvalidMatch(
            f"no random opening of {self.opening_plies} plies was found that leaves a game to play"
        )
