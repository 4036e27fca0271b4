"""Schedules, games, matches: what is played, what is counted, and what a bad agent brings about."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import Agent, Decision, Limit, make_agent
from claimeven.arena import (
    Game,
    InvalidMatch,
    MatchPlan,
    MatchResult,
    Measures,
    PlayedGame,
    Schedule,
    play_game,
    play_games,
    wilson_interval,
)
from claimeven.arena.game import checked_decision


def generators() -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng(1), np.random.default_rng(2)


def play_match(one: str, other: str, games: int, jobs: int = 1, **schedule: Any) -> MatchResult:
    start = schedule.pop("start", Position())
    plan = MatchPlan(
        (one, other), Schedule(games, schedule.pop("seed", 0), start, **schedule), Limit(depth=2)
    )
    played = sorted(play_games(plan, jobs), key=lambda game: game.number)
    return MatchResult(plan, tuple(played), 1.0)


# --- schedules ----------------------------------------------------------------------------------


def drawn(schedule: Schedule) -> list[Any]:
    return [
        (schedule.pairing(n), [g.integers(1 << 30) for g in schedule.generators(n)])
        for n in range(schedule.games)
    ]


def test_a_schedule_is_a_pure_function_of_the_seed() -> None:
    one, again = Schedule(20, 7, Position(), 4), Schedule(20, 7, Position(), 4)
    assert drawn(one) == drawn(again) == drawn(one)
    assert drawn(one)[13] == drawn(Schedule(14, 7, Position(), 4))[13]  # however many games
    other = Schedule(20, 8, Position(), 4)
    assert drawn(one) != drawn(other)
    streams = [stream for _, stream in drawn(one)]
    assert len({number for stream in streams for number in stream}) == 40


@pytest.mark.parametrize("moves", ["", "4", "44"])
@pytest.mark.parametrize("opening_plies", [0, 1, 4, 5])
def test_seats_alternate_and_pairs_share_their_opening(moves: str, opening_plies: int) -> None:
    start = Position.from_moves(moves)
    schedule = Schedule(12, 3, start, opening_plies)
    pairings = [schedule.pairing(n) for n in range(12)]
    for number, pairing in enumerate(pairings):
        assert pairing.number == number
        assert pairing.start.ply == start.ply + opening_plies
        assert not pairing.start.is_over
        # Agent 0 makes the first move of even games: it has the seat whose turn it is.
        mover = pairing.first ^ pairing.start.turn
        assert mover == number % 2
    for even, odd in zip(pairings[::2], pairings[1::2], strict=True):
        assert even.start == odd.start
        assert even.first != odd.first
    if opening_plies >= 4:
        assert len({pairing.start for pairing in pairings}) == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 0, Position()), "a match has at least 1 game, not 0"),
        ((1, -1, Position()), "a seed is 0 or more, not -1"),
        ((1, 0, Position(), -1), "an opening has 0 plies or more, not -1"),
        (
            (1, 0, Position.from_moves("1212121")),
            "the game is over in the start position: first player wins",
        ),
    ],
)
def test_impossible_schedules_are_told(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(InvalidMatch) as caught:
        Schedule(*arguments)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ValueError)


def test_an_opening_that_leaves_no_game_is_told() -> None:
    schedule = Schedule(2, 0, Position(Geometry(2, 2, 3)), 4)
    with pytest.raises(InvalidMatch, match="no random opening of 4 plies was found"):
        schedule.pairing(0)


# --- games --------------------------------------------------------------------------------------


def test_a_game_is_played_to_its_end_and_measured() -> None:
    seats = (make_agent("alphabeta:depth=3"), make_agent("random"))
    seen: list[tuple[Position, int]] = []
    game = play_game(
        seats, Position(), Limit(), generators(), lambda after, column: seen.append((after, column))
    )
    assert game.final.is_over
    assert game.final.outcome is not None
    assert game.winner == game.final.outcome.winner
    assert game.forfeit is None
    assert game.columns == tuple(column for _, column in seen)
    assert seen[-1][0] == game.final
    one, other = game.measures
    assert one.moves + other.moves == len(game.columns)
    assert one.mean("nodes") is not None
    assert other.mean("nodes") is None
    assert other.mean("seconds") is not None


def test_measures_count_only_what_is_told() -> None:
    measures = Measures()
    measures.note(Decision(0, seconds=1.0, nodes=10, depth=2, details={"branching": 3.0}))
    measures.note(Decision(0, seconds=3.0, details={"stored": 70}))
    measures.note(Decision(0, seconds=2.0, details={"stored": 50}))
    measures.add(measures)
    assert measures.moves == 6
    assert measures.most_stored == 70
    assert [measures.mean(name) for name in ("seconds", "nodes", "depth", "branching")] == [
        2.0,
        10.0,
        2.0,
        3.0,
    ]
    assert Measures().mean("seconds") is None
    assert Measures().most_stored == 0


class Scripted(Agent):
    """Answers with what it is given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (3, "returned 3 instead of a Decision"),
        (None, "returned None instead of a Decision"),
        (Decision("3"), "returned '3' instead of a column number"),  # type: ignore[arg-type]
        (
            Decision(7),
            "returned column 7 (counted from 0), which is not on the board:"
            " legal were 0, 1, 2, 4, 5, 6",
        ),
        (
            Decision(3),
            "returned column 3 (counted from 0), which is full: legal were 0, 1, 2, 4, 5, 6",
        ),
        (Decision(0, nodes="many"), "returned a Decision whose nodes is 'many', no number"),  # type: ignore[arg-type]
        (Decision(0, seconds=None), "returned a Decision whose seconds is None, no number"),  # type: ignore[arg-type]
        (Decision(0, value=math.nan), "returned a Decision whose value is nan, no number"),
        (
            Decision(0, details={"branching": "wide"}),
            "returned a Decision whose branching is 'wide', no number",
        ),
        (Decision(0, details=None), "returned a Decision whose details are None, no mapping"),  # type: ignore[arg-type]
        (Decision(0, policy=(1.0,)), "returned a Decision whose policy is not one number a column"),
        (RuntimeError("two\nlines"), "raised RuntimeError: two"),
        (KeyError("x"), "raised KeyError: 'x'"),
        (AssertionError(), "raised AssertionError"),
        (SystemExit(3), "raised SystemExit: 3"),
        (BaseException("deep"), "raised BaseException: deep"),
    ],
)  # fmt: skip
def test_nonsense_forfeits_with_its_reason(answer: Any, reason: str) -> None:
    start = Position.from_moves("444444")
    game = play_game((Scripted(answer), make_agent("random")), start, Limit(), generators())
    assert game.forfeit is not None
    assert (game.forfeit.seat, game.forfeit.reason) == (0, reason)
    assert (game.winner, game.columns) == (1, ())


