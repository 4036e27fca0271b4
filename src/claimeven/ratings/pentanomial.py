"""Score and Elo difference of two agents from pairs of games, with intervals.

A pair is one opening played twice with the seats swapped. Its two games depend on each other: an
opening won for the first player gives each agent one game. So the spread is measured between pairs,
never between games. A pair is worth 2 points; an agent's *share* of it is 0, 1/4, 1/2, 3/4 or 1.
The pentanomial counts say how often each share occurred.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index

from claimeven.errors import ClaimevenError

#: Half the width of a 95 % interval of the normal distribution, in standard deviations.
NORMAL_95 = 1.959963984540054
#: The shares of the points of a pair, worst first: LL, LD, LW or DD, WD, WW.
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
#: Elo differences are within this; a bound at it means no bound.
ELO_LIMIT = 4000.0
#: Elo for one standard deviation of a game: the gradient of the Elo curve at equal strength.
NORMALIZED_ELO = 800 / math.log(10)


class InvalidEvidence(ClaimevenError):
    """Results that no games can have: odd points, one game given twice, an agent against itself."""


@dataclass(frozen=True)
class PairCounts:
    """How many pairs gave an agent 0, 1/2, 1, 3/2 and 2 points: LL, LD, LW or DD, WD, WW.

    >>> match = PairCounts((34, 54, 63, 64, 75))
    >>> match.pairs, round(match.share, 3), round(match.elo, 2)
    (290, 0.579, 55.58)
    >>> low, high = match.elo_interval
    >>> round(low), round(high)
    (28, 83)
    >>> low, high = PairCounts((0, 0, 0, 0, 10)).share_interval
    >>> round(low, 2), high
    (0.72, 1.0)
    """

    counts: tuple[int, int, int, int, int]

    def __post_init__(self) -> None:
        if len(self.counts) != len(SHARES) or min(map(index, self.counts)) < 0:
            raise InvalidEvidence(
                f"pair counts must be five numbers of 0 or more, got {self.counts}"
            )

    @classmethod
    def of(cls, points: Iterable[float]) -> PairCounts:
        """Count pairs, given as an agent's points in each: 0, 1/2, 1, 3/2 or 2.

        >>> PairCounts.of([2, 1, 0.5, 1])
        PairCounts(counts=(0, 1, 2, 0, 1))
        """
        counts = [0] * len(SHARES)
        for each in points:
            counts[half_points(each, 2)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __add__(self, other: PairCounts) -> PairCounts:
        """Pairs of both."""
        a, b, c, d, e = (one + two for one, two in zip(self.counts, other.counts, strict=True))
        return PairCounts((a, b, c, d, e))

    @property
    def swapped(self) -> PairCounts:
        """The same pairs seen by the other agent."""
        a, b, c, d, e = self.counts
        return PairCounts((e, d, c, b, a))

    @property
    def pairs(self) -> int:
        """Number of pairs N."""
        return sum(self.counts)

    @property
    def share(self) -> float:
        """Mean share of the points s = sum n_i a_i / N, 0 to 1; 1/2 without pairs."""
        return _mean(self.counts) if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """Variance of the share of a pair v = sum n_i (a_i - s)^2 / N, 0 to 1/4; 0 of no pairs."""
        return _variance(self.counts) if self.pairs else 0.0

    @property
    def share_interval(self) -> tuple[float, float]:
        """95 % interval of the mean share, inside [0, 1].

        The score interval (`wilson_interval`) of N / k trials; k = v / (s (1 - s)) is the spread
        of the pairs as a part of the largest for that mean. It is guarded: computed with one pair
        lost and one won added, since pairs with equal results do not exclude others. With many
        pairs this is s -+ 1.96 sqrt(v / N).
        """
        return self.interval_of(self.pairs)

    def interval_of(self, pairs: int) -> tuple[float, float]:
        """Return the interval of the mean share if only `distinct` pairs differ from each other."""
        if not (self.pairs and pairs):
            return 0.0, 1.0
        guarded = _guarded([count * pairs / self.pairs for count in self.counts])
        mean = _mean(guarded)
        spread = _variance(guarded) / (mean * (1 - mean))
        return wilson_interval(self.share, pairs / spread)

    @property
    def elo(self) -> float:
        """Elo difference -400 log10(1 / s - 1) of the mean share.

        Without a lost point it would be infinite: then half the smallest loss (a quarter point of
        all pairs) is assumed, which is more than with any loss and grows with the pairs.
        """
        if not self.pairs:
            return 0.0
        edge = 1 / (8 * self.pairs)
        return elo_of_share(min(max(self.share, edge), 1 - edge))

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95 % interval of the Elo difference; a bound at +-`ELO_LIMIT` means no bound."""
        low, high = self.share_interval
        return elo_of_share(low), elo_of_share(high)

    @property
    def normalized_elo(self) -> float:
        """Normalized Elo (s - 1/2) / sqrt(2 v) * 800 / ln 10: the lead in deviations of a game.

        Unlike the Elo difference it hardly depends on draws and openings (Van den Bergh, "Comments
        on normalized Elo"). The variance is guarded as in `superiority`, so it is finite.
        """
        if not self.pairs:
            return 0.0
        deviation = math.sqrt(2 * _variance(_guarded(self.counts)))
        return _lead(self.counts) / deviation * NORMALIZED_ELO

    @property
    def normalized_elo_interval(self) -> tuple[float, float]:
        """95 % interval of normalized Elo, -+ 1.96 * 800 / ln 10 / sqrt(2 N).

        It takes the spread as known, so it is too narrow for leads of several hundred.
        """
        if not self.pairs:
            return -ELO_LIMIT, ELO_LIMIT
        half = NORMAL_95 * NORMALIZED_ELO / math.sqrt(2 * self.pairs)
        return self.normalized_elo - half, self.normalized_elo + half

    @property
    def superiority(self) -> float:
        """Likelihood of superiority Phi((s - 1/2) / sqrt(v / N)), 0 to 1; 1/2 without pairs.

        The variance is guarded, as in `share_interval`, so a few equal pairs are not certain.
        """
        if not self.pairs:
            return 0.5
        deviation = math.sqrt(_variance(_guarded(self.counts)) / self.pairs)
        return (1 + math.erf(_lead(self.counts) / deviation / math.sqrt(2))) / 2

    def as_dict(self) -> dict[str, object]:
        """Return all of it as plain data for JSON; every number is finite."""
        return {
            "pairs": self.pairs,
            "pair_counts": list(self.counts),
            "share": self.share,
            "share_interval_95": list(self.share_interval),
            "elo": self.elo,
            "elo_interval_95": list(self.elo_interval),
            "normalized_elo": self.normalized_elo,
            "normalized_elo_interval_95": list(self.normalized_elo_interval),
            "superiority": self.superiority,
        }


