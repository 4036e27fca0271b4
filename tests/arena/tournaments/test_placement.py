"""Placing an agent on the ladder: its place, its opponents, its own limit, faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven import Limit, Position
from claimeven.agents.process.sandbox import Isolation
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.placement import (
    Meeting,
    Placement,
    place_on_ladder,
    placement_plan,
)
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.totals import Record
from claimeven.arena.tournaments.tournament import stored_agents
from tests.arena.tournaments.test_tournament import Here


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


def test_the_limit_is_the_new_agents_alone() -> None:
    plan = placement_plan("alphabeta", limit=Limit(depth=1))
    limits = [plan.limit_of(place) for place in range(len(plan.agents))]
    assert limits == [Limit(depth=1)] + [Limit()] * len(reference_pool.AGENTS)
    placement = place_on_ladder("alphabeta", rounds=1, limit=Limit(depth=1))
    depths = {
        depth
        for game in placement.standings.games
        for ply, depth in enumerate(game.told["depth"], start=len(game.opening))
        if game.agents[ply % 2] == 0
    }
    assert depths <= {1, None} and 1 in depths
    assert not placement.standings.forfeits


def test_what_is_asked_for_is_played() -> None:
    here = Here()
    placement = place_on_ladder(
        "greedy:win=yes", rounds=1, memory_mb=300, load_seconds=9.5, executor=here
    )
    assert placement.plan.isolation == Isolation(memory_mb=300, load_seconds=9.5)
    assert here.asked == list(range(placement.plan.games))


def test_an_agent_that_always_fails_is_last() -> None:
    def gives_up(position: Position) -> int:
        raise RuntimeError("I give up")

    placement = place_on_ladder(gives_up, rounds=2)
    assert placement.place == len(reference_pool.AGENTS) + 1
    told = placement.as_dict()
    json.dumps(told, allow_nan=False)
    assert told["forfeits"] == {"crash": 48}
    assert {meeting.verdict for meeting in placement.meetings[:11]} == {"weaker"}


def test_without_a_game_there_is_no_place() -> None:
    plan = placement_plan("negamax:depth=4")
    placement = Placement(plan, Standings.of(stored_agents(plan), ()), 0.0)
    assert (placement.place, placement.rating) == (None, None)
    assert json.loads(json.dumps(placement.as_dict()))["place"] is None


@pytest.mark.parametrize(
    ("superiority", "verdict"),
    [(0.95, "stronger"), (0.949, "unclear"), (0.051, "unclear"), (0.05, "weaker")],
)
def test_a_verdict_is_told_where_it_is_sure(superiority: float, verdict: str) -> None:
    assert Meeting("greedy", Record(), superiority).verdict == verdict


@pytest.mark.parametrize("rounds", [0, 17])
def test_rounds_the_pool_has_no_opening_for(rounds: int) -> None:
    with pytest.raises(InvalidMatch, match=f"play 1 to 16 rounds, not {rounds}"):
        placement_plan("negamax", rounds)


def test_an_agent_of_the_pool_has_its_place() -> None:
    with pytest.raises(InvalidMatch, match="greedy is one of the pool"):
        place_on_ladder("greedy")
