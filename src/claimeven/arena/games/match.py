"""A match of two agents: the games played, and the totals that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant
from claimeven.arena.games.game import QUANTITIES, Game, Measures
from claimeven.arena.games.provenance import PlanOfAgents
from claimeven.arena.games.schedule import Schedule
from claimeven.markup import shown_by
from claimeven.ratings.pentanomial import PairCounts, pair_games


@dataclass(frozen=True)
class MatchPlan(PlanOfAgents):
    """Everything that decides a match: the two agents, the schedule, the limit of each move.

    An agent is a spec, or an `Agent` or a function of the calling process. `isolation` says which
    of them play in processes of their own.
    """

    agents: tuple[Contestant, Contestant]
    schedule: Schedule
    limit: Limit = field(default_factory=Limit)
    isolation: Isolation = field(default_factory=Isolation)

    def limit_of(self, agent: int) -> Limit:
        """Return the limit of an agent's moves: the same for both."""
        return self.limit

    def as_dict(self, openings: Iterable[str]) -> dict[str, object]:
        """Return what decides the games as plain data for JSON, with the `openings` played."""
        schedule = self.schedule
        return {
            "agents": list(self.names),
            **self.setting(schedule.geometry, openings),
            "position": schedule.opening.moves,
            "opening_plies": schedule.plies_before,
            "different_openings": len(set(schedule.openings)) or None,
            "seed": schedule.seed,
            "swap": schedule.swap,
            "games_planned": schedule.games,
        }


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played: its number in the schedule, the agents by seat, the record.

    `first` and `second` are the agents' places in the plan; `first` was the first player.
    """

    number: int
    first: int
    second: int
    game: Game

    _repr_html_ = shown_by("claimeven.arena.results", "played_game")

    @property
    def winner(self) -> int | None:
        """The agent that won, None for a draw."""
        return None if self.game.winner is None else (self.first, self.second)[self.game.winner]

    def points(self, agent: int) -> float:
        """Points an agent made: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.winner == agent)

    def seat_of(self, agent: int) -> int:
        """The seat an agent had: 0 if it moved first on the empty board."""
        return int(agent != self.first)

    def as_dict(self) -> dict[str, object]:
        """Return the game as plain data for JSON: game and agents counted from 1, all moves from
        the empty board, of which the first `opening` letters were not the agents' own.
        """
        game, forfeit = self.game, self.game.forfeit
        return {
            "game": self.number + 1,
            "first": self.first + 1,
            "opening": game.opening.moves,
            "moves": game.moves,
            "winner": None if self.winner is None else self.winner + 1,
            "forfeit": None if forfeit is None else forfeit.reason,
        }


@dataclass(frozen=True)
class MatchResult:
    """The games of a match in the order of the schedule. All totals are derived from them."""

    plan: MatchPlan
    games: tuple[PlayedGame, ...]
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "match")

    @cached_property
    def wins(self) -> tuple[int, int]:
        """Games won by each agent, forfeits of the other included."""
        winners = Counter(played.winner for played in self.games)
        return winners[0], winners[1]

    @property
    def draws(self) -> int:
        """Games drawn."""
        return len(self.games) - sum(self.wins)

    def seat_counts(self, agent: int, seat: int) -> tuple[int, int, int]:
        """Return the games that an agent won, drew and lost as first (0) or second (1) player."""
        winners = Counter(game.winner for game in self.games if game.seat_of(agent) == seat)
        return winners[agent], winners[None], winners[1 - agent]

    @property
    def scores(self) -> tuple[float, float]:
        """Share of the points of each agent, 0 to 1; a draw is half a point. 0.5 of no games."""
        if not self.games:
            return 0.5, 0.5
        first = (self.wins[0] + self.draws / 2) / len(self.games)
        return first, 1 - first

    @cached_property
    def pairs(self) -> PairCounts:
        """The pairs of games, as the first agent sees them; a game left over counts in none."""
        return pair_games((p.number, p.points(0)) for p in self.games).counts

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the first agent's score.

        The two games of a pair have their opening in common, so the spread is measured between
        pairs. Pairs that are equal move for move count once for its width: deterministic agents
        that play one game over and over show nothing new.
        """
        return self.pairs.interval_of(self._unique_pairs)

    @property
    def _unique_pairs(self) -> int:
        played = {p.number: (p.game.start, p.game.columns, p.first) for p in self.games}
        return len(
            {
                (played[number - 1], played[number])
                for number in played
                if number % 2 and number - 1 in played
            }
        )

    @cached_property
    def unique_games(self) -> int:
        """Number of different games, by opening, moves and seats."""
        return len({(p.game.start, p.game.columns, p.first) for p in self.games})

    @property
    def is_repetitive(self) -> bool:
        """Whether fewer than half of the games are different."""
        return 2 * self.unique_games < len(self.games)

    @cached_property
    def forfeits(self) -> tuple[Counter[str], Counter[str]]:
        """How often each agent forfeited, by reason."""
        one, other = (Counter(reason for _, reason in each) for each in self.faults)
        return one, other

    @cached_property
    def faults(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The kind and the reason of each forfeit of each agent, in the order of the games."""
        found: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for played in self.games:
            forfeit = played.game.forfeit
            if forfeit is not None:
                found[forfeit.seat ^ played.first].append((str(forfeit.kind), forfeit.reason))
        return found

    def measures(self, agent: int) -> Measures:
        """The measures of an agent over all its moves."""
        total = Measures()
        for played in self.games:
            total.add(played.game.measures[played.seat_of(agent)])
        return total

    def evaluations_a_game(self, agent: int) -> float | None:
        """Mean number of evaluations an agent made in a game; None where it told of none."""
        measures = self.measures(agent)
        told = measures.counts["evaluations"] > 0
        return measures.sums["evaluations"] / len(self.games) if told else None

    def as_dict(self) -> dict[str, object]:
        """Return the totals as plain data for JSON; agents in the order of the plan."""
        low, high = self.interval
        return {
            **self.plan.as_dict(played.game.opening.moves for played in self.games),
            "by_seat": [
                [
                    dict(zip(("wins", "draws", "losses"), counts, strict=True))
                    for counts in (self.seat_counts(agent, 0), self.seat_counts(agent, 1))
                ]
                for agent in (0, 1)
            ],
            "games": len(self.games),
            "wins": list(self.wins),
            "draws": self.draws,
            "scores": list(self.scores),
            "score_interval_95": [low, high],
            "pair_counts": list(self.pairs.counts),
            "unique_games": self.unique_games,
            "seconds": self.seconds,
            "forfeits": sum(sum(reasons.values()) for reasons in self.forfeits),
            "forfeits_by_agent": [sum(reasons.values()) for reasons in self.forfeits],
            "forfeit_reasons": [dict(reasons) for reasons in self.forfeits],
            "evaluations_per_game": [self.evaluations_a_game(agent) for agent in (0, 1)],
            "per_move": [
                {
                    "moves": measures.moves,
                    "most_stored": measures.most_stored or None,
                    **{quantity: measures.mean(quantity) for quantity in QUANTITIES},
                }
                for measures in (self.measures(0), self.measures(1))
            ],
        }
