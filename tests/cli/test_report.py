"""`claimeven report`: files, output, and bad input."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from claimeven import Position
from claimeven.arena.accuracy.stored_games import accuracy_of
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common import options
from tests.arena.report.parsed import parsed
from tests.arena.report.stores import AGENTS, GAMES, SMALL_PLAN, game, made
from tests.cli.conftest import Run, bad_input, interrupted


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return made(tmp_path / "class.db", GAMES, {"plan": SMALL_PLAN})


def test_the_page_is_next_to_the_store(run: Run, store: Path) -> None:
    result = run("report", str(store), "--title", "Autumn & <winter>")
    page = store.with_suffix(".html")
    assert result.status == 0
    assert result.err == ""
    assert "6 games of 3 agents" in " ".join(result.out.split())
    assert parsed(page.read_text(encoding="utf-8")).one("h1").words() == "Autumn & <winter>"
    assert run("report", str(store)).status == 0


def test_json_has_the_written_file_and_the_figures(run: Run, store: Path) -> None:
    out = store.with_name("other.htm")
    output = json.loads(run("report", str(store), "--out", str(out), "--json").out)
    assert output["out"] == str(out)
    assert output["bytes"] == out.stat().st_size
    with Store.read(store) as opened:
        figures = Standings.of(opened.agents, opened.games()).as_dict()
    assert {name: output[name] for name in figures} == json.loads(json.dumps(figures))
    assert output["accuracy"] == json.loads(json.dumps(accuracy_of(store).as_dict()))
    assert output["plots"] == []
    quick = run("report", str(store), "--no-accuracy", "--json", "--plots", str(store.parent))
    output = json.loads(quick.out)
    assert output["accuracy"] is None
    assert len(output["plots"]) == 4
    assert all(Path(path).stat().st_size > 1000 for path in output["plots"])


@pytest.mark.parametrize(
    ("more", "judged"),
    [((), ", all judged"), (("--accuracy-games", "4"), ", 4 judged"), (("--no-accuracy",), "")],
)
def test_the_written_file_is_reported_in_words(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], judged: str
) -> None:
    monkeypatch.chdir(store.parent)
    result = run("report", store.name, *more)
    size = Path("class.html").stat().st_size / 1e6
    assert result.out == f"class.html: 6 games of 3 agents, {size:.1f} MB{judged}\n"


def test_charts_are_named_or_missed_in_words(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra plot")
    monkeypatch.chdir(store.parent)
    monkeypatch.setenv("COLUMNS", "40")
    output = run("report", store.name, "--no-accuracy", "--plots", "charts").out
    assert max(map(len, output.splitlines())) <= 40
    names = ", ".join(
        f"{name}.{kind}" for name in ("ratings", "time-and-strength") for kind in ("png", "svg")
    )
    assert " ".join(output.split()).endswith(f" MB charts: {names}")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = run("report", store.name, "--no-accuracy").out
    assert "MB without charts: " in " ".join(output.split())


def test_one_game_is_one_game_and_a_strange_name_is_printable(run: Run, tmp_path: Path) -> None:
    path = made(tmp_path / "one\x1b[31m.db", GAMES[:1], {"plan": SMALL_PLAN})
    output = " ".join(run("report", str(path), "--no-accuracy").out.split())
    assert "\x1b" not in output
    assert "1 game of 3 agents" in output


def test_one_agent_is_one_agent(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with Store.create(path, {"plan": SMALL_PLAN}, AGENTS[:1]) as stored:
        stored.add([game(0, 0, 0, "12131", 0)])
    output = run("report", str(path), "--no-accuracy").out
    assert "1 game of 1 agent, " in " ".join(output.split())


def test_games_that_cannot_be_judged_are_reported(run: Run, tmp_path: Path) -> None:
    games = [game(0, 0, 1, "ababa", 0), game(1, 1, 0, "abac", None, finished=False)]
    path = made(tmp_path / "large.db", games, {"plan": {**SMALL_PLAN, "columns": 12, "rows": 12}})
    output = " ".join(run("report", str(path)).out.split())
    assert "MB The moves were not judged: the solver supports boards of" in output
    assert "not judged" not in run("report", str(path), "--no-accuracy").out


def test_threads_are_rejected_or_no_more_than_there_can_be(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = bad_input(run("report", str(store), "--threads", "257"))
    assert message == "threads must be 1 to 256, got 257"
    assert not store.with_suffix(".html").exists()
    # As on a machine with more cores than a solver has threads.
    monkeypatch.setattr(options, "usable_cores", lambda: 300)
    assert "all judged" in " ".join(run("report", str(store)).out.split())


def test_bad_input_is_rejected(run: Run, store: Path, tmp_path: Path) -> None:
    before = store.read_bytes()
    nowhere = run("report", str(tmp_path / "no.db"))
    assert bad_input(nowhere).endswith("no.db cannot be read: there is no such file")
    over = run("report", str(store), "-o", str(store))
    assert bad_input(over).endswith("it holds games, so name another file")
    page = tmp_path / "page.html"
    page.write_text("<p>")
    assert "has the ending of a page" in bad_input(run("report", str(page)))
    output = bad_input(run("report", str(page), "-o", str(tmp_path / "a.html")))
    assert "page.html is not a file of games of claimeven" in output
    for option in ("--accuracy-games", "--threads"):
        output = bad_input(run("report", str(store), "--no-accuracy", option, "1"))
        assert output == f"{option} is for judging games: it does not go with --no-accuracy"
    for folder in (".", "/"):
        assert bad_input(run("report", folder)) == f"{folder} cannot be read: it is a folder"
    assert store.read_bytes() == before


def scores_kept(path: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM scores").fetchone()[0])
    except sqlite3.OperationalError:  # there is no such table yet
        return 0


def test_ctrl_c_reports_how_to_continue_and_stores_judged_games(tmp_path: Path) -> None:
    rng, games = random.Random(1), []
    for number in range(150):
        position, moves = Position(), ""
        while not position.is_over:
            column = rng.choice(position.legal_columns)
            position, moves = position.play(column), f"{moves}{column + 1}"
        games.append(game(number, 0, 1, moves, position.winner))
    path = made(tmp_path / "long.db", games)
    result = interrupted("report", str(path), when=lambda: scores_kept(path))
    assert (result.status, result.out) == (130, "")
    page = path.with_suffix(".html")
    assert result.err.splitlines()[-1].startswith(f"interrupted, {page} was not written; ")
    assert "run the same command to continue" in result.err
    assert scores_kept(path) >= 100
    assert not page.exists()


SMALL = ("--columns", "4", "--rows", "4", "--connect", "3", "--rounds", "1", "--jobs", "1")


def test_a_tournament_writes_its_page(run: Run, tmp_path: Path) -> None:
    out, page = tmp_path / "t.db", tmp_path / "t.html"
    words = ("tournament", "greedy", "random", *SMALL, "--seed", "5")
    result = run(*words, "--report", str(page), "--out", str(out), "--json")
    assert (result.status, json.loads(result.out)["games"]) == (0, 2)
    assert "2 games of 2 agents" in " ".join(result.err.split())
    about = parsed(page.read_text(encoding="utf-8")).one(id="about").one("dl").words()
    assert (
        "claimeven tournament greedy random --rounds 1 --seed 5 --columns 4 --rows 4 --connect 3"
        in about
    )
    without = run(*words, "--report", str(tmp_path / "other.html"))
    assert without.status == 0
    assert (tmp_path / "other.html").exists()
    settings = tmp_path / "class.toml"
    third = tmp_path / "third.html"
    settings.write_text(f'agents = ["greedy", "random"]\nreport = "{third}"\n')
    assert run("tournament", "--file", str(settings), *SMALL).status == 0
    assert third.exists()


def test_the_message_of_a_page_fits_the_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    words = ("tournament", "greedy", "random", "--rounds", "1", "--jobs", "1", "--columns", "12")
    result = run(*words, "--rows", "12", "--report", "a.html")
    assert "a.html: 2 games of 2 agents, " in result.err
    assert "The moves were not judged: " in result.err
    assert max(map(len, result.err.splitlines())) <= 40


def test_a_page_in_the_place_of_the_games_is_rejected_before_they_are_played(
    run: Run, store: Path, tmp_path: Path
) -> None:
    new = str(tmp_path / "new.db")
    words = ("tournament", "greedy", "random", *SMALL)
    assert "is the file of the games" in bad_input(run(*words, "--out", new, "--report", new))
    assert "is the file of the games" in bad_input(
        run(*words, "--out", new, "--report", f"{new}-wal")
    )
    assert "holds games" in bad_input(run(*words, "--report", str(store)))
    assert "there is no folder" in bad_input(
        run(*words, "--report", str(tmp_path / "a" / "b.html"))
    )
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "Too many levels" in bad_input(run(*words, "--out", new, "--report", str(loop)))
    link = tmp_path / "link"
    link.symlink_to(new)
    assert "is the file of the games" in bad_input(run(*words, "--out", new, "--report", str(link)))
    assert not Path(new).exists()


def test_a_match_writes_its_page(run: Run, tmp_path: Path) -> None:
    words = ("match", "greedy", "random", "--games", "2", *SMALL[:6])
    page = ("--report", str(tmp_path / "m.html"))
    assert "name it with --out" in bad_input(run(*words, *page))
    same = bad_input(run(*words, *page, "--out", page[1]))
    assert same.endswith("m.html is the file of the games: name another file for the page")
    assert not Path(page[1]).exists()
    result = run(*words, *page, "--out", str(tmp_path / "m.db"))
    assert result.status == 0
    assert "2 games of 2 agents" in " ".join(result.err.split())
    html = parsed((tmp_path / "m.html").read_text(encoding="utf-8"))
    assert html.one("h1").words() == "greedy against random"
