"""The facts that decide play are stored with the games, and a change of one needs consent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import claimeven
from claimeven import play_match, play_tournament
from claimeven.agents.fingerprint import digest_of_files
from claimeven.arena.api import run_sprt
from claimeven.arena.games.plan import Plan, brief_names
from claimeven.arena.options import InvalidMatch
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.runs import FileChangeMonitor, run_notes, runs_of
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.run import open_store

BOT = "from helper import best\ndef agent(position):\n    return best(position)\n"
HELPER = "def best(position):\n    return position.legal_columns[{}]\n"
EVALUATION = "def f(position):\n    return {}\n"


def _bot(folder: Path, version: int) -> str:
    (folder / "bot.py").write_text(BOT)
    (folder / "helper.py").write_text(HELPER.format(-version))
    return str(folder / "bot.py")


def _own_file(folder: Path, version: int) -> str:
    (folder / "own.py").write_text(HELPER.format(-version))
    return str(folder / "own.py")


def _weights(folder: Path, version: int) -> str:
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "w.json").write_text(str(-version))
    (folder / "bot.py").write_text(
        "import json\nfrom pathlib import Path\n"
        "WHICH = json.loads((Path(__file__).parent / 'data' / 'w.json').read_text())\n"
        "def agent(position):\n    return position.legal_columns[WHICH]\n"
    )
    return str(folder / "bot.py")


def _evaluation(folder: Path, version: int) -> str:
    (folder / "ev.py").write_text(EVALUATION.format(version))
    return f"alphabeta:depth=1,eval={folder / 'ev.py'}:f"


KINDS: dict[str, tuple[Callable[[Path, int], str], str]] = {
    "helper": (_bot, "helper.py of bot.py has changed"),
    "own file": (_own_file, "the file of own.py has changed"),
    "weights": (_weights, "data/w.json of bot.py has changed"),
    "evaluation": (_evaluation, "the file of alphabeta:depth=1,eval=ev.py:f has changed"),
}


def tournament(agent: str, path: Path, **asked: Any) -> int:
    return len(play_tournament([agent, "random"], out=path, **asked).standings.games)


def match(agent: str, path: Path, rounds: int, **asked: Any) -> int:
    return len(play_match(agent, "random", games=2 * rounds, out=path, **asked).games)


def sprt(agent: str, path: Path, rounds: int, **asked: Any) -> int:
    return len(
        run_sprt(
            agent, "random", elo0=-0.1, elo1=0.1, max_games=2 * rounds, out=path, **asked
        ).standings.games
    )


@pytest.mark.parametrize(
    ("play", "kind"), [*((tournament, kind) for kind in KINDS), (match, "helper"), (sprt, "helper")]
)
def test_a_changed_file_is_not_mixed_in(
    tmp_path: Path, kind: str, play: Callable[..., int]
) -> None:
    make, message = KINDS[kind]
    path = tmp_path / "t.db"
    assert play(make(tmp_path, 1), path, rounds=1) == 2
    assert play(make(tmp_path, 1), path, rounds=2, resume=True) == 4
    changed = make(tmp_path, 2)
    for _ in range(2):
        with pytest.raises(InvalidStore) as refused:
            play(changed, path, rounds=3, resume=True)
        assert str(refused.value) == (
            f"{message} since the games of {path} were played: --resume-changed adds to it anyway,"
            " another file of --out starts again"
        )
    assert play(changed, path, rounds=3, resume="changed") == 6
    assert play(changed, path, rounds=4, resume=True) == 8
    with Store.read(path) as store:
        assert [run["games"] for run in runs_of(store)] == [0, 4]
        (remark,) = run_notes(store)
    assert remark.endswith("has changed after 4 games: the results mix both.")


def test_a_file_that_is_gone_or_new_is_a_change(tmp_path: Path) -> None:
    path, bot = tmp_path / "t.db", _bot(tmp_path, 1)
    tournament(bot, path, rounds=1)
    (tmp_path / "helper.py").rename(tmp_path / "helper2.py")
    (tmp_path / "bot.py").write_text(BOT.replace("helper", "helper2"))
    with pytest.raises(InvalidStore, match=r"the file of bot.py, helper.py of bot.py and helper2"):
        tournament(bot, path, rounds=2, resume=True)


def test_another_version_is_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.db"
    tournament("greedy", path, rounds=1)
    before = claimeven.__version__
    monkeypatch.setattr(claimeven, "__version__", "99.0")
    with pytest.raises(InvalidStore, match=rf"claimeven \({before}, now 99\.0\) has changed since"):
        tournament("greedy", path, rounds=2, resume=True)
    assert tournament("greedy", path, rounds=2, resume="changed") == 4
    with pytest.raises(InvalidMatch, match="resume must be True, False or 'changed', got 'yes'"):
        tournament("greedy", path, rounds=2, resume="yes")


def test_a_store_that_does_not_say_is_read_and_asked_about(tmp_path: Path) -> None:
    path, bot = tmp_path / "t.db", _own_file(tmp_path, 1)
    tournament(bot, path, rounds=1)
    with Store.extend(path) as store:  # as version 0.2 left it, with the whole path
        plan = {**store.meta["plan"], "agents": [bot, "random"]}
        store._connection.execute("DELETE FROM meta WHERE key = 'runs'")
        store._connection.execute("UPDATE agents SET spec = ? WHERE id = 0", (bot,))
        store._connection.execute("UPDATE games SET job = 'old' || number")
        store._connection.commit()
        store.set_meta("plan", plan)
    with Store.read(path) as store:
        assert (len(list(store.games())), runs_of(store), list(run_notes(store))) == (2, [], [])
    with pytest.raises(InvalidStore, match=r"does not say which version of claimeven .* --resume-"):
        tournament(bot, path, rounds=2, resume=True)
    assert tournament(bot, path, rounds=2, resume="changed") == 4
    with Store.read(path) as store:
        (remark,) = run_notes(store)
    assert remark == "the files and the version behind the first 2 games are unknown."
    with Store.extend(path) as store:
        store._connection.execute("DELETE FROM meta WHERE key = 'runs'")
        store._connection.commit()
    _own_file(tmp_path, 2)
    with pytest.raises(InvalidStore, match=r"the file of own\.py has changed since"):
        tournament(bot, path, rounds=3, resume=True)


def test_a_file_that_changes_while_games_are_played_is_noted(tmp_path: Path) -> None:
    path, bot = tmp_path / "t.db", _bot(tmp_path, 1)
    messages: list[str] = []
    plan = Plan((bot, "random"))
    with open_store(path, plan, resume=False) as store:
        watch = FileChangeMonitor(store, plan.agent_files, messages.append)
        (tmp_path / "helper.py").touch()
        watch.check(at_end=True)
        assert not messages
        (tmp_path / "bot.py").write_text(BOT + "# its processes keep the text they had\n")
        watch.check(at_end=True)
        assert not messages
        _bot(tmp_path, 2)
        watch.check()  # so soon after it started no file is checked
        assert not messages
        watch.check(at_end=True)
        watch.check(at_end=True)
        assert messages == [
            f"helper.py of {bot} has changed while games are played: later games may be by another"
        ]
        (remark,) = run_notes(store)
    assert "helper.py of" in remark
    assert "has changed while games were played, after 0 of them" in remark


def test_results_as_json(tmp_path: Path) -> None:
    bot = _bot(tmp_path, 1)
    for result in (
        play_match(bot, "random", games=4, opening_plies=2),
        play_tournament([bot, "random"], rounds=2),
        run_sprt(bot, "random", elo0=-0.1, elo1=0.1, max_games=4),
    ):
        data = json.loads(json.dumps(result.as_dict()))
        about = data["provenance"]
        assert [sorted(each) for each in about["files"]] == [["bot.py", "helper.py"], []]
        assert about["python"] == sys.version.split()[0]
        assert (data["columns"], data["rows"], data["connect"]) == (7, 6, 4)
        assert set(data["limit"]) == {"seconds", "iterations", "depth", "nodes", "time_bank"}
        assert 1 <= len(data["openings"]) <= 2
        assert data["changed_files"] == []


def test_a_corrupt_list_of_runs_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    tournament("greedy", path, rounds=1)
    for runs in (5, [5], [{"claimeven": 1}], [{"claimeven": "1", "games": 0, "files": [5]}]):
        with Store.extend(path) as store:
            store.set_meta("runs", runs)
        with closing(Store.read(path)) as store, pytest.raises(InvalidStore, match="is corrupt"):
            runs_of(store)


def test_no_folder_of_this_machine_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    tournament(_bot(tmp_path, 1), path, rounds=1)
    tournament(_evaluation(tmp_path, 1), tmp_path / "ev.db", rounds=1)
    for stored in (path, tmp_path / "ev.db"):
        assert str(tmp_path).encode() not in stored.read_bytes()
    assert tournament(str(tmp_path / "bot.py"), path, rounds=2, resume=True) == 4


def test_names_lose_their_folders_as_far_as_they_stay_apart() -> None:
    assert brief_names(["/a/x.py", "/b/x.py", "/b/y.py:f"]) == ("a/x.py", "b/x.py", "b/y.py:f")
    assert brief_names(["/x.py", "x.py"]) == ("/x.py", "x.py")
    of_windows = [
        "C:\\Users\\Ann Lee\\bots\\x.py:f",
        "ugi:D:/c4/engine.exe --net=C:\\m\\w.bin",
        "uct:c=1",
    ]
    assert brief_names(of_windows) == ("x.py:f", "ugi:engine.exe --net=w.bin", "uct:c=1")
    for name in ("http://127.0.0.1:8000/play", "bots/x.py", "uct:c=0.7", "ugi:engine --depth 3"):
        assert brief_names([name]) == (name,)
    assert brief_names(["ugi:/opt/an engine/x --net=/m/w.bin"])[0].endswith("--net=w.bin")
    assert brief_names(["/home/Ann Lee/x.py:f", "kaggle:/home/main.py"]) == (
        "x.py:f",
        "kaggle:main.py",
    )


def test_agents_with_equal_files_are_remarked_on(tmp_path: Path) -> None:
    text = HELPER.format(0)
    for name in ("ann", "bob", "cem"):
        (tmp_path / f"{name}.py").write_text(text.replace("best", "agent"))
    (tmp_path / "dee.py").write_text("# another\n" + text)
    names = [str(tmp_path / f"{name}.py") for name in ("ann", "bob", "cem", "dee")]
    remarks = play_tournament([*names, "greedy"], rounds=2).standings.remarks
    message = "ann, bob and cem are equal files: their games against each other are chance."
    assert remarks == (message,)
    (tmp_path / "m.npz").write_bytes(b"1")
    (tmp_path / "n.npz").write_bytes(b"1")
    one, other = (digest_of_files(f"net:model={tmp_path / name}.npz") for name in "mn")
    assert one == other is not None


def test_a_tournament_with_old_names_of_options_is_resumed(tmp_path: Path) -> None:
    old, new = (
        "uct:first=order,cut=3,iterations=9",
        "uct:first_play=order,playout_cutoff=3,iterations=9",
    )
    path = tmp_path / "t.db"
    assert tournament(old, path, rounds=1) == 2
    assert tournament(old, path, rounds=2, resume=True) == 4
    assert tournament(new, path, rounds=3, resume=True) == 6
    with pytest.raises(InvalidStore, match="playout_cutoff=4,iterations=9 is new"):
        tournament(new.replace("=3", "=4"), path, rounds=4, resume=True)
    with Store.read(path) as store:
        assert [agent.spec for agent in store.agents] == [old, "random"]
