"""A ladder of all agents of a tournament: ratings in Elo with intervals.

Strengths are the likeliest under Bradley-Terry with draws and an advantage of the first player
(`bradley_terry`): a gap of 400 Elo means ten games won for one lost. Each agent also has half a
pair against an outsider of strength 0, split evenly (`PRIOR` there), so one that won or lost
everything has a finite rating.

Intervals come from a Bayesian bootstrap over pairs: each pair, and the prior, has a random weight
(Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981, pages 130-134). The plain bootstrap
would be certain of a rating if every pair was won.

Two agents are tied unless one of them is the stronger with a likelihood of at least `SURE`. So an
agent's rank is a range: from 1 plus the agents that are stronger, to the number of all agents less
the weaker ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from claimeven.markup import shown_by
from claimeven.ratings.bradley_terry import Evidence, RatedGame, Reals, fit, gather, outcome_odds
from claimeven.ratings.pentanomial import InvalidEvidence

#: Elo of one natural unit of strength, 400 / ln 10.
ELO = 400 / math.log(10)
#: Decimals of Elo in which ratings differ: what follows them is left by the fit.
_SAME = 6
#: Resampled tournaments from which intervals are taken.
RESAMPLES = 1000
#: Likelihood from which an agent counts as stronger than another.
SURE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data for JSON."""
        return {"value": self.value, "interval_95": [self.low, self.high]}


@dataclass(frozen=True)
class Rating:
    """An agent on the ladder: its rating in Elo, how many games it played, its points in them.

    `rank` is the best and the worst rank, from 1, that the games leave open: see the module.
    """

    agent: str
    elo: Estimate
    games: int
    points: float
    rank: tuple[int, int]

    @property
    def share(self) -> float:
        """Share of the points of its games, 0 to 1."""
        return self.points / self.games

    @property
    def rank_text(self) -> str:
        """The rank as text, such as 2, or a range if it is tied with others."""
        return "\N{EN DASH}".join(map(str, sorted({*self.rank})))


@dataclass(frozen=True)
class Ladder:
    """All agents, strongest first, on one scale.

    `anchor` is the agent whose rating is 0; without one 0 is the mean of all. `first_player` is the
    advantage of moving first in Elo, `draws` the share of draws between equals, 0 to 1. `groups`
    are the agents joined by games: ratings of different groups do not compare. `tiers` are the
    groups cut further if all points went one way, each before all that it took points from; only
    the prior decides their distance. Tiers joined by no points are in the order of the ratings.
    """

    ratings: tuple[Rating, ...]
    anchor: str | None
    first_player: Estimate
    draws: Estimate
    groups: tuple[tuple[str, ...], ...]
    tiers: tuple[tuple[str, ...], ...]
    # Resampled ratings in Elo (resamples, agents), agents in the order of the ladder.
    samples: Reals = field(repr=False, compare=False)

    _repr_html_ = shown_by("claimeven.arena.results", "ladder")

    def gap(self, agent: str, other: str) -> Estimate:
        """Return by how much Elo an agent is rated above another.

        It is more certain than the two ratings. It has no meaning for agents of different `groups`:
        only the prior puts them on one scale.
        """
        one, two = self._place(agent), self._place(other)
        value = self.ratings[one].elo.value - self.ratings[two].elo.value
        return _estimate(value, self.samples[:, one] - self.samples[:, two])

    def superiority(self, agent: str, other: str) -> float:
        """Return the likelihood that an agent is stronger than another of its group, 0 to 1."""
        gaps = self.samples[:, self._place(agent)] - self.samples[:, self._place(other)]
        return float((gaps > 0).mean() + (gaps == 0).mean() / 2)

    def expected_share(self, agent: str, other: str) -> float:
        """Return the share of the points, 0 to 1, an agent should take from another in pairs."""
        gap, order = self.gap(agent, other).value / ELO, self.first_player.value / ELO
        odds = 2 * math.cosh(order / 2) * self.draws.value / (1 - self.draws.value)
        advantage, draws = np.array([gap + order, gap - order]), np.log([odds])
        won, drawn, _, _ = outcome_odds(advantage, draws)
        return float((won + drawn / 2).mean())

    def as_dict(self) -> dict[str, object]:
        """Return the ladder as plain data for JSON; every number is finite."""
        return {
            "anchor": self.anchor,
            "ratings": [
                {
                    "agent": rating.agent,
                    "elo": rating.elo.value,
                    "elo_interval_95": [rating.elo.low, rating.elo.high],
                    "games": rating.games,
                    "points": rating.points,
                    "share": rating.share,
                    "rank": list(rating.rank),
                }
                for rating in self.ratings
            ],
            "first_player_elo": self.first_player.as_dict(),
            "draws_between_equals": self.draws.as_dict(),
            "groups": [list(group) for group in self.groups],
            "tiers": [list(tier) for tier in self.tiers],
        }

    def _place(self, agent: str) -> int:
        for place, rating in enumerate(self.ratings):
            if rating.agent == agent:
                return place
        raise InvalidEvidence(f"{agent!r} is not on the ladder")


