"""Matches: totals, reasons of forfeits, the interval."""

from __future__ import annotations

from collections import Counter
from typing import Any

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
from claimeven.ratings.pentanomial import PairCounts


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
    assert repeated.interval == PairCounts((0, 0, 0, 0, 1)).share_interval
    varied = play_match("alphabeta:depth=2", "greedy", games=40, opening_plies=7)
    assert not varied.is_repetitive
    assert varied.interval == varied.pairs.share_interval


def test_the_spread_is_measured_between_pairs() -> None:
    """Whoever moves first wins: each pair is split, and the agents are as good as equal."""
    plan = MatchPlan(("random", "random"), Schedule(100, 0, Position()))
    won = play_match("random", "random", games=240, seed=2).games
    first = [played.game for played in won if played.game.winner == 0]
    games = tuple(
        PlayedGame(number, number % 2, 1 - number % 2, first[number]) for number in range(100)
    )
    result = MatchResult(plan, games, 0.0)
    assert (result.wins, result.scores) == ((50, 50), (0.5, 0.5))
    assert result.pairs == PairCounts((0, 0, 50, 0, 0))
    low, high = result.interval
    apart = wilson_interval(0.5, result.unique_games)
    assert apart[0] < low < 0.5 < high < apart[1]


def test_a_game_without_partner_is_told_but_no_pair() -> None:
    result = play_match("greedy", "random", games=3, seed=2)
    assert (len(result.games), result.pairs.pairs) == (3, 1)
    assert play_match("greedy", "random", games=1).interval == (0.0, 1.0)


def test_a_match_without_games_is_even() -> None:
    plan = MatchPlan(("random", "random"), Schedule(1, 0, Position()))
    result = MatchResult(plan, (), 0.0)
    assert (result.scores, result.interval, result.unique_games) == ((0.5, 0.5), (0.0, 1.0), 0)
    draw = PlayedGame(0, 1, 0, Game(Opening(), (), None))
    assert MatchResult(plan, (draw,), 0.0).scores == (0.5, 0.5)
    assert draw.winner is None
