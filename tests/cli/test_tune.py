"""`claimeven tune`: its output, its folder, Ctrl-C, kills, and the file that repeats a run."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from tests.cli.conftest import PATIENCE, Run, RunResult, bad_input, interrupted, started

WORDS = (
    "tune", "greedy", "--option", "win=yes,no", "--option", "block=yes,no", "--against", "random",
    "--games", "24", "--final-games", "20", "--seed", "3",
)  # fmt: skip


def plain(result: RunResult) -> dict[str, Any]:
    assert result.status == 0, result.err
    return {**json.loads(result.out), "seconds": 0, "provenance": None}


def stored_games(folder: Path) -> int:
    """The number of games in a folder that a run is writing."""
    count = 0
    for path in folder.glob("*.db"):
        with suppress(InvalidStore), Store.read(path) as store:
            count += len(store)
    return count


def test_the_tries_the_best_and_its_spec_are_printed(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run(*WORDS, "--tries", "5", "--plots", str(tmp_path / "plots"))
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("5 tries of greedy against random: ")
    assert lines[2].split() == ["options", "games", "score", "best", "so", "far"]
    assert lines[3].split()[:2] == ["win=no,block=no", "24"]
    assert lines[-1].startswith("best: greedy:")
    assert lines[-2].startswith("gain +")
    data = plain(run(*WORDS, "--tries", "5", "--json"))
    assert lines[-1] == f"best: {data['best']['agent']}"
    assert [each["games"] for each in (data["best"], data["given"])] == [20, 20]
    assert data["tries"][0]["options"] == {"win": "no", "block": "no"}
    names = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert names == ["tune.png", "tune.svg"]
    assert "best so far" in (tmp_path / "plots" / "tune.svg").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
def test_a_killed_run_resumes_to_the_same_result(run: Run, tmp_path: Path) -> None:
    words = ("tune", "uct:iterations=60", "--option", "c=0.2..2.0", "--against", "greedy")
    words += ("--tries", "3", "--games", "10", "--final-games", "4", "--jobs", "1")
    out = tmp_path / "out"
    with started(*words, "--out", str(out), "--json") as program:
        deadline = time.monotonic() + PATIENCE
        while stored_games(out) < 12:  # the second try plays
            assert program.poll() is None, program.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate(timeout=PATIENCE)
    resumed = run(*words, "--out", str(out), "--json", "--resume")
    assert plain(resumed) == plain(run(*words, "--json"))
    assert "exists already: resume it with --resume" in bad_input(run(*words, "--out", str(out)))
    other = run(*words, "--out", str(out), "--resume", "--seed", "9")
    assert "holds games of another tournament: its seed differs" in bad_input(other)
    # The folder has the file that repeats the run.
    again = run("tune", "--file", str(out / "run.toml"), "--out", str(tmp_path / "b"), "--json")
    assert plain(again) == plain(resumed)
    assert (out / "run.toml").read_bytes() == (tmp_path / "b" / "run.toml").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_the_tries_so_far(tmp_path: Path, jobs: str) -> None:
    out = tmp_path / "out"
    words = (*WORDS, "--tries", "9999", "--jobs", jobs, "--out", str(out))
    result = interrupted(*words, when=(out / "run.toml").exists)
    assert (result.status, "Traceback" in result.err) == (130, False)
    last = result.err.splitlines()[-1]
    assert last.startswith("interrupted after ")
    assert last.endswith(f" of 9999 tries; continue with: --out {out} --resume")
    assert int(last.split()[2]) >= 1
    assert "tries of greedy against random" in result.out
    assert "best:" not in result.out


def test_an_agent_of_the_user_is_tuned(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "from claimeven.agents import Agent, Decision\n"
        "class Bot(Agent):\n"
        "    def __init__(self, center: int = 0) -> None:\n"
        "        if center == 4:\n"
        "            raise ValueError('too much')\n"
        "        self.center = center\n"
        "    def choose(self, position, limit, rng):\n"
        "        legal = position.legal_columns\n"
        "        best = min(legal, key=lambda column: abs(column - 3))\n"
        "        chosen = best if rng.random() < self.center / 4 else int(rng.choice(legal))\n"
        "        return Decision(chosen)\n",
        encoding="utf-8",
    )
    spec = f"{tmp_path / 'bot.py'}:Bot"
    words = ("--against", "random", "--tries", "9", "--games", "4", "--final-games", "8")
    result = run("tune", spec, "--option", "center=0..4", *words, "--json")
    data = plain(result)
    assert data["best"]["agent"].startswith(f"{spec},center=")
    assert data["given"]["agent"] == spec
    # Values that the agent rejects are reported, and the run continues.
    assert "does not play: " in result.err and "too much" in result.err
    assert 0 < len(data["tries"]) < 9
    assert "name options of" in bad_input(run("tune", spec, *words))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--option", "win"), "--option must be NAME=VALUES such as c=0.2..2, got 'win'"),
        (("--option", "win=maybe"), "win=maybe of greedy: win takes yes or no"),
        (("--option", "win=yes", "--option", "win=no"), "an option is named twice"),
        (("--option", "win=1..0"), "the values of win must be LOW..HIGH"),
        (("--resume",), "--resume needs a file: name it with --out"),
        (("--tries", "0"), "tries must be 1 or more, got 0"),
        (("--games", "-1"), "games must be 1 or more, got -1"),
        (("--seed", "-1"), "seed must be 0 or more, got -1"),
        (("--against", "nobody"), "there is no agent 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: tuple[str, ...], expected: str) -> None:
    assert expected in bad_input(run("tune", "greedy", *words))