def half_points(points: float, games: int) -> int:
    """Return the points of games in half points, 0 to 2 a game; InvalidEvidence without games."""
    halves = 2 * points
    if not (0 <= halves <= 2 * games and halves == int(halves)):
        of = "a game" if games == 1 else f"{games} games"
        raise InvalidEvidence(f"{of} cannot give {points} points")
    return int(halves)


def wilson_interval(share: float, trials: float) -> tuple[float, float]:
    """Return the 95 % interval of a share in [0, 1] from `trials`; (0, 1) without trials.

    All shares m within 1.96 standard errors sqrt(m (1 - m) / n) of the one found, so it stays
    inside [0, 1] (Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22, 1927, pages 209-212).

    >>> low, high = wilson_interval(1.0, 100)
    >>> round(low, 3), high
    (0.963, 1.0)
    """
    if not trials:
        return 0.0, 1.0
    square = NORMAL_95**2
    center = (share + square / (2 * trials)) / (1 + square / trials)
    root = math.sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    half = NORMAL_95 * root / (1 + square / trials)
    # At the ends rounding would leave the bound a hair inside.
    low = max(0.0, center - half) if share > 0 else 0.0
    high = min(1.0, center + half) if share < 1 else 1.0
    return low, high


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided chance of counts at least as unequal, if both are equally likely.

    If two agents are equally good, each is right with equal chance in the positions in which only
    one is right (McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12, 1947, pages 153-157).

    >>> mcnemar(9, 1), mcnemar(0, 0)
    (0.021484375, 1.0)
    """
    total, tail, ways = only_first + only_second, 0, 1
    for count in range(min(only_first, only_second) + 1):
        tail += ways
        ways = ways * (total - count) // (count + 1)
    return min(1.0, float(Fraction(2 * tail, 2**total)))


def holm(chances: list[float]) -> list[float]:
    """Return chances adjusted for their number, by Holm's step-down procedure."""
    adjusted, least = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, chances[place] * (len(chances) - rank)))
        adjusted[place] = least
    return adjusted


def elo_of_share(share: float) -> float:
    """Return the Elo difference of a mean share, -400 log10(1 / s - 1), within `ELO_LIMIT`.

    >>> elo_of_share(0.5), round(elo_of_share(0.75), 1), elo_of_share(0)
    (0.0, 190.8, -4000.0)
    """
    if share <= 0 or share >= 1:
        return math.copysign(ELO_LIMIT, share - 0.5)
    # The logarithm of the odds, not of 1 / s - 1, so that s and 1 - s mirror each other.
    elo = 400 * (math.log10(share) - math.log10(1 - share))
    return min(max(elo, -ELO_LIMIT), ELO_LIMIT)


def share_of_elo(elo: float) -> float:
    """Return the mean share of an Elo difference, 1 / (1 + 10^(-elo / 400)).

    >>> share_of_elo(0), round(share_of_elo(400), 4)
    (0.5, 0.9091)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def _guarded(counts: Sequence[float]) -> tuple[float, ...]:
    """The counts with one pair lost and one pair won added, for measures of spread."""
    lost, *between, won = counts
    return (lost + 1, *between, won + 1)


def _mean(counts: Sequence[float]) -> float:
    return sum(quarters * n for quarters, n in enumerate(counts)) / (4 * sum(counts))


def _lead(counts: Sequence[float]) -> float:
    """The mean less 1/2, without loss of digits near 0."""
    return sum((quarters - 2) * n for quarters, n in enumerate(counts)) / (4 * sum(counts))


def _variance(counts: Sequence[float]) -> float:
    total = sum(counts)
    mean = sum(quarters * n for quarters, n in enumerate(counts))
    square = sum(quarters**2 * n for quarters, n in enumerate(counts))
    return (total * square - mean**2) / (4 * total) ** 2
