"""`claimeven tournament`: the ladder, files taken up again, Ctrl-C, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven.arena.store import Store
from tests.cli.conftest import Run, interrupted

QUICK = ("--rounds", "2", "--jobs", "1")


def test_the_ladder_stands_in_order_and_fits_a_terminal(run: Run) -> None:
    ran = run("tournament", "random", "greedy:win=yes,block=yes", *QUICK)
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("4 games of 2 agents on 7x6 connect 4, round-robin, seed 0")
    assert ran.out.index("1 greedy:win=yes,block=yes") < ran.out.index("2 random")
    assert max(map(len, lines)) <= 80
    short = run("tournament", "random", "greedy", *QUICK).out.splitlines()
    assert [line.split()[:2] for line in short[3:5]] == [["1", "greedy"], ["2", "random"]]


def test_json_holds_everything(run: Run) -> None:
    ran = run("tournament", "random", "greedy", "alphabeta:depth=2", *QUICK, "--json")
    told = json.loads(ran.out)
    assert {"agents", "ratings", "cross_table", "games", "forfeits", "seconds"} <= set(told)
    assert told["games"] == told["games_planned"] == 12
    assert told["agents"][0]["label"] == "alphabeta:depth=2"
    assert [row[i] for i, row in enumerate(told["cross_table"])] == [None] * 3


def test_a_file_is_taken_up_and_added_to(run: Run, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "t.db"), "--jobs", "1")
    assert run("tournament", "random", "greedy", "--rounds", "1", *out).status == 0
    refused = run("tournament", "random", "greedy", "--rounds", "3", *out)
    assert (refused.status, "is there already: go on with --resume" in refused.err) == (2, True)
    ran = run("tournament", "random", "greedy", "--rounds", "3", *out, "--resume", "--json")
    assert json.loads(ran.out)["games"] == 6


def test_ctrl_c_tells_how_to_go_on_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    words = ("tournament", "random", "greedy", "--rounds", "5000", "--out", str(path), "--json")
    ended = interrupted(*words, when=lambda: path.exists() and _games(path))
    assert ended.status == 130, ended.err
    assert f"go on with: --out {path} --resume" in ended.err
    assert json.loads(ended.out)["games"] == _games(path)


def _games(path: Path) -> int:
    try:
        with Store.read(path) as store:
            return len(store)
    except ValueError:
        return 0  # it is being made


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("random",), "a tournament has 2 agents or more, not 1"),
        (("random", "random"), "random takes part twice"),
        (("random", "greedy", "--rounds", "0"), "1 round or more, not 0"),
        (("random", "gredy"), "there is no agent 'gredy'"),
        (("random", "greedy", "--kind", "swiss"), "'swiss' is none of round-robin, gauntlet"),
        (("random", "greedy", "--openings", "no.txt"), "no.txt cannot be read"),
        (("random", "greedy", "--resume"), "--resume goes on with a file: name it with --out"),
        (("random", "greedy", "--out", "."), "it is a folder"),
        (("random", "uct", "--depth", "3"), "uct cannot be limited by depth"),
        (("random", "greedy", "--jobs", "0"), "at least 1 job, not 0"),
        (("random", "greedy", "--opening-plies", "99"), "no random opening of 99 plies"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("tournament", *arguments)
    assert ran.status == 2
    assert said in ran.err
    assert len(ran.err.strip().splitlines()) == 1
