"""The likeliest strengths of agents: Bradley-Terry with draws and an advantage of moving first.

With strengths r (natural logarithms), the advantage h of the first player and the draw term d,
a game of i, moving first, against j is

    won : drawn : lost  =  exp(x / 2) : exp(d) : exp(-x / 2),     x = r_i - r_j + h

so the odds of winning to losing are exp(x). Bradley and Terry, "Rank analysis of incomplete block
designs", Biometrika 39, 1952, pages 324-345; draws: Davidson, "On extending the Bradley-Terry model
to accommodate ties in paired comparison experiments", Journal of the American Statistical
Association 65, 1970, pages 317-328; both: Davidson and Beaver, "On extending the Bradley-Terry
model to incorporate within-pair order effects", Biometrics 33, 1977, pages 693-702.

The log-likelihood is concave in these n + 2 unknowns and linear in the counts, so Newton's method
finds its one peak. Many tournaments of the same agents, as a bootstrap makes them, are fitted
together: the first axis of arrays is the tournament (T), the others are the unknowns
(r_1 ... r_n, h, d) or the pairs of agents.

`Evidence` has the games of a tournament by kinds of pairs, so that it can be resampled.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from claimeven.ratings.pentanomial import NORMAL_95, InvalidEvidence, half_points

Reals = NDArray[np.float64]

_STEPS = 200
_HALVINGS = 60
# If the likelihood is nearly flat, Newton's step can be arbitrarily long. Its length is limited to
# `_LONGEST` natural units, and `_RIDGE` times the greatest bend is added to the bend, which
# rounding can make 0.
_LONGEST = 4.0
_RIDGE = 1e-14
# Newton's last step, in natural units; the remaining error is about its square.
_SETTLED = 1e-5


@dataclass(frozen=True)
class Tournaments:
    """The counts of tournaments T of n agents; numbers need not be whole.

    `games` (T, n, n) were played by i, moving first, and j. `counted` (T, n + 2) belongs to the
    unknowns: half of (games won - games lost) by each agent, the same by all first players
    together, games drawn. `pro` and `contra` (T, n + 2) are the prior, imagined games: won and lost
    by each agent against an outsider of strength 0 (without draws and first player), won and lost
    by the first player between equals without draws, drawn and not drawn between equals.
    """

    games: Reals
    counted: Reals
    pro: Reals
    contra: Reals


@dataclass(frozen=True)
class _Shape:
    """The log-likelihood at a point, its gradient, and its bend (minus second derivative)."""

    height: Reals
    gradient: Reals
    bend: Reals


def fit(tournaments: Tournaments, start: Reals | None = None) -> Reals:
    """Return the likeliest unknowns (T, n + 2), the prior's games counted with the others.

    There is one answer if the prior has a game for and against each unknown. `start` (n + 2) is
    the start of the search, all 0 by default.
    """
    at = np.zeros_like(tournaments.counted)
    if start is not None:
        at += start
    ridge = _RIDGE * np.eye(at.shape[1])
    likelihood = _Likelihood(tournaments)
    shape = likelihood.shape(at)
    for _ in range(_STEPS):
        bend = shape.bend + ridge * shape.bend.max(axis=(1, 2), keepdims=True)
        step = np.linalg.solve(bend, shape.gradient[:, :, None])[:, :, 0]
        if np.abs(step).max(initial=0.0) < _SETTLED:
            return at + step  # too short to lead far over any peak
        step /= np.maximum(1, np.abs(step).max(axis=1, keepdims=True) / _LONGEST)
        slack = 1e-12 * (1 + np.abs(shape.height))
        for _ in range(_HALVINGS):
            there = likelihood.shape(at + step)
            # A step that leads over the peak and down is halved.
            down = there.height < shape.height - slack
            if not down.any():
                break
            step[down] /= 2
        at, shape = at + step, there
    return at


def outcome_odds(advantage: Reals, draws: Reals) -> tuple[Reals, Reals, Reals, Reals]:
    """Return the chances of won, drawn, lost and log(sum of odds) at the first's x and draws d."""
    half = advantage / 2
    top = np.maximum(np.abs(half), draws)
    won, drawn, lost = np.exp(half - top), np.exp(draws - top), np.exp(-half - top)
    total = won + drawn + lost
    return won / total, drawn / total, lost / total, top + np.log(total)