def test_ctrl_c_is_no_fault_of_the_agent() -> None:
    with pytest.raises(KeyboardInterrupt):
        checked_decision(Scripted(KeyboardInterrupt()), Position(), Limit(), generators()[0])


def test_any_integer_is_a_column() -> None:
    decision = Scripted(Decision(np.int64(2), nodes=np.int32(5)))  # type: ignore[arg-type]
    checked = checked_decision(decision, Position(), Limit(), generators()[0])
    assert type(checked.column) is int
    assert checked.column == 2


class NoHash(Scripted):
    """Equal to all of its kind, as a plain dataclass would be, and counting its games."""

    __hash__ = None  # type: ignore[assignment]
    resets = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoHash)

    def reset(self) -> None:
        self.resets += 1


def test_both_agents_are_reset_before_a_game() -> None:
    one, other = NoHash(None), NoHash(None)
    play_game((one, other), Position(), Limit(), generators())
    assert (one.resets, other.resets) == (1, 1)
    play_game((one, one), Position(), Limit(), generators())
    assert one.resets == 2


class Stubborn(Scripted):
    """Does not begin again."""

    def reset(self) -> None:
        raise RuntimeError("no")


def test_an_agent_that_cannot_be_reset_forfeits() -> None:
    game = play_game((make_agent("random"), Stubborn(None)), Position(), Limit(), generators())
    assert game.forfeit is not None
    assert (game.forfeit.seat, game.forfeit.reason) == (1, "raised RuntimeError: no")
    assert game.winner == 0


# --- matches ------------------------------------------------------------------------------------


def test_totals_derive_from_the_games() -> None:
    result = play_match("alphabeta:depth=2", "greedy:win=yes", 12, opening_plies=3)
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
    assert play_match("greedy", "greedy", 6).unique_games == 2
    assert play_match("greedy", "greedy", 1).unique_games == 1
    apart = play_match("random", "random", 10)
    assert apart.unique_games == 10


def test_the_seed_decides_what_is_played() -> None:
    games = [play_match("random", "random", 4, seed=seed).games for seed in (5, 5, 6)]
    columns = [[played.game.columns for played in match] for match in games]
    assert columns[0] == columns[1] != columns[2]


def plain(result: MatchResult) -> dict[str, Any]:
    """The totals but for the clock."""
    totals = dict(result.as_dict())
    del totals["seconds"]
    per_move: Any = totals["per_move"]
    totals["per_move"] = [{k: v for k, v in one.items() if k != "seconds"} for one in per_move]
    return totals


