"""Results of matches: totals, reasons of forfeits, the interval."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from claimeven import Position
from claimeven.arena import Game, MatchResult, play_match, wilson_interval
from claimeven.ratings.pentanomial import PairCounts
from tests.arena.playing import match


def test_totals_derive_from_the_games() -> None:
    result = play_match("alphabeta:depth=2", "greedy:win=yes", games=12, opening_plies=3)
    winners: Counter[int | None] = Counter()
    for number, game in enumerate(result.games):
        outcome = game.final.outcome
        assert (game.number, outcome is None) == (number, False)
        assert outcome is not None and game.winner == outcome.winner
        winners[None if outcome.winner is None else game.agents[outcome.winner]] += 1
    assert result.wins == (winners[0], winners[1])
    assert result.draws == winners[None] == 12 - sum(result.wins)
    assert result.scores[0] == (winners[0] + winners[None] / 2) / 12
    assert sum(result.scores) == 1
    assert result.forfeits == (Counter(), Counter())
    assert sum(result.measures(agent).moves for agent in (0, 1)) == sum(
        len(game.columns) for game in result.games
    )


def test_unique_games_distinguish_seats_and_openings() -> None:
    assert play_match("greedy", "greedy", games=6).unique_games == 2
    assert play_match("greedy", "greedy", games=1).unique_games == 1
    assert play_match("random", "random", games=10).unique_games == 10


def test_the_seed_fixes_the_games() -> None:
    games = [play_match("random", "random", games=4, seed=seed).games for seed in (5, 5, 6)]
    columns = [[game.columns for game in each] for each in games]
    assert columns[0] == columns[1] != columns[2]


def test_totals_as_data() -> None:
    totals = play_match("alphabeta:depth=1", "random", games=3, seed=4).as_dict()
    assert totals["agents"] == ["alphabeta:depth=1", "random"]
    assert (totals["games"], totals["games_planned"], totals["seed"]) == (3, 3, 4)
    assert (totals["columns"], totals["rows"], totals["connect"]) == (7, 6, 4)
    assert (totals["forfeits"], totals["forfeits_by_agent"]) == (0, [0, 0])
    per_move: Any = totals["per_move"]
    assert set(per_move[0]) == {
        "moves", "seconds", "nodes", "iterations", "depth", "branching", "evaluations",
        "max_stored",
    }  # fmt: skip
    assert (per_move[0]["depth"], per_move[1]["nodes"]) == (1.0, None)
    assert per_move[0]["max_stored"] is None
    started = play_match("greedy", "random", games=4, start="1212", opening_plies=2, seed=3)
    assert (started.as_dict()["position"], started.as_dict()["opening_plies"]) == ("1212", 2)
    assert all(
        len(game.opening) == 6 and game.all_moves.startswith("1212") for game in started.games
    )


def crash(position: Position) -> int:
    raise RuntimeError("broken")


def only_first(position: Position) -> int:
    assert position.turn == 0, "only the first player"
    return position.legal_columns[0]


def test_forfeits_are_counted_with_reasons_and_the_match_continues() -> None:
    result = play_match("greedy", crash, games=4)
    assert result.wins == (4, 0)
    assert result.forfeits == (Counter(), Counter({"raised RuntimeError: broken": 4}))
    totals = result.as_dict()
    assert totals["agents"] == ["greedy", "crash"]
    assert (totals["forfeits"], totals["forfeits_by_agent"]) == (4, [0, 4])
    assert totals["forfeit_reasons"] == [{}, dict(result.forfeits[1])]
    forfeit = result.games[0].forfeit
    assert forfeit is not None and "in crash" in forfeit.traceback
    result = play_match(only_first, "alphabeta:depth=2", games=6)
    assert result.forfeits[0] == Counter({"raised AssertionError: only the first player": 3})
    assert all((game.forfeit is None) == (game.first == 0) for game in result.games)


def test_equal_games_are_no_evidence() -> None:
    repeated = play_match("alphabeta:depth=2", "greedy", games=40)
    assert (repeated.unique_games, repeated.is_repetitive) == (2, True)
    assert repeated.scores == (1.0, 0.0)
    assert repeated.interval == PairCounts((0, 0, 0, 0, 1)).share_interval
    varied = play_match("alphabeta:depth=2", "greedy", games=40, opening_plies=7)
    assert not varied.is_repetitive
    assert varied.interval == varied.pairs.share_interval


def test_the_spread_is_measured_between_pairs() -> None:
    """The first player wins: each pair is split, and the agents are about equal."""
    won = play_match("random", "random", games=240, seed=2).games
    first = [game for game in won if game.winner == 0]
    games = tuple(
        replace(game, number=n, pair=n // 2, first=n % 2, second=1 - n % 2)
        for n, game in enumerate(first[:100])
    )
    result = MatchResult(match("random", "random"), games, 0.0)
    assert (result.wins, result.scores) == ((50, 50), (0.5, 0.5))
    assert result.pairs == PairCounts((0, 0, 50, 0, 0))
    low, high = result.interval
    apart = wilson_interval(0.5, result.unique_games)
    assert apart[0] < low < 0.5 < high < apart[1]


def test_a_game_without_partner_counts_in_no_pair() -> None:
    result = play_match("greedy", "random", games=3, seed=2)
    assert (len(result.games), result.pairs.pairs) == (3, 1)
    assert play_match("greedy", "random", games=1).interval == (0.0, 1.0)


def test_a_match_without_games_is_even() -> None:
    plan = match("random", "random", games=1)
    result = MatchResult(plan, (), 0.0)
    assert (result.scores, result.interval, result.unique_games) == ((0.5, 0.5), (0.0, 1.0), 0)
    draw = Game(pair=0, first=1, second=0)
    assert MatchResult(plan, (draw,), 0.0).scores == (0.5, 0.5)
    assert draw.winning_agent is None
