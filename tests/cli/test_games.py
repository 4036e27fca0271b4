"""`claimeven games`: lists, one game drawn, files written and read, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven import __version__
from claimeven.arena.games.game import Game
from claimeven.arena.store.store import Store, StoredAgent
from tests.arena.report.stores import DRAWN
from tests.cli.conftest import Run, bad_input

AGENTS = (StoredAgent(0, "ann", "bots/ann.py"), StoredAgent(1, "bob", "random"))
GAMES = (
    Game("a", 0, 0, 0, 1, "44", "55667", 0),
    Game("b", 1, 0, 1, 0, "44", "5", 0, fault="stall", fault_seat=1, reason="no answer"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "class.db", {"plan": {"columns": 7}}, AGENTS) as store:
        store.add(GAMES)
    return tmp_path / "class.db"


def test_the_list_shows_players_and_results(run: Run, path: Path) -> None:
    ran = run("games", str(path))
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[1].split() == ["1", "first", "7", "ann", "-", "bob"]
    assert lines[2].endswith("bob - ann (forfeit of ann: stall)")
    assert " ".join(lines[4:]).startswith("2 games on 7x6 connect 4: Yellow won 2, Red 0")
    few = run("games", str(path), "--agent", "ann", "--result", "win", "--plies", "7")
    assert "1 game of 2 on 7x6 connect 4" in few.out


def test_games_are_picked_and_counted(run: Run, path: Path, tmp_path: Path) -> None:
    with Store.extend(path) as store:
        store.add(
            [
                Game("c", 2, 1, 0, 1, "", "1212", None, finished=False),
                Game("d", 3, 1, 1, 0, "", "", 1, fault="crash", fault_seat=0),
                Game("e", 4, 2, 1, 0, "", "12121", None, finished=False),
            ]
        )

    def selected(*words: str) -> list[int]:
        lines = run("games", str(path), *words, "--json").out.splitlines()
        return [json.loads(line)["game"] for line in lines]

    assert [selected("--agent", "ann", "--result", result) for result in ("win", "loss")] == [
        [1, 4],
        [2],
    ]
    assert [selected("--pair", "1"), selected("--pair", "2")] == [[1, 2], [3, 4]]
    assert [selected("--plies", text) for text in ("0", "3", "3-4", " 5-7 ")] == [
        [4], [2], [2, 3], [1, 5]
    ]  # fmt: skip
    assert [selected("--opening", "44"), selected("--opening", "445")] == [[1, 2], [1, 2]]
    assert " ".join(run("games", str(path)).out.split()).endswith(
        "5 games on 7x6 connect 4: Yellow won 2, Red 1, drawn 0, unfinished 2; forfeits 2"
    )
    out = tmp_path / "few.csv"
    output = json.loads(run("games", str(path), "--plies", "7", "--export", str(out), "--json").out)
    assert output == {"out": str(out), "games": 1, "claimeven": __version__}
    lines = run("games", str(path), "--game", "4").out.splitlines()
    assert lines[:3] == [
        "game 4: Yellow bob, Red ann",
        "Red wins, 0 discs; bob forfeits: crash",
        "moves ",
    ]


def test_a_game_of_an_agent_against_itself_is_won_and_lost(run: Run, path: Path) -> None:
    with Store.extend(path) as store:
        store.add([Game("c", 2, None, 0, 0, "", "4455667", 0)])
    for result in ("win", "loss"):
        lines = run("games", str(path), "--agent", "ann", "--result", result).out.splitlines()
        assert any(line.endswith("ann - ann") for line in lines)
    assert "ann - ann" not in run("games", str(path), "--agent", "ann", "--result", "draw").out


def test_games_that_cannot_be_played_are_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    with Store.create(path, {"plan": {"columns": 7}}, AGENTS) as store:
        store.add(
            Game(moves, number, 0, 0, 1, "", moves, 0)
            for number, moves in enumerate(("4444444", "49"))
        )
        store.add([Game("sound", 2, 0, 0, 1, "", "4455667", 0)])
    for words in ((), ("--json",), ("--export", str(tmp_path / "a.csv"))):
        ran = run("games", str(path), *words)
        message = f"2 more games of {path} are unreadable and left out\n"
        assert (ran.status, ran.err) == (0, message)
    output = bad_input(run("games", str(path), "--game", "1"))
    assert output == f"there is no game 1 in {path}, which has 3, 2 of them unreadable"


def test_one_game_is_drawn(run: Run, path: Path) -> None:
    ran = run("games", str(path), "--game", "1")
    assert ran.out.splitlines()[:4] == [
        "game 1: Yellow ann, Red bob",
        "Yellow wins, 7 discs",
        "opening 44",
        "moves 4455667",
    ]
    assert "│ · · ·*●*●*●[●]│" in ran.out
    assert "ann forfeits: no answer" in run("games", str(path), "--game", "2").out


def test_games_go_out_and_come_in(run: Run, path: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "games.csv", tmp_path / "other.db"
    assert run("games", str(path), "--export", str(out)).out.split()[-3:] == [
        f"{out}:",
        "2",
        "games",
    ]
    output = json.loads(run("games", str(other), "--import", str(out), "--json").out)
    del output["claimeven"]
    assert output == {"out": str(other), "added": 2, "before": 0, "unfinished": 0, "scored": 0}
    again = run("games", str(other), "--import", str(out)).out
    assert "0 games added" in " ".join(again.split())
    assert "2 of this file were there already" in " ".join(again.split())
    typed = run(
        "games", str(other), "--import", "-", "--first", "x", "--second", "y", typed="44\n1\n"
    )
    assert "2 games added from stdin, 2 of them unfinished" in " ".join(typed.out.split())
    listed = [json.loads(line) for line in run("games", str(other), "--json").out.splitlines()]
    assert [game["moves"] for game in listed] == ["4455667", "445", "44", "1"]
    assert [game["first"] for game in listed] == ["ann", "bob", "x", "x"]
    assert [game["second"] for game in listed] == ["bob", "ann", "y", "y"]
    text = tmp_path / "moves.txt"
    text.write_text("71\n")
    names = ("--first", "ann", "--second", "y")
    assert run("games", str(other), "--import", str(text), *names).status == 0
    last = json.loads(run("games", str(other), "--json").out.splitlines()[-1])
    assert [last[key] for key in ("first", "second", "moves")] == ["ann", "y", "71"]


def test_imported_games_can_be_judged(run: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "e.db")
    words = ("--import", "-", "--first", "ann", "--second", "bob", "--columns", "4", "--rows", "4")
    assert run("games", store, *words, typed="1213\n").status == 0
    output = json.loads(run("accuracy", store, "--table-mb", "1", "--json").out)
    assert (output["moves"], output["columns"]) == (4, 4)
    # A file knows its board: it need not be said again, and cannot be another.
    assert run("games", store, *words[:6], typed="1213\n12\n").status == 0
    refused = bad_input(run("games", store, *words[:6], "--columns", "5", typed="12\n"))
    assert "4x4 connect 4, not 5x6 connect 4" in refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.db",), "missing.db cannot be read: there is no such file"),
        (("TEXT",), "is not a file of games of claimeven"),
        (("FILE", "--game", "9"), "there is no game 9 in "),
        (("FILE", "--agent", "anne"), "there is no agent 'anne' (did you mean ann?)"),
        (
            ("FILE", "--result", "wn"),
            "must be one of first, second, draw, unfinished, win, loss, got 'wn'",
        ),
        (("FILE", "--result", "win"), "the result win needs an agent"),
        (("FILE", "--fault", "no"), "there is no fault 'no'"),
        (
            ("FILE", "--plies", "x"),
            "--plies must be a number of discs or a range such as 7-20, got 'x'",
        ),
        (("FILE", "--opening", "48"), "'8' is not a column"),
        (("FILE", "--columns", "5"), "have the board 7x6 connect 4, not 5x6 connect 4"),
        (("FILE", "--export", "a.xls"), "a.xls must end in .csv, .jsonl, .parquet, .txt"),
        (("FILE", "--second", "ann"), "--first and --second need --import"),
        (("FILE", "--first", "ann"), "--first and --second need --import"),
        (("FILE", "--import", "TEXT"), "the games of a tournament"),
        (("new.db", "--import", "TEXT", "--game", "1"), "--game selects stored games"),
        (("new.db", "--import", "TEXT"), "line 1 of "),
        (("new.db", "--import", "TEXT", "--first", "a", "--second", "b"), "line 2 of "),
        (("new.db", "--import", "missing.txt"), "missing.txt cannot be read: No such file"),
    ],
)
def test_bad_input_gets_one_sentence(
    run: Run, path: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    text = tmp_path / "own.txt"
    text.write_text("44\n4489\n")
    before = path.read_bytes()
    files = {"FILE": str(path), "TEXT": str(text), "new.db": str(tmp_path / "new.db")}
    assert message in bad_input(run("games", *(files.get(word, word) for word in arguments)))
    assert path.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


def test_long_lists_come_in_pages(run: Run, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.extend(path) as store:
        store.add(Game(f"p{n}", n, None, 0, 1, "", DRAWN, None) for n in range(2, 7))

    def listed(*words: str) -> tuple[list[int], str]:
        head, _, end = run("games", str(path), *words).out.rpartition("\n\n")
        return [int(line.split()[0]) for line in head.splitlines()[1:]], " ".join(end.split())

    numbers, end = listed("--limit", "3")
    assert numbers == [1, 2, 3]
    assert end.startswith("3 games of 7 on 7x6") and end.endswith("; --page 2 lists the next")
    assert listed("--limit", "3", "--page", "3") == (
        [7], "1 game of 7 on 7x6 connect 4: Yellow won 0, Red 0, drawn 1",
    )  # fmt: skip
    assert listed("--result", "draw", "--limit", "2", "--page", "2")[0] == [5, 6]
    monkeypatch.setattr("claimeven.cli.games.DEFAULT_LIMIT", 4)
    assert listed()[0] == [1, 2, 3, 4]
    lines = run("games", str(path), "--json").out.splitlines()
    assert [json.loads(line)["game"] for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    (line,) = run("games", str(path), "--json", "--limit", "1", "--page", "7").out.splitlines()
    assert json.loads(line)["game"] == 7
    refused = run("games", str(path), "--limit", "3", "--export", "x.csv")
    assert refused.status == 2 and "--export writes all games" in refused.err
