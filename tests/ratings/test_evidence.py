"""Games counted by kinds of pairs: totals, groups, tiers, and resampled tournaments."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven.ratings.bradley_terry import PRIOR, Evidence, RatedGame, gather
from claimeven.ratings.pentanomial import InvalidEvidence

GAMES = [
    RatedGame("x", "bob", "ann", 1),
    RatedGame("x", "ann", "bob", 0.5),
    RatedGame("y", "ann", "bob", 0.5),
    RatedGame("y", "bob", "ann", 1),
    RatedGame("z", "bob", "cas", 0),
]


def names(evidence: Evidence, both_ways: bool) -> list[list[str]]:
    return [[evidence.agents[i] for i in group] for group in evidence.joined(both_ways)]


def test_counted_pairs() -> None:
    evidence = gather(GAMES)
    assert evidence.agents == ("ann", "bob", "cas")
    assert evidence.games.tolist() == [4, 5, 1]
    assert evidence.points.tolist() == [1, 3, 1]
    # Pairs x and y are of one kind.
    assert evidence.weights.tolist() == [2, 1] + [PRIOR] * 10
    played = evidence.tournament
    assert played.games.tolist() == [[[0, 2, 0], [2, 0, 1], [0, 0, 0]]]
    # Half of won less lost by ann, bob, cas and first players; draws.
    assert played.counted.tolist() == [[-1, 0.5, 0.5, 0.5, 2]]
    assert played.pro.tolist() == played.contra.tolist() == [[PRIOR] * 5]


def test_the_order_of_the_games_does_not_matter() -> None:
    one, other = gather(GAMES), gather(reversed(GAMES))
    assert one.agents == other.agents
    for name in ("weights", "counted", "seated", "starts", "twos", "games", "points", "took"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_resampled_tournaments_vary_as_pairs_do() -> None:
    """100 pairs of one kind between a and b, 100 of another between b and c."""
    games = [RatedGame(k, "a", "b", 1) for k in range(100)]
    games += [RatedGame(k, "b", "c", 0.5) for k in range(100, 200)]
    evidence = gather(games)
    parts = list(evidence.resampled(3000, np.random.default_rng(1)))
    drawn = np.concatenate([part.games for part in parts])
    assert drawn.shape == (3000, 3, 3)
    met = drawn[:, [0, 1], [1, 2]]
    assert met.mean(axis=0) == pytest.approx([100, 100], rel=0.01)
    assert met.var(axis=0) == pytest.approx([100, 100], rel=0.1)
    assert drawn.sum() == pytest.approx(met.sum())
    prior = np.concatenate([part.pro for part in parts])
    assert prior.mean() == pytest.approx(PRIOR, rel=0.05)
    # The least it weighs is seldom enough drawn not to touch a 95 % interval.
    assert prior.min() == 1e-4 and 0.005 < (prior == prior.min()).mean() < 0.02
    # Both games of a pair weigh the same.
    pair = gather([RatedGame(0, "a", "b", 1), RatedGame(0, "b", "a", 1)])
    for part in pair.resampled(10, np.random.default_rng(1)):
        assert np.array_equal(part.games[:, 0, 1], part.games[:, 1, 0])
        assert part.counted[:, :2] == pytest.approx(np.zeros((10, 2)))


def test_few_pairs_reach_as_far_as_student_says() -> None:
    def widening(pairs: int) -> float:
        return gather(RatedGame(k, "a", "b", k % 2) for k in range(pairs)).widening

    # Three unknowns: the gap, the advantage of the first player, draws.
    for pairs, student in ((10, 2.3646), (13, 2.2281), (30, 2.0518), (102, 1.9842)):
        weighed = pairs / (pairs - 3)
        widest = math.sqrt(2 / weighed)
        assert widening(pairs) == pytest.approx(min(student / 1.96, widest), rel=1e-3)
    assert [widening(pairs) for pairs in (1, 3, 6, 103, 1000)] == [1] * 5


def test_parts_do_not_change_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = gather(GAMES)

    def drawn() -> list[np.ndarray]:
        parts = list(evidence.resampled(20, np.random.default_rng(3)))
        counted = np.concatenate([part.counted for part in parts])
        return [np.array(len(parts)), counted]

    whole = drawn()
    monkeypatch.setattr("claimeven.ratings.bradley_terry._NUMBERS_AT_ONCE", 100)
    cut = drawn()
    assert whole[0] == 1 and cut[0] > 1
    assert cut[1] == pytest.approx(whole[1])


def test_groups_and_tiers() -> None:
    games = [
        RatedGame(0, "a", "b", 1),  # a only ever wins
        RatedGame(1, "b", "c", 1),
        RatedGame(2, "c", "d", 1),
        RatedGame(3, "d", "b", 1),  # b, c and d in a circle
        RatedGame(4, "e", "f", 0.5),
    ]
    evidence = gather(games)
    assert names(evidence, both_ways=False) == [["a", "b", "c", "d"], ["e", "f"]]
    assert names(evidence, both_ways=True) == [["a"], ["b", "c", "d"], ["e", "f"]]


def test_games_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidEvidence, match="'ann' cannot be rated by a game against itself"):
        gather([RatedGame(0, "ann", "ann", 1)])
    with pytest.raises(InvalidEvidence, match="games of pair 7 are not of the same two agents"):
        gather([RatedGame(7, "ann", "bob", 1), RatedGame(7, "ann", "cas", 1)])
    with pytest.raises(InvalidEvidence, match="a game cannot give 2 points"):
        gather([RatedGame(0, "ann", "bob", 2)])
