"""Games in a file: what is written is read, one writer at a time, kills and foreign files."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimeven.arena.store.store import APPLICATION_ID, InvalidStore, Store
from claimeven.arena.store.stored import StoredAgent, StoredGame
from claimeven.errors import ClaimevenError
from claimeven.outputs import CannotWrite
from tests import forks
from tests.cli.conftest import environment

AGENTS = (StoredAgent(0, "greedy", "greedy"), StoredAgent(1, "mine", "bots/mine.py", "ab12"))
GAME = StoredGame("job0", 0, 0, 0, 1, "44", "5566", 1, seconds=0.5, told={"nodes": [1.0, None]})


def store(path: Path) -> Store:
    return Store.create(path, {"plan": {"seed": 1}}, AGENTS)


numbers = st.one_of(
    st.none(), st.integers(0, 10**9), st.floats(allow_nan=False, allow_infinity=False)
)
games = st.builds(
    StoredGame,
    job=st.text(min_size=1, max_size=8),
    number=st.integers(0, 10**6),
    pair=st.one_of(st.none(), st.integers(0, 10**6)),
    first=st.integers(0, 1),
    second=st.integers(0, 1),
    opening=st.text("1234567", max_size=8),
    moves=st.text("1234567", max_size=42),
    winner=st.one_of(st.none(), st.integers(0, 1)),
    finished=st.booleans(),
    fault=st.one_of(st.none(), st.text(max_size=5)),
    fault_seat=st.one_of(st.none(), st.integers(0, 1)),
    reason=st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=20)),
    seconds=st.one_of(st.none(), st.floats(0, 1e6)),
    told=st.dictionaries(st.sampled_from(["seconds", "nodes"]), st.lists(numbers, max_size=4)),
)


@settings(max_examples=40)  # each makes a file
@given(st.lists(games, unique_by=lambda game: game.job, max_size=6))
def test_what_is_written_is_read(written: list[StoredGame]) -> None:
    with TemporaryDirectory() as folder:
        with store(Path(folder) / "s.db") as opened:
            opened.add(written)
        with Store.read(Path(folder) / "s.db") as opened:
            assert list(opened.games()) == sorted(written, key=lambda g: (g.number, g.job))
            assert opened.agents == AGENTS
            assert opened.meta == {"plan": {"seed": 1}}
            assert opened.jobs() == {game.job for game in written}
            assert len(opened) == len(written)


def test_a_game_stands_once(tmp_path: Path) -> None:
    with store(tmp_path / "s.db") as opened:
        opened.add([GAME])
        opened.add([replace(GAME, moves="1"), replace(GAME, job="job1", number=1)])
        assert [game.moves for game in opened.games()] == ["5566", "5566"]


def test_one_writer_at_a_time_and_any_number_of_readers(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with store(path) as writing:
        writing.add([GAME])
        with pytest.raises(InvalidStore, match=r"s\.db is being written by another process"):
            Store.extend(path)
        (tmp_path / "link.db").symlink_to(path)
        for begun in (
            lambda: Store.extend(tmp_path / "link.db"),
            lambda: store(tmp_path / "link.db"),
        ):
            with pytest.raises(InvalidStore, match=r"link\.db is being written by another process"):
                begun()
        (tmp_path / "link.db").unlink()
        with Store.read(path) as reading:
            assert len(reading) == 1
            writing.add([replace(GAME, job="job1")])
            assert len(reading) == 2
    with Store.extend(path) as writing:
        assert len(writing) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["s.db"]


def test_readers_write_nothing_and_leave_one_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with store(path) as writing:
        writing.add([GAME])
    for _ in range(2):
        with Store.read(path) as reading, Store.read(path) as beside:
            assert len(reading) == len(beside) == 1
            with pytest.raises(ClaimevenError):
                reading.set_meta("seed", 2)
    assert [file.name for file in tmp_path.iterdir()] == ["s.db"]


def test_what_a_killed_writer_left_is_tidied_by_who_reads(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    begin = [sys.executable, "-c", WRITER, str(path)]
    with forks.program(begin, stdout=subprocess.PIPE, env=environment(), text=True) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(20)]
        writer.send_signal(signal.SIGKILL)
    with Store.read(path) as reading:
        count = len(reading)
    assert count >= len(told)
    assert not path.with_name("s.db-wal").exists()
    with Store.extend(path) as opened:
        assert len(opened) == count


WRITER = """
import sys
from claimeven.arena.store.store import Store
from claimeven.arena.store.stored import StoredAgent, StoredGame
opened = Store.create(sys.argv[1], {}, [StoredAgent(0, "a", "a")])
for number in range(10**6):
    opened.add([StoredGame(f"job{number}", number, None, 0, 0, "", "44", None)])
    print(number, flush=True)
