"""Tournaments: played, stored, resumed after a kill, and bad input."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
from collections import deque
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from claimeven import Position, make_agent
from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Sandbox
from claimeven.arena.games import referee
from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import random_openings
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.run import brief_labels, open_store, run
from claimeven.arena.tournaments.standings import Standings
from claimeven.parallel.executors import local_workers
from tests import forks
from tests.cli.conftest import environment

BOTS = Path(__file__).parents[2] / "agents" / "bots"
OPENINGS = random_openings(20, 3, 1, Position())


def plan(*agents: str, **more: Any) -> Plan:
    default: dict[str, Any] = {"rounds": 3, "seed": 5, "openings": OPENINGS}
    chosen = agents or ("random", "greedy", "greedy:win=yes")
    return Plan(chosen, **{**default, **more})


def played(path: Path, what: Plan, jobs: int = 1) -> list[Game]:
    with open_store(path, what, resume=True) as store:
        deque(run(what, local_workers(jobs), store), 0)
        return list(store.games())


def essence(game: Game) -> tuple[object, ...]:
    return (game.job, game.number, game.first, game.second, game.opening, game.moves, game.winner)


def totals(path: Path) -> Any:
    """The rows of the games of a file, without times."""
    with Store.read(path) as store:
        data: Any = Standings.of(store.agents, store.games()).as_dict()
    for agent in data["agents"]:
        del agent["per_move"]["seconds"]
    return data


def test_the_games_do_not_depend_on_the_executor(tmp_path: Path) -> None:
    alone = played(tmp_path / "one.db", plan())
    together = played(tmp_path / "two.db", plan(), jobs=2)
    assert list(map(essence, alone)) == list(map(essence, together))
    assert len(alone) == plan().games


def test_more_rounds_are_added_to_those_played(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    before = list(map(essence, played(path, plan(rounds=1))))
    with open_store(path, plan(rounds=2), resume=True) as store:
        numbers = [game.number for game in run(plan(rounds=2), None, store)]
    assert numbers == list(range(len(before), 2 * len(before)))
    after = list(map(essence, played(path, plan(rounds=3))))
    assert after[: len(before)] == before
    assert after == list(map(essence, played(tmp_path / "whole.db", plan(rounds=3))))


def test_move_figures_belong_to_their_player_from_any_start(tmp_path: Path) -> None:
    """The start and the opening decide which player's move is the first in the record."""
    for start in ("", "4"):
        path = tmp_path / f"s{start}.db"
        start_here, openings = Position.from_moves(start), ((2,),)
        played(
            path, plan("greedy", "uct:iterations=20", rounds=1, start=start_here, openings=openings)
        )
        greedy, uct = Standings.read(path).records.values()
        assert (greedy.counts["iterations"], uct.counts["iterations"]) == (0, uct.moves)


RUN = """
import pickle, sys
from claimeven.parallel.executors import local_workers
from claimeven.arena.tournaments.run import open_store, run
plan = pickle.loads(bytes.fromhex(sys.argv[2]))
with open_store(sys.argv[1], plan, resume=True) as store:
    for game in run(plan, local_workers(2), store):
        print(game.number, flush=True)
"""


def test_after_many_kills_every_game_is_stored_once(tmp_path: Path) -> None:
    what = plan("random", "greedy", "greedy:win=yes,block=yes", rounds=67)
    path, rng = tmp_path / "s.db", random.Random(3)
    begin = [sys.executable, "-c", RUN, str(path), pickle.dumps(what).hex()]
    for _ in range(5):
        with forks.program(begin, stdout=subprocess.PIPE, env=environment()) as coordinator:
            assert coordinator.stdout is not None
            for _ in range(rng.randint(0, 35)):
                coordinator.stdout.readline()
            coordinator.send_signal(signal.SIGKILL)
    games, calm = played(path, what), played(tmp_path / "calm.db", what)
    assert [game.number for game in games] == list(range(what.games))
    assert list(map(essence, games)) == list(map(essence, calm))
    assert totals(path) == totals(tmp_path / "calm.db")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_may_end_early(tmp_path: Path, jobs: int) -> None:
    what = plan(rounds=20)
    with open_store(tmp_path / "s.db", what, resume=False) as store:
        with closing(run(what, local_workers(jobs), store)) as games:
            seen = [game.number for game in islice(games, 9)]
        assert sorted(seen) == [game.number for game in store.games()]
    assert len(seen) == 9


def test_the_last_games_are_stored_before_their_players_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, when_closed = plan("random", "greedy"), list[int]()
    with open_store(tmp_path / "s.db", what, resume=False) as store:
        monkeypatch.setattr(Referee, "close", lambda self: when_closed.append(len(store)))
        deque(run(what, None, store), 0)
    assert when_closed == [what.games]


