"""Standings: every number follows from the games, counted again here by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from claimeven.arena.store.stored import StoredAgent, StoredGame
from claimeven.arena.tournaments.standings import Standings

AGENTS = tuple(StoredAgent(i, name, name) for i, name in enumerate(("ann", "bob", "cid")))


def game(number: int, first: int, second: int, winner: int | None, **more: Any) -> StoredGame:
    told = {"seconds": (0.5, 1.5, 0.5), "nodes": (3.0, None, 5.0)}
    plain = StoredGame(
        f"j{number}", number, number // 2, first, second, "44", "123", winner, told=told
    )
    return replace(plain, **more)


GAMES = (
    game(0, 0, 1, 0),
    game(1, 1, 0, 1),
    game(2, 0, 2, None),
    game(3, 2, 0, 0, fault="time", fault_seat=1, reason="slow"),
    game(4, 1, 2, 1, finished=False),
)


def test_records_and_cross_table() -> None:
    standings = Standings.of(AGENTS, GAMES)
    ann, bob, cid = (standings.records[i] for i in range(3))
    assert (ann.wins, ann.draws, ann.losses, ann.points, ann.games) == (2, 1, 1, 2.5, 4)
    assert (bob.wins, bob.draws, bob.losses) == (0, 0, 2)
    assert (cid.wins, cid.draws, cid.losses, cid.share) == (1, 1, 0, 0.75)
    assert dict(ann.forfeits) == {"time": 1}
    assert standings.between(0, 1).points == 2 == standings.between(1, 0).losses
    assert standings.pairs(0, 1).counts == (0, 0, 0, 0, 1)
    assert standings.pairs(0, 2).counts == (0, 1, 0, 0, 0)
    assert [agent.label for agent in standings.ranking][-1] == "bob"


def test_what_moves_cost_goes_to_who_made_them() -> None:
    """After an opening of two plies the first player makes moves 1 and 3, the second move 2."""
    standings = Standings.of(AGENTS, GAMES[:1])
    ann, bob = standings.records[0], standings.records[1]
    assert (ann.moves, bob.moves) == (2, 1)
    assert (ann.mean("seconds"), bob.mean("seconds")) == (0.5, 1.5)
    assert (ann.mean("nodes"), bob.mean("nodes")) == (4.0, None)


def test_games_that_begin_after_an_odd_number_of_moves() -> None:
    """After three plies the second player makes moves 1 and 3."""
    standings = Standings.of(AGENTS, GAMES[:1], start_ply=1)
    ann, bob = standings.records[0], standings.records[1]
    assert (ann.moves, bob.moves) == (1, 2)
    assert (ann.mean("seconds"), bob.mean("seconds")) == (1.5, 0.5)
    assert (ann.mean("nodes"), bob.mean("nodes")) == (None, 4.0)
    assert (standings.between(0, 1), standings.between(1, 0)) == (ann, bob)


def test_json_is_whole_and_plain() -> None:
    told = Standings.of(AGENTS, GAMES).as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["games"] == 4
    assert told["unique_games"] == 4
    assert told["forfeits"] == {"time": 1}


def test_no_games_and_one_agent() -> None:
    told = Standings.of(AGENTS[:1], ()).as_dict()
    assert told["ratings"] is None
    assert told["cross_table"] == [[None]]


outcomes = st.tuples(st.integers(0, 2), st.integers(1, 2), st.sampled_from([0, 1, None]))


@given(st.lists(outcomes, max_size=30))
def test_points_add_up(results: list[tuple[int, int, int | None]]) -> None:
    games = [
        game(2 * i, first, (first + step) % 3, winner)
        for i, (first, step, winner) in enumerate(results)
    ]
    standings = Standings.of(AGENTS, games)
    assert sum(record.points for record in standings.records.values()) == len(games)
    for one in range(3):
        against = [standings.between(one, other) for other in range(3) if other != one]
        assert sum(record.games for record in against) == standings.records[one].games
