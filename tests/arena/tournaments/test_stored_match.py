"""A match kept in a file: the same games, totals and all, taken up wherever it ended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from claimeven import Limit, Position
from claimeven.agents import InvalidSpec
from claimeven.arena import InvalidMatch, MatchPlan, MatchResult, Opening, Schedule, play_match
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.stored_match import play_kept, tournament_of
from tests.agents.process.test_process import bot

AGENTS = ("alphabeta:depth=2", "random")


def essence(result: MatchResult) -> dict[str, Any]:
    """The totals but for the clock."""
    told: dict[str, Any] = dict(result.as_dict())
    del told["seconds"]
    for measures in told["per_move"]:
        del measures["seconds"]
    return told


def moves(result: MatchResult) -> list[tuple[str, str]]:
    return [(played.game.opening.moves, played.game.moves) for played in result.games]


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
    # Everything from the file: nothing is played any more.
    again = play_match(*AGENTS, **asked, out=path, resume=True)
    assert moves(again) == moves(plain)
    assert essence(again) == essence(plain)


def test_a_match_is_taken_up_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    plan = MatchPlan(AGENTS, Schedule(20, 5, opening_plies=3))
    with closing(play_kept(plan, path)) as games:
        first = [played.number for played in islice(games, 7)]
    assert first == list(range(7))
    with Store.read(path) as store:
        assert len(store) == 7
    with closing(play_kept(plan, path, resume=True, jobs=2)) as games:
        whole = [played.game.moves for played in games]
    expected = play_match(*AGENTS, games=20, seed=5, opening_plies=3)
    assert whole == [played.game.moves for played in expected.games]
    longer = play_match(*AGENTS, games=24, seed=5, opening_plies=3, out=path, resume=True)
    assert [played.game.moves for played in longer.games][:20] == whole


def test_faults_come_back_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    before = play_match(bot("full"), "random", games=4, start="111111", out=path)
    after = play_match(bot("full"), "random", games=4, start="111111", out=path, resume=True)
    assert before.forfeits == after.forfeits
    assert sum(before.forfeits[0].values()) == 4
    kinds = {played.game.forfeit.kind for played in after.games if played.game.forfeit}
    assert kinds == {"illegal"}


def test_what_cannot_be_kept_is_told_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with pytest.raises(InvalidSpec, match="there is no agent 'nobody'"):
        play_match("nobody", "random", games=2, out=path)
    with pytest.raises(InvalidMatch, match="an object or a function has no name"):
        play_match(lambda position: 0, "random", games=2, out=path)
    with pytest.raises(InvalidMatch, match="random takes part twice"):
        play_match("random", "random", games=2, out=path)
    assert not path.exists()
    play_match(*AGENTS, games=2, out=path)
    with pytest.raises(InvalidStore, match="is there already"):
        play_match(*AGENTS, games=2, out=path)
    with pytest.raises(InvalidStore, match="its limit differs"):
        play_match(*AGENTS, games=2, out=path, resume=True, limit=Limit(seconds=9))


def test_other_openings_are_another_match(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    play_match(*AGENTS, games=4, out=path)
    with pytest.raises(
        InvalidStore, match=r"openings differ \(\d+ in round 1, where it was the em"
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
    assert [game.game.moves for game in after.games] == [game.game.moves for game in before.games]
    with Store.read(path) as store:
        assert len(list(store.games())) == 4


def test_figures_of_a_move_that_are_lost_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    play_match(*AGENTS, games=2, out=path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('UPDATE games SET told = \'{"seconds": [], "zzz": [1]}\'')
    connection.close()
    again = play_match(*AGENTS, games=2, out=path, resume=True)
    assert all(played.game.seconds == () for played in again.games)


def test_the_tournament_of_a_match_has_its_games() -> None:
    start = Opening(Position(), (3, 3, 2))
    plan = MatchPlan(AGENTS, Schedule(6, 2, start, opening_plies=3))
    tournament = tournament_of(plan)
    for number in range(6):
        assert tournament.pairing(number) == plan.schedule.pairing(number)
        pairs = zip(tournament.generators(number), plan.schedule.generators(number), strict=True)
        assert all(one.integers(1 << 60) == other.integers(1 << 60) for one, other in pairs)
