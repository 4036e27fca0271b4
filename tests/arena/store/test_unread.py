"""Reading a store that grows: each game once, whatever the order in which games are stored."""

from __future__ import annotations

import random
from pathlib import Path

from claimeven.arena.games.game import Game
from claimeven.arena.store import query as unread
from claimeven.arena.store.query import UnreadGames
from claimeven.arena.store.store import Store, StoredAgent, public_agents

AGENTS = [StoredAgent(0, "ann", "ann"), StoredAgent(1, "bob", "bob")]


def game(number: int, job: str = "") -> Game:
    return Game(job or f"j{number}", number, number // 2, 0, 1, "", "4", None, False)


def test_each_game_is_read_once_while_the_file_grows(tmp_path: Path) -> None:
    rng = random.Random(4)
    waiting = [*map(game, range(60)), game(7, "another"), game(50, "another of 50")]
    rng.shuffle(waiting)
    games, found = UnreadGames(), []
    with Store.create(tmp_path / "g.db", {}, AGENTS) as store:
        while waiting:
            stored, waiting = waiting[:9], waiting[9:]
            store.add(stored)
            new = list(games.read(store))
            assert {each.job for each in new} <= {each.job for each in stored}
            found += new
            assert games.has_all_of(len(store), len(store)) is (games.count == len(store))
        # One is missed at most: a second game under a number that was passed already.
        assert len(found) == len({each.job for each in found}) >= 61
        assert list(games.read(store)) == []
        whole = list(UnreadGames().read(store))
        assert whole == list(store.games())


def test_what_was_read_is_remembered_by_one_number(tmp_path: Path) -> None:
    games = UnreadGames()
    with Store.create(tmp_path / "g.db", {}, AGENTS) as store:
        store.add(map(game, range(unread._OFTEN + 5)))
        store.add([game(unread._OFTEN + 10)])
        assert sum(1 for _ in games.read(store)) == unread._OFTEN + 6
        assert games._next == unread._OFTEN + 5
        assert games._beyond == {(unread._OFTEN + 10, f"j{unread._OFTEN + 10}")}


def test_games_from_a_number_on_but_some(tmp_path: Path) -> None:
    with Store.create(tmp_path / "g.db", {}, AGENTS) as store:
        store.add(map(game, range(6)))
        assert [each.number for each in store.games(2, {(3, "j3"), (5, "x")})] == [2, 4, 5]


def test_agents_are_shown_without_the_folders_of_the_machine() -> None:
    agents = [
        StoredAgent(0, "/home/ann/bot.py", "/home/ann/bot.py:play"),
        StoredAgent(1, "/home/bob/bot.py", "kaggle:/home/bob/bot.py"),
        StoredAgent(2, "uct:iterations=9", "uct:iterations=9"),
        StoredAgent(3, "play", "http://host/play?agent=uct"),
    ]
    shown = public_agents(agents)
    assert [each.label for each in shown] == ["bot.py", "bot.py (2)", "uct:iterations=9", "play"]
    assert [each.spec for each in shown] == [
        "bot.py:play", "kaggle:bot.py", "uct:iterations=9", "http://host/play?agent=uct",
    ]  # fmt: skip
    assert [each.id for each in shown] == [0, 1, 2, 3]
