"""The results of games: points, cross table, ratings, forfeits, the cost of a move, remarks.

Everything here is computed from the games. Unfinished games (imported ones may be) do not count. A
game of an agent against itself counts in no record and no rating; its moves and its forfeit count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.arena.games.game import Game
from claimeven.arena.store.runs import store_notes
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.blocks import flat_rows
from claimeven.markup import shown_by
from claimeven.ratings.bradley_terry import Evidence, NamedKind, RatedGame, count_kinds
from claimeven.ratings.ladder import Ladder, rate_evidence
from claimeven.ratings.pentanomial import PairCounts
from claimeven.review.claims import join_words

#: Seed of the bootstrap behind the intervals: the same games give the same numbers.
SEED = 0
#: Figures of moves that have a mean; the totals of tournaments show the first four.
QUANTITIES = ("seconds", "nodes", "iterations", "depth", "branching", "evaluations")
#: A path with an extension in a spec, such as `bots/ann.py` in `bots/ann.py:agent`.
_PATH = re.compile(r"[^:=,]+\.[A-Za-z]\w*(?=$|[:,])")


@dataclass
class Record:
    """The games of one agent; `max_stored` is the most nodes or positions that it held."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0))
    max_stored: int = 0

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
        """Mean of a quantity for one move, None if it was never reported."""
        return self.sums[quantity] / self.counts[quantity] if self.counts[quantity] else None

    def note(self, game: Game, agent: int) -> None:
        """Count a finished game of an agent."""
        agents, winner = game.agents, game.winner
        if agents[0] != agents[1]:
            if winner is None:
                self.draws += 1
            elif agents[winner] == agent:
                self.wins += 1
            else:
                self.losses += 1
        for seat in (0, 1):
            if agents[seat] != agent:
                continue
            if game.fault_seat == seat:
                self.forfeits[game.fault or "crash"] += 1
            own = slice((game.root.ply + len(game.opening) + seat) % 2, None, 2)
            self.moves += len(game.moves[own])
            for quantity, values in game.move_stats.items():
                amounts = [amount for amount in values[own] if amount is not None]
                if quantity in self.sums:
                    self.sums[quantity] += sum(amounts)
                    self.counts[quantity] += len(amounts)
                elif quantity == "stored" and amounts:
                    self.max_stored = max(self.max_stored, int(max(amounts)))

    def add(self, other: Record) -> None:
        """Count another record."""
        for name in ("wins", "draws", "losses", "moves", "forfeits"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.max_stored = max(self.max_stored, other.max_stored)
        for quantity in QUANTITIES:
            self.sums[quantity] += other.sums[quantity]
            self.counts[quantity] += other.counts[quantity]

    def as_dict(self) -> dict[str, object]:
        """Return the results as plain data."""
        names = ("games", "wins", "draws", "losses", "points", "share")
        return {name: getattr(self, name) for name in names}


class Totals:
    """Running totals of the games of some agents, from which standings follow without the games.

    Games can be added in any order, so a store that grows is counted by its new games only.
    """

    def __init__(self, agents: Sequence[StoredAgent], games: Iterable[Game] = ()) -> None:
        self.agents: tuple[StoredAgent, ...] = tuple(agents)
        self.label: dict[int, str] = {agent.id: agent.label for agent in agents}
        self.games = 0
        self.adjudicated = 0
        self.forfeits: Counter[str] = Counter()
        self._meetings: defaultdict[tuple[int, int], Record] = defaultdict(Record)
        self._different: set[int] = set()
        self._pairs: dict[Hashable, NamedKind] = {}
        self.kinds: Counter[NamedKind] = Counter()
        for game in games:
            self.note(game)

    def note(self, game: Game) -> None:
        """Count a game, if it is finished."""
        if not game.finished:
            return
        self.games += 1
        self.adjudicated += game.adjudicated is not None
        self._different.add(hash((game.first, game.second, game.all_moves)))
        if game.fault is not None:
            self.forfeits[game.fault] += 1
        for agent, other in dict.fromkeys((game.agents, game.agents[::-1])):
            self._meetings[agent, other].note(game, agent)
        if game.first != game.second:
            self._note_pair(game)

    def _note_pair(self, game: Game) -> None:
        halves = 1 if game.winner is None else 2 - 2 * game.winner
        kind: NamedKind = ((self.label[game.first], self.label[game.second], halves),)
        if game.pair is not None:
            key = (game.pair, *sorted(game.agents))
            before = self._pairs.get(key)
            if before is not None:
                self.kinds[before] -= 1
                kind = tuple(sorted((*before, *kind)))
            self._pairs[key] = kind
        self.kinds[kind] += 1

    @property
    def records(self) -> dict[int, Record]:
        """The record of each agent by its number."""
        found = {agent.id: Record() for agent in self.agents}
        for (agent, _), record in self._meetings.items():
            found[agent].add(record)
        return found

    @property
    def unique_games(self) -> int:
        """Number of different games: by agents, seats and moves."""
        return len(self._different)

    @property
    def adjudication(self) -> tuple[str, ...]:
        """A sentence on the adjudicated games, if there are any."""
        if not self.adjudicated:
            return ()
        return (f"{self.adjudicated:,} of {self.games:,} games ended early with the exact result.",)

    @property
    def evidence(self) -> Evidence:
        """The games of two different agents, as ratings count them."""
        return count_kinds(+self.kinds)

    def between(self, agent: int, other: int) -> Record:
        """Return the record of an agent against another."""
        return self._meetings.get((agent, other), Record())

    @property
    def pairs(self) -> dict[tuple[str, str], PairCounts]:
        """The full pairs of each two agents, by their labels, as the first of the two sees them."""
        counts = {
            (one, other): [0] * 5 for one in self.label.values() for other in self.label.values()
        }
        for kind, often in self.kinds.items():
            if len(kind) != 2:
                continue
            for label, other in (kind[0][:2], kind[0][1::-1]):
                won = sum(halves if first == label else 2 - halves for first, _, halves in kind)
                counts[label, other][won] += often
        return {both: PairCounts((a, b, c, d, e)) for both, (a, b, c, d, e) in counts.items()}

    def ranking(self, ladder: Ladder | None) -> tuple[StoredAgent, ...]:
        """Return the agents, best first: by rating, those without a game last."""
        by_label = {agent.label: agent for agent in self.agents}
        rated = [by_label[row.agent] for row in ladder.ratings] if ladder else []
        return (*rated, *(agent for agent in self.agents if agent not in rated))

    def as_dict(self, ladder: Ladder | None) -> dict[str, object]:
        """Return everything as plain data; agents are in the order of the ranking."""
        order, records, pairs = self.ranking(ladder), self.records, self.pairs

        def meeting(one: StoredAgent, other: StoredAgent) -> dict[str, object] | None:
            if one is other:
                return None
            counts = pairs[one.label, other.label]
            return {
                **self.between(one.id, other.id).as_dict(),
                "pair_counts": list(counts.counts),
                "superiority": counts.superiority if counts.pairs else None,
            }

        return {
            "agents": [
                {
                    "label": agent.label,
                    "spec": agent.spec,
                    "digest": agent.digest,
                    **records[agent.id].as_dict(),
                    "moves": records[agent.id].moves,
                    "forfeits": dict(records[agent.id].forfeits),
                    "per_move": {name: records[agent.id].mean(name) for name in QUANTITIES[:4]},
                }
                for agent in order
            ],
            "ratings": ladder.as_dict() if ladder else None,
            "cross_table": [[meeting(one, other) for other in order] for one in order],
            "games": self.games,
            "unique_games": self.unique_games,
            "adjudicated": self.adjudicated,
            "forfeits": dict(self.forfeits),
        }


@dataclass(frozen=True)
class Standings:
    """The games of some agents, and what follows; `notes` cast doubt on the games of a store."""

    agents: tuple[StoredAgent, ...]
    games: tuple[Game, ...]
    notes: tuple[str, ...] = ()

    _repr_html_ = shown_by("claimeven.arena.results", "standings")

    @classmethod
    def of(
        cls, agents: Sequence[StoredAgent], games: Iterable[Game], notes: tuple[str, ...] = ()
    ) -> Standings:
        """Return the standings of the finished games among some games."""
        finished = tuple(game for game in games if game.finished)
        return cls(tuple(agents), finished, notes)

    @classmethod
    def of_store(cls, store: Store) -> Standings:
        """Return the standings of the games of an open file."""
        games = list(store.games())
        return cls.of(store.agents, games, store_notes(store))

    @classmethod
    def read(cls, path: str | Path) -> Standings:
        """Return the standings of the games in a file, also of a running tournament."""
        with Store.read(path) as store:
            return cls.of_store(store)

    @cached_property
    def totals(self) -> Totals:
        """The totals of the games."""
        return Totals(self.agents, self.games)

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
        """The games of two different agents, as ratings count them."""
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
        """Sentences about the limits of the games: `notes`, and see `remarks`."""
        openings = (game.opening for game in self.games)
        return *self.notes, *remarks(self.agents, openings), *self.totals.adjudication

    @property
    def forfeits(self) -> Counter[str]:
        """Games forfeited by kind of fault."""
        return self.totals.forfeits

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each agent, best first, with its rating."""
        data: dict[str, Any] = self.totals.as_dict(self.ladder)
        ratings = {row["agent"]: row for row in (data["ratings"] or {"ratings": []})["ratings"]}
        names = ("elo", "elo_interval_95")
        return flat_rows(
            {**agent, **{name: ratings.get(agent["label"], {}).get(name) for name in names}}
            for agent in data["agents"]
        )

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; agents are in the order of the ranking."""
        return {**self.totals.as_dict(self.ladder), "remarks": list(self.remarks)}


def remarks(agents: Sequence[StoredAgent], openings: Iterable[str]) -> Iterator[str]:
    """Yield sentences that cast doubt on a tournament of these agents with these openings.

    >>> ann, bob = (StoredAgent(0, name, f"{name}.py", "5c1d") for name in ("ann", "bob"))
    >>> print(*remarks([ann, bob], ["43", "43"]), sep="\\n")
    ann and bob are equal files: their games against each other are chance.
    All games start with the moves 43: play more rounds for other openings.
    """
    signs = {a.label: a.digest and (a.digest, _PATH.sub("", a.spec)) for a in agents}
    for group in group_equal(signs):
        yield f"{join_words(group)} are equal files: their games against each other are chance."
    starts = list(openings)
    if len(starts) > 1 and len(set(starts)) == 1 and starts[0]:
        yield f"All games start with the moves {starts[0]}: play more rounds for other openings."


def group_equal(signs: Mapping[str, Hashable]) -> list[tuple[str, ...]]:
    """Return the names with equal signs, in groups of two or more; an empty sign equals no other.

    >>> group_equal({"ann": "5c1d", "bob": "07aa", "cem": "5c1d", "dee": None, "eli": None})
    [('ann', 'cem')]
    """
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for name, sign in signs.items():
        groups[sign].append(name)
    return [tuple(group) for sign, group in groups.items() if sign and len(group) > 1]
