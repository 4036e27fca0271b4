"""What follows from stored games: points, cross table, ratings, forfeits, the cost of a move.

Everything here is derived from the games alone, so it cannot drift from them. Games that were left
unfinished (imported ones may be) count nowhere. A game of an agent against itself is a result for
nobody, in no record and no rating; its moves and its forfeit count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from claimeven.arena.statistics.evidence import RatedGame
from claimeven.arena.statistics.pairs import PairCounts
from claimeven.arena.statistics.ratings import Ladder, rate
from claimeven.arena.store.store import Store
from claimeven.arena.store.stored import StoredAgent, StoredGame
from claimeven.arena.store.storing import store_start
from claimeven.markup import shown_by

#: What agents tell of their moves, and in which order it is shown.
TOLD = ("seconds", "nodes", "iterations", "depth")
#: Seed of the bootstrap behind the intervals: the same games give the same numbers.
_SEED = 0


@dataclass
class Record:
    """What one agent made of its games: results against others, and all its moves and forfeits."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TOLD, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOLD, 0))

    @property
    def games(self) -> int:
        """Games played to an end, against others."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point a win, half a point a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """Share of the points of its games, 0 to 1; None without a game."""
        return self.points / self.games if self.games else None

    def mean(self, quantity: str) -> float | None:
        """Mean of a quantity for one move, None where it was never told."""
        return self.sums[quantity] / self.counts[quantity] if self.counts[quantity] else None

    def note(self, game: StoredGame, agent: int, start_ply: int = 0) -> None:
        """Count in a finished game of an agent, that began from a position of so many discs."""
        if game.first != game.second:
            winner = game.winning_agent
            self.wins += winner == agent
            self.draws += winner is None
            self.losses += winner not in (None, agent)
        seats = [seat for seat in (0, 1) if game.agents[seat] == agent]
        if game.fault_seat in seats:
            self.forfeits[game.fault or "crash"] += 1
        for seat in seats:
            own = slice((start_ply + len(game.opening) + seat) % 2, None, 2)
            self.moves += len(game.moves[own])
            for quantity in TOLD:
                told = [n for n in (game.told.get(quantity) or ())[own] if n is not None]
                self.sums[quantity] += sum(told)
                self.counts[quantity] += len(told)


@dataclass(frozen=True)
class Standings:
    """The games of some agents, and all that follows from them."""

    agents: tuple[StoredAgent, ...]
    games: tuple[StoredGame, ...]
    start_ply: int = 0

    _repr_html_ = shown_by("claimeven.arena.results_html", "standings_html")

    @classmethod
    def of(
        cls, agents: Sequence[StoredAgent], games: Iterable[StoredGame], start_ply: int = 0
    ) -> Standings:
        """Return the standings of the finished games among some games.

        All began from a position of so many discs, before their openings.
        """
        return cls(tuple(agents), tuple(game for game in games if game.finished), start_ply)

    @classmethod
    def of_store(cls, store: Store) -> Standings:
        """Return the standings of the games of an open file."""
        return cls.of(store.agents, store.games(), store_start(store).ply)

    @classmethod
    def read(cls, path: str | Path) -> Standings:
        """Return the standings of the games in a file, that of a tournament under way too."""
        with Store.read(path) as store:
            return cls.of_store(store)

    @cached_property
    def records(self) -> dict[int, Record]:
        """The record of each agent by its number."""
        found = {agent.id: Record() for agent in self.agents}
        for game in self.games:
            for agent in dict.fromkeys(game.agents):
                found[agent].note(game, agent, self.start_ply)
        return found

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
        return rate(self.rated, np.random.default_rng(_SEED), anchor)

    @cached_property
    def ranking(self) -> tuple[StoredAgent, ...]:
        """The agents, best first: by rating, those without a game last."""
        by_label = {agent.label: agent for agent in self.agents}
        rated = [by_label[row.agent] for row in self.ladder.ratings] if self.ladder else []
        return (*rated, *(agent for agent in self.agents if agent not in rated))

    def between(self, agent: int, other: int) -> Record:
        """Return the record of an agent against another."""
        found = Record()
        for game in self._games_of[frozenset((agent, other))]:
            found.note(game, agent, self.start_ply)
        return found

    def pairs(self, agent: int, other: int) -> PairCounts:
        """Return the full pairs of two agents, as the first sees them."""
        points: dict[int, list[float]] = {}
        for game in self._games_of[frozenset((agent, other))]:
            if game.pair is not None:
                points.setdefault(game.pair, []).append(game.points(agent))
        return PairCounts.of(sum(pair) for pair in points.values() if len(pair) == 2)

    @cached_property
    def _games_of(self) -> dict[frozenset[int], list[StoredGame]]:
        found: dict[frozenset[int], list[StoredGame]] = {
            frozenset((one.id, other.id)): [] for one in self.agents for other in self.agents
        }
        for game in self.games:
            found[frozenset(game.agents)].append(game)
        return found

    @cached_property
    def unique_games(self) -> int:
        """Number of different games: by agents, seats and moves."""
        return len({(game.first, game.second, game.all_moves) for game in self.games})

    @cached_property
    def forfeits(self) -> Counter[str]:
        """Games forfeited by kind of fault."""
        return Counter(game.fault for game in self.games if game.fault is not None)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; agents stand in the order of the ranking."""
        order = self.ranking
        return {
            "agents": [
                {
                    "label": agent.label,
                    "spec": agent.spec,
                    "digest": agent.digest,
                    **_record_dict(self.records[agent.id]),
                    "moves": self.records[agent.id].moves,
                    "forfeits": dict(self.records[agent.id].forfeits),
                    "per_move": {name: self.records[agent.id].mean(name) for name in TOLD},
                }
                for agent in order
            ],
            "ratings": self.ladder.as_dict() if self.ladder else None,
            "cross_table": [
                [None if one is other else self._meeting_dict(one.id, other.id) for other in order]
                for one in order
            ],
            "games": len(self.games),
            "unique_games": self.unique_games,
            "forfeits": dict(self.forfeits),
        }

    def _meeting_dict(self, agent: int, other: int) -> dict[str, object]:
        pairs = self.pairs(agent, other)
        return {
            **_record_dict(self.between(agent, other)),
            "pair_counts": list(pairs.counts),
            "superiority": pairs.superiority if pairs.pairs else None,
        }


def _record_dict(record: Record) -> dict[str, object]:
    return {
        "games": record.games,
        "wins": record.wins,
        "draws": record.draws,
        "losses": record.losses,
        "points": record.points,
        "share": record.share,
    }