class _Likelihood:
    """The likelihood's logarithm of tournaments, as a function of the unknowns.

    Only the P ordered pairs of agents that met in any tournament count. Arrays have them first and
    the tournaments last, (P, T), so that a sum over pairs is a product of matrices.
    """

    def __init__(self, tournaments: Tournaments) -> None:
        games = tournaments.games
        self._tournaments = tournaments
        self._first, self._second = np.nonzero(games.any(axis=0))
        self._played = np.ascontiguousarray(games[:, self._first, self._second].T)
        met = np.arange(len(self._first))
        # x of the pairs that met is the transpose of this, times r_1 ... r_n and h: it leans on the
        # strengths of i and j with opposite signs, and on h.
        self._leans = np.zeros((games.shape[1] + 1, len(met)))
        self._leans[self._first, met] = 1
        self._leans[self._second, met] = -1
        self._leans[-1] = 1

    def shape(self, at: Reals) -> _Shape:
        """Return height, gradient and bend at the unknowns (T, n + 2)."""
        played, leans, n = self._played, self._leans, at.shape[1] - 2
        counted = self._tournaments.counted
        # Step 1: the chances of i, moving first, and j.
        won, drawn, lost, log_odds = outcome_odds(leans.T @ at.T[: n + 1], at.T[n + 1])
        lead, draws = played * (won - lost) / 2, played * drawn

        # Step 2: height and gradient. The gradient is the counts less their expectation.
        log_prior, pull, stiffness = self._prior(at)
        height = (counted * at + log_prior).sum(axis=1) - (played * log_odds).sum(axis=0)
        gradient = counted + pull
        gradient[:, : n + 1] -= (leans @ lead).T
        gradient[:, n + 1] -= draws.sum(axis=0)

        # Step 3: the bend.
        spread = played * ((won + lost) - (won - lost) ** 2) / 4
        mixed = (leans @ (lead * drawn)).T
        bend = np.zeros((*at.shape, n + 2))
        bend[:, self._first, self._second] = -spread.T
        bend += bend.transpose(0, 2, 1)
        every = np.arange(n + 2)
        bend[:, every[:n], every[:n]] += (np.abs(leans[:n]) @ spread).T
        bend[:, :n, n] = bend[:, n, :n] = (leans[:n] @ spread).T
        bend[:, n, n] = spread.sum(axis=0)
        bend[:, : n + 1, n + 1] = bend[:, n + 1, : n + 1] = -mixed
        bend[:, n + 1, n + 1] = (draws * (1 - drawn)).sum(axis=0)
        bend[:, every, every] += stiffness
        return _Shape(height, gradient, bend)

    def _prior(self, at: Reals) -> tuple[Reals, Reals, Reals]:
        """Return the prior's part of height, gradient and bend: a logistic curve an unknown."""
        pro, contra = self._tournaments.pro, self._tournaments.contra
        leant = at.copy()
        leant[:, -1] -= math.log(2)  # draws and no draws between equals are even at d = ln 2
        log_against = -np.logaddexp(0, leant)
        against = np.exp(log_against)
        return (
            pro * (leant + log_against) + contra * log_against,
            pro * against - contra * (1 - against),
            (pro + contra) * against * (1 - against),
        )


#: Games of the prior for each unknown, and the same number against it: won and lost by each agent
#: against the outsider, together half a pair; by the first player; games drawn and not drawn.
PRIOR = 0.5

# The minimum weight of resampled games of the prior. One draw in ninety reaches it, so it does not
# change the intervals, and it keeps strengths within a computable range.
_MIN_PRIOR = 1e-4
# One over the maximum variance of the weight of a pair, and a large number of pairs beyond the
# unknowns.
_MIN_PRECISION, _MANY = 0.5, 100
# Numbers in one array while resampling; more tournaments are made in several parts.
_NUMBERS_AT_ONCE = 100_000


class RatedGame(NamedTuple):
    """A game for the ladder: its pair, the agents that moved first and second, the first's points.

    The games of a pair (one opening, seats swapped) are equal in `pair`. Points are 0, 1/2 or 1.
    """

    pair: Hashable
    first: str
    second: str
    points: float


