"""Sequential tests that are played: order, stopping, taking up again, lopsided results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents.process.sandbox import Isolation
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.runs import first_run
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.sequential import (
    SequentialResult,
    play_sprt,
    run_sprt,
    sequential_plan,
    sequential_result,
)
from claimeven.arena.tournaments.tournament import open_store, run_tournament
from claimeven.ratings.sprt import SequentialRun, SequentialTest, Verdict
from tests.arena.tournaments.test_tournament import Here


def as_played(result: SequentialResult) -> dict[str, object]:
    told = result.as_dict()
    # Games that were under way when the test was decided depend on who plays.
    for name in ("seconds", "games_played"):
        del told[name]
    return told


def test_the_verdict_is_a_function_of_the_seed(tmp_path: Path) -> None:
    options: dict[str, Any] = {"elo0": -30.0, "elo1": 30.0, "seed": 4, "most_games": 2000}
    here = run_sprt("alphabeta:depth=2", "greedy", **options)
    there = run_sprt("alphabeta:depth=2", "greedy", jobs=2, **options)
    assert here.verdict is not Verdict.UNDECIDED
    assert as_played(here) == as_played(there)
    assert len(here.standings.games) == 2 * here.run.counts.pairs


def test_a_test_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "t.db"

    def run(most_games: int, resume: bool, elo1: float = 300) -> SequentialResult:
        return run_sprt(
            "greedy", "random", elo1=elo1, model="logistic", seed=1,
            most_games=most_games, out=path, resume=resume,
        )  # fmt: skip

    assert run(4, resume=False).verdict is Verdict.UNDECIDED
    resumed = run(1000, resume=True)
    whole = run_sprt("greedy", "random", elo1=300, model="logistic", seed=1, most_games=1000)
    assert as_played(resumed) == as_played(whole)
    assert resumed.verdict is Verdict.ELO1
    # It is decided: nothing more is played.
    assert len(run(1000, resume=True).standings.games) == len(resumed.standings.games)
    with pytest.raises(InvalidStore, match=r"with another test: elo1 300, not 20"):
        run(1000, resume=True, elo1=20)


def test_fewer_games_than_there_are_count_as_far_as_they_go(tmp_path: Path) -> None:
    options: dict[str, Any] = {"elo1": 20.0, "out": tmp_path / "t.db"}
    assert run_sprt("greedy", "random", most_games=8, **options).run.counts.pairs == 4
    fewer = run_sprt("greedy", "random", most_games=4, resume=True, **options)
    assert (fewer.run.counts.pairs, fewer.as_dict()["most_games"]) == (2, 4)


def test_what_is_asked_for_is_played() -> None:
    told: list[str] = []
    here = Here()
    result = run_sprt(
        "greedy", "uct-itu-table:iterations=9", most_games=2, limit=Limit(seconds=9), jobs=2,
        memory_mb=300, load_seconds=9.5, tell=told.append,
    )  # fmt: skip
    assert result.plan.limit == Limit(seconds=9)
    assert result.plan.isolation == Isolation(memory_mb=300, load_seconds=9.5)
    (why,) = told
    assert why.startswith("uct-itu-table:iterations=9 remembers earlier games")
    run_sprt("greedy", "random", most_games=4, executor=here)
    assert here.asked == [0, 1, 2, 3]


def test_openings_follow_from_the_seed() -> None:
    one, other = (sequential_plan("greedy", "random", most_games=8, seed=seed) for seed in (1, 2))
    assert one.openings != other.openings
    few = run_sprt("greedy", "random", elo1=1, most_games=40, opening_plies=1)
    assert (len(few.plan.openings), few.as_dict()["different_openings"]) == (20, 4)


def test_games_of_a_tournament_are_no_test(tmp_path: Path) -> None:
    plan = sequential_plan("greedy", "random", most_games=2)
    with open_store(tmp_path / "t.db", plan, resume=False) as store:
        run_tournament(plan, store)
        with pytest.raises(InvalidStore, match="holds games of a tournament, not of a test"):
            play_sprt(plan, SequentialTest(0, 20), store)


def test_pairs_count_in_order_while_they_end_in_any(tmp_path: Path) -> None:
    """The second pair ends first; the file holds it, the test waits for the first."""
    plan = sequential_plan("greedy", "random", most_games=40, seed=2)
    with open_store(tmp_path / "whole.db", plan, resume=False) as store:
        run_tournament(plan, store)
        games = list(store.games())
    test = SequentialTest(0, 100)
    meta = {"plan": plan.as_dict(), "test": test.as_dict(), **first_run(plan.provenance)}
    with Store.read(tmp_path / "whole.db") as store:
        agents = store.agents
    with Store.create(tmp_path / "odd.db", meta, agents) as store:
        store.add(games[2:] + games[:1])
    seen: list[tuple[int, int]] = []

    def watch(done: int, run: SequentialRun) -> None:
        seen.append((run.counts.pairs, run.waiting))

    with open_store(tmp_path / "odd.db", plan, resume=True, of_test=True) as store:
        before = sequential_result(plan, test, store, 0).run
        assert (before.counts.pairs, before.waiting) == (0, 19)
        result = play_sprt(plan, test, store, watch=watch)
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
        ("greedy", gives_up, Verdict.ELO1),
        (gives_up, "greedy", Verdict.ELO0),
    ):
        result = run_sprt(first, second, model=model, elo1=50, most_games=400)
        assert result.verdict is verdict
        told = result.as_dict()
        json.dumps(told, allow_nan=False)
        assert told["share"] in (0, 1)


def test_nothing_but_draws() -> None:
    """On a board where nobody can win; between even hypotheses draws decide nothing."""
    board = Geometry(3, 3, 4)
    options: dict[str, Any] = {"geometry": board, "opening_plies": 2, "most_games": 10}
    even = run_sprt("greedy", "random", elo0=-20, elo1=20, **options)
    assert (even.verdict, even.run.counts.counts) == (Verdict.UNDECIDED, (0, 0, 5, 0, 0))
    assert even.run.ratio == pytest.approx(0, abs=1e-6)
    json.dumps(even.as_dict(), allow_nan=False)
    options["most_games"] = 4000
    lead = run_sprt("greedy", "random", elo0=0, elo1=60, **options)
    assert lead.verdict is Verdict.ELO0


@pytest.mark.parametrize("games", [0, 7, -2])
def test_a_test_plays_pairs(games: int) -> None:
    with pytest.raises(InvalidMatch, match=f"an even number of 2 or more, not {games}"):
        run_sprt("greedy", "random", most_games=games)
