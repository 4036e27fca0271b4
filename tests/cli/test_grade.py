"""`claimeven grade`: the table, JSON, and sentences for bad input."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from claimeven.arena.grading.rubric import read_rubric
from tests import forks
from tests.arena.grading.thirty import write_class
from tests.cli.conftest import PATIENCE, Run, bad_input
from tests.forks import command, environment

RUBRIC = """
[[criteria]]
test = "loads"
points = 2
[[criteria]]
test = "match"
against = "random"
games = 2
points = 4
[[criteria]]
test = "imports"
forbid = ["random"]
points = 0
[names]
eli = "Eli Ong"
zoe = "Zoe Penn"
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two bots and a rubric, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    write_class(tmp_path / "bots", ("eli.py", "mia.py"))
    (tmp_path / "bots/zed").mkdir()
    (tmp_path / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    return tmp_path


def test_a_class_is_graded_from_the_first_run_on(run: Run, course: Path) -> None:
    result = run("grade", "bots", "--rubric", "rubric.toml", "--jobs", "1")
    assert result.status == 0
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["bot", "grade", "loads", "random"]
    assert lines[2].split() == ["mia", "0", "0", "0"]
    assert lines[3].split() == ["zed", "0", "0", "0"]
    assert lines[4].split() == ["of", "6", "2", "4"]
    assert "- zed: zed must have one Python file, or zed/agent.py, got none\n" in result.out
    assert "- eli: its code uses random, which the rubric forbids" in result.out
    assert result.err == "no file of zoe, named in the rubric\n"
    assert "<h1>Eli Ong</h1>" in (course / "grades/feedback/eli.html").read_text("utf-8")
    again = run("grade", "bots", "--rubric", "rubric.toml", "--json")
    data = json.loads(again.out)
    assert [each["bot"] for each in data["bots"]] == ["eli", "mia", "zed"]
    assert [each["name"] for each in data["bots"]] == ["Eli Ong", "", ""]
    assert data["bots"][1]["grade"] == 0
    assert data["of"] == {"grade": 6, "loads": 2, "random": 4}


def test_the_example_is_a_rubric(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(run("grade", "--rubric-example").out, encoding="utf-8")
    assert read_rubric(path) == read_rubric()


def test_bad_input_is_one_sentence(run: Run, course: Path) -> None:
    assert "name the folder of the bots" in bad_input(run("grade"))
    assert "there is no file botz" in bad_input(run("grade", "botz"))
    (course / "empty").mkdir()
    assert "empty has no bots: expected files such as" in bad_input(run("grade", "empty"))
    (course / "rubric.toml").write_text("[[criteria]]\ntest = 'match'\nagainst = 'gredy'\npoints=1")
    wrong = bad_input(run("grade", "bots", "--rubric", "rubric.toml"))
    assert "gredy" in wrong
    assert "did you mean greedy?" in wrong
    assert not (course / "grades").exists()


def test_after_a_kill_the_same_command_continues(run: Run, course: Path) -> None:
    words = ["grade", "bots", "--rubric", "rubric.toml", "--jobs", "1"]
    measured = course / "grades/measured"
    with forks.program(command(*words), env=environment(), cwd=course) as process:
        ends = time.monotonic() + PATIENCE
        while not [*measured.rglob("*.json")] and time.monotonic() < ends:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    before = {path: path.stat().st_mtime_ns for path in measured.rglob("*.json")}
    assert 1 <= len(before) < 4
    assert not (course / "grades/grades.csv").exists()
    assert run(*words).status == 0
    after = {path: path.stat().st_mtime_ns for path in measured.rglob("*.json")}
    assert len(after) == 4
    assert before.items() <= after.items()
    assert (course / "grades/grades.csv").exists()
