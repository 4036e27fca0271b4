"""A sequential test: which of two Elo differences fits the pairs better, stopped when it is clear.

The generalized sequential probability ratio test on pentanomial counts. Under each hypothesis the
distribution of pairs is the best fit with the Elo difference of the hypothesis.
The test stops when the log of the ratio of the two likelihoods leaves Wald's bounds (Wald,
"Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16, 1945, pages
117-186; Van den Bergh, "A practical introduction to the GSPRT" and "Comments on normalized Elo").

Pairs count in the order of the schedule, not in the order of their ends. Short games end first, so
a test that counted pairs as they end would stop on a biased sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from claimeven.errors import ClaimevenError
from claimeven.ratings.pentanomial import (
    NORMALIZED_ELO,
    SHARES,
    InvalidEvidence,
    PairCounts,
    half_points,
    share_of_elo,
)

#: Counts of 0 are replaced by this, so that no outcome is impossible under a hypothesis.
EMPTY = 1e-3
#: The largest Elo difference, of either sign, that a hypothesis of each model may claim.
LARGEST = {"logistic": 1000.0, "normalized": 200.0}

# Steps of the fixed point of the normalized model: ten nearly always settle it.
_STEPS = 200
_SETTLED = 1e-9
# A step of this size, relative to its end, is rounding.
_ROUNDING = 1e-14


class InvalidTest(ClaimevenError):
    """A sequential test whose hypotheses or error rates make no sense."""


class SprtVerdict(StrEnum):
    """The result of a sequential test: one of its hypotheses, or a need for more pairs."""

    ELO0 = "elo0"
    ELO1 = "elo1"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class SequentialTest:
    """A test of the hypothesis that the agent leads by `elo0` against that it leads by `elo1`.

    `alpha` is the risk of accepting elo1 if elo0 is true, `beta` the risk of accepting elo0 if
    elo1 is true. `model` is the kind of Elo: "normalized", the default, is in deviations of a game,
    and needs about equally many pairs for all openings; "logistic" is of the mean share.

    >>> test = SequentialTest(0, 5)
    >>> counts = PairCounts((3, 40, 90, 60, 12))
    >>> round(test.log_likelihood_ratio(counts), 2), test.verdict(counts).value
    (0.84, 'undecided')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        if self.model not in LARGEST:
            raise InvalidTest(f"model must be {' or '.join(LARGEST)}, got {self.model!r}")
        largest = LARGEST[self.model]
        for elo in (self.elo0, self.elo1):
            if not -largest <= elo <= largest:
                raise InvalidTest(
                    f"a {self.model} hypothesis must be between {-largest:g} and {largest:g} Elo,"
                    f" got {elo:g}"
                )
        if self.elo0 >= self.elo1:
            raise InvalidTest(f"elo0 must be less than elo1, got {self.elo0:g} and {self.elo1:g}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise InvalidTest(
                "alpha and beta must be above 0 and below 1 in sum,"
                f" got {self.alpha:g} and {self.beta:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the ratio: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).

        At the first or below elo0 is accepted, at the second or above elo1.

        >>> [round(bound, 3) for bound in SequentialTest(0, 5).bounds]
        [-2.944, 2.944]
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, counts: PairCounts) -> float:
        """Return N sum p_i ln(p_i(elo1) / p_i(elo0)), p_i being the shares of the counts.

        Above 0 if the counts favor elo1. Counts of 0 are taken as `EMPTY`.
        """
        filled = [count or EMPTY for count in counts.counts]
        total = sum(filled)
        observed = [count / total for count in filled]
        fit = _fit_logistic if self.model == "logistic" else _fit_normalized
        under0, under1 = fit(observed, self.elo0), fit(observed, self.elo1)
        return total * sum(
            p * math.log(one / zero) for p, zero, one in zip(observed, under0, under1, strict=True)
        )

    def verdict(self, counts: PairCounts) -> SprtVerdict:
        """Return the result of the counts, undecided without pairs."""
        return self.decide(self.log_likelihood_ratio(counts))

    def as_dict(self) -> dict[str, object]:
        """Return the test as plain data for JSON."""
        return {**vars(self), "bounds": list(self.bounds)}

    def decide(self, ratio: float) -> SprtVerdict:
        """Return the result of a log-likelihood ratio."""
        low, high = self.bounds
        if ratio <= low:
            return SprtVerdict.ELO0
        return SprtVerdict.ELO1 if ratio >= high else SprtVerdict.UNDECIDED


