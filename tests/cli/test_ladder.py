"""`claimeven ladder`: the published one, an agent placed on it, the pool played, bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claimeven.arena import results
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.standings import Standings
from tests.cli.conftest import Run, bad_input, interrupted
from tests.cli.test_sprt import games_in

HERE = ("--jobs", "1")


def test_the_published_ladder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("ladder", "--published")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"pool 1, digest {reference_pool.pool_digest()}, 2112 games"
    assert lines[3].split()[:2] == ["1", "perfect"]
    assert lines[14].split()[:2] == ["12", "random"]
    assert max(map(len, lines)) <= 80
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run("ladder", "--published").out
    assert set(result.out.split()) == set(narrow.split())
    assert max(map(len, narrow.splitlines())) <= 40
    output = json.loads(run("ladder", "--published", "--json").out)
    assert (output["games"], output["same_games"]) == (2112, 2112)
    assert output["ratings"]["anchor"] == reference_pool.ANCHOR


def test_an_agent_gets_its_place(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "my_bot.py"
    bot.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    words = ("ladder", str(bot), "--rounds", "1", "--out", str(tmp_path / "mine.db"), *HERE)
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("my_bot: place 1")
    assert len([line for line in result.out.splitlines() if line.startswith("> 1")]) == 1
    assert "It took more than half the points off" in result.out
    assert max(map(len, result.out.splitlines())) <= 80
    with Store.read(tmp_path / "mine.db") as store:
        assert store.meta["command"] == "claimeven ladder my_bot.py --rounds 1"
    refused = bad_input(run(*words))
    assert "exists already: resume it with --resume" in refused
    output = json.loads(run(*words, "--resume", "--json").out)
    assert (output["label"], output["games"], len(output["opponents"])) == ("my_bot", 24, 12)
    verdicts = [each["verdict"] for each in output["opponents"]]
    beaten = sum(each["share"] > 0.5 for each in output["opponents"])
    assert (
        f"It took more than half the points off {beaten} of 12; it is stronger than"
        f" {verdicts.count('stronger')} and weaker than {verdicts.count('weaker')}, 95 % sure"
    ) in " ".join(result.out.split())
    assert f"0 is {reference_pool.ANCHOR}; moving first is worth" in result.out
    rows = [line.removeprefix(">").split() for line in result.out.splitlines()]
    for each in output["opponents"]:
        (row,) = [row for row in rows if row[1:2] == [each["agent"]]]
        assert row[-2:] == [f"{each['share']:.1%}", each["verdict"]]
    assert "forfeits" not in result.out


def test_forfeits_and_bounds_are_reported(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "fails.py"
    bot.write_text("def agent(position):\n    return [][position.ply]\n")
    words = ("ladder", str(bot), "--rounds", "1", "--memory-limit", "900", "--seconds", "2", *HERE)
    result = run(*words, "--out", str(tmp_path / "mine.db"))
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("fails: place 13 of 13, -")
    marked = [line.split() for line in result.out.splitlines() if line.startswith(">")]
    assert [line[:3] for line in marked] == [[">", "13", "fails"]]
    assert "forfeits: 24 x crash" in result.out.splitlines()
    with Store.read(tmp_path / "mine.db") as store:
        plan = store.meta["plan"]
    assert (plan["limit"], plan["memory_mb"]) == ({"seconds": 2.0}, 900)
    built_in = run("ladder", "greedy:win=yes", "--rounds", "1", "--memory-limit", "900", *HERE)
    assert (
        built_in.err
        == "--memory-limit applies to no agent here (to built-in ones with --isolate)\n"
    )


def test_games_unlike_those_that_are_bundled_are_reported() -> None:
    standings = reference_pool.pool_standings()
    same = results.pool(standings)
    games = (replace(standings.games[0], moves="1"), *standings.games[1:])
    other = results.pool(Standings(standings.agents, games))
    assert other[:-1] == same[:-1]
    assert [*other[-1][:-1]] == [*same[-1]]
    assert str(other[-1][-1]).startswith("1 game unlike the bundled ones")


@pytest.mark.parametrize("agent", [(), ("negamax:depth=4",)], ids=["pool", "agent"])
def test_ctrl_c_reports_how_to_continue(tmp_path: Path, agent: tuple[str, ...]) -> None:
    path = tmp_path / "mine.db"
    words = ("ladder", *agent, "--out", str(path), "--json", *HERE)
    finished = interrupted(*words, when=lambda: path.exists() and games_in(path))
    assert finished.status == 130, finished.err
    assert f"continue with: --out {path} --resume" in finished.err
    assert "Traceback" not in finished.err
    assert json.loads(finished.out)["games"] == games_in(path) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "greedy is an agent of the pool"),
        (("gredy",), "there is no agent 'gredy'"),
        (("--rounds", "17"), "rounds must be 1 to 16, the openings of the pool, got 17"),
        (("negamax", "--rounds", "0"), "rounds must be 1 to 16, the openings of the pool, got 0"),
        (("negamax", "--published"), "leave the agent out"),
        (("--published", "--rounds", "3"), "--published does not go with --rounds"),
        (("--published", "--out", "x.db"), "--published does not go with --out"),
        (("--seconds", "1"), "the agents of the pool have fixed budgets"),
        (
            ("--memory-limit", "900"),
            "--memory-limit is for AGENT: it does not change the agents of the pool",
        ),
        (("--isolate",), "--isolate is for AGENT: it does not change the agents of the pool"),
        (("negamax", "--resume"), "--resume needs a file"),
        (("uct", "--depth", "3"), "uct cannot be limited by depth"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in bad_input(run("ladder", *arguments))
