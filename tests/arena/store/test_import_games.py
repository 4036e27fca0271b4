"""Games brought in and written out: round trips, results by the moves, corrupt lines."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry
from claimeven.arena import (
    GameFilter,
    ImportSummary,
    InvalidGames,
    InvalidMatch,
    export_games,
    find_games,
    import_games,
)
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.query import result_of
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.atomic_io import CannotWrite
from claimeven.game.errors import InvalidNotation
from claimeven.records import GameRecord
from claimeven.records.replays import replay_of
from tests import naive

AGENTS = (
    StoredAgent(0, "ann", "bots/ann.py", "ab12"),
    StoredAgent(1, "bob, the second", "random"),
    StoredAgent(2, "carl", "greedy"),
)
GAMES = (
    Game("a", 0, 0, 0, 1, "44", "55667", 0, seconds=0.5, move_stats={"nodes": [1, None, 3, 4, 5]}),
    Game("b", 1, 0, 1, 0, "44", "5", 0, fault="crash", fault_seat=1, reason='raised "x",\ty'),
    Game("c", 2, 1, 2, 0, "", "11", None, finished=False),
    Game("d", 5, 2, 0, 2, "", "717271327", 0, move_stats={"seconds": [0.25] * 9}),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    games = [*GAMES[:3]]
    with Store.create(tmp_path / "class.db", {"plan": {"columns": 7, "rows": 6}}, AGENTS) as store:
        store.add(games)
    return tmp_path / "class.db"


def random_game(rng: random.Random) -> tuple[str, int | None]:
    """A game of random moves on the oracle's board, and its winner."""
    game, moves = naive.Game(), ""
    while not game.over():
        column = rng.choice(game.legal())
        game, moves = game.play(column), moves + str(column + 1)
    return moves, naive.winner(game)


