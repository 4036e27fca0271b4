"""The ladder: simulated players of known strength, lopsided tournaments, laws."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimeven.ratings.bradley_terry import RatedGame
from claimeven.ratings.ladder import ELO, SURE, Estimate, Ladder, rate
from claimeven.ratings.pentanomial import InvalidEvidence


def simulated(
    elos: dict[str, float], first: float, draws: float, pairs: int, rng: np.random.Generator
) -> list[RatedGame]:
    """A round robin of players of known Elo; `first` is the first player's, `draws` their odds."""
    games = []
    for one, other in combinations(elos, 2):
        for pair in range(pairs):
            for seats in ((one, other), (other, one)):
                odds = 10 ** ((elos[seats[0]] - elos[seats[1]] + first) / 800)
                throw = rng.random() * (odds + draws + 1 / odds)
                points = 1.0 if throw < odds else 0.5 if throw < odds + draws else 0.0
                games.append(RatedGame((one, other, pair), *seats, points))
    return games


def ladder_of(games: Sequence[RatedGame], **options: Any) -> Ladder:
    return rate(games, np.random.default_rng(0), **{"resamples": 200, **options})


def holds(estimate: Estimate, truth: float) -> bool:
    return estimate.low <= truth <= estimate.high


def elos_of(ladder: Ladder) -> dict[str, float]:
    return {rating.agent: rating.elo.value for rating in ladder.ratings}


def test_known_strengths_are_found_nineteen_times_in_twenty() -> None:
    elos = {"a": -250.0, "b": -60.0, "c": 90.0, "d": 300.0}
    rng = np.random.default_rng(17)
    gaps, in_order, first, draws, tournaments = [], 0, 0, 0, 60
    for _ in range(tournaments):
        ladder = rate(simulated(elos, 80, 0.4, 30, rng), rng, resamples=300)
        in_order += [rating.agent for rating in ladder.ratings] == ["d", "c", "b", "a"]
        gaps += [holds(ladder.gap(x, y), elos[x] - elos[y]) for x, y in combinations(elos, 2)]
        first += holds(ladder.first_player, 80)
        truth = 0.4 / (0.4 + 2 * math.cosh(80 / ELO / 2))
        draws += holds(ladder.draws, truth)
    assert in_order >= 0.98 * tournaments
    assert 0.92 <= np.mean(gaps) <= 0.98
    assert first >= 0.9 * tournaments and draws >= 0.9 * tournaments


def test_few_pairs_do_not_claim_more_than_they_know() -> None:
    rng = np.random.default_rng(2)
    elos = {"a": 0.0, "b": 60.0}
    held = [
        holds(ladder_of(simulated(elos, 50, 0.4, 10, rng)).gap("b", "a"), 60) for _ in range(250)
    ]
    assert 0.925 <= np.mean(held) <= 0.98


def test_openings_that_decide_do_not_fool_the_intervals() -> None:
    """Every pair is split: the games are coin flips, the pairs say that the agents are equal."""
    rng = np.random.default_rng(3)
    games = []
    for pair in range(100):
        won = float(rng.random() < 0.5)
        games += [RatedGame(pair, "a", "b", won), RatedGame(pair, "b", "a", won)]
    gap = ladder_of(games).gap("a", "b")
    alone = [game._replace(pair=(game.pair, game.first)) for game in games]
    apart = ladder_of(alone).gap("a", "b")
    assert gap.value == pytest.approx(0, abs=1e-6) and apart.value == pytest.approx(0, abs=1e-6)
    assert gap.high - gap.low < (apart.high - apart.low) / 3


