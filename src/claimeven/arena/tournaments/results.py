"""The results of matches, tournaments, sequential tests and placements, derived from games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.store.query import game_rows
from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.run import brief_labels
from claimeven.arena.tournaments.standings import QUANTITIES, Record, Standings, Totals
from claimeven.blocks import flat_rows
from claimeven.markup import shown_by
from claimeven.ratings.ladder import SURE, Ladder, Rating, rate
from claimeven.ratings.pentanomial import PairCounts
from claimeven.ratings.sprt import SequentialRun, SequentialTest, SprtVerdict


@dataclass(frozen=True)
class MatchResult:
    """The games of a match in the order of the plan. All totals are derived from them."""

    plan: Plan
    games: tuple[Game, ...]
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "match")

    @cached_property
    def totals(self) -> Totals:
        """The totals of the games, with the agents as A and B."""
        agents = [StoredAgent(0, "A", ""), StoredAgent(1, "B", "")]  # names may be equal
        return Totals(agents, self.games)

    @property
    def wins(self) -> tuple[int, int]:
        """Games won by each agent, forfeits of the other included."""
        return self.measures(0).wins, self.measures(1).wins

    @property
    def draws(self) -> int:
        """Games drawn."""
        return self.measures(0).draws

    def seat_counts(self, agent: int, seat: int) -> tuple[int, int, int]:
        """Return the games that an agent won, drew and lost as first (0) or second (1) player."""
        winners = Counter(game.winning_agent for game in self.games if game.agents[seat] == agent)
        return winners[agent], winners[None], winners[1 - agent]

    @property
    def scores(self) -> tuple[float, float]:
        """Share of the points of each agent, 0 to 1; a draw is half a point. 0.5 of no games."""
        share = self.measures(0).share
        first = 0.5 if share is None else share
        return first, 1 - first

    @property
    def pairs(self) -> PairCounts:
        """The full pairs of games, as the first agent sees them."""
        return self.totals.pairs["A", "B"]

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the first agent's score.

        The two games of a pair have their opening in common, so the spread is measured between
        pairs. Pairs that are equal move for move are no new information and count once.
        """
        played = {game.number: (game.first, game.all_moves) for game in self.games}
        different = {
            (played[number - 1], played[number])
            for number in played
            if number % 2 and number - 1 in played
        }
        return self.pairs.interval_of(len(different))

    @property
    def unique_games(self) -> int:
        """Number of different games, by seats and moves."""
        return self.totals.unique_games

    @property
    def is_repetitive(self) -> bool:
        """Whether fewer than half of the games are different."""
        return 2 * self.unique_games < len(self.games)

    @property
    def forfeits(self) -> tuple[Counter[str], Counter[str]]:
        """How often each agent forfeited, by reason."""
        one, other = (Counter(reason for _, reason in each) for each in self.faults)
        return one, other

    @cached_property
    def faults(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The kind and the reason of each forfeit of each agent, in the order of the games."""
        found: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        for game in self.games:
            if (lost := game.forfeit) is not None:
                found[game.agents[lost.seat]].append((lost.kind, lost.reason))
        return found

    def measures(self, agent: int) -> Record:
        """Return the record of an agent: the figures of all its moves are in it."""
        return self.totals.records[agent]

    def evaluations_a_game(self, agent: int) -> float | None:
        """Mean number of evaluations of an agent in a game; None if it did not report them."""
        record = self.measures(agent)
        reported = record.counts["evaluations"]
        return record.sums["evaluations"] / len(self.games) if reported else None

    def rows(self) -> list[dict[str, Any]]:
        """Return the games as flat rows."""
        return game_rows(self.games, dict(enumerate(brief_labels(self.plan.stored_names))))

    def as_dict(self) -> dict[str, object]:
        """Return the totals as plain data for JSON; agents in the order of the plan."""
        forfeits = [sum(reasons.values()) for reasons in self.forfeits]
        return {
            **self.plan.match_setting(game.opening for game in self.games),
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
            "score_interval_95": list(self.interval),
            "pair_counts": list(self.pairs.counts),
            "unique_games": self.unique_games,
            "adjudicated": self.totals.adjudicated,
            "seconds": self.seconds,
            "forfeits": sum(forfeits),
            "forfeits_by_agent": forfeits,
            "forfeit_reasons": [dict(reasons) for reasons in self.forfeits],
            "evaluations_per_game": [self.evaluations_a_game(agent) for agent in (0, 1)],
            "per_move": [
                {
                    "moves": record.moves,
                    "max_stored": record.max_stored or None,
                    **{quantity: record.mean(quantity) for quantity in QUANTITIES},
                }
                for record in (self.measures(0), self.measures(1))
            ],
        }


def game_of_match(game: Game) -> dict[str, object]:
    """Return a game as plain data for JSON; game and agents count from 1, `moves` has all moves."""
    winner = game.winning_agent
    return {
        "game": game.number + 1,
        "first": game.first + 1,
        "opening": game.opening,
        "moves": game.all_moves,
        "winner": None if winner is None else winner + 1,
        "forfeit": game.reason,
        "adjudicated": game.adjudicated,
    }


@dataclass(frozen=True)
class TournamentResult:
    """A tournament: its standings are derived from the games stored."""

    plan: Plan
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "standings")

    def rows(self) -> list[dict[str, Any]]:
        """Return the games as flat rows; `standings.rows()` has a row for each agent."""
        return game_rows(self.standings.games, self.standings.label)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON."""
        return {
            **self.standings.as_dict(),
            **self.plan.setting(game.opening for game in self.standings.games),
            "games_planned": self.plan.games,
            "rounds": self.plan.rounds,
            "seed": self.plan.seed,
            "kind": self.plan.kind,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class SequentialResult:
    """A sequential test that was played; everything follows from the games.

    >>> from claimeven.arena import run_sprt
    >>> result = run_sprt("greedy", "random", elo0=0, elo1=100, seed=1)
    >>> result.verdict.value, result.run.counts.pairs
    ('elo1', 11)
    """

    plan: Plan
    test: SequentialTest
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "sequential")

    @cached_property
    def run(self) -> SequentialRun:
        """The test, with the pairs counted that decide it, or all there are."""
        run = SequentialRun(self.test)
        for game in self.standings.games:
            if game.number < self.plan.games:
                run.add_game(game.number, game.points(0))
        return run

    @cached_property
    def counted(self) -> Standings:
        """The games of the pairs that count: a run may have played some more by then."""
        number = 2 * self.run.counts.pairs
        games = (game for game in self.standings.games if game.number < number)
        return Standings.of(self.standings.agents, games)

    @property
    def verdict(self) -> SprtVerdict:
        """Which hypothesis is accepted, if any."""
        return self.run.verdict

    def rows(self) -> list[dict[str, Any]]:
        """Return the counted games as flat rows."""
        return game_rows(self.counted.games, self.counted.label)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON; counts are from the view of the first agent."""
        counted = self.counted
        return {
            "agents": list(self.plan.names),
            **self.plan.setting(game.opening for game in counted.games),
            "test": self.test.as_dict(),
            "verdict": self.verdict.value,
            "log_likelihood_ratio": self.run.ratio,
            **self.run.counts.as_dict(),
            "games": len(counted.games),
            "games_played": len(self.standings.games),
            "max_games": self.plan.games,
            "unique_games": counted.unique_games,
            "adjudicated": counted.totals.adjudicated,
            "unique_openings": len(set(self.plan.openings)),
            "forfeits_by_agent": [
                dict(counted.records[agent].forfeits) for agent in range(len(self.plan.agents))
            ],
            "seed": self.plan.seed,
            "remarks": list(self.standings.remarks),
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Meeting:
    """The games of the new agent against one agent of the pool.

    `record` is of their games only; `superiority`, the likelihood that the new agent is the
    stronger one, follows from all games of the ladder.
    """

    opponent: str
    record: Record
    superiority: float

    @property
    def verdict(self) -> str:
        """Whether the new agent is "stronger" or "weaker", or that is "unclear"."""
        if self.superiority >= SURE:
            return "stronger"
        return "weaker" if self.superiority <= 1 - SURE else "unclear"

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for JSON, as the new agent sees it."""
        record = self.record.as_dict()
        del record["points"]
        return {
            "agent": self.opponent,
            **record,
            "superiority": self.superiority,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Placement:
    """The games of a new agent against the pool, and its place that follows from them."""

    plan: Plan
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "placement")

    @property
    def agent(self) -> StoredAgent:
        """The new agent."""
        return self.standings.agents[0]

    @cached_property
    def ladder(self) -> Ladder:
        """The pool and the new agent, strongest first; without a game only the pool."""
        own = [game._replace(pair=("new", game.pair)) for game in self.standings.rated]
        games = [*reference_pool.pool_standings().rated, *own]
        return rate(games, np.random.default_rng(0), reference_pool.ANCHOR)

    @property
    def place(self) -> int | None:
        """The agent's place, from 1, the strongest; None without a game."""
        agents = [rating.agent for rating in self.ladder.ratings]
        return agents.index(self.agent.label) + 1 if self.agent.label in agents else None

    @property
    def rating(self) -> Rating | None:
        """The agent's rating with its interval; `pool.ANCHOR` has 0. None without a game."""
        return None if self.place is None else self.ladder.ratings[self.place - 1]

    @cached_property
    def meetings(self) -> tuple[Meeting, ...]:
        """Its results against each agent of the pool, strongest first; empty without a game."""
        if self.place is None:
            return ()
        number = {agent.label: agent.id for agent in self.standings.agents[1:]}
        return tuple(
            Meeting(
                rating.agent,
                self.standings.between(self.agent.id, number[rating.agent]),
                self.ladder.superiority(self.agent.label, rating.agent),
            )
            for rating in self.ladder.ratings
            if rating.agent in number
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each opponent, strongest first, as the new agent sees it."""
        return flat_rows(meeting.as_dict() for meeting in self.meetings)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON."""
        rating, record = self.rating, self.standings.records[self.agent.id]
        return {
            "agent": self.agent.spec,
            **self.plan.setting(game.opening for game in self.standings.games),
            "label": self.agent.label,
            "place": self.place,
            "agents_on_ladder": len(self.ladder.ratings),
            "elo": rating.elo.value if rating else None,
            "elo_interval_95": [rating.elo.low, rating.elo.high] if rating else None,
            "opponents": [meeting.as_dict() for meeting in self.meetings],
            "games": len(self.standings.games),
            "games_planned": self.plan.games,
            "unique_games": self.standings.unique_games,
            "adjudicated": self.standings.totals.adjudicated,
            "forfeits": dict(record.forfeits),
            "seconds_per_move": record.mean("seconds"),
            "pool": pool_dict(),
            "ratings": self.ladder.as_dict(),
            "remarks": list(self.standings.remarks),
            "seconds": self.seconds,
        }


def pool_dict() -> dict[str, object]:
    """Return which pool it is, as plain data."""
    return {
        "version": reference_pool.VERSION,
        "digest": reference_pool.pool_digest(),
        "games": len(reference_pool.pool_standings().games),
    }
