"""Running totals of games, from which standings follow without the games.

Games can be added at any time and in any order, so a store that grows is counted by its new games
alone. Games left unfinished count nowhere; a game of an agent against itself is in no rating.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from claimeven.arena.store.models import StoredAgent, StoredGame
from claimeven.ratings.ladder import Ladder
from claimeven.ratings.pair_counts import Evidence, NamedKind, count_kinds
from claimeven.ratings.pentanomial import PairCounts

#: What agents tell of their moves, and in which order it is shown.
TOLD = ("seconds", "nodes", "iterations", "depth")


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
        agents, winner = (game.first, game.second), game.winner
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
            own = slice((start_ply + len(game.opening) + seat) % 2, None, 2)
            self.moves += len(game.moves[own])
            for quantity, told in game.told.items():
                if quantity in self.sums:
                    amounts = [amount for amount in told[own] if amount is not None]
                    self.sums[quantity] += sum(amounts)
                    self.counts[quantity] += len(amounts)

    def add(self, other: Record) -> None:
        """Count in another record."""
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        self.moves += other.moves
        self.forfeits += other.forfeits
        for quantity in TOLD:
            self.sums[quantity] += other.sums[quantity]
            self.counts[quantity] += other.counts[quantity]

    def as_dict(self) -> dict[str, object]:
        """Return the results as plain data."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "points": self.points,
            "share": self.share,
        }


class Totals:
    """The totals of games of some agents, which began from a position of `start_ply` discs."""

    def __init__(
        self, agents: Sequence[StoredAgent], start_ply: int = 0, games: Iterable[StoredGame] = ()
    ) -> None:
        self.agents = tuple(agents)
        self.start_ply = start_ply
        self.label = {agent.id: agent.label for agent in agents}
        self.games = 0
        self.forfeits: Counter[str] = Counter()
        self._meetings: defaultdict[tuple[int, int], Record] = defaultdict(Record)
        self._different: set[int] = set()
        self._pairs: dict[Hashable, NamedKind] = {}
        self._kinds: Counter[NamedKind] = Counter()
        for game in games:
            self.note(game)

    def note(self, game: StoredGame) -> None:
        """Count in a game, if it is finished."""
        if not game.finished:
            return
        self.games += 1
        self._different.add(hash((game.first, game.second, game.all_moves)))
        if game.fault is not None:
            self.forfeits[game.fault] += 1
        for agent, other in dict.fromkeys((game.agents, game.agents[::-1])):
            self._meetings[agent, other].note(game, agent, self.start_ply)
        if game.first != game.second:
            self._note_pair(game)

    def _note_pair(self, game: StoredGame) -> None:
        """Count the pair of a game with the game, and no more without."""
        halves = 1 if game.winner is None else 2 - 2 * game.winner
        kind: NamedKind = ((self.label[game.first], self.label[game.second], halves),)
        if game.pair is not None:
            key = (game.pair, *sorted(game.agents))
            before = self._pairs.get(key)
            if before is not None:
                self._kinds[before] -= 1
                kind = tuple(sorted((*before, *kind)))
            self._pairs[key] = kind
        self._kinds[kind] += 1

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
    def evidence(self) -> Evidence:
        """The games as ratings count them: those of two different agents."""
        return count_kinds(+self._kinds)

    def between(self, agent: int, other: int) -> Record:
        """Return the record of an agent against another."""
        return self._meetings.get((agent, other), Record())

    @property
    def pairs(self) -> dict[tuple[str, str], PairCounts]:
        """The full pairs of each two agents, by their labels, as the first of the two sees them."""
        counts = {
            (one, other): [0] * 5 for one in self.label.values() for other in self.label.values()
        }
        for kind, often in self._kinds.items():
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
                    "per_move": {name: records[agent.id].mean(name) for name in TOLD},
                }
                for agent in order
            ],
            "ratings": ladder.as_dict() if ladder else None,
            "cross_table": [[meeting(one, other) for other in order] for one in order],
            "games": self.games,
            "unique_games": self.unique_games,
            "forfeits": dict(self.forfeits),
        }
