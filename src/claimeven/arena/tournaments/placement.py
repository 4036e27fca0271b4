"""A new agent's place on the ladder of the standing pool, by its games against every agent of it.

The games of the pool come along, so only the new agent's are played: a gauntlet from the pool's
openings. All games together are rated, so the interval of the new rating knows how sure those of
the others are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.store.models import StoredAgent
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.totals import Record
from claimeven.arena.tournaments.tournament import TournamentPlan, run_tournament, store_of
from claimeven.markup import shown_by
from claimeven.parallel.jobs import Executor
from claimeven.ratings.ladder import Ladder, Rating, rate

#: Likelihood from which an agent is said to be stronger than another.
SURE = 0.95


@dataclass(frozen=True)
class Meeting:
    """What the new agent made of one of the pool.

    `record` is of their games alone; `superiority`, the likelihood that the new agent is the
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
        return {
            "agent": self.opponent,
            "games": self.record.games,
            "wins": self.record.wins,
            "draws": self.record.draws,
            "losses": self.record.losses,
            "share": self.record.share,
            "superiority": self.superiority,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Placement:
    """The games of a new agent against the pool, and its place that follows from them."""

    plan: TournamentPlan
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "placement")

    @property
    def agent(self) -> StoredAgent:
        """The new agent."""
        return self.standings.agents[0]

    @cached_property
    def ladder(self) -> Ladder:
        """The pool and the new agent, strongest first; without a game the pool alone."""
        own = [game._replace(pair=("new", game.pair)) for game in self.standings.rated]
        games = [*reference_pool.pool_standings().rated, *own]
        return rate(games, np.random.default_rng(0), reference_pool.ANCHOR)

    @property
    def place(self) -> int | None:
        """The agent's place, from 1, the strongest; None without a game."""
        for place, rating in enumerate(self.ladder.ratings, start=1):
            if rating.agent == self.agent.label:
                return place
        return None

    @property
    def rating(self) -> Rating | None:
        """The agent's rating with its interval; `pool.ANCHOR` has 0. None without a game."""
        return None if self.place is None else self.ladder.ratings[self.place - 1]

    @cached_property
    def meetings(self) -> tuple[Meeting, ...]:
        """What it made of each agent of the pool, strongest first; none without a game."""
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

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON."""
        rating, record = self.rating, self.standings.records[self.agent.id]
        return {
            "agent": self.agent.spec,
            **self.plan.setting(
                self.plan.geometry, (game.opening for game in self.standings.games)
            ),
            "label": self.agent.label,
            "place": self.place,
            "agents_on_ladder": len(self.ladder.ratings),
            "elo": rating.elo.value if rating else None,
            "elo_interval_95": [rating.elo.low, rating.elo.high] if rating else None,
            "against": [meeting.as_dict() for meeting in self.meetings],
            "games": len(self.standings.games),
            "games_planned": self.plan.games,
            "unique_games": self.standings.unique_games,
            "forfeits": dict(record.forfeits),
            "seconds_a_move": record.mean("seconds"),
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


def placement_plan(
    agent: Contestant,
    rounds: int = reference_pool.ROUNDS,
    limit: Limit | None = None,
    isolation: Isolation | None = None,
) -> TournamentPlan:
    """Return the games that place an agent: a gauntlet of pairs against the pool."""
    if name_of(agent) in reference_pool.AGENTS:
        raise InvalidMatch(f"{agent} is one of the pool: its place is on the ladder already")
    return TournamentPlan(
        (agent, *reference_pool.AGENTS),
        reference_pool.rounds_within(rounds),
        reference_pool.SEED,
        "gauntlet",
        reference_pool.pool_openings(),
        limit=limit or Limit(),
        isolation=isolation or Isolation(),
        unlimited=tuple(range(1, len(reference_pool.AGENTS) + 1)),
    )


def place_on_ladder(
    agent: Contestant,
    *,
    rounds: int = reference_pool.ROUNDS,
    limit: Limit | None = None,
    isolate: bool = False,
    memory_mb: int | None = None,
    load_seconds: float | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    out: str | Path | None = None,
    resume: bool | str = False,
    tell: Callable[[str], object] | None = None,
    watch: Callable[[int], object] | None = None,
) -> Placement:
    """Play an agent against the standing pool and return its place on the ladder.

    An agent is a spec, an `Agent` or a function, as in `play_match`. It plays `rounds` pairs of
    games, 16 at the most, against each agent of the pool. `limit` is the new agent's alone. Games
    are kept in the file `out`, if one is given, and go on from there with `resume`; an `executor`
    may play them elsewhere.

    >>> placement = place_on_ladder("greedy:win=yes", rounds=1)
    >>> 8 <= placement.place <= 12, len(placement.meetings)
    (True, 12)
    """
    plan = placement_plan(
        agent, rounds, limit, Isolation(isolate, memory_mb, load_seconds=load_seconds)
    )
    with store_of(plan, out, resume) as store:
        result = run_tournament(plan, store, jobs, tell, watch, executor=executor)
    return Placement(plan, result.standings, result.seconds)