def rate(
    games: Iterable[RatedGame],
    rng: np.random.Generator,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
) -> Ladder:
    """Return the ladder of all agents that played; the intervals are drawn from the generator.

    The order of the games does not matter. Agents of equal rating are in alphabetical order.

    >>> games = [RatedGame(0, "ann", "bob", 1), RatedGame(0, "bob", "ann", 0.5)]
    >>> ladder = rate(games, np.random.default_rng(1), anchor="bob")
    >>> for rating in ladder.ratings:
    ...     print(rating.agent, round(rating.elo.value), rating.games, rating.points)
    ann 272 2 1.5
    bob 0 2 0.5
    """
    return rate_evidence(gather(games), rng, anchor, resamples)


def rate_evidence(
    evidence: Evidence,
    rng: np.random.Generator,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
) -> Ladder:
    """Return the ladder of games that are counted already, as `rate` does."""
    if anchor is not None and anchor not in evidence.agents:
        raise InvalidEvidence(f"the anchor {anchor!r} played no game")
    if resamples < 1:
        raise InvalidEvidence(
            f"intervals must have 1 resampled tournament or more, got {resamples}"
        )
    names, n = evidence.agents, len(evidence.agents)
    best = fit(evidence.tournament)
    parts = evidence.resampled(resamples, rng)
    drawn = np.concatenate([fit(part, best[0]) for part in parts])
    drawn = best + evidence.widening * (drawn - best)

    zero = range(n) if anchor is None else [names.index(anchor)]
    elo, samples = (_elo(unknowns[:, :n], zero) for unknowns in (best, drawn))
    order = np.argsort(-elo[0].round(_SAME), kind="stable").tolist()
    rank = {agent: place for place, agent in enumerate(order)}

    def named(sets: list[list[int]]) -> tuple[tuple[str, ...], ...]:
        ranked = sorted(sorted(rank[agent] for agent in members) for members in sets)
        return tuple(tuple(names[order[place]] for place in members) for members in ranked)

    groups = evidence.joined(both_ways=False)
    ranks: dict[int, tuple[int, int]] = {}
    for group in groups:
        for agent in group:
            gaps = samples[:, group] - samples[:, [agent]]
            stronger = ((gaps > 0).mean(axis=0) + (gaps == 0).mean(axis=0) / 2).round(_SAME)
            above, below = (stronger >= SURE).sum(), (stronger <= 1 - SURE).sum()
            ranks[agent] = 1 + int(above), n - int(below)
    return Ladder(
        ratings=tuple(
            Rating(
                names[agent],
                _estimate(elo[0, agent], samples[:, agent]),
                int(evidence.games[agent]),
                float(evidence.points[agent]),
                ranks[agent],
            )
            for agent in order
        ),
        anchor=anchor,
        first_player=_estimate(ELO * best[0, n], ELO * drawn[:, n]),
        draws=_estimate(_draws_between_equals(best)[0], _draws_between_equals(drawn)),
        groups=named(groups),
        tiers=tuple(tuple(names[agent] for agent in tier) for tier in evidence.tiers(order)),
        samples=samples[:, order],
    )


def _elo(strengths: Reals, zero: Iterable[int]) -> Reals:
    """Return strengths (T, n) as Elo, so that the agents of `zero` average 0."""
    agents = list(zero)
    middle = strengths[:, agents].mean(axis=1, keepdims=True) if agents else 0.0
    return ELO * (strengths - middle)


def _draws_between_equals(unknowns: Reals) -> Reals:
    return outcome_odds(unknowns[:, -2], unknowns[:, -1])[1]


def _estimate(value: float, samples: Reals) -> Estimate:
    low, high = np.quantile(samples, (0.025, 0.975))
    return Estimate(float(value), float(low), float(high))
