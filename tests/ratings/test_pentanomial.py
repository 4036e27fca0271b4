"""Pairs of games: golden figures, what lopsided results say, and laws that hold for any counts."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven.ratings.pentanomial import (
    ELO_LIMIT,
    SHARES,
    InvalidEvidence,
    PairCounts,
    elo_of_share,
    half_points,
    share_of_elo,
    wilson_interval,
)

Counts = tuple[int, int, int, int, int]

some_counts = st.tuples(*[st.integers(0, 3) | st.integers(0, 10**9)] * 5).map(PairCounts)
played_counts = some_counts.filter(lambda counts: counts.pairs > 0)


def half_width(interval: tuple[float, float]) -> float:
    return (interval[1] - interval[0]) / 2


def test_the_golden_figures() -> None:
    strong = PairCounts((34, 54, 63, 64, 75))
    assert strong.elo == pytest.approx(55.58, rel=0.01)
    assert half_width(strong.elo_interval) == pytest.approx(27.65, rel=0.01)
    assert strong.normalized_elo == pytest.approx(57.94, rel=0.01)
    assert half_width(strong.normalized_elo_interval) == pytest.approx(28.28, rel=0.01)
    weak = PairCounts((332, 433, 498, 333, 334))
    assert weak.elo == pytest.approx(-8.64, rel=0.01)
    assert half_width(weak.elo_interval) == pytest.approx(10.33, rel=0.01)
    assert weak.superiority == pytest.approx(0.0505, rel=0.01)


@pytest.mark.parametrize(
    "counts",
    [
        (34, 54, 63, 64, 75),
        (332, 433, 498, 333, 334),
        (120, 400, 3000, 600, 90),
        (90, 0, 9000, 0, 400),
    ],
)
def test_a_library_of_the_field_agrees(counts: Counts) -> None:
    library = pytest.importorskip("mache.match_estimate")
    pairs = PairCounts(counts)
    points = [2 * share for share, n in zip(SHARES, counts, strict=True) for _ in range(n)]
    theirs = library.Estimate(sum(points), 2 * len(points), points)
    assert pairs.elo == pytest.approx(theirs.elo, rel=1e-9)
    assert half_width(pairs.elo_interval) == pytest.approx(theirs.margin, rel=0.01)
    assert pairs.normalized_elo == pytest.approx(theirs.nelo, rel=0.01)
    assert half_width(pairs.normalized_elo_interval) == pytest.approx(theirs.nelo_margin, rel=1e-4)
    assert pairs.superiority == pytest.approx(theirs.los, abs=0.001)


@given(counts=played_counts)
def test_mean_and_variance_equal_exact_arithmetic(counts: PairCounts) -> None:
    n = counts.pairs
    mean = sum(Fraction(k, 4) * count for k, count in enumerate(counts.counts)) / n
    square = sum(Fraction(k, 4) ** 2 * count for k, count in enumerate(counts.counts)) / n
    assert counts.share == pytest.approx(float(mean), rel=1e-12)
    assert counts.variance == pytest.approx(float(square - mean**2), rel=1e-12)


@given(counts=some_counts)
def test_every_figure_is_finite_and_in_its_interval(counts: PairCounts) -> None:
    json.dumps(counts.as_dict(), allow_nan=False)
    low, high = counts.share_interval
    assert 0 <= low <= counts.share <= high <= 1 and low < high
    low, high = counts.elo_interval
    assert -ELO_LIMIT <= low <= counts.elo <= high <= ELO_LIMIT
    low, high = counts.normalized_elo_interval
    assert low < counts.normalized_elo < high
    assert 0 <= counts.superiority <= 1


@given(counts=some_counts)
def test_the_other_agent_sees_the_mirror_image(counts: PairCounts) -> None:
    other = counts.swapped
    assert other.swapped == counts and other.pairs == counts.pairs
    assert other.share == pytest.approx(1 - counts.share, abs=1e-12)
    assert other.elo == pytest.approx(-counts.elo, abs=1e-4)
    assert other.normalized_elo == pytest.approx(-counts.normalized_elo, rel=1e-12)
    assert other.superiority == pytest.approx(1 - counts.superiority, abs=1e-12)
    low, high = other.share_interval
    assert (1 - high, 1 - low) == pytest.approx(counts.share_interval, abs=1e-9)


@given(counts=played_counts)
def test_mirrored_pairs_draw_the_score_to_a_half_and_tighten_the_interval(
    counts: PairCounts,
) -> None:
    both = counts + counts.swapped
    assert both.share == pytest.approx(0.5, abs=1e-12)
    doubled = counts + counts
    assert half_width(doubled.share_interval) < half_width(counts.share_interval)
    assert abs(doubled.superiority - 0.5) >= abs(counts.superiority - 0.5) - 1e-12


def test_no_pairs_give_no_evidence() -> None:
    nothing = PairCounts((0, 0, 0, 0, 0))
    assert (nothing.pairs, nothing.share, nothing.variance, nothing.elo) == (0, 0.5, 0, 0)
    assert nothing.share_interval == (0, 1)
    assert nothing.elo_interval == nothing.normalized_elo_interval == (-ELO_LIMIT, ELO_LIMIT)
    assert nothing.superiority == 0.5


def test_without_losses_the_lower_bound_rises_with_the_pairs() -> None:
    matches = [PairCounts((0, 0, 0, 0, n)) for n in (1, 2, 10, 100, 10_000)]
    for match in matches:
        assert match.share == 1
        assert match.share_interval[1] == 1 and match.elo_interval[1] == ELO_LIMIT
        assert match.elo_interval[0] < match.elo < ELO_LIMIT
    for one, more in pairwise(matches):
        assert one.elo < more.elo
        assert one.normalized_elo < more.normalized_elo
        assert one.share_interval[0] < more.share_interval[0]
        assert one.superiority <= more.superiority
    # Ten pairs won of ten: at least 95 times in 100 that needs a share of more than 0.65.
    assert 0.65 < matches[2].share_interval[0] < 0.75
    # One pair proves little.
    assert matches[0].elo_interval[0] < 0 and matches[0].superiority < 0.9
    # The smallest loss counts as less than no game.
    assert PairCounts((0, 0, 0, 1, 9)).elo < matches[2].elo
    assert PairCounts((0, 0, 0, 1, 9)).normalized_elo < matches[2].normalized_elo


def test_equal_pairs_are_nearly_but_not_quite_sure() -> None:
    even = PairCounts((0, 0, 100, 0, 0))
    assert (even.share, even.elo, even.normalized_elo, even.superiority) == (0.5, 0, 0, 0.5)
    # Had 3 pairs in 100 gone otherwise it would have shown 95 times in 100.
    assert 0.005 < half_width(even.share_interval) < 0.015
    assert half_width(PairCounts((0, 0, 1, 0, 0)).share_interval) > 0.25


def shares_of_games(
    theta: float, bias: float, pairs: int, rng: np.random.Generator
) -> tuple[PairCounts, float]:
    """Pairs of an agent that is better by theta; every opening favors one seat at random."""
    opening = bias * rng.standard_normal(pairs)
    points = np.zeros(pairs)
    for seat in (1, -1):
        chance = 1 / (1 + np.exp(-(theta + seat * opening)))
        points += rng.random(pairs) < chance
    return PairCounts.of(points.tolist()), float(points.sum() / (2 * pairs))


@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_intervals_hold_the_truth_nineteen_times_in_twenty(theta: float) -> None:
    rng = np.random.default_rng(5)
    bias = 3.0
    truth = shares_of_games(theta, bias, 400_000, rng)[1]
    inside = superior = 0
    narrower = 0
    for _ in range(400):
        counts, share = shares_of_games(theta, bias, 100, rng)
        low, high = counts.share_interval
        inside += low <= truth <= high
        superior += counts.superiority > 0.95
        # As if the two games of a pair were independent.
        narrower += half_width((low, high)) < 1.96 * math.sqrt(share * (1 - share) / 200)
    assert 0.93 <= inside / 400 <= 0.975
    assert narrower == 400
    # Equal agents look superior at the 95 % level one time in twenty.
    assert superior / 400 < 0.08 if theta == 0 else superior / 400 > 0.95


def test_results_that_cannot_be_are_refused() -> None:
    for points in (-0.5, 0.25, 1.5, math.nan, math.inf):
        with pytest.raises(InvalidEvidence, match=f"a game cannot give {points} points"):
            half_points(points, 1)
    with pytest.raises(InvalidEvidence, match=r"2 games cannot give 2\.5 points"):
        PairCounts.of([2.5])
    for counts in ((1, 2, 3, 4), (1, 2, 3, 4, -1)):
        with pytest.raises(InvalidEvidence, match="five numbers of 0 or more"):
            PairCounts(counts)  # type: ignore[arg-type]  # bad on purpose


def test_half_points() -> None:
    assert [half_points(points / 2, 2) for points in range(5)] == [0, 1, 2, 3, 4]


@given(elo=st.floats(-1500, 1500))
def test_elo_and_share_are_inverse(elo: float) -> None:
    assert elo_of_share(share_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_elo_ends_at_its_limit() -> None:
    assert elo_of_share(1) == ELO_LIMIT and elo_of_share(0) == -ELO_LIMIT
    assert elo_of_share(1e-300) == -ELO_LIMIT


@pytest.mark.parametrize(
    ("score", "games", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I.
        (81 / 263, 263, 0.2553, 0.3662),
        (15 / 148, 148, 0.0624, 0.1605),
        (0 / 20, 20, 0.0, 0.1611),
        (1 / 29, 29, 0.0061, 0.1718),
        # From the formula at 0 and 1: n / (n + z^2).
        (1.0, 100, 100 / (100 + 1.959964**2), 1.0),
        (0.0, 100, 0.0, 1.959964**2 / (100 + 1.959964**2)),
        (0.5, 1, 0.5 - 1.959964 / 2 / math.sqrt(1 + 1.959964**2), None),
    ],
)  # fmt: skip
def test_wilson_interval(score: float, games: int, low: float, high: float | None) -> None:
    found = wilson_interval(score, games)
    assert found[0] == pytest.approx(low, abs=5e-5)
    if high is not None:
        assert found[1] == pytest.approx(high, abs=5e-5)
    mirrored = wilson_interval(1 - score, games)
    assert found == pytest.approx((1 - mirrored[1], 1 - mirrored[0]))


def test_the_interval_stays_inside() -> None:
    assert wilson_interval(0.5, 0) == (0.0, 1.0)
    for games in (1, 2, 10, 500):
        assert wilson_interval(1.0, games)[1] == 1.0
        assert wilson_interval(0.0, games)[0] == 0.0
        for score in (0.0, 0.25, 0.5, 1.0):
            low, high = wilson_interval(score, games)
            assert 0.0 <= low <= score <= high <= 1.0


def test_pairs_that_repeat_others_are_left_out_of_the_width() -> None:
    counts = PairCounts((3, 6, 15, 9, 27))
    assert counts.interval_of(60) == counts.share_interval
    widths = [half_width(counts.interval_of(pairs)) for pairs in (60, 20, 5, 1)]
    assert widths == sorted(widths)
    # As if the pairs had come up a third as often.
    third = PairCounts((1, 2, 5, 3, 9)).share_interval
    assert counts.interval_of(20) == pytest.approx(third)
    assert counts.interval_of(0) == (0, 1)
