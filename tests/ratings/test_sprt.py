"""The sequential test: golden figures, its risks by simulation, the order in which it counts."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimeven.ratings.pentanomial import SHARES, InvalidEvidence, PairCounts, share_of_elo
from claimeven.ratings.sprt import (
    LARGEST,
    InvalidTest,
    SequentialRun,
    SequentialTest,
    SprtVerdict,
    _fit_logistic,
    _fit_normalized,
)

Counts = tuple[int, int, int, int, int]

GOLDEN = [
    ("normalized", (365, 16618, 36229, 16974, 390), 0, 2, 2.25),
    ("normalized", (127, 4883, 10712, 5150, 104), -1.75, 0.25, 3.01),
    ("normalized", (0, 0, 0, 0, 5550), 0, 5, 111.82),
    ("logistic", (223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
    ("logistic", (871, 26175, 55983, 26678, 821), 0, 2, -4.98),
]

models = st.sampled_from(sorted(LARGEST))
some_counts = st.tuples(*[st.integers(0, 3) | st.integers(0, 10**6)] * 5).map(PairCounts)


@pytest.mark.parametrize(("model", "counts", "elo0", "elo1", "ratio"), GOLDEN)
def test_the_golden_figures(
    model: str, counts: Counts, elo0: float, elo1: float, ratio: float
) -> None:
    test = SequentialTest(elo0, elo1, model=model)
    assert test.log_likelihood_ratio(PairCounts(counts)) == pytest.approx(ratio, rel=0.01)


def test_a_library_of_the_field_agrees() -> None:
    library = pytest.importorskip("mache.match_estimate")
    rng = random.Random(4)
    for _ in range(12):
        counts = tuple(rng.choice((0, 1, 5, rng.randrange(300))) for _ in SHARES)
        elo0, elo1 = sorted(rng.uniform(-40, 40) for _ in range(2))
        for model in LARGEST:
            ours = SequentialTest(elo0, elo1, model=model)
            theirs = library.log_likelihood_ratio(list(counts), elo0, elo1, model)
            assert ours.log_likelihood_ratio(PairCounts(counts)) == pytest.approx(  # type: ignore[arg-type]  # five, as SHARES are
                theirs, rel=1e-3, abs=1e-6
            )


@given(counts=some_counts, model=models, fraction=st.floats(-1, 1))
def test_a_fit_has_the_difference_of_its_hypothesis(
    counts: PairCounts, model: str, fraction: float
) -> None:
    filled = [count or 1e-3 for count in counts.counts]
    observed = [count / sum(filled) for count in filled]
    elo = fraction * LARGEST[model]
    fitted = (_fit_logistic if model == "logistic" else _fit_normalized)(observed, elo)
    assert min(fitted) > 0 and sum(fitted) == pytest.approx(1, abs=1e-4)
    mean = sum(p * a for p, a in zip(fitted, SHARES, strict=True))
    deviation = math.sqrt(sum(p * (a - mean) ** 2 for p, a in zip(fitted, SHARES, strict=True)))
    if model == "logistic":
        assert mean == pytest.approx(share_of_elo(elo), abs=1e-6)
    else:
        assert mean - 0.5 == pytest.approx(math.sqrt(2) * elo / 347.4356 * deviation, abs=1e-4)


def test_a_fit_is_the_likeliest_of_its_kind() -> None:
    observed = [0.1, 0.15, 0.4, 0.2, 0.15]
    # Directions that do not change the sum of 1 and the mean.
    directions = [(1, -2, 1, 0, 0), (0, 1, -2, 1, 0), (0, 0, 1, -2, 1)]
    fitted = _fit_logistic(observed, 30)
    best = sum(p * math.log(q) for p, q in zip(observed, fitted, strict=True))
    for direction in directions:
        for step in (-1e-3, 1e-3):
            moved = [q + step * d for q, d in zip(fitted, direction, strict=True)]
            assert sum(p * math.log(q) for p, q in zip(observed, moved, strict=True)) < best


@given(counts=some_counts, model=models, one=st.floats(-1, 1), other=st.floats(-1, 1))
def test_the_ratio_is_finite_and_mirrors(
    counts: PairCounts, model: str, one: float, other: float
) -> None:
    elo0, elo1 = sorted((one * LARGEST[model], other * LARGEST[model]))
    if elo1 - elo0 < 1e-6:
        return
    test = SequentialTest(elo0, elo1, model=model)
    ratio = test.log_likelihood_ratio(counts)
    assert math.isfinite(ratio)
    mirrored = SequentialTest(-elo1, -elo0, model=model).log_likelihood_ratio(counts.swapped)
    assert mirrored == pytest.approx(-ratio, rel=1e-3, abs=1e-3)


def test_verdicts_at_the_bounds() -> None:
    test = SequentialTest(0, 10, alpha=0.05, beta=0.1)
    low, high = test.bounds
    assert (low, high) == (math.log(0.1 / 0.95), math.log(0.9 / 0.05))
    assert test.decide(low) is SprtVerdict.ELO0
    assert test.decide(math.nextafter(low, 0)) is SprtVerdict.UNDECIDED
    assert test.decide(math.nextafter(high, 0)) is SprtVerdict.UNDECIDED
    assert test.decide(high) is SprtVerdict.ELO1
    assert test.verdict(PairCounts((0, 0, 0, 0, 0))) is SprtVerdict.UNDECIDED


@pytest.mark.parametrize("model", sorted(LARGEST))
def test_matches_of_one_kind_of_pair_are_decided(model: str) -> None:
    test = SequentialTest(0, 20, model=model)
    assert test.verdict(PairCounts((0, 0, 0, 0, 2000))) is SprtVerdict.ELO1
    assert test.verdict(PairCounts((2000, 0, 0, 0, 0))) is SprtVerdict.ELO0
    # Equal agents that split every pair do not lead by 20.
    assert test.verdict(PairCounts((0, 0, 2000, 0, 0))) is SprtVerdict.ELO0


def simulated_run(
    test: SequentialTest, shares: list[float], rng: np.random.Generator
) -> SequentialRun:
    """Play pairs of that distribution until the test is decided."""
    run = SequentialRun(test)
    for number in range(100_000):
        points = 2 * SHARES[int(np.searchsorted(np.cumsum(shares), rng.random()))]
        if run.add(number, points) is not SprtVerdict.UNDECIDED:
            return run
    raise AssertionError("a test does not end")


@pytest.mark.parametrize("model", sorted(LARGEST))
def test_its_risks_are_those_it_was_given(model: str) -> None:
    rng = np.random.default_rng(11)
    default = [0.1, 0.15, 0.4, 0.2, 0.15]
    test = SequentialTest(0, 150, alpha=0.1, beta=0.1, model=model)
    fit = _fit_logistic if model == "logistic" else _fit_normalized
    for elo, wrong in ((0, SprtVerdict.ELO1), (150, SprtVerdict.ELO0)):
        shares = fit(default, elo)
        runs = [simulated_run(test, shares, rng) for _ in range(100)]
        errors = sum(run.verdict is wrong for run in runs)
        # 10 are to be expected, a few less as the last pair leads past the bound.
        assert 1 <= errors <= 16


def test_pairs_count_in_the_order_of_the_schedule() -> None:
    """Wins come in first, as short games do; the losses before them are still being played."""
    test = SequentialTest(0, 100)
    points = [0.0] * 30 + [2.0] * 30
    in_order = SequentialRun(test)
    for number, result in enumerate(points):
        in_order.add(number, result)
    assert in_order.verdict is SprtVerdict.ELO0

    run = SequentialRun(test)
    for number in range(30, 60):
        assert run.add(number, points[number]) is SprtVerdict.UNDECIDED
    assert (run.counts.pairs, run.waiting, run.ratio) == (0, 30, 0)
    for number in reversed(range(30)):
        run.add(number, points[number])
    assert (run.verdict, run.counts, run.ratio) == (
        in_order.verdict,
        in_order.counts,
        in_order.ratio,
    )


@settings(max_examples=20)
@given(order=st.permutations(range(12)))
def test_no_order_of_arrival_changes_anything(order: list[int]) -> None:
    points = [2, 1.5, 2, 2, 1, 2, 2, 2, 0, 2, 2, 2]
    test = SequentialTest(0, 200, alpha=0.2, beta=0.2)
    expected, run = SequentialRun(test), SequentialRun(test)
    for number, result in enumerate(points):
        expected.add(number, result)
    assert expected.verdict is SprtVerdict.ELO1 and 0 < expected.counts.pairs < len(points)
    for number in order:
        run.add(number, points[number])
    assert (run.verdict, run.counts, run.ratio) == (
        expected.verdict,
        expected.counts,
        expected.ratio,
    )


def test_a_pair_is_added_once() -> None:
    run = SequentialRun(SequentialTest(0, 5))
    run.add(0, 1)
    run.add(2, 1)
    for number in (0, 2):
        with pytest.raises(InvalidEvidence, match=f"pair {number} is given twice"):
            run.add(number, 1)
    with pytest.raises(InvalidEvidence, match="must be 0 or more, got -1"):
        run.add(-1, 1)
    with pytest.raises(InvalidEvidence, match="2 games cannot give 3 points"):
        run.add(1, 3)
    run.add(1, 1)
    assert (run.counts.pairs, run.waiting) == (3, 0)


def test_a_game_of_an_open_pair_is_added_once() -> None:
    run = SequentialRun(SequentialTest(0, 5))
    for number in (2, 3, 4):
        run.add_game(number, 0.5)
    assert (run.counts.pairs, run.waiting) == (0, 1)
    for number in (2, 3, 4):
        with pytest.raises(InvalidEvidence, match=f"game {number} is given twice"):
            run.add_game(number, 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be less than elo1, got 5 and 5"),
        (
            {"elo0": 0, "elo1": 201},
            "a normalized hypothesis must be between -200 and 200 Elo, got 201",
        ),
        ({"elo0": math.nan, "elo1": 5}, "got nan"),
        ({"elo0": 0, "elo1": math.inf, "model": "logistic"}, "got inf"),
        ({"elo0": 0, "elo1": 5, "model": "bayes"}, "logistic or normalized, got 'bayes'"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "above 0 and below 1 in sum, got 0 and 0.05"),
        ({"elo0": 0, "elo1": 5, "beta": 0.95}, "above 0 and below 1 in sum"),
        ({"elo0": 0, "elo1": 5, "beta": math.nan}, "above 0 and below 1 in sum"),
    ],
)
def test_tests_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidTest, match=message):
        SequentialTest(**settings)