#: The results of a pair, sorted: for each game the first and second agent (by their places in the
#: alphabet) and the first's half points. Pairs of the same kind are equal evidence.
Kind = tuple[tuple[int, int, int], ...]
#: The same with the agents by name.
NamedKind = tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Evidence:
    """The pairs of a tournament of n agents, sorted into K kinds; their order does not matter.

    `agents` are in alphabetical order. `weights` (K + 2 (n + 2)) is how often each kind came up,
    then the prior's games for and against each unknown. `counted` (K, n + 2) is the part of a pair
    of a kind in the tournament's counts, `seated` (2, K) its games with the alphabetically first
    agent moving first, and second. Kinds of the same two agents follow each other: `starts` has
    the first kind of each two, and `twos` (2, ...) the agents.
    `games` and `points` (n) are totals; `took` (n, n) says which agent took a point off which.
    """

    agents: tuple[str, ...]
    weights: Reals
    counted: Reals
    seated: Reals
    starts: NDArray[np.intp]
    twos: NDArray[np.intp]
    games: Reals
    points: Reals
    took: NDArray[np.bool_]

    @property
    def tournament(self) -> Tournaments:
        """The tournament as it was played."""
        return self.weighted(self.weights[None, :])

    @property
    def _precision(self) -> float:
        """One over the variance of a pair's weight, (N - p) / N; see `resampled`."""
        # One of the unknowns fixes the 0 of the scale.
        free: float = 1 - (self.counted.shape[1] - 1) / max(1.0, self._pairs)
        return max(_MIN_PRECISION, free)

    @property
    def _pairs(self) -> float:
        return float(self.weights[: len(self.counted)].sum())

    @property
    def widening(self) -> float:
        """The factor, from 1 on, on the distance of resampled unknowns from the fit of all pairs.

        A few pairs estimate their spread badly: a 95 % interval is wider than the normal one by
        the factor of Student's t, within the variance of 2 of `resampled`. From 100 pairs beyond
        the unknowns on the factor is 1.01, and left out.
        """
        free = self._pairs - (self.counted.shape[1] - 1)
        if not 0 < free < _MANY:
            return 1.0
        return min(_student_95(free), math.sqrt(self._precision / _MIN_PRECISION))

    def resampled(self, tournaments: int, rng: np.random.Generator) -> Iterator[Tournaments]:
        """Yield this number of tournaments, in parts, with pairs and prior weighted at random.

        A pair has a weight from a gamma distribution of mean 1, the pairs of a kind together one
        with the mean of their number, and the prior's games too. Its variance is N / (N - p), with
        N pairs and p unknowns, at most 2: the exponential distribution, of variance 1, makes
        intervals from few pairs too narrow (MacKinnon and White, "Some heteroskedasticity-
        consistent covariance matrix estimators with improved finite sample properties", Journal of
        Econometrics 29, 1985, pages 305-325: their first correction).
        """
        kinds, unknowns = self.counted.shape
        precision = np.ones(len(self.weights))
        precision[:kinds] = self._precision
        widest = max(len(self.weights), unknowns**2)
        at_once = max(1, _NUMBERS_AT_ONCE // widest)
        for done in range(0, tournaments, at_once):
            size = (min(at_once, tournaments - done), len(self.weights))
            weights = rng.standard_gamma(self.weights * precision, size) / precision
            prior = weights[:, kinds:]
            np.maximum(prior, _MIN_PRIOR, out=prior)
            yield self.weighted(weights)

    def weighted(self, weights: Reals) -> Tournaments:
        """Return the tournaments (T) with these weights of kinds and prior (T, K + 2 (n + 2))."""
        kinds, unknowns = self.counted.shape
        of_kinds, pro = weights[:, :kinds], weights[:, kinds : kinds + unknowns]
        games = np.zeros((len(weights), unknowns - 2, unknowns - 2))
        for seated, (first, second) in zip(self.seated, (self.twos, self.twos[::-1]), strict=True):
            games[:, first, second] = np.add.reduceat(of_kinds * seated, self.starts, axis=1)
        return Tournaments(games, of_kinds @ self.counted, pro, weights[:, kinds + unknowns :])

    def joined(self, both_ways: bool) -> list[list[int]]:
        """Return the agents (their numbers) in groups joined by points, directly or through others.

        With `both_ways` points lead from each agent of a group to each other: only then the games
        without the prior put a finite gap between them (Ford, "Solution of a ranking problem from
        binary comparisons", American Mathematical Monthly 64, 1957).
        """
        reach = self.took if both_ways else self.took | self.took.T
        reach = reach | np.eye(len(self.agents), dtype=np.bool_)
        while True:
            further = reach @ reach
            if (further == reach).all():
                break
            reach = further
        joined = reach & reach.T
        return [np.flatnonzero(row).tolist() for i, row in enumerate(joined) if not row[:i].any()]

    def tiers(self, order: Sequence[int]) -> list[list[int]]:
        """Return the groups joined both ways, each before all that it took points from.

        Otherwise groups, and the agents of a group, are in the `order` of all agents.
        """
        rank = {agent: place for place, agent in enumerate(order)}
        groups = [sorted(group, key=rank.__getitem__) for group in self.joined(both_ways=True)]
        groups.sort(key=lambda group: rank[group[0]])
        within = np.zeros((len(groups), len(self.agents)), dtype=np.bool_)
        for number, group in enumerate(groups):
            within[number, group] = True
        above = within @ self.took @ within.T
        np.fill_diagonal(above, False)
        # Points of different groups never form a circle, so one group always waits for no other.
        waits_for = above.sum(axis=0)
        found = []
        for _ in groups:
            number = int(waits_for.argmin())
            found.append(groups[number])
            waits_for -= above[number]
            waits_for[number] = len(groups)
        return found


def _student_95(free: float) -> float:
    """Return the width of Student's t relative to the normal one, for `free` degrees of freedom.

    The first terms of its expansion (Abramowitz and Stegun, "Handbook of mathematical functions",
    1964, 26.7.5): a hundredth too little with 3 degrees.
    """
    z = NORMAL_95
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return 1 + (first / free + second / free**2 + third / free**3) / z


def gather(games: Iterable[RatedGame]) -> Evidence:
    """Count the games; raise InvalidEvidence for one that cannot be or a pair of other agents."""
    pairs: dict[Hashable, list[RatedGame]] = {}
    for game in games:
        if game.first == game.second:
            raise InvalidEvidence(f"{game.first!r} cannot be rated by a game against itself")
        partners = pairs.setdefault(game.pair, [])
        if partners and {game.first, game.second} != {partners[0].first, partners[0].second}:
            raise InvalidEvidence(f"the games of pair {game.pair!r} are not of the same two agents")
        partners.append(game)
    return count_kinds(
        Counter(
            tuple((game.first, game.second, half_points(game.points, 1)) for game in partners)
            for partners in pairs.values()
        )
    )


def count_kinds(named_kinds: Mapping[NamedKind, int]) -> Evidence:
    """Return the evidence of pairs, given how often each kind came up."""
    agents = tuple(sorted({agent for kind in named_kinds for agent in kind[0][:2]}))
    place = {agent: i for i, agent in enumerate(agents)}
    found: Counter[Kind] = Counter()
    for named, count in named_kinds.items():
        found[tuple(sorted((place[one], place[other], won) for one, other, won in named))] += count
    kinds = sorted(found, key=lambda kind: (sorted(kind[0][:2]), kind))
    often, n = np.array([float(found[kind]) for kind in kinds]), len(agents)
    counted = np.zeros((len(kinds), n + 2))
    played = np.zeros((len(kinds), n))
    seated = np.zeros((2, len(kinds)))
    took = np.zeros((n, n), dtype=np.bool_)
    starts: dict[tuple[int, int], int] = {}
    for k, kind in enumerate(kinds):
        low, high = sorted(kind[0][:2])
        starts.setdefault((low, high), k)
        for first, second, halves in kind:
            lead = (halves - 1) / 2
            counted[k, first] += lead
            counted[k, second] -= lead
            counted[k, n] += lead
            counted[k, n + 1] += halves == 1
            played[k, [first, second]] += 1
            seated[int(first > second), k] += 1
            took[first, second] |= halves > 0
            took[second, first] |= halves < 2
    totals = often @ played
    return Evidence(
        agents=agents,
        weights=np.concatenate([often, np.full(2 * (n + 2), PRIOR)]),
        counted=counted,
        seated=seated,
        starts=np.array(list(starts.values()), dtype=np.intp),
        twos=np.array(list(starts), dtype=np.intp).reshape(-1, 2).T,
        games=totals,
        points=totals / 2 + often @ counted[:, :n],
        took=took,
    )
