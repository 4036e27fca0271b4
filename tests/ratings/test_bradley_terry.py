"""The likeliest strengths against a slow oracle, a library of the field and sums by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from claimeven.ratings.bradley_terry import Reals, Tournaments, _Likelihood, fit, outcome_odds

#: (first agent, second agent, games won, drawn and lost by the first)
Row = tuple[int, int, float, float, float]

ROWS: list[Row] = [
    (0, 1, 5, 2, 3),
    (1, 0, 4, 3, 3),
    (1, 2, 6, 1, 3),
    (2, 1, 2, 2, 6),
    (2, 0, 1, 1, 8),
]


def tournaments(agents: int, rows: Sequence[Row], prior: float) -> Tournaments:
    """One tournament, with games of the prior for and against each unknown."""
    counted = np.zeros((1, agents + 2))
    for first, second, won, drawn, lost in rows:
        counted[0, first] += (won - lost) / 2
        counted[0, second] -= (won - lost) / 2
        counted[0, agents] += (won - lost) / 2
        counted[0, agents + 1] += drawn
    games = np.zeros((1, agents, agents))
    for first, second, *counts in rows:
        games[0, first, second] += sum(counts)
    even = np.full((1, agents + 2), prior)
    return Tournaments(games, counted, even, even)


def log_likelihood(agents: int, rows: Sequence[Row], prior: float, at: Sequence[float]) -> float:
    """The model as its module states it, one game after the other."""

    def logistic(x: float) -> float:
        return math.log(1 / (1 + math.exp(-x)))

    *strengths, order, draws = at
    total = 0.0
    for first, second, won, drawn, lost in rows:
        x = strengths[first] - strengths[second] + order
        odds = [math.exp(x / 2), math.exp(draws), math.exp(-x / 2)]
        for count, odd in zip((won, drawn, lost), odds, strict=True):
            total += count * math.log(odd / sum(odds))
    for strength in strengths:
        total += prior * (logistic(strength) + logistic(-strength))
    total += prior * (logistic(order) + logistic(-order))
    equal = math.exp(draws) / (2 + math.exp(draws))
    return total + prior * (math.log(equal) + math.log(1 - equal))


@pytest.mark.parametrize("prior", [0.5, 3.0])
def test_no_other_strengths_are_likelier(prior: float) -> None:
    found = fit(tournaments(3, ROWS, prior))[0].tolist()
    best = log_likelihood(3, ROWS, prior, found)
    gradients = []
    for unknown in range(5):
        heights = []
        for step in (-1e-4, 1e-4):
            moved = [*found]
            moved[unknown] += step
            heights.append(log_likelihood(3, ROWS, prior, moved))
        assert max(heights) < best
        gradients.append((heights[1] - heights[0]) / 2e-4)
    assert gradients == pytest.approx([0] * 5, abs=1e-6)


def test_two_agents_without_draws_by_hand() -> None:
    """The odds of one are 4 when it moves first and 1/2 when it does not: 2 = exp(gap)^2."""
    rows: list[Row] = [(0, 1, 8e6, 0, 2e6), (1, 0, 6e6, 0, 3e6)]
    one, other, order, draws = fit(tournaments(2, rows, 1e-3))[0].tolist()
    assert one - other == pytest.approx(math.log(2) / 2, abs=1e-6)
    assert order == pytest.approx((math.log(4) + math.log(2)) / 2, abs=1e-6)
    assert draws < -15


def test_expected_scores_equal_the_scores() -> None:
    found = fit(tournaments(3, ROWS, 1e-9))[0]
    points, expected = np.zeros(3), np.zeros(3)
    for first, second, won, drawn, lost in ROWS:
        x = found[first] - found[second] + found[3]
        chance, half, _, _ = outcome_odds(np.array([x]), np.array([found[4]]))
        share = float(chance[0] + half[0] / 2)
        games = won + drawn + lost
        points[[first, second]] += won + drawn / 2, lost + drawn / 2
        expected[[first, second]] += games * share, games * (1 - share)
    assert expected == pytest.approx(points, abs=1e-6)


def test_a_library_of_the_field_agrees() -> None:
    """Whole-history rating on one day, with its handicap for the first player and its draws."""
    library = pytest.importorskip("whr")
    whr = library.WHR({"initial_prior_wins": 0.5})
    for first, second, *counts in ROWS:
        for result, count in zip("BDW", counts, strict=True):
            for _ in range(int(count)):
                whr.create_game(str(first), str(second), result, 1, "first")
    assert whr.auto_iterate(precision=1e-8, time_limit=120)[1]
    counted = tournaments(3, ROWS, 0.5)
    # It has no prior for order and draws.
    counted.pro[:, 3:] = counted.contra[:, 3:] = 0
    found = fit(counted)[0].tolist()
    theirs = [whr.players[str(agent)].days[0].r for agent in range(3)]
    theirs += [math.log(whr.handicap_gamma["first"]), math.log(whr.nu)]
    assert found == pytest.approx(theirs, abs=1e-6)


def test_many_tournaments_together_equal_single_ones_from_any_start() -> None:
    rng = np.random.default_rng(2)
    weights = rng.gamma(1, size=(7, len(ROWS), 3))
    each = []
    for some in weights.tolist():
        rows = [(*row[:2], *counts) for row, counts in zip(ROWS, some, strict=True)]
        each.append(tournaments(3, rows, 0.5))

    def joined(name: str) -> Reals:
        return np.concatenate([getattr(part, name) for part in each])

    together = Tournaments(*(joined(name) for name in ("games", "counted", "pro", "contra")))
    found = fit(together)
    alone = np.concatenate([fit(part) for part in each])
    assert found == pytest.approx(alone, abs=1e-6)
    far = np.array([6.0, -9.0, 2.0, 5.0, -7.0])
    assert fit(together, far) == pytest.approx(found, abs=1e-6)


def random_tournaments(agents: int, rng: np.random.Generator) -> Tournaments:
    """Fifty round robins with hardly anything in most cells, much in some, and a weak prior."""
    seats = [(i, j) for i in range(agents) for j in range(agents) if i != j]
    parts = []
    for _ in range(50):
        cells = rng.gamma(0.15, 10, size=(len(seats), 3)).tolist()
        rows = [(*pair, *counts) for pair, counts in zip(seats, cells, strict=True)]
        parts.append(tournaments(agents, rows, 0.5))
    pro, contra = np.maximum(rng.gamma(0.5, size=(2, 50, agents + 2)), 1e-4)
    games = np.concatenate([part.games for part in parts])
    return Tournaments(games, np.concatenate([part.counted for part in parts]), pro, contra)


@pytest.mark.parametrize("seed", range(10))
def test_the_peak_is_found_from_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    agents = int(rng.integers(2, 6))
    played = random_tournaments(agents, rng)
    found = fit(played, rng.normal(0, (0, 1, 5, 15)[seed % 4], agents + 2))
    assert np.abs(_Likelihood(played).shape(found).gradient).max() < 1e-6


def test_the_peak_is_found_where_the_likelihood_is_nearly_flat() -> None:
    """One agent won all games and the prior has almost no weight."""
    pro, contra = np.array([[1.1e-3, 4.3e-3, 0.08, 1.9]]), np.array([[1.9, 0.04, 0.02, 0.17]])
    for lost in (4.0, 6.2, 1e6):
        counted = np.array([[-lost, lost, 0, 0]])
        played = Tournaments(np.array([[[0, lost], [lost, 0]]]), counted, pro, contra)
        for start in ((-2.8, 2.8, 0, -0.7), (20, 20, 0, 0), (30, -30, 5, -5), (40, 40, 0, 0)):
            found = fit(played, np.array(start))
            assert np.abs(_Likelihood(played).shape(found).gradient).max() < 1e-6


def test_gradient_and_bend_are_the_derivatives_of_the_height() -> None:
    rng = np.random.default_rng(5)
    played = random_tournaments(4, rng)
    at = rng.normal(size=(50, 6))
    here = _Likelihood(played).shape(at)
    for unknown in range(6):
        step = np.zeros(6)
        step[unknown] = 1e-5
        below, above = _Likelihood(played).shape(at - step), _Likelihood(played).shape(at + step)
        assert (above.height - below.height) / 2e-5 == pytest.approx(
            here.gradient[:, unknown], abs=1e-4
        )
        bend = -(above.gradient - below.gradient) / 2e-5
        assert bend == pytest.approx(here.bend[:, unknown], abs=1e-4)


@pytest.mark.parametrize("lopsided", [1e-4, 0.5])
def test_strengths_stay_finite_however_lopsided(lopsided: float) -> None:
    rows: list[Row] = [(i, i + 1, 1e6, 0, 0) for i in range(8)]
    found = fit(tournaments(9, rows, lopsided))[0]
    assert np.isfinite(found).all()
    assert (np.diff(found[:9]) < 0).all()
    # Only draws, and no games.
    for count in (1e6, 0.0):
        found = fit(tournaments(2, [(0, 1, 0, count, 0), (1, 0, 0, count, 0)], lopsided))[0]
        assert found[:3] == pytest.approx([0, 0, 0], abs=1e-6)
        assert np.isfinite(found).all()


def test_chances_are_chances_at_any_advantage() -> None:
    advantage = np.array([-3000.0, -1.0, 0.0, 1.0, 3000.0])
    for draws in (-2000.0, 0.0, 2000.0):
        won, drawn, lost, log_odds = outcome_odds(advantage, np.array(draws))
        assert won + drawn + lost == pytest.approx(np.ones(5))
        assert won == pytest.approx(lost[::-1])
        assert np.isfinite(log_odds).all()