def test_an_agent_that_won_everything_is_bounded_from_below_only() -> None:
    games = [RatedGame(k // 2, *("ab" if k % 2 else "ba"), k % 2) for k in range(40)]
    games += [
        RatedGame((c, k // 2), *((c, "b") if k % 2 else ("b", c)), (k // 2) % 2)
        for c in "cd"
        for k in range(40)
    ]
    ladder = ladder_of(games, anchor="b")
    best = ladder.ratings[0]
    assert (best.agent, best.share) == ("a", 1)
    assert 400 < best.elo.low < best.elo.value < best.elo.high < 5000
    assert ladder.tiers[0] == ("a",) and set(ladder.tiers[1]) == {"b", "c", "d"}
    assert len(ladder.groups) == 1
    assert ladder.superiority("a", "b") > 0.99 and ladder.superiority("b", "a") < 0.01
    longer = ladder_of(games + [game._replace(pair=(1, game.pair)) for game in games], anchor="b")
    assert longer.ratings[0].elo.low > best.elo.low


def test_tiers_are_in_the_order_of_points_for_any_ratings() -> None:
    games = [
        RatedGame((winner, loser, pair), *seats, float(seats[0] == winner))
        for winner, loser in [(f"w{k}", "y") for k in range(4)] + [("x", f"z{k}") for k in range(4)]
        for pair in range(20)
        for seats in ((winner, loser), (loser, winner))
    ]
    ladder = ladder_of([*games, RatedGame("yx", "y", "x", 1)])
    assert elos_of(ladder)["x"] > elos_of(ladder)["y"]
    names = ["".join(tier)[0] for tier in ladder.tiers]
    assert names == [*"wwww", "y", "x", *"zzzz"]


def test_only_draws_and_a_single_game() -> None:
    draws = [RatedGame(k // 2, *("ab" if k % 2 else "ba"), 0.5) for k in range(60)]
    ladder = ladder_of(draws)
    assert elos_of(ladder) == pytest.approx({"a": 0, "b": 0}, abs=1e-6)
    assert ladder.draws.value > 0.95 and ladder.superiority("a", "b") == pytest.approx(0.5, abs=0.1)
    assert holds(ladder.gap("a", "b"), 0)
    single = ladder_of([RatedGame(0, "a", "b", 1)])
    assert [rating.agent for rating in single.ratings] == ["a", "b"]
    assert single.gap("a", "b").low < 0 < single.gap("a", "b").value
    assert [(rating.games, rating.points) for rating in single.ratings] == [(1, 1), (1, 0)]


def test_agents_of_equal_rating_are_in_alphabetical_order() -> None:
    """The fit leaves each with a rating that differs somewhere behind the decimal point."""
    names = "edcba"
    games = [
        RatedGame(f"{one}{other}{pair}", *seats, points)
        for one, other in combinations(names, 2)
        for pair, points in enumerate((1.0, 1.0, 0.5))
        for seats in ((one, other), (other, one))
    ]
    ladder = rate(games, np.random.default_rng(1), resamples=5)
    assert [rating.agent for rating in ladder.ratings] == sorted(names)
    assert ladder.groups == ladder.tiers == (tuple(sorted(names)),)


def test_agents_that_are_equal_in_a_sample_are_each_as_likely_the_stronger() -> None:
    ladder = ladder_of([RatedGame(0, "a", "b", 1), RatedGame(0, "b", "a", 0.5)])
    level = replace(ladder, samples=np.array([[10.0, 10], [10, 10], [30, 10], [0, 5]]))
    assert (level.superiority("a", "b"), level.superiority("b", "a")) == (0.5, 0.5)
    assert level.superiority("a", "a") == 0.5


def test_no_games_give_an_empty_ladder() -> None:
    ladder = ladder_of([])
    assert (ladder.ratings, ladder.groups, ladder.tiers) == ((), (), ())
    json.dumps(ladder.as_dict(), allow_nan=False)


def test_groups_that_never_met_are_reported_with_a_wide_gap() -> None:
    rng = np.random.default_rng(1)
    games = simulated({"a": 0, "b": 100}, 0, 0.5, 100, rng)
    games += simulated({"x": 500, "y": 600}, 0, 0.5, 100, rng)
    ladder = ladder_of(games)
    assert sorted(sorted(group) for group in ladder.groups) == [["a", "b"], ["x", "y"]]
    within, across = ladder.gap("b", "a"), ladder.gap("x", "a")
    assert across.high - across.low > 5 * (within.high - within.low)


def test_an_anchor_only_moves_the_scale() -> None:
    games = simulated({"a": -100, "b": 0, "c": 200}, 50, 0.5, 10, np.random.default_rng(4))
    free, anchored = ladder_of(games), ladder_of(games, anchor="b")
    assert sum(elos_of(free).values()) == pytest.approx(0, abs=1e-6)
    by_name = {rating.agent: rating.elo for rating in anchored.ratings}
    assert by_name["b"] == Estimate(0, 0, 0)
    for one, other in combinations("abc", 2):
        assert free.gap(one, other).value == pytest.approx(anchored.gap(one, other).value)
        assert free.gap(one, other).low == pytest.approx(anchored.gap(one, other).low)
        assert free.gap(other, one).value == pytest.approx(-free.gap(one, other).value)
    with pytest.raises(InvalidEvidence, match="the anchor 'zoe' played no game"):
        ladder_of(games, anchor="zoe")
    with pytest.raises(InvalidEvidence, match="'zoe' is not on the ladder"):
        free.gap("a", "zoe")
    with pytest.raises(InvalidEvidence, match="must have 1 resampled tournament or more, got 0"):
        ladder_of(games, resamples=0)


def test_a_seed_fixes_the_ladder_for_any_order_of_games() -> None:
    games = simulated({"a": 0, "b": 50, "c": 100}, 0, 0.5, 5, np.random.default_rng(8))
    one, other = ladder_of(games), ladder_of(list(reversed(games)))
    assert one == other and np.array_equal(one.samples, other.samples)


def test_results_turned_round_turn_the_ladder_round() -> None:
    games = simulated({"a": -150, "b": 0, "c": 200}, 60, 0.5, 10, np.random.default_rng(6))
    ladder = ladder_of(games)
    turned = ladder_of([game._replace(points=1 - game.points) for game in games])
    expected = {agent: -elo for agent, elo in elos_of(ladder).items()}
    assert elos_of(turned) == pytest.approx(expected, abs=1e-6)
    assert turned.first_player.value == pytest.approx(-ladder.first_player.value)


def test_mirrored_pairs_level_the_ladder_and_tighten_it() -> None:
    games = simulated({"a": -150, "b": 0, "c": 200}, 60, 0.5, 10, np.random.default_rng(6))
    swap = {"a": "b", "b": "a", "c": "c"}
    mirrored = [
        RatedGame(("m", game.pair), swap[game.first], swap[game.second], game.points)
        for game in games
    ]
    one, both = ladder_of(games).gap("a", "b"), ladder_of(games + mirrored).gap("a", "b")
    assert both.value == pytest.approx(0, abs=1e-6)
    assert both.high - both.low < one.high - one.low


def test_an_expected_share_equals_the_score() -> None:
    games = simulated({"a": 0, "b": 120}, 90, 0.6, 400, np.random.default_rng(12))
    ladder = ladder_of(games)
    best = ladder.ratings[0]
    assert ladder.expected_share(best.agent, "a") == pytest.approx(best.share, abs=1e-3)
    assert ladder.expected_share("a", best.agent) == pytest.approx(1 - best.share, abs=1e-3)


tournaments = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(
            [seats for seats in ((a, b) for a in "abcd" for b in "abcd") if seats[0] != seats[1]]
        ),
        st.sampled_from([0, 0.5, 1]),
    ),
    max_size=12,
)


@settings(max_examples=30)
@given(expected=tournaments, often=st.sampled_from([1, 500]))
def test_every_tournament_gives_a_finite_ladder(
    expected: list[tuple[int, tuple[str, str], float]], often: int
) -> None:
    games = [
        RatedGame((pair, k, tuple(sorted(seats))), *seats, points)
        for pair, seats, points in expected
        for k in range(often)
    ]
    ladder = ladder_of(games, resamples=20)
    json.dumps(ladder.as_dict(), allow_nan=False)
    assert np.isfinite(ladder.samples).all()
    assert len(ladder.ratings) == len({agent for game in games for agent in game[1:3]})
    # Digits after the sixth decimal come from the fit: agents whose ratings differ by less are
    # equal, and in the order of names.
    order = [(-np.round(rating.elo.value, 6), rating.agent) for rating in ladder.ratings]
    assert order == sorted(order)
    assert (
        sorted(sum(ladder.tiers, ())) == sorted(sum(ladder.groups, ())) == sorted(elos_of(ladder))
    )
    tier = {agent: number for number, agents in enumerate(ladder.tiers) for agent in agents}
    for game in games:
        if tier[game.first] != tier[game.second]:
            assert game.points == float(tier[game.first] < tier[game.second])


def test_ranks_are_ranges_as_far_as_the_games_do_not_decide() -> None:
    """By the definition: the agents that are surely stronger or weaker, one by one."""
    elos = dict(zip("abcdef", (0.0, 15.0, 30.0, 350.0, 365.0, 900.0), strict=True))
    found = ladder_of(simulated(elos, 0.0, 0.2, 20, np.random.default_rng(3)))
    for row in found.ratings:
        others = [other.agent for other in found.ratings if other is not row]
        stronger = sum(found.superiority(other, row.agent) >= SURE for other in others)
        weaker = sum(found.superiority(row.agent, other) >= SURE for other in others)
        assert row.rank == (1 + stronger, 1 + len(others) - weaker)
        ends = [str(end) for end in row.rank]
        assert row.rank_text == ("\N{EN DASH}".join(ends) if ends[0] != ends[1] else ends[0])
    ranks = {row.agent: row.rank for row in found.ratings}
    assert ranks["f"] == (1, 1) and ranks["d"] == ranks["e"] == (2, 3)
    assert {ranks[agent] for agent in "abc"} == {(4, 6)}


def test_agents_that_never_met_do_not_bound_each_others_ranks() -> None:
    games = [
        RatedGame((one, pair), *((one, other) if seat else (other, one)), float(seat))
        for one, other in ("ab", "cd")
        for pair in range(9)
        for seat in (0, 1)
    ]
    ranks = {row.agent: row.rank for row in ladder_of(games).ratings}
    assert ranks == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}