def test_a_running_game_is_in_a_file_next_to_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, path, live = plan("random", "greedy"), tmp_path / "s.db", tmp_path / "s.db.running"
    writes: list[dict[str, Any]] = []
    write = referee.write_text

    def note(path: Path, text: str) -> None:
        writes.append(json.loads(text))
        write(path, text)
        assert json.loads(live.read_text()) == writes[-1]

    monkeypatch.setattr(referee, "write_text", note)
    played(tmp_path / "quick.db", what)  # no game takes a second
    assert not writes
    monkeypatch.setattr(referee, "_WRITE_SECONDS", 0.0)
    games = played(path, what)
    assert not live.exists()
    for game in games:
        own = [each for each in writes if each["game"] == game.number + 1]
        assert [each["moves"] for each in own] == [
            game.all_moves[:end] for end in range(len(game.opening) + 1, len(game.all_moves) + 1)
        ]
        for each in own:
            seats = [each["first"], each["second"]]
            assert seats == [what.names[place] for place in game.agents]
            assert each["to_move"] == seats[len(each["moves"]) % 2]
    # A game of another process stays until it is abandoned. A failure harms no game.
    for age, count in (0, 0), (3600, len(writes)):
        for make in Path.touch, Path.mkdir:
            writes.clear()
            make(live)
            os.utime(live, (live.stat().st_mtime - age,) * 2)
            path.unlink()
            assert list(map(essence, played(path, what))) == list(map(essence, games))
            assert len(writes) == count
            assert live.is_dir() == (make is Path.mkdir)
        live.rmdir()


def test_rounds_may_be_added_and_fewer_are_the_same_tournament(tmp_path: Path) -> None:
    path, agents = tmp_path / "s.db", ("random", "greedy")
    before = played(path, plan(*agents, rounds=2, openings=OPENINGS[:2]))
    longer = plan(*agents, rounds=3, openings=OPENINGS[:3])
    after = played(path, longer)
    assert [essence(game) for game in after[:4]] == [essence(game) for game in before]
    assert len(after) == 6
    assert [essence(game) for game in played(path, plan(*agents, rounds=1))] == [
        essence(game) for game in after
    ]
    with Store.read(path) as store:
        assert store.meta["plan"] == longer.as_dict()
    # Rounds that were planned and never played do not matter.
    half = tmp_path / "half.db"
    with open_store(half, longer, resume=False) as store:
        store.add(after[:2])
    other = plan(*agents, rounds=2, openings=(OPENINGS[0], OPENINGS[7]))
    for _ in range(2):
        assert len(played(half, other)) == 4
        with Store.read(half) as store:
            assert store.meta["plan"] == other.as_dict()
    with pytest.raises(InvalidStore, match="its openings differ"):
        open_store(half, longer, resume=True)


def test_openings_include_every_started_round(tmp_path: Path) -> None:
    """Half a round is started too; and a round may have come by the same opening as one before."""
    agents, path, one = ("random", "greedy"), tmp_path / "s.db", tmp_path / "one.db"
    games = played(path, plan(*agents, rounds=3, openings=OPENINGS[:3]))
    played(path, plan(*agents, rounds=1, openings=OPENINGS[:1]))
    half = tmp_path / "half.db"
    with open_store(half, plan(*agents, rounds=3, openings=OPENINGS[:3]), resume=False) as store:
        store.add(games[:3])
    with pytest.raises(InvalidStore, match=r"its openings differ .*round 2 has"):
        open_store(half, plan(*agents, openings=(OPENINGS[0], OPENINGS[7])), resume=True)
    played(one, plan(*agents, rounds=2, openings=OPENINGS[:1]))
    with pytest.raises(InvalidStore, match=r"its openings differ .*round 2 has"):
        open_store(one, plan(*agents, rounds=2, openings=OPENINGS[:2]), resume=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": Position.from_moves("4")}, "its start differs"),
        ({"unlimited": (1,)}, "its unlimited differs"),
        ({"sandbox": Sandbox(memory_limit_mb=300)}, "its memory_mb differs .null, not 300"),
        ({"agents": ("flat", "uct")}, "random is missing, greedy is missing, flat is new and 1 m"),
    ],
)
def test_changed_settings_are_reported(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path, what = tmp_path / "s.db", plan("random", "greedy", rounds=1)
    played(path, what)
    with pytest.raises(InvalidStore, match=message):
        open_store(path, replace(what, **change), resume=True)


def test_a_tournament_of_version_0_2_with_a_time_bank_is_resumed(tmp_path: Path) -> None:
    path, what = tmp_path / "s.db", plan("random", "greedy", rounds=1)
    what = replace(what, limit=Limit(seconds=1, time_bank=2))
    played(path, what)
    with Store.extend(path) as store:
        stored = store.meta["plan"]
        assert stored["limit"].pop("time_bank") == 2
        store.set_meta("plan", {**stored, "limit": {"seconds": 1, "bank": 2}})
    open_store(path, what, resume=True).close()


def test_the_file_of_a_test_is_no_tournament(tmp_path: Path) -> None:
    path, what = tmp_path / "s.db", plan("random", "greedy", rounds=1)
    played(path, what)
    with Store.extend(path) as store:
        store.set_meta("test", {})
    with pytest.raises(
        InvalidStore, match="holds the games of a test: resume it with claimeven sprt"
    ):
        open_store(path, what, resume=True)
    open_store(path, what, resume=True, of_test=True).close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE meta SET value = '[]' WHERE key = 'plan'", "its plan is unreadable"),
        ("UPDATE meta SET value = '5' WHERE key = 'plan'", "its plan is unreadable"),
        (
            "UPDATE meta SET value = json_set(value, '$.rounds', 'x') WHERE key = 'plan'",
            "plan is unreadable",
        ),
        (
            "UPDATE meta SET value = json_set(value, '$.openings', 5) WHERE key = 'plan'",
            "plan is unreadable",
        ),
        ("DELETE FROM agents WHERE id = 1", "its agents are unreadable"),
        ("UPDATE agents SET id = 7 WHERE id = 1", "its agents are unreadable"),
    ],
)
def test_a_corrupt_plan_is_reported(tmp_path: Path, change: str, message: str) -> None:
    path, what = tmp_path / "s.db", plan("random", "greedy", rounds=1)
    played(path, what)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(change)
    connection.close()
    with pytest.raises(InvalidStore, match=rf"s\.db is corrupt: .*{message}"):
        open_store(path, what, resume=True)


