"""Matches: totals, reasons of forfeits, the interval."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from claimeven import Position
from claimeven.arena import (
    Game,
    MatchPlan,
    MatchResult,
    Opening,
    PlayedGame,
    Schedule,
    play_match,
    wilson_interval,
)


def test_totals_derive_from_the_games() -> None:
    result = play_match("alphabeta:depth=2", "greedy:win=yes", games=12, opening_plies=3)
    winners: Counter[int | None] = Counter()
    for number, played in enumerate(result.games):
        assert played.number == number
        outcome = played.game.final.outcome
        assert outcome is not None
        seats = (played.first, 1 - played.first)
        winners[None if outcome.winner is None else seats[outcome.winner]] += 1
        assert played.seat_of(0) == played.first
    assert result.wins == (winners[0], winners[1])
    assert result.draws == winners[None]
    assert sum(result.wins) + result.draws == 12
    assert result.scores[0] == (winners[0] + winners[None] / 2) / 12
    assert sum(result.scores) == 1
    assert result.forfeits == (Counter(), Counter())
    moves = sum(len(played.game.columns) for played in result.games)
    assert result.measures(0).moves + result.measures(1).moves == moves


def test_unique_games_tell_seats_and_openings_apart() -> None:
    assert play_match("greedy", "greedy", games=6).unique_games == 2
    assert play_match("greedy", "greedy", games=1).unique_games == 1
    apart = play_match("random", "random", games=10)
    assert apart.unique_games == 10


def test_the_seed_decides_what_is_played() -> None:
    games = [play_match("random", "random", games=4, seed=seed).games for seed in (5, 5, 6)]
    columns = [[played.game.columns for played in match] for match in games]
    assert columns[0] == columns[1] != columns[2]


def test_totals_as_data() -> None:
    totals = play_match("alphabeta:depth=1", "random", games=3, seed=4).as_dict()
    assert totals["agents"] == ["alphabeta:depth=1", "random"]
    assert (totals["games"], totals["games_planned"], totals["seed"]) == (3, 3, 4)
    assert (totals["columns"], totals["rows"], totals["connect"]) == (7, 6, 4)
    assert totals["forfeits"] == 0
    assert totals["forfeits_by_agent"] == [0, 0]
    per_move: Any = totals["per_move"]
    assert set(per_move[0]) == {
        "moves",
        "seconds",
        "nodes",
        "iterations",
        "depth",
        "branching",
        "evaluations",
        "most_stored",
    }
    assert per_move[0]["depth"] == 1.0
    assert per_move[1]["nodes"] is None
    assert per_move[0]["most_stored"] is None


def crash(position: Position) -> int:
    raise RuntimeError("broken")


def test_forfeits_are_counted_with_their_reason() -> None:
    result = play_match("greedy", crash, games=4)
    assert result.wins == (4, 0)
    assert result.forfeits == (Counter(), Counter({"raised RuntimeError: broken": 4}))
    totals = result.as_dict()
    assert totals["agents"] == ["greedy", "crash"]
    assert (totals["forfeits"], totals["forfeits_by_agent"]) == (4, [0, 4])
    assert totals["forfeit_reasons"] == [{}, dict(result.forfeits[1])]
    forfeit = result.games[0].game.forfeit
    assert forfeit is not None
    assert "in crash" in forfeit.traceback


def only_first(position: Position) -> int:
    assert position.turn == 0, "only the first player"
    return position.legal_columns[0]


def test_a_match_goes_on_after_a_forfeit() -> None:
    result = play_match(only_first, "alphabeta:depth=2", games=6)
    assert result.forfeits[0] == Counter({"raised AssertionError: only the first player": 3})
    assert len(result.games) == 6
    assert all((played.game.forfeit is None) == (played.first == 0) for played in result.games)


def test_games_as_data_tell_all_moves_from_the_empty_board() -> None:
    result = play_match("greedy", "random", games=4, start="1212", opening_plies=2, seed=3)
    for number, played in enumerate(result.games):
        data = played.as_dict()
        opening, moves = str(data["opening"]), str(data["moves"])
        assert opening.startswith("1212")
        assert len(opening) == 6
        assert moves.startswith(opening)
        final = Position.from_moves(moves)
        assert final.outcome is not None
        winner = final.outcome.winner
        assert data["winner"] == (None if winner is None else (winner ^ played.first) + 1)
        assert (data["game"], data["first"], data["forfeit"]) == (
            number + 1,
            played.first + 1,
            None,
        )
    totals = result.as_dict()
    assert (totals["position"], totals["opening_plies"]) == ("1212", 2)


def test_equal_games_are_no_evidence() -> None:
    repeated = play_match("alphabeta:depth=2", "greedy", games=40)
    assert (repeated.unique_games, repeated.is_repetitive) == (2, True)
    assert repeated.scores == (1.0, 0.0)
    assert repeated.interval == wilson_interval(1.0, 2)
    varied = play_match("alphabeta:depth=2", "greedy", games=40, opening_plies=4)
    assert not varied.is_repetitive
    assert varied.interval == wilson_interval(varied.scores[0], varied.unique_games)


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


def test_a_match_without_games_is_even() -> None:
    plan = MatchPlan(("random", "random"), Schedule(1, 0, Position()))
    result = MatchResult(plan, (), 0.0)
    assert (result.scores, result.interval, result.unique_games) == ((0.5, 0.5), (0.0, 1.0), 0)
    draw = PlayedGame(0, 1, 0, Game(Opening(), (), None))
    assert MatchResult(plan, (draw,), 0.0).scores == (0.5, 0.5)
    assert draw.winner is None