def test_two_jobs_play_the_same_match_as_one() -> None:
    one, two = (
        play_match("alphabeta:depth=2", "random", 18, jobs, opening_plies=2) for jobs in (1, 2)
    )
    assert plain(one) == plain(two)
    assert [p.game.columns for p in one.games] == [p.game.columns for p in two.games]


def test_a_match_takes_a_job() -> None:
    plan = MatchPlan(("random", "random"), Schedule(1, 0, Position()))
    with pytest.raises(InvalidMatch, match="a match takes at least 1 job, not 0"):
        next(play_games(plan, 0))


def test_an_agent_that_ends_its_process_is_told(tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("import os\ndef agent(p):\n    os._exit(3)\n", encoding="utf-8")
    plan = MatchPlan((f"{file}:agent", "random"), Schedule(4, 0, Position()))
    with pytest.raises(InvalidMatch, match="an agent ended the process it played in"):
        list(play_games(plan, 2))


def test_totals_as_data() -> None:
    totals = play_match("alphabeta:depth=1", "random", 3, seed=4).as_dict()
    assert totals["agents"] == ["alphabeta:depth=1", "random"]
    assert (totals["games"], totals["games_planned"], totals["seed"]) == (3, 3, 4)
    assert (totals["columns"], totals["rows"], totals["connect"]) == (7, 6, 4)
    assert totals["forfeits"] == 0
    assert totals["forfeits_by_agent"] == [0, 0]
    per_move: Any = totals["per_move"]
    told = {"moves", "seconds", "nodes", "depth", "branching", "evaluations", "most_stored"}
    assert set(per_move[0]) == told
    assert per_move[0]["depth"] == 1.0
    assert per_move[1]["nodes"] is None
    assert per_move[0]["most_stored"] is None


FORFEITS = [
    ("raise RuntimeError('broken')", "raised RuntimeError: broken"),
    ("return None", "returned None instead of a column number"),
    ("return 3.0", "returned 3.0 instead of a column number"),
    ("return '3'", "returned '3' instead of a column number"),
    ("return True", "returned True instead of a column number"),
    (
        "return -1",
        "returned column -1 (counted from 0), which is not on the board:"
        " legal were 0, 1, 2, 4, 5, 6",
    ),
    (
        "return 99",
        "returned column 99 (counted from 0), which is not on the board:"
        " legal were 0, 1, 2, 4, 5, 6",
    ),
    (
        "return 3",
        "returned column 3 (counted from 0), which is full: legal were 0, 1, 2, 4, 5, 6",
    ),
    ("import sys; sys.exit(1)", "raised SystemExit: 1"),
    ("return agent(position)", "raised RecursionError: maximum recursion depth exceeded"),
]


@pytest.mark.parametrize(("body", "reason"), FORFEITS, ids=[body for body, _ in FORFEITS])
def test_forfeits_are_counted_with_their_reason(tmp_path: Path, body: str, reason: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"def agent(position):\n    {body}\n", encoding="utf-8")
    # It is to move at once in even games, and after one disc of greedy in the others.
    start = Position.from_moves("444444")
    result = play_match("greedy", f"{file}:agent", 4, start=start)
    assert result.wins == (4, 0)
    assert result.forfeits[0] == Counter()
    assert sum(result.forfeits[1].values()) == 4
    assert next(iter(result.forfeits[1])).startswith(reason.partition(":")[0])
    assert any(given.startswith(reason) for given in result.forfeits[1])
    totals = result.as_dict()
    assert (totals["forfeits"], totals["forfeits_by_agent"]) == (4, [0, 4])
    assert totals["forfeit_reasons"] == [{}, dict(result.forfeits[1])]


def test_a_match_goes_on_after_a_forfeit(tmp_path: Path) -> None:
    file = tmp_path / "second.py"
    file.write_text(
        "def agent(position):\n"
        "    assert position.turn == 0, 'only the first player'\n"
        "    return position.legal_columns[0]\n",
        encoding="utf-8",
    )
    result = play_match(f"{file}:agent", "alphabeta:depth=2", 6)
    assert result.forfeits[0] == Counter({"raised AssertionError: only the first player": 3})
    assert len(result.games) == 6
    assert all((played.game.forfeit is None) == (played.first == 0) for played in result.games)


# --- the interval -------------------------------------------------------------------------------


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
    draw = PlayedGame(0, 1, Game(Position(), (), None))
    assert MatchResult(plan, (draw,), 0.0).scores == (0.5, 0.5)
    assert draw.winner is None
