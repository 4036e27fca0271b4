"""Stored matches, sequential tests, placements: one call each, resumed at any game."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import InvalidSpec, Sandbox
from claimeven.arena import InvalidMatch, MatchResult, play_match
from claimeven.arena.api import (
    place_on_ladder,
    placement_plan,
    play_tournament,
    resume_test,
    run_sprt,
    sprt_plan,
    tournament_plan,
)
from claimeven.arena.games.openings import make_openings
from claimeven.arena.options import LadderOptions, MatchOptions, SprtOptions, TournamentOptions
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import Meeting, Placement, SequentialResult
from claimeven.arena.tournaments.run import run, store_of, stored_agents
from claimeven.arena.tournaments.standings import Record, Standings
from claimeven.game.notation import format_moves
from claimeven.parallel.executors import local_workers
from claimeven.ratings.sprt import SequentialRun, SprtVerdict
from tests.agents.process.test_process import bot
from tests.arena.playing import Here, match, played

AGENTS = ("alphabeta:depth=2", "random")


def essence(result: MatchResult) -> dict[str, Any]:
    """The totals but for the clock."""
    data: dict[str, Any] = dict(result.as_dict())
    del data["seconds"]
    for measures in data["per_move"]:
        del measures["seconds"]
    return data


def test_messages_about_workers_reach_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def workers(self: object, default_jobs: int = 1, on_message: object = None) -> None:
        given.append(on_message)

    monkeypatch.setattr(MatchOptions, "workers", workers)
    play_match("random", "random", games=2, on_message=given.append)
    assert given == [given.append]


def moves(result: MatchResult) -> list[tuple[str, str]]:
    return [(played.opening, played.all_moves) for played in result.games]


@pytest.mark.parametrize("games", [7, 8])
def test_a_kept_match_is_the_same_match(tmp_path: Path, games: int) -> None:
    asked: dict[str, Any] = {"games": games, "seed": 3, "start": "4", "opening_plies": 2}
    path = tmp_path / "m.db"
    plain = play_match(*AGENTS, **asked)
    kept = play_match(*AGENTS, **asked, out=path)
    assert moves(kept) == moves(plain)
    assert essence(kept) == essence(plain)
    with Store.read(path) as store:
        assert len(store) == games
        record = Standings.of(store.agents, store.games()).records[0]
        assert (record.wins, record.draws, record.losses) == (
            plain.wins[0], plain.draws, plain.wins[1],
        )  # fmt: skip
    # Everything from the file: no game is played.
    again = play_match(*AGENTS, **asked, out=path, resume=True)
    assert moves(again) == moves(plain)
    assert essence(again) == essence(plain)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_match_is_taken_up_where_it_ended(tmp_path: Path, jobs: int) -> None:
    path, asked = tmp_path / "m.db", {"games": 20, "seed": 5, "opening_plies": 3}
    plan, seen = match(*AGENTS, **asked), list[int]()
    with store_of(plan, path) as store, closing(run(plan, local_workers(jobs), store)) as games:
        seen = [game.number for game in islice(games, 7)]
    with Store.read(path) as store:
        assert len(store) == 7 == len(set(seen))
    whole = play_match(*AGENTS, **asked, out=path, resume=True, jobs=jobs)
    assert moves(whole) == moves(play_match(*AGENTS, **asked))
    longer = play_match(*AGENTS, **{**asked, "games": 24}, out=path, resume=True)
    assert moves(longer)[:20] == moves(whole)


def test_faults_come_back_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    before = play_match(bot("full"), "random", games=4, start="111111", out=path)
    after = play_match(bot("full"), "random", games=4, start="111111", out=path, resume=True)
    assert before.forfeits == after.forfeits
    assert sum(before.forfeits[0].values()) == 4
    kinds = {played.forfeit.kind for played in after.games if played.forfeit}
    assert kinds == {"illegal"}


def test_matches_that_cannot_be_stored_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with pytest.raises(InvalidSpec, match="there is no agent 'nobody'"):
        play_match("nobody", "random", games=2, out=path)
    with pytest.raises(InvalidMatch, match="an object or a function cannot be found"):
        play_match(lambda position: 0, "random", games=2, out=path)
    with pytest.raises(InvalidMatch, match="random takes part twice"):
        play_match("random", "random", games=2, out=path)
    assert not path.exists()
    play_match(*AGENTS, games=2, out=path)
    with pytest.raises(InvalidStore, match="exists already"):
        play_match(*AGENTS, games=2, out=path)
    with pytest.raises(InvalidStore, match="its limit differs"):
        play_match(*AGENTS, games=2, out=path, resume=True, limit=Limit(seconds=9))


def test_other_openings_are_another_match(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    play_match(*AGENTS, games=4, out=path)
    with pytest.raises(
        InvalidStore, match=r"openings differ \(round 1 has the empty board, got \d+"
    ):
        play_match(*AGENTS, games=4, out=path, resume=True, opening_plies=3)
    assert len(play_match(*AGENTS, games=6, out=path, resume=True).games) == 6


@pytest.mark.parametrize(
    "change",
    [
        "told = '" + "[" * 100_000 + "'",
        "moves = '4444444444'",
        "moves = moves || '1'",
        "fault = 'zzz', fault_seat = 0",
        "opening = '9'",
        "moves = 'xyz'",
    ],
)
def test_a_damaged_game_is_played_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "m.db"
    before = play_match(*AGENTS, games=4, out=path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE games SET {change} WHERE number = 1")
    connection.close()
    after = play_match(*AGENTS, games=4, out=path, resume=True)
    assert [game.all_moves for game in after.games] == [game.all_moves for game in before.games]
    with Store.read(path) as store:
        assert len(list(store.games())) == 4


def test_lost_figures_of_a_move_are_not_reported(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    play_match(*AGENTS, games=2, out=path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('UPDATE games SET told = \'{"seconds": [], "zzz": [1]}\'')
    connection.close()
    again = play_match(*AGENTS, games=2, out=path, resume=True)
    assert all(game.move_stats.get("seconds", []) == [] for game in again.games)


def as_played(result: SequentialResult) -> dict[str, object]:
    data = result.as_dict()
    # Games in progress at the decision of the test depend on the executor.
    for name in ("seconds", "games_played"):
        del data[name]
    return data


def test_the_verdict_is_a_function_of_the_seed(tmp_path: Path) -> None:
    options: dict[str, Any] = {"elo0": -30.0, "elo1": 30.0, "seed": 4, "max_games": 2000}
    here = run_sprt("alphabeta:depth=2", "greedy", **options)
    there = run_sprt("alphabeta:depth=2", "greedy", jobs=2, **options)
    assert here.verdict is not SprtVerdict.UNDECIDED
    assert as_played(here) == as_played(there)
    assert len(here.standings.games) == 2 * here.run.counts.pairs


def test_a_test_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "t.db"

    def go_on(max_games: int, resume: bool, elo1: float = 300) -> SequentialResult:
        return run_sprt(
            "greedy", "random", elo1=elo1, model="logistic", seed=1,
            max_games=max_games, out=path, resume=resume,
        )  # fmt: skip

    assert go_on(4, resume=False).verdict is SprtVerdict.UNDECIDED
    resumed = go_on(1000, resume=True)
    whole = run_sprt("greedy", "random", elo1=300, model="logistic", seed=1, max_games=1000)
    assert as_played(resumed) == as_played(whole)
    assert resumed.verdict is SprtVerdict.ELO1
    # It is decided: no more games are played.
    assert len(go_on(1000, resume=True).standings.games) == len(resumed.standings.games)
    with pytest.raises(InvalidStore, match=r"of another test: its elo1 is 300, got 20"):
        go_on(1000, resume=True, elo1=20)


def test_fewer_games_than_there_are_count_as_far_as_they_go(tmp_path: Path) -> None:
    options: dict[str, Any] = {"elo1": 20.0, "out": tmp_path / "t.db"}
    assert run_sprt("greedy", "random", max_games=8, **options).run.counts.pairs == 4
    fewer = run_sprt("greedy", "random", max_games=4, resume=True, **options)
    assert (fewer.run.counts.pairs, fewer.as_dict()["max_games"]) == (2, 4)


def test_a_test_is_played_as_asked() -> None:
    messages: list[str] = []
    here = Here()
    result = run_sprt(
        "greedy", "uct-itu-table:iterations=9", max_games=2, limit=Limit(seconds=9), jobs=2,
        memory_limit_mb=300, load_timeout=9.5, on_message=messages.append,
    )  # fmt: skip
    assert result.plan.limit == Limit(seconds=9)
    assert result.plan.sandbox == Sandbox(memory_limit_mb=300, load_timeout=9.5)
    (why,) = messages
    assert why.startswith("uct-itu-table:iterations=9 remembers earlier games")
    run_sprt("greedy", "random", max_games=4, executor=here)
    assert here.asked == [0, 1, 2, 3]


def test_openings_follow_from_the_seed() -> None:
    one, other = (
        sprt_plan("greedy", "random", SprtOptions(max_games=8, seed=seed)) for seed in (1, 2)
    )
    assert one.openings != other.openings
    few = run_sprt("greedy", "random", elo1=1, max_games=40, opening_plies=1)
    assert (len(few.plan.openings), few.as_dict()["unique_openings"]) == (20, 4)


def openings_of(**settings: Any) -> list[str]:
    """The openings of the rounds of a tournament."""
    plan = tournament_plan(AGENTS, TournamentOptions(**settings))
    return [plan.opening_of(number).moves for number in range(plan.rounds)]


def test_a_tournament_starts_on_the_empty_board() -> None:
    """Later rounds have openings that do not depend on the number of rounds."""
    first, *others = openings_of(rounds=6, seed=2)
    assert first == ""
    assert {len(moves) for moves in others} == {4}
    assert openings_of(rounds=1, seed=2) == [""]
    assert openings_of(rounds=3, seed=2) == [first, *others[:2]]
    assert openings_of(rounds=2, openings=("44", "45")) == ["44", "45"]
    assert all(openings_of(rounds=2, openings="balanced"))
    assert openings_of(rounds=2, opening_plies=0) == ["", ""]


def test_a_file_with_another_first_opening_keeps_it(tmp_path: Path) -> None:
    """Round 1 of earlier versions had a random opening, as all others."""
    path, asked = tmp_path / "t.db", {"seed": 3, "rounds": 2}
    drawn = make_openings("random", 3, 4, 3, Position())
    plan = replace(tournament_plan(AGENTS, TournamentOptions(**asked)), openings=drawn[:2])
    with store_of(plan, path) as store, closing(run(plan, store=store)) as games:
        assert len(list(islice(games, 3))) == 3
    found = play_tournament(AGENTS, seed=3, rounds=3, out=path, resume=True)
    numbered = {game.number: game.opening for game in found.standings.games}
    expected = [format_moves(columns) for columns in drawn for _ in (0, 1)]
    assert [numbered[number] for number in range(6)] == expected
    (tmp_path / "u.db").write_bytes(b"x" * 2000)
    with pytest.raises(InvalidStore):
        play_tournament(AGENTS, out=tmp_path / "u.db", resume=True)


def test_games_of_a_tournament_are_no_test(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    plan = sprt_plan("greedy", "random", SprtOptions(max_games=2))
    with store_of(plan, path) as store:
        played(plan, store=store)
    with pytest.raises(InvalidStore, match="holds games of a tournament, not of a test"):
        run_sprt("greedy", "random", max_games=2, out=path, resume=True)


def test_pairs_count_in_order_while_they_end_in_any(tmp_path: Path) -> None:
    """The second pair ends first; the file holds it, the test waits for the first."""
    asked: dict[str, Any] = {"elo0": 0.0, "elo1": 100.0, "seed": 2, "max_games": 40}
    options = SprtOptions(**asked)
    plan, test, path = sprt_plan("greedy", "random", options), options.test, tmp_path / "odd.db"
    games = played(plan)
    meta = {
        "plan": plan.as_dict(),
        "test": test.as_dict(),
        "runs": [{**plan.describe("store", []), "games": 0}],
    }
    with Store.create(path, meta, stored_agents(plan)) as store:
        store.add(games[2:] + games[:1])
        before = resume_test(plan, test, store)
        assert (before.counts.pairs, before.waiting) == (0, 19)
    seen: list[tuple[int, int]] = []
    result = run_sprt(
        "greedy", "random", out=path, resume=True, **asked,
        on_progress=lambda done, run: seen.append((run.counts.pairs, run.waiting)),
    )  # fmt: skip
    assert seen == [(11, 9)]
    in_order = SequentialRun(test)
    for game in games:
        in_order.add_game(game.number, game.points(0))
    assert (result.verdict, result.run.counts) == (in_order.verdict, in_order.counts)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_lopsided_results_end_and_are_finite(model: str) -> None:
    def gives_up(position: Position) -> int:
        raise RuntimeError("I give up")

    for first, second, verdict in (
        ("greedy", gives_up, SprtVerdict.ELO1),
        (gives_up, "greedy", SprtVerdict.ELO0),
    ):
        result = run_sprt(first, second, model=model, elo1=50, max_games=400)
        assert result.verdict is verdict
        data = result.as_dict()
        json.dumps(data, allow_nan=False)
        assert data["share"] in (0, 1)


def test_only_draws() -> None:
    """On a board without wins; between even hypotheses draws do not decide."""
    board = Geometry(3, 3, 4)
    options: dict[str, Any] = {"geometry": board, "opening_plies": 2, "max_games": 10}
    even = run_sprt("greedy", "random", elo0=-20, elo1=20, **options)
    assert (even.verdict, even.run.counts.counts) == (SprtVerdict.UNDECIDED, (0, 0, 5, 0, 0))
    assert even.run.ratio == pytest.approx(0, abs=1e-6)
    json.dumps(even.as_dict(), allow_nan=False)
    options["max_games"] = 4000
    lead = run_sprt("greedy", "random", elo0=0, elo1=60, **options)
    assert lead.verdict is SprtVerdict.ELO0


@pytest.mark.parametrize("games", [0, 7, -2])
def test_a_test_plays_pairs(games: int) -> None:
    with pytest.raises(InvalidMatch, match=f"an even number of 2 or more, got {games}"):
        run_sprt("greedy", "random", max_games=games)


def test_a_middling_agent_gets_a_place_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    one = place_on_ladder("negamax:depth=4", rounds=1, out=path)
    placement = place_on_ladder("negamax:depth=4", rounds=1, out=path, resume=True)
    assert one.standings == placement.standings and len(one.standings.games) == 24
    assert placement.place is not None and 3 <= placement.place <= 8
    rating = placement.rating
    assert rating is not None and rating.agent == "negamax:depth=4"
    assert rating.elo.low < rating.elo.value < rating.elo.high
    assert rating.games == 24
    assert [meeting.opponent for meeting in placement.meetings] == [
        rating.agent for rating in placement.ladder.ratings if rating.agent in reference_pool.AGENTS
    ]
    assert sum(meeting.record.games for meeting in placement.meetings) == 24
    assert placement.meetings[-1].record.wins == 2
    assert placement.meetings[0].verdict == "weaker"
    assert placement.meetings[-1].verdict == "stronger"
    weak = [rating.agent for rating in placement.ladder.ratings][-2:]
    assert weak == ["greedy", "random"]


def test_the_limit_holds_only_for_the_new_agent() -> None:
    plan = placement_plan("alphabeta", LadderOptions(depth=1))
    limits = [plan.limit_of(place) for place in range(len(plan.agents))]
    assert limits == [Limit(depth=1)] + [Limit()] * len(reference_pool.AGENTS)
    placement = place_on_ladder("alphabeta", rounds=1, limit=Limit(depth=1))
    depths = {
        depth
        for game in placement.standings.games
        for ply, depth in enumerate(game.move_stats["depth"], start=len(game.opening))
        if game.agents[ply % 2] == 0
    }
    assert depths <= {1, None} and 1 in depths
    assert not placement.standings.forfeits


def test_a_placement_is_played_as_asked() -> None:
    here = Here()
    placement = place_on_ladder(
        "greedy:win=yes", rounds=1, memory_limit_mb=300, load_timeout=9.5, executor=here
    )
    assert placement.plan.sandbox == Sandbox(memory_limit_mb=300, load_timeout=9.5)
    assert here.asked == list(range(placement.plan.games))


def test_an_agent_that_always_fails_is_last() -> None:
    def gives_up(position: Position) -> int:
        raise RuntimeError("I give up")

    placement = place_on_ladder(gives_up, rounds=2)
    assert placement.place == len(reference_pool.AGENTS) + 1
    data = placement.as_dict()
    json.dumps(data, allow_nan=False)
    assert data["forfeits"] == {"crash": 48}
    assert {meeting.verdict for meeting in placement.meetings[:11]} == {"weaker"}


def test_without_a_game_there_is_no_place() -> None:
    plan = placement_plan("negamax:depth=4", LadderOptions())
    placement = Placement(plan, Standings.of(stored_agents(plan), ()), 0.0)
    assert (placement.place, placement.rating) == (None, None)
    assert json.loads(json.dumps(placement.as_dict()))["place"] is None


@pytest.mark.parametrize(
    ("superiority", "verdict"),
    [(0.95, "stronger"), (0.949, "unclear"), (0.051, "unclear"), (0.05, "weaker")],
)
def test_a_verdict_is_reported_if_it_is_sure(superiority: float, verdict: str) -> None:
    assert Meeting("greedy", Record(), superiority).verdict == verdict


@pytest.mark.parametrize("rounds", [0, 17])
def test_rounds_the_pool_has_no_opening_for(rounds: int) -> None:
    with pytest.raises(
        InvalidMatch, match=f"must be 1 to 16, the openings of the pool, got {rounds}"
    ):
        placement_plan("negamax", LadderOptions(rounds=rounds))


def test_an_agent_of_the_pool_has_its_place() -> None:
    with pytest.raises(InvalidMatch, match="greedy is an agent of the pool"):
        place_on_ladder("greedy")