"""


def test_a_killed_writer_leaves_every_game_it_told_of(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    begin = [sys.executable, "-c", WRITER, str(path)]
    with forks.program(begin, stdout=subprocess.PIPE, env=environment(), text=True) as writer:
        assert writer.stdout is not None
        for _ in range(200):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
    with Store.extend(path) as opened:
        numbers = [game.number for game in opened.games()]
    assert numbers[: last + 1] == list(range(last + 1))
    assert numbers == list(range(len(numbers)))


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE x (y)")


def later_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute("PRAGMA user_version=99")
        connection.execute("CREATE TABLE games (x)")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text("4455\n" * 400), r"s\.db is no file of games"),
        (lambda path: path.write_bytes(b""), r"s\.db is no file of games"),
        (other_database, r"s\.db is no file of games of claimeven$"),
        (later_version, r"s\.db is a file of games of version 99; this claimeven reads 1"),
        (lambda path: None, r"s\.db cannot be read: there is no such file"),
        (Path.mkdir, r"s\.db cannot be read: it is not a file"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    path = tmp_path / "s.db"
    make(path)
    for opening in (Store.read, Store.extend):
        with pytest.raises(InvalidStore, match=said):
            opening(path)


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with store(path) as opened:
        opened.add([GAME])
    with pytest.raises(InvalidStore, match=r"s\.db is there already: go on with --resume"):
        store(path)
    with pytest.raises(CannotWrite, match="it is a folder"):
        store(tmp_path)


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "s.db.lock").mkdir()
    with pytest.raises(InvalidStore, match=r"s\.db cannot be used: unable to open"):
        store(tmp_path / "s.db")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE games SET told = '{broken'", "is damaged: game 1 cannot be read"),
        ("UPDATE games SET told = '[]'", "is damaged: game 1 cannot be read"),
        ("UPDATE games SET told = '{\"nodes\": 3}'", "is damaged: game 1 cannot be read"),
        ('UPDATE games SET told = \'{"nodes": ["x"]}\'', "is damaged: game 1 cannot be read"),
        ("UPDATE games SET moves = x'01ff'", "is damaged: game 1 cannot be read"),
        ("UPDATE games SET number = 'x'", "is damaged: a game cannot be read"),
        ("UPDATE games SET moves = CAST(x'ff' AS TEXT)", "cannot be used: Could not decode"),
        ("DELETE FROM agents WHERE id = 1", "is damaged: game 1 cannot be read"),
        ("UPDATE agents SET label = x'ff'", "is damaged: it has lost who agent 0 is"),
        ("UPDATE meta SET value = '{'", "is damaged: what was planned is lost"),
    ],
)
def test_damage_is_told_in_a_sentence(tmp_path: Path, change: str, said: str) -> None:
    path = tmp_path / "s.db"
    with store(path) as opened:
        opened.add([GAME])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    connection.close()
    with Store.read(path) as opened, pytest.raises(InvalidStore) as refused:
        assert opened.meta
        list(opened.games())
    assert f"{path} {said}" in str(refused.value)


def test_a_new_file_is_gone_if_nothing_came_of_it(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with pytest.raises(KeyError), store(path):
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    link, target = tmp_path / "link.db", tmp_path / "target.db"
    link.symlink_to(target)
    with pytest.raises(KeyError), store(link):
        raise KeyError
    assert list(tmp_path.iterdir()) == [link]
    with pytest.raises(KeyError), store(path) as opened:
        opened.add([GAME])
        raise KeyError
    with pytest.raises(KeyError), Store.extend(path):
        raise KeyError
    with Store.read(path) as opened:
        assert len(opened) == 1


def test_a_file_without_games_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store(path).close()
    assert path.exists()
    with Store.create(path, {"plan": 2}, AGENTS[:1]) as opened:
        assert (opened.meta, opened.agents) == ({"plan": 2}, AGENTS[:1])
        with pytest.raises(InvalidStore, match="is being written by another process"):
            Store.create(path, {"plan": 3}, AGENTS)
        opened.add([replace(GAME, second=0)])
    with pytest.raises(InvalidStore, match="is there already"):
        Store.create(path, {"plan": 2}, AGENTS)


def test_points_follow_the_winner() -> None:
    assert (GAME.points(0), GAME.points(1)) == (0.0, 1.0)
    assert replace(GAME, winner=None).points(0) == 0.5
    assert GAME.all_moves == "445566"


@pytest.mark.parametrize("name", ["winner", "fault_seat"])
def test_a_seat_that_there_is_not_is_damage(name: str) -> None:
    row = replace(StoredGame("a", 0, 0, 0, 1, "", "1213141", 0), **{name: 5}).row
    with pytest.raises(ValueError, match=f"{name} is 5"):
        StoredGame.of_row(row)