def test_results_follow_from_the_moves(tmp_path: Path) -> None:
    rng = random.Random(3)
    played = [random_game(rng) for _ in range(40)]
    source = tmp_path / "moves.txt"
    cut = [moves[:-1] for moves, _ in played]
    lines = [moves for moves, _ in played] + cut
    source.write_text("# of elsewhere\n" + "\n\n".join(f"  {m}  # x" for m in lines))
    done = import_games(tmp_path / "e.db", source, "ann", "bob")
    assert done == ImportSummary(80, 0, 40)
    found = find_games(tmp_path / "e.db")
    assert [game.all_moves for game in found.games] == lines
    words = {0: "first", 1: "second", None: "draw"}
    result = [result_of(game) for game in found.games]
    assert result == [words[winner] for _, winner in played] + ["unfinished"] * 40
    assert {found.label(game.first) for game in found.games} == {"ann"}
    assert [game.number for game in found.games] == list(range(80))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_games_written_out_are_brought_in_again(path: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"games.{ending}"
    assert export_games(path, out) == 3
    assert import_games(tmp_path / "e.db", out) == ImportSummary(3, 0, 1)
    back, first = find_games(tmp_path / "e.db"), find_games(path)
    names = ("first", "second", "opening", "moves", "result", "winner", "fault", "fault_by")
    for old, new in zip(first.rows(), back.rows(), strict=True):
        assert {name: old[name] for name in names} == {name: new[name] for name in names}
    reasons = [game.reason for game in back.games]
    assert reasons[0] is reasons[2] is None
    assert reasons[1] is not None
    assert reasons[1].startswith('raised "x"')


def test_a_game_without_a_move_is_written_as_it_is_read(tmp_path: Path) -> None:
    source, path, out = (tmp_path / name for name in ("a.txt", "a.db", "b.txt"))
    source.write_text("-\n44\n")
    import_games(path, source, "ann", "bob")
    assert export_games(path, out) == 2
    assert out.read_text() == source.read_text()


def test_each_kind_of_file_holds_the_games(path: Path, tmp_path: Path) -> None:
    from pyarrow import parquet

    for ending in ("csv", "jsonl", "parquet", "txt"):
        assert export_games(path, tmp_path / f"a.{ending}", GameFilter(("ann",))) == 3
    assert (tmp_path / "a.txt").read_text().split() == ["4455667", "445", "11"]
    with (tmp_path / "a.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    objects = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    table = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    for name in ("first", "second", "moves", "result"):
        assert [r[name] for r in rows] == [o[name] for o in objects] == [t[name] for t in table]
    assert [row["game"] for row in table] == [1, 2, 3]
    assert objects[0]["move_stats"] == {"nodes": [1, None, 3, 4, 5]}
    assert table[0]["move_nodes"] == [1, None, 3, 4, 5]
    assert (table[1]["fault"], table[1]["fault_by"], table[0]["fault"]) == ("crash", "ann", None)


def test_lines_are_imported_once_and_a_file_may_grow(tmp_path: Path) -> None:
    source, store = tmp_path / "log.txt", tmp_path / "e.db"
    source.write_text("1212121\n1212121\n")
    assert import_games(store, source, "ann", "bob") == ImportSummary(2, 0, 0)
    source.write_text("1212121\n1212121\n44\n")
    assert import_games(store, source, "ann", "bob") == ImportSummary(1, 2, 1)
    assert import_games(store, source, "bob", "ann") == ImportSummary(3, 0, 1)
    assert [game.number for game in find_games(store).games] == list(range(6))
    assert [agent.label for agent in find_games(store).agents] == ["ann", "bob"]


def test_equal_games_count_as_often_as_in_the_file(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    replays = json.loads(
        "[" + ",".join(json.dumps(replay_of(GameRecord((3, 3)))) for _ in range(3)) + "]"
    )
    for replay in replays:
        replay["info"] = {"TeamNames": ["a", "b"]}
    source = tmp_path / "replays.json"
    source.write_text(json.dumps(replays))
    assert import_games(store, source) == ImportSummary(3, 0, 3)
    assert len(find_games(store).games) == 3
    assert import_games(store, source) == ImportSummary(0, 3, 0)


def test_files_of_one_name_are_distinguished_and_other_lines_ignored(
    tmp_path: Path,
) -> None:
    store = tmp_path / "e.db"
    for folder in ("w1", "w2"):
        (tmp_path / folder).mkdir()
        source = tmp_path / folder / "g.txt"
        source.write_text("4455667\n")
        assert import_games(store, source, "ann", "bob") == ImportSummary(1, 0, 0)
    source.write_text("# the second week\n4455667\n")
    assert import_games(store, source, "ann", "bob") == ImportSummary(0, 1, 0)
    table = tmp_path / "t.csv"
    table.write_text("moves,result,fault\n12,,\n")
    assert import_games(store, table, "ann", "bob") == ImportSummary(1, 0, 1)
    table.write_text("moves,result,fault\n12,second,crash\n")
    assert import_games(store, table, "ann", "bob") == ImportSummary(1, 0, 0)
    for before in (0, 1):  # from stdin, say
        lines = io.StringIO("4455667\n")
        assert import_games(store, lines, "ann", "bob") == ImportSummary(1 - before, before, 0)
    assert import_games(store, io.StringIO("4455667\n12\n"), "ann", "bob").added == 2
    pipe = tmp_path / "pipe"
    for before in (0, 1):
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=("4455\n",))
        writer.start()
        assert import_games(store, pipe, "ann", "bob") == ImportSummary(
            1 - before, before, 1 - before
        )
        writer.join()
        pipe.rename(tmp_path / f"pipe{before}")  # a pipe has another name each time


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.txt", "44\n4489\n", "line 2 of .*m.txt: move 3: '8' is not a column"),
        ("m.txt", "44\n\n# x\n1111111\n", "line 4 of .*: move 7: column 1"),
        (
            "m.txt",
            "12121211\n",
            "line 1 of .*: move 8: column 1 .* the game is over",
        ),
        ("m.txt", "44\n\x00\n", "line 2 of .*: move 1: "),
        ("m.txt", "\n# nothing\n", "m.txt holds no game"),
        (
            "m.csv",
            "first,second\na,b\n",
            "line 1 of .*: a table of games must have a column named moves",
        ),
        ("m.csv", "", "line 1 of .*: a table of games must have a column named moves"),
        ("m.csv", "moves,first\n44,a\n44\n", "line 3 of .*not one cell for each of 2 columns"),
        ("m.csv", "moves,first\n44,a,b\n", "line 2 of .*not one cell for each of 2 columns"),
        ("m.csv", "moves,result\n1212121,draw\n", "line 2 .*result is draw, but .* it is first"),
        ("m.csv", "moves,result\n44,first\n", "result is first, but by its moves it is unfinished"),
        ("m.csv", "moves,result\n44,firs\n", r"no result 'firs' \(did you mean first\?\)"),
        ("m.csv", "moves,result,fault\n44,first,cash\n", r"no fault 'cash' \(did you mean crash"),
        ("m.csv", "moves,opening\n4455,55\n", "its moves do not start with its opening"),
        ("m.csv", "moves,first\n44,\x1b[2J\n", "is no name of a player"),
        ("m.jsonl", '{"moves": "44"}\n[1]\n', "line 2 of .*: expected a JSON object with moves"),
        (
            "m.jsonl",
            '{"moves": "44"}\n{"moves": 44}\n',
            "line 2 .*: its moves must be text, got 44",
        ),
    ],
)
def test_a_wrong_line_is_named_and_no_game_imported(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    source = tmp_path / name
    source.write_text(text)
    with pytest.raises(InvalidGames, match=message):
        import_games(tmp_path / "new.db", source, "ann", "bob")
    assert not (tmp_path / "new.db").exists()
    good = tmp_path / "good.txt"
    good.write_text("44\n")
    import_games(tmp_path / "old.db", good, "ann", "bob")
    with pytest.raises(InvalidGames):
        import_games(tmp_path / "old.db", source, "carl", "dora")
    assert [agent.label for agent in find_games(tmp_path / "old.db").agents] == ["ann", "bob"]


def test_players_must_be_named_and_boards_must_fit(tmp_path: Path, path: Path) -> None:
    source = tmp_path / "m.txt"
    source.write_text("1122\n")
    with pytest.raises(InvalidGames, match=r"line 1 of .* does not name the second player"):
        import_games(tmp_path / "e.db", source, "ann")
    import_games(tmp_path / "e.db", source, "ann", "bob", Geometry(5, 5))
    with pytest.raises(InvalidStore, match=r"are of 5x5 connect 4, not 7x6 connect 4"):
        import_games(tmp_path / "e.db", source, "ann", "bob", Geometry())
    assert find_games(tmp_path / "e.db").geometry == Geometry(5, 5)
    with pytest.raises(InvalidStore, match="holds the games of a tournament"):
        import_games(path, source, "ann", "bob")
    with pytest.raises(InvalidStore, match="is not a file of games"):
        import_games(source, source, "ann", "bob")
    with pytest.raises(InvalidGames, match=r"no\.txt cannot be read: No such file"):
        import_games(tmp_path / "e.db", tmp_path / "no.txt")
    (tmp_path / "x.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidGames, match="its text is in UTF-16: save it as UTF-8"):
        import_games(tmp_path / "e.db", tmp_path / "x.txt", "ann", "bob")


@pytest.mark.parametrize(
    ("wanted", "jobs"),
    [
        (GameFilter(), "abcd"),
        (GameFilter(("ann",)), "abcd"),
        (GameFilter(("carl",)), "cd"),
        (GameFilter(("carl", "bob, the second")), ""),
        (GameFilter(("ann",), "win"), "ad"),
        (GameFilter(("ann",), "loss"), "b"),
        (GameFilter(("carl", "ann"), "loss"), "d"),
        (GameFilter(result="first"), "abd"),
        (GameFilter(result="unfinished"), "c"),
        (GameFilter(result="draw"), ""),
        (GameFilter(fault="crash"), "b"),
        (GameFilter(fault="any"), "b"),
        (GameFilter(fault="time"), ""),
        (GameFilter(plies=(3, 7)), "ab"),
        (GameFilter(opening="44 55"), "a"),
        (GameFilter(pair=0), "ab"),
    ],
)
def test_games_are_picked(tmp_path: Path, wanted: GameFilter, jobs: str) -> None:
    with Store.create(tmp_path / "s.db", {}, AGENTS) as store:
        store.add(GAMES)
        found = find_games(store, wanted)
    assert "".join(game.job for game in found.games) == jobs
    assert found.stored == 4


def test_games_that_come_in_meanwhile_are_not_counted(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", {}, AGENTS) as store:
        store.add(GAMES[:3])

        class Growing(Store):
            """Read by this process while another one adds to it."""

            def games(self, *args: Any, **named: Any) -> Iterator[Game]:
                yield from super().games(*args, **named)
                store.add(GAMES[3:])

        with Growing.read(tmp_path / "s.db") as growing:
            found = find_games(growing)
    assert (len(found.games), found.stored) == (3, 3)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 3,000 games, two of a number, every tenth of carl; one of them is corrupt."""
    path = tmp_path_factory.mktemp("large") / "large.db"
    with Store.create(path, {}, AGENTS) as store:
        store.add(
            Game(f"j{n:05}", n // 2, None, 0, 1 + (n % 10 == 3), "", "1212121", 0, move_stats={})
            for n in range(3000)
        )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET moves = '9' WHERE job = 'j01000'")
    return path


@contextmanager
def games_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The games that are read in the block, by weak references, so that they can be freed."""
    found, of_row = [], Game.of_row

    def noted(row: Any, root: Any) -> Game:
        game = of_row(row, root)
        found.append(weakref.ref(game))
        return game

    with monkeypatch.context() as changed:
        changed.setattr(Game, "of_row", noted)
        yield found


@pytest.mark.parametrize("wanted", [GameFilter(), GameFilter(("carl",), "loss")])
def test_only_the_games_of_a_page_are_read(
    large: Path, wanted: GameFilter, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [f"j{n:05}" for n in range(3000) if not wanted.agents or n % 10 == 3]
    for page in (1, 2, 15, len(every) // 20, len(every) // 20 + 1, 10**30):
        with games_read(monkeypatch) as read:
            found = find_games(large, wanted, limit=20, page=page)
        jobs = every[20 * (page - 1) : 20 * page]
        assert [game.job for game in found.games] == jobs
        assert (len(read), found.stored, found.corrupt) == (len(jobs), 3000, 0)


def test_a_damaged_game_takes_its_place_on_a_page(large: Path) -> None:
    found = find_games(large, limit=1, page=1001)
    assert (found.games, found.corrupt) == ((), 1)
    assert [game.job for game in find_games(large, limit=1, page=1002).games] == ["j01001"]
    every = find_games(large)
    assert (len(every.games), every.stored, every.corrupt) == (2999, 2999, 1)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "txt"])
def test_games_are_written_one_at_a_time(
    large: Path, tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once: set[int] = set()
    monkeypatch.setattr("claimeven.arena.store.query._ROWS", 100)  # several parts of a file
    with games_read(monkeypatch) as read:
        count = export_games(
            large,
            tmp_path / f"a.{ending}",
            on_progress=lambda _: at_once.add(sum(game() is not None for game in read[-200:])),
        )
    assert count == 2999
    assert max(at_once) < 5
    if ending == "parquet":
        from pyarrow import parquet

        jobs = parquet.read_table(tmp_path / "a.parquet")["job"].to_pylist()
        assert jobs == [game.job for game in find_games(large).games]


def test_a_page_is_found_in_a_file_with_corrupt_parts(large: Path, tmp_path: Path) -> None:
    data, path = bytearray(large.read_bytes()), tmp_path / "corrupt.db"
    leaves = [n for n in range(0, len(data), 4096) if b"1212121" in data[n : n + 4096]]
    for place in (leaves[2], leaves[-9]):
        data[place : place + 60] = b"?" * 60
    path.write_bytes(data)
    with Store.read(path) as store:
        every = [game.job for game in store.games()]
        assert 0 < len(every) < 2999
        first = GameFilter(("carl",)).query(store.agents, Geometry(), 7, 20)
        found = [game.job for game in store.games(query=first)]
        assert found == [job for job in every if job.endswith("3")][7:27]


def test_invalid_filters_and_targets_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidStore, match=r"no agent 'anne' \(did you mean ann\?\)"):
        find_games(path, GameFilter(("anne",)))
    with pytest.raises(InvalidNotation, match="'8' is not a column"):
        find_games(path, GameFilter(opening="48"))
    for wrong, message in (
        ({"result": "won"}, "no result 'won'"),
        ({"result": "win"}, "the result win needs an agent: name it"),
        ({"fault": "crsh"}, r"no fault 'crsh' \(did you mean crash\?\)"),
        ({"plies": (9, 7)}, "plies must be a minimum and a maximum, got 9 to 7"),
    ):
        with pytest.raises(InvalidMatch, match=message):
            GameFilter(**wrong)
    with pytest.raises(InvalidMatch, match=r"a\.xls must end in \.csv, \.jsonl, \.parquet, \.txt"):
        export_games(path, tmp_path / "a.xls")
    with pytest.raises(CannotWrite, match="there is no folder"):
        export_games(path, tmp_path / "no" / "a.csv")