def test_a_missing_board_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    played(path, plan("random", "greedy", rounds=1))
    for change in (
        "'5'",
        "'[1]'",
        "json_set(value, '$.rows', 99)",
        "json_set(value, '$.start', 1)",
    ):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE meta SET value = {change} WHERE key = 'plan'")
        connection.close()
        with (
            Store.read(path) as store,
            pytest.raises(InvalidStore, match="its board is unreadable"),
        ):
            assert store.start


@pytest.mark.parametrize("name", ["bot.py", "b\u200dot\u00a0.py", f"{'x' * 150}/{'y' * 150}/b.py"])
def test_a_changed_bot_is_noticed_under_any_name(tmp_path: Path, name: str) -> None:
    path, bot = tmp_path / "s.db", tmp_path / name
    bot.parent.mkdir(parents=True, exist_ok=True)
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    what = plan("random", str(bot), rounds=1)
    played(path, what)
    with Store.extend(path) as store:  # as versions before left it, which did not know its file
        store._connection.execute("UPDATE agents SET digest = NULL")
    open_store(path, what, resume=True).close()
    path.unlink()
    played(path, what)
    made = make_agent(str(bot))
    made.close()
    bot.write_text("def agent(position):\n    return position.legal_columns[-1]\n")
    for agent in (str(bot), made):
        with pytest.raises(InvalidStore, match=r"the file of .* has changed since"):
            open_store(path, plan("random", agent, rounds=1), resume=True)


def test_another_tournament_or_a_changed_bot_is_not_resumed(tmp_path: Path) -> None:
    path, bot = tmp_path / "s.db", tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    what = plan("random", str(bot), rounds=1)
    played(path, what)
    with pytest.raises(InvalidStore, match=r"of another tournament: its seed differs \(5, not"):
        open_store(path, plan("random", str(bot), seed=6), resume=True)
    for agents, how in (
        (("random", "greedy"), r"bot\.py is missing, greedy is new"),
        ((str(bot), "random"), "their order differs"),
    ):
        with pytest.raises(InvalidStore, match=rf"its agents differ \(.*{how}\)"):
            open_store(path, plan(*agents, rounds=1), resume=True)
    others = (OPENINGS[1], *OPENINGS[1:])
    with pytest.raises(InvalidStore, match=r"its openings differ \(round 1 has"):
        open_store(path, plan("random", str(bot), rounds=4, openings=others), resume=True)
    bot.write_text("def agent(position):\n    return position.legal_columns[-1]\n")
    with pytest.raises(InvalidStore, match=r"the file of .*bot\.py has changed since"):
        open_store(path, what, resume=True)
    with pytest.raises(InvalidStore, match="exists already"):
        open_store(path, what, resume=False)
    Store.extend(path).close()


def test_labels_are_brief_where_they_still_differ() -> None:
    assert brief_labels(["a/ann.py", "b/bob.py:agent", "greedy"]) == ("ann", "bob", "greedy")
    assert brief_labels(["alphabeta:eval=a/mine.py", "greedy"])[0] == "alphabeta:eval=a/mine.py"
    assert brief_labels(["a/bot.py", "b/bot.py"]) == ("a/bot.py", "b/bot.py")
