"""Standings: every number follows from the games, counted again here by hand."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import Position
from claimeven.arena.games.game import Game
from claimeven.arena.store.store import StoredAgent
from claimeven.arena.tournaments.standings import Standings, Totals, remarks
from claimeven.ratings.bradley_terry import RatedGame, gather
from claimeven.ratings.pentanomial import PairCounts

AGENTS = tuple(StoredAgent(i, name, name) for i, name in enumerate(("ann", "bob", "cid")))


def game(number: int, first: int, second: int, winner: int | None, **more: Any) -> Game:
    stats = {"seconds": (0.5, 1.5, 0.5), "nodes": (3.0, None, 5.0)}
    plain = Game(
        f"j{number}", number, number // 2, first, second, "44", "123", winner, move_stats=stats
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
    assert not cid.forfeits
    assert standings.between(0, 1).points == 2 == standings.between(1, 0).losses
    assert standings.pairs(0, 1).counts == (0, 0, 0, 0, 1)
    assert standings.pairs(0, 2).counts == (0, 1, 0, 0, 0)
    assert [agent.label for agent in standings.ranking][-1] == "bob"


def test_the_cost_of_a_move_counts_for_its_player() -> None:
    """After an opening of two plies the first player makes moves 1 and 3, the second move 2."""
    standings = Standings.of(AGENTS, GAMES[:1])
    ann, bob = standings.records[0], standings.records[1]
    assert (ann.moves, bob.moves) == (2, 1)
    assert (ann.mean("seconds"), bob.mean("seconds")) == (0.5, 1.5)
    assert (ann.mean("nodes"), bob.mean("nodes")) == (4.0, None)


def test_games_that_start_after_an_odd_number_of_moves() -> None:
    """After three plies the second player makes moves 1 and 3."""
    standings = Standings.of(AGENTS, (game(0, 0, 1, 0, root=Position.from_moves("4")),))
    ann, bob = standings.records[0], standings.records[1]
    assert (ann.moves, bob.moves) == (1, 2)
    assert (ann.mean("seconds"), bob.mean("seconds")) == (1.5, 0.5)
    assert (ann.mean("nodes"), bob.mean("nodes")) == (None, 4.0)
    assert (standings.between(0, 1), standings.between(1, 0)) == (ann, bob)


def test_an_agent_without_a_game_is_last() -> None:
    standings = Standings.of(AGENTS, GAMES[2:4])
    assert [agent.label for agent in standings.ranking] == ["cid", "ann", "bob"]


def test_a_game_of_an_agent_against_itself_does_not_count() -> None:
    alone = game(10, 1, 1, 0, fault="time", fault_seat=1)
    bob = Standings.of(AGENTS, (alone,)).records[1]
    assert (bob.games, bob.wins, bob.losses, bob.share) == (0, 0, 0, None)
    assert (bob.moves, dict(bob.forfeits)) == (3, {"time": 1})
    standings = Standings.of(AGENTS, (*GAMES, alone))
    assert standings.ladder is not None
    for row in standings.ladder.ratings:
        record = next(standings.records[a.id] for a in AGENTS if a.label == row.agent)
        assert (record.games, record.points) == (row.games, row.points)


def test_json_is_whole_and_plain() -> None:
    data = Standings.of(AGENTS, GAMES).as_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["games"] == 4
    assert data["unique_games"] == 4
    assert data["forfeits"] == {"time": 1}


def test_the_cross_table_compares_only_by_full_pairs() -> None:
    """Bob lost a pair, split half a pair with cid, and met no other agent in pairs."""
    half = game(6, 1, 2, 0)
    imported = game(8, 1, 2, 1, pair=None)
    table: Any = Standings.of(AGENTS, (*GAMES[:4], half, imported)).as_dict()
    order = [row["label"] for row in table["agents"]]
    data = {
        (one, other): meeting
        for one, row in zip(order, table["cross_table"], strict=True)
        for other, meeting in zip(order, row, strict=True)
    }
    assert [data[name, name] for name in order] == [None] * 3
    lost, met = data["bob", "ann"], data["bob", "cid"]
    assert (lost["games"], lost["losses"], lost["share"]) == (2, 2, 0)
    assert lost["pair_counts"] == [1, 0, 0, 0, 0]
    assert lost["superiority"] == PairCounts((1, 0, 0, 0, 0)).superiority < 0.5
    assert (met["games"], met["wins"], met["losses"], met["points"]) == (2, 1, 1, 1)
    assert (met["pair_counts"], met["superiority"]) == ([0] * 5, None)


def test_games_are_rated_by_pairs_and_single_games_singly() -> None:
    games = (*GAMES[:2], game(6, 1, 2, 0, pair=None), game(8, 1, 2, 1, pair=None))
    games += (game(10, 1, 1, 0),)  # against itself, which does not count
    rated = Standings.of(AGENTS, games).rated
    assert rated[0].pair == rated[1].pair
    assert len({each.pair for each in rated}) == 3
    assert [(each.first, each.second, each.points) for each in rated] == [
        ("ann", "bob", 1),
        ("bob", "ann", 0),
        ("bob", "cid", 1),
        ("bob", "cid", 0),
    ]
    assert Standings.of(AGENTS, GAMES[2:3]).rated[0].points == 0.5
    # One of them numbers its own pairs: games of other agents are not joined.
    other = Standings.of(AGENTS, (*GAMES[:2], game(6, 1, 2, 0, pair=0))).rated
    assert len({each.pair for each in other}) == 2


def test_no_games_and_one_agent() -> None:
    data = Standings.of(AGENTS[:1], ()).as_dict()
    assert data["ratings"] is None
    assert data["cross_table"] == [[None]]


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


TOTALLED = tuple(
    StoredAgent(number, name, name) for number, name in enumerate(("zoe", "ann", "bob"))
)


def made(rng: random.Random, number: int) -> Game:
    """A game of chance, with every field that counts."""
    first, second = rng.choice([(0, 1), (1, 0), (0, 2), (2, 1), (1, 1)])
    fault_seat = rng.choice([None, None, 0, 1])
    return Game(
        job=str(number),
        number=number,
        pair=rng.choice([None, number // 2, number // 6]),
        first=first,
        second=second,
        opening="44",
        moves=rng.choice(["1213141", "121314"]),
        winner=rng.choice([None, 0, 1]),
        finished=rng.random() < 0.9,
        fault=None if fault_seat is None else "crash",
        fault_seat=fault_seat,
        move_stats={"nodes": [rng.randrange(9) for _ in range(6)]},
    )


def test_the_order_of_the_games_does_not_matter() -> None:
    rng = random.Random(1)
    games = [made(rng, number) for number in range(300)]
    at_once, later = Totals(TOTALLED, games), Totals(TOTALLED)
    rng.shuffle(games)
    for game in games:
        later.note(game)
    assert later.as_dict(None) == at_once.as_dict(None)
    finished = [game for game in games if game.finished]
    assert later.games == len(finished)
    assert later.unique_games == len({(g.first, g.second, g.all_moves) for g in finished})
    rated = [
        RatedGame(
            (game.pair if game.pair is not None else game.job, *sorted(game.agents)),
            TOTALLED[game.first].label,
            TOTALLED[game.second].label,
            0.5 if game.winner is None else 1 - game.winner,
        )
        for game in finished
        if game.first != game.second
    ]
    wanted, found = gather(rated), later.evidence
    assert found.agents == wanted.agents == ("ann", "bob", "zoe")
    for name in ("weights", "counted", "seated", "starts", "twos", "games", "points", "took"):
        assert (getattr(found, name) == getattr(wanted, name)).all()
    for agent, record in later.records.items():
        own = [game for game in finished if agent in game.agents]
        assert record.games == sum(game.first != game.second for game in own)
        assert record.forfeits["crash"] == sum(
            game.fault_seat is not None and game.agents[game.fault_seat] == agent for game in own
        )


def remarks_on(specs: list[tuple[str, str | None]], openings: list[str]) -> list[str]:
    agents = [
        StoredAgent(place, chr(97 + place), spec, digest)
        for place, (spec, digest) in enumerate(specs)
    ]
    return list(remarks(agents, openings))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("bots/x.py", "y.py", True),
        ("bots/x.py:agent", "/a/b/y.py:agent", True),
        ("x.py:agent", "x.py:other", False),
        ("x.py:agent,depth=2", "y.py:agent,depth=3", False),
        ("kaggle:x.py", "kaggle:y.py", True),
        ("kaggle:x.py", "y.py", False),
        ("net:model=m.npz,c=1", "net:model=n.npz,c=1", True),
        ("net:model=m.npz,c=1.5", "net:model=n.npz,c=2.5", False),
    ],
)
def test_files_are_equal_if_content_and_use_are(one: str, other: str, equal: bool) -> None:
    assert bool(remarks_on([(one, "d1"), (other, "d1")], [])) == equal
    assert remarks_on([(one, "d1"), (other, "d2")], []) == []


def test_agents_without_files_are_no_equal_files() -> None:
    assert remarks_on([("uct", None), ("uct", None)], []) == []


@pytest.mark.parametrize(
    ("openings", "message"),
    [(["43", "43"], True), (["43", "34"], False), (["", ""], False), (["43"], False), ([], False)],
)
def test_one_opening_for_all_games_is_said(openings: list[str], message: bool) -> None:
    assert bool(remarks_on([], openings)) == message
