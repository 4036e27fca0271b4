"""What follows from stored games: points, cross table, ratings, forfeits, the cost of a move.

Everything here is derived from the games alone, so it cannot drift from them. Games that were left
unfinished (imported ones may be) count nowhere. A game of an agent against itself is a result for
nobody, in no record and no rating; its moves and its forfeit count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from claimeven.arena.store.models import StoredAgent, StoredGame
from claimeven.arena.store.runs import store_notes
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.remarks import remarks
from claimeven.arena.tournaments.totals import Record, Totals
from claimeven.markup import shown_by
from claimeven.ratings.ladder import Ladder, rate_evidence
from claimeven.ratings.pair_counts import RatedGame
from claimeven.ratings.pentanomial import PairCounts

#: Seed of the bootstrap behind the intervals: the same games give the same numbers.
SEED = 0


@dataclass(frozen=True)
class Standings:
    """The games of some agents, and all that follows from them.

    `notes` are sentences of its store on what casts doubt on the games.
    """

    agents: tuple[StoredAgent, ...]
    games: tuple[StoredGame, ...]
    start_ply: int = 0
    notes: tuple[str, ...] = ()

    _repr_html_ = shown_by("claimeven.arena.results", "standings")

    @classmethod
    def of(
        cls,
        agents: Sequence[StoredAgent],
        games: Iterable[StoredGame],
        start_ply: int = 0,
        notes: tuple[str, ...] = (),
    ) -> Standings:
        """Return the standings of the finished games among some games.

        All began from a position of so many discs, before their openings.
        """
        finished = tuple(game for game in games if game.finished)
        return cls(tuple(agents), finished, start_ply, notes)

    @classmethod
    def of_store(cls, store: Store) -> Standings:
        """Return the standings of the games of an open file."""
        games = list(store.games())
        return cls.of(store.agents, games, store.start.ply, store_notes(store))

    @classmethod
    def read(cls, path: str | Path) -> Standings:
        """Return the standings of the games in a file, that of a tournament under way too."""
        with Store.read(path) as store:
            return cls.of_store(store)

    @cached_property
    def totals(self) -> Totals:
        """The totals of the games."""
        return Totals(self.agents, self.start_ply, self.games)

    @cached_property
    def records(self) -> dict[int, Record]:
        """The record of each agent by its number."""
        return self.totals.records

    @cached_property
    def label(self) -> dict[int, str]:
        """The label of each agent by its number."""
        return {agent.id: agent.label for agent in self.agents}

    @cached_property
    def rated(self) -> list[RatedGame]:
        """The games as ratings count them: those of two different agents."""
        return [
            RatedGame(
                (game.pair if game.pair is not None else game.job, *sorted(game.agents)),
                self.label[game.first],
                self.label[game.second],
                1 - game.winner if game.winner is not None else 0.5,
            )
            for game in self.games
            if game.first != game.second
        ]

    @cached_property
    def ladder(self) -> Ladder | None:
        """All agents that played, strongest first; None without a game of two agents."""
        return self.ladder_at(None) if self.rated else None

    def ladder_at(self, anchor: str | None) -> Ladder:
        """Return the ladder on which that agent has the rating 0; without one it is the mean."""
        return rate_evidence(self.totals.evidence, np.random.default_rng(SEED), anchor)

    @cached_property
    def ranking(self) -> tuple[StoredAgent, ...]:
        """The agents, best first: by rating, those without a game last."""
        return self.totals.ranking(self.ladder)

    def between(self, agent: int, other: int) -> Record:
        """Return the record of an agent against another."""
        return self.totals.between(agent, other)

    def pairs(self, agent: int, other: int) -> PairCounts:
        """Return the full pairs of two agents, as the first sees them."""
        return self.totals.pairs[self.label[agent], self.label[other]]

    @property
    def unique_games(self) -> int:
        """Number of different games: by agents, seats and moves."""
        return self.totals.unique_games

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what the games cannot show: `notes`, and see `remarks`."""
        return *self.notes, *remarks(self.agents, (game.opening for game in self.games))

    @property
    def forfeits(self) -> Counter[str]:
        """Games forfeited by kind of fault."""
        return self.totals.forfeits

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; agents are in the order of the ranking."""
        return {**self.totals.as_dict(self.ladder), "remarks": list(self.remarks)}