@dataclass
class SequentialRun:
    """A sequential test as its pairs come in, in any order; counted in the order of the schedule.

    A pair waits until all before it are there. The first pair at which the test is decided ends it,
    and later pairs do not count, so the result does not depend on the order of arrival.

    >>> run = SequentialRun(SequentialTest(0, 50))
    >>> run.add(1, 2).value, run.counts.pairs, run.waiting
    ('undecided', 0, 1)
    >>> run.add(0, 1.5).value, run.counts.pairs, run.waiting
    ('undecided', 2, 0)
    """

    test: SequentialTest
    counts: PairCounts = field(default_factory=lambda: PairCounts.of(()))
    ratio: float = 0.0
    verdict: SprtVerdict = SprtVerdict.UNDECIDED
    _waiting: dict[int, float] = field(default_factory=dict)
    _halves: dict[int, float] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """Number of pairs that do not count: earlier ones are missing, or the test is over."""
        return len(self._waiting)

    def add_game(self, number: int, points: float) -> SprtVerdict:
        """Take the agent's points (0 to 1) in a game; 2k and 2k + 1 are the games of pair k."""
        half_points(points, 1)
        if number < 0:
            raise InvalidEvidence(f"the number of a game must be 0 or more, got {number}")
        pair = number // 2
        if number in self._halves or pair < self.counts.pairs or pair in self._waiting:
            raise InvalidEvidence(f"game {number} is given twice")
        if number ^ 1 not in self._halves:
            self._halves[number] = points
            return self.verdict
        return self.add(number // 2, self._halves.pop(number ^ 1) + points)

    def add(self, number: int, points: float) -> SprtVerdict:
        """Take the agent's points (0 to 2) in the pair of that number; return the verdict."""
        if number < 0:
            raise InvalidEvidence(f"the number of a pair must be 0 or more, got {number}")
        if number < self.counts.pairs or number in self._waiting:
            raise InvalidEvidence(f"pair {number} is given twice")
        half_points(points, 2)
        self._waiting[number] = points
        while self.verdict is SprtVerdict.UNDECIDED and self.counts.pairs in self._waiting:
            self.counts += PairCounts.of([self._waiting.pop(self.counts.pairs)])
            self.ratio = self.test.log_likelihood_ratio(self.counts)
            self.verdict = self.test.decide(self.ratio)
        return self.verdict


def _fit_logistic(observed: Sequence[float], elo: float) -> list[float]:
    """Return the distribution with the mean share of that Elo under which the counts are likeliest.

    p_i(s) = p_i / (1 + theta (a_i - s)), theta such that the mean is s (Van den Bergh, "GSPRT").
    """
    share = share_of_elo(elo)
    return _tilted(observed, [a - share for a in SHARES])


def _fit_normalized(observed: Sequence[float], elo: float) -> list[float]:
    """Return the distribution with that normalized Elo under which the counts are likeliest.

    Its mean is t = sqrt 2 elo / (800 / ln 10) of its deviations above 1/2: the fixed point, from
    equal parts, of sum p_i (a_i - 1/2 - t sigma (1 + ((a_i - mu) / sigma)^2) / 2) = 0 (Van den
    Bergh, "Comments on normalized Elo").
    """
    t = math.sqrt(2) * elo / NORMALIZED_ELO
    fitted = [1 / len(SHARES)] * len(SHARES)
    for _ in range(_STEPS):
        mean = sum(p * a for p, a in zip(fitted, SHARES, strict=True))
        variance = sum(p * (a - mean) ** 2 for p, a in zip(fitted, SHARES, strict=True))
        sigma = math.sqrt(variance)
        before = fitted
        fitted = _tilted(
            observed, [a - 0.5 - t * (sigma + (a - mean) ** 2 / sigma) / 2 for a in SHARES]
        )
        if max(abs(new - old) for new, old in zip(fitted, before, strict=True)) < _SETTLED:
            break
    return fitted


def _tilted(observed: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Return p_i / (1 + theta b_i) with theta such that sum p_i b_i / (1 + theta b_i) = 0.

    The likeliest distribution in which the offsets b_i, of both signs, average 0. The sum falls
    from infinity to minus infinity between its two poles: Newton's method, or halving the bracket.
    """
    low, high, theta = -1 / max(offsets), -1 / min(offsets), 0.0
    for _ in range(_STEPS):
        ratios = [b / (1 + theta * b) for b in offsets]
        balance = sum(p * ratio for p, ratio in zip(observed, ratios, strict=True))
        derivative = -sum(p * ratio**2 for p, ratio in zip(observed, ratios, strict=True))
        if balance > 0:
            low = theta
        else:
            high = theta
        before, theta = theta, theta - balance / derivative
        if abs(theta - before) <= _ROUNDING * abs(theta):
            break
        if not low < theta < high:
            theta = (low + high) / 2
    return [p / (1 + theta * b) for p, b in zip(observed, offsets, strict=True)]
