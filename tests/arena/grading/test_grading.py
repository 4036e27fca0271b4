"""Grades of a class: the points, all files, resuming, and the same bytes in every run."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from claimeven import play_match
from claimeven.agents import InvalidSpec
from claimeven.arena.grading import grading
from claimeven.arena.grading.grading import Bot, Grades, grade_agents
from claimeven.arena.grading.rubric import CHECK, Criterion, Rubric, read_rubric
from tests.arena.grading.thirty import THIRTY, write_class

RUBRIC = """
title = "Tiny <class>"
seconds = 2
out_of = 10
[[criteria]]
test = "loads"
points = 2
[[criteria]]
test = "faults"
points = 3
[[criteria]]
test = "match"
against = "random"
games = 4
at = [0.2, 0.6]
points = [1, 4]
[[criteria]]
test = "accuracy"
measure = "wins"
positions = 12
at = 0.9
points = 6
[[criteria]]
test = "imports"
forbid = ["claimeven.solve", "os.getppid"]
points = 0
"""
#: A fair bot, one that returns None, one that imports another, one that uses the solver, and files
#: that are no bots.
NAMES = ("bea.py", "tim.py", "vic.py", "don.py", "eve.py", "mia.py", "una.ipynb")


@dataclass(frozen=True)
class Graded:
    """A class in a folder, its grades, and the messages."""

    folder: Path
    grades: Grades
    messages: list[str]

    def again(self, out: str = "grades", names: Sequence[str] = ("",)) -> list[str]:
        """Grade the class, or some of its bots, again and return the messages."""
        messages: list[str] = []
        paths, rubric = [self.folder / "bots" / name for name in names], self.folder / "rubric.toml"
        grade_agents(paths, rubric, out=self.folder / out, jobs=1, on_message=messages.append)
        return messages

    def files(self, out: str = "grades") -> dict[str, bytes]:
        """Return the files for the teacher and the students."""
        root = self.folder / out
        files = [path for path in root.rglob("*") if path.is_file()]
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in files
            if "measured" not in path.parts
        }

    def measured(self) -> dict[Path, int]:
        """Return when each measurement was written."""
        files = (self.folder / "grades/measured").rglob("*.json")
        return {path: path.stat().st_mtime_ns for path in files}


def find_bots(paths: list[Path]) -> list[Bot]:
    return grading.find_bots(paths, read_rubric(), Path("nowhere"))


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("class")
    write_class(folder / "bots", NAMES)
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    done: list[tuple[int, int]] = []
    messages: list[str] = []
    grades = grade_agents(
        [folder / "bots"], folder / "rubric.toml", out=folder / "grades", jobs=2,
        on_progress=lambda *each: done.append(each), on_message=messages.append,
    )  # fmt: skip
    assert done[-1] == (len(NAMES), len(NAMES))
    return Graded(folder, grades, messages)


def test_points_follow_from_the_tests(graded: Graded) -> None:
    points = {each["bot"]: [*each["points"].values()] for each in graded.grades.bots}
    assert [*points] == sorted(points)
    match = play_match(
        str(graded.folder / "bots/bea.py"), "random", games=4, openings="balanced", opening_plies=4
    )
    of_match = {True: 4, False: 1 if match.scores[0] >= 0.2 else 0}[match.scores[0] >= 0.6]
    assert points["bea"] == [2, 3, of_match, 6, 0]
    assert points["tim"] == [2, 0, 0, 0, 0]
    for label in ("vic", "mia", "una", "eve"):
        assert points[label] == [0, 0, 0, 0, 0]


def test_reasons_and_notes_are_given_in_words(graded: Graded) -> None:
    reasons = {each["bot"]: [*each["texts"].values()] for each in graded.grades.bots}
    notes = {each["bot"]: each["notes"] for each in graded.grades.bots}
    assert reasons["mia"][0].startswith("mia.py cannot be loaded: SyntaxError: expected ':'")
    assert "una.ipynb is a notebook" in reasons["una"][0]
    assert "returned None" in reasons["tim"][1]
    assert "What to do: make sure that every path" in reasons["tim"][1]
    assert "No module named 'bea'" in reasons["vic"][0]
    assert "it ended the process" in reasons["eve"][0]
    missing = "vic.py cannot be loaded: ModuleNotFoundError: No module named 'bea'"
    assert notes["vic"] == f"{missing}; its code names bots that it could not find: bea"
    assert notes["don"] == "its code uses claimeven.solve, which the rubric forbids"
    assert notes["eve"] == (
        "it ended the process that measured it, three times;"
        " its code uses os.getppid, which the rubric forbids"
    )
    assert notes["bea"] == ""


def test_the_files_hold_the_grades(graded: Graded) -> None:
    files = graded.files()
    assert {*files} == {
        "grades.csv", "junit.xml",
        *(f"feedback/{name.partition('.')[0]}.html" for name in NAMES),
        *(f"gradescope/{name.partition('.')[0]}.json" for name in NAMES),
    }  # fmt: skip
    rows = list(csv.DictReader(files["grades.csv"].decode().splitlines()))
    heads = ["bot", "grade", "loads", "faults", "random", "accuracy", "notes"]
    assert [*rows[0]] == heads
    bea = next(row for row in rows if row["bot"] == "bea")
    total = sum(float(bea[name]) for name in heads[2:-1])
    assert float(bea["grade"]) == round(total * 10 / 15, 2)
    found = json.loads(files["gradescope/bea.json"])
    assert found["score"] == total == sum(each["score"] for each in found["tests"])
    assert [each["max_score"] for each in found["tests"]] == [2, 3, 4, 6]
    assert all({*each} == {"name", "score", "max_score", "output"} for each in found["tests"])
    root = ET.fromstring(files["junit.xml"])
    assert root.get("name") == "Tiny <class>"
    cases = {(each.get("classname"), each.get("name")): each for each in root.iter("testcase")}
    assert len(cases) == 4 * len(NAMES)
    assert cases["bea", "loads"].find("failure") is None
    failure = cases["tim", "loads"].find("failure"), cases["tim", "faults"].find("failure")
    assert failure[0] is None
    assert failure[1] is not None
    assert failure[1].get("message") == "0 of 3 points"


def test_the_page_of_a_student_explains(graded: Graded) -> None:
    files = {name: data.decode() for name, data in graded.files().items()}
    page = files["feedback/bea.html"]
    assert "The worst move" in page
    assert "<svg" in page
    assert "<strong>Better:</strong> " in page
    assert "Tiny &lt;class&gt;" in page
    assert "What to do:" in files["feedback/tim.html"]
    for name, text in files.items():
        if name.startswith("feedback"):
            assert "src=" not in text
            assert "forbids" not in text  # notes are for the teacher
            assert str(graded.folder) not in text


def test_it_is_resumed_and_only_a_changed_bot_is_measured_again(graded: Graded) -> None:
    files, measured = graded.files(), graded.measured()
    assert graded.again() == []
    assert graded.files() == files
    assert graded.measured() == measured
    next(path for path in measured if path.parent.parent.name == "mia").unlink()
    bot = graded.folder / "bots/tim.py"
    before = bot.read_text("utf-8")
    bot.write_text(before + "# changed\n", encoding="utf-8")
    assert graded.again() == ["tim has changed, so it is measured again"]
    assert graded.files() == files
    now = graded.measured()
    written = [path.parent.parent.name for path in now if now[path] != measured.get(path)]
    assert sorted(written) == ["mia", "tim"]
    bot.write_text(before, encoding="utf-8")


def test_another_run_gives_the_same_bytes(graded: Graded) -> None:
    graded.again("other", ("bea.py", "tim.py"))
    every, again = graded.files(), graded.files("other")
    assert {*again.pop("grades.csv").splitlines()} < {*every["grades.csv"].splitlines()}
    assert len(again.pop("junit.xml")) < len(every["junit.xml"])
    assert len(again) == 4
    assert again == {name: every[name] for name in again}


def test_bots_are_files_and_folders(tmp_path: Path) -> None:
    write_class(tmp_path, ("ann.py", "ida/agent.py", "ida/helper.py", "una.ipynb"))
    (tmp_path / "zoe.tar.gz").write_bytes(b"\x1f\x8b")  # a submission, to be reported
    for name in ("_common.py", ".hidden.py", "readme.txt", "data/weights.csv", "ida/x.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    found = {bot.label: bot for bot in find_bots([tmp_path])}
    assert [*found] == ["ann", "ida", "una", "zoe.tar"]
    assert {*found["ida"].files} == {"ida/agent.py", "ida/helper.py"}
    assert found["ida"].main == "ida/agent.py"
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann/main.py").write_text("")
    assert [bot.label for bot in find_bots([tmp_path])] == [
        "ann", "ann.py", "ida", "una", "zoe.tar"
    ]  # fmt: skip
    single = find_bots([tmp_path / "ann.py", tmp_path / "ida"])
    assert [bot.label for bot in single] == ["ann", "ida"]


def test_a_folder_with_several_possible_bots_is_reported(tmp_path: Path) -> None:
    for name in ("ann/main.py", "ann/agent.py", "bob/one.py", "bob/two.py", "bob/data.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("def agent(position): return 3")
    ann, bob = grading.find_bots([tmp_path], read_rubric(), tmp_path / "measured")
    assert (ann.main, ann.notes[0]) == ("ann/main.py", "main.py plays, and not agent.py")
    grading.measure_bot(None, bob)  # type: ignore[arg-type]  # it plays no games
    assert bob.known()["failure"] == (
        "bob must have one Python file, or bob/agent.py, got bob/one.py, bob/two.py"
    )


@pytest.mark.parametrize("seconds", [0.05, None])
def test_a_bot_that_hangs_is_not_waited_for_in_each_game(
    seconds: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grading, "_WAITING", 0.3)
    write_class(tmp_path, ("ron.py",))
    match = Criterion(test="match", against="random", games=6, at=[0.5], points=[1])
    rubric = Rubric(seconds=seconds, criteria=(match,))
    bot = grading.find_bots(["ron.py"], rubric, Path("measured"))[0]
    checked = {"failure": None, "faults": [{"kind": "stall"}], "median": 0.1}
    bot.add(CHECK, json.dumps(checked))
    grading.measure_bot(None, bot)  # type: ignore[arg-type]  # a match needs no solver
    found = bot.known(match.work)
    assert (found["wins"], found["draws"]) == ([0, 6], 0)
    assert re.fullmatch("6 x stall: such as .* and is not asked again", *found["forfeits"])


def test_a_neighbor_belongs_to_a_bot_and_another_bot_does_not(tmp_path: Path) -> None:
    write_class(tmp_path, ("bea.py", "vic.py"))
    (tmp_path / "_helper.py").write_text("def middle(): return 3\n")
    (tmp_path / "ann.py").write_text("import _helper\n\ndef agent(position): return 3\n")
    found = {bot.label: bot for bot in find_bots([tmp_path])}
    assert {*found["ann"].files} == {"ann.py", "_helper.py"}
    assert {*found["vic"].files} == {"vic.py"}
    assert found["vic"].notes == ("its code names bots that it could not find: bea",)


def test_copies_are_notes_and_a_template_is_no_copy(tmp_path: Path) -> None:
    write_class(tmp_path, ("ann.py", "bea.py", "jan.py", "kim.py"))
    found = {bot.label: bot.notes for bot in find_bots([tmp_path])}
    assert found["ann"] == ()
    assert found["kim"] == ("equal code with bea, jan (100%)",)
    assert found["jan"] == ("equal files with bea (100%)", "equal code with bea, kim (100%)")
    (tmp_path / "_given.py").write_bytes((tmp_path / "bea.py").read_bytes())
    rubric = replace(read_rubric(), template=str(tmp_path / "_given.py"))
    assert not any(bot.notes for bot in grading.find_bots([tmp_path], rubric, tmp_path))
    rubric = replace(rubric, template="none.py")
    with pytest.raises(InvalidSpec, match=r"there is no file none\.py"):
        grading.find_bots([tmp_path], rubric, tmp_path)


def test_a_class_without_bots_and_equal_names_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec, match=r"has no bots: expected files such as ann\.py"):
        find_bots([tmp_path])
    with pytest.raises(InvalidSpec, match="there is no file"):
        find_bots([tmp_path / "none"])
    for name in ("a/ann.py", "b/ann.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    with pytest.raises(InvalidSpec, match=r"two bots are called ann\.py: rename one"):
        find_bots([tmp_path / "a/ann.py", tmp_path / "b/ann.py"])


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("import claimeven.solver", ["claimeven.solver"]),
        ("from claimeven.solver.solver import Solver", ["claimeven.solver"]),
        ("from claimeven import Agent, solver as s", ["claimeven.solver"]),
        ("from claimeven import *", ["claimeven.solver"]),
        ("import claimeven as c\nc.solver.solve('4')", ["claimeven.solver"]),
        ("import importlib\nimportlib.import_module('claimeven.solver')", ["claimeven.solver"]),
        ("exec('1')", ["exec"]),
        ("from claimeven import Agent, Decision", []),
        ("# claimeven.solver, exec(1)", []),
        ("import claimeven.solvers\nself.exec(1)\nexecute(2)", []),
        ("def broken(", []),
    ],
)
def test_forbidden_names_are_found_in_code(code: str, used: list[str], tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(code)
    assert find_bots([tmp_path])[0].uses(["claimeven.solver", "exec"]) == used


def test_the_class_has_thirty_bots(tmp_path: Path) -> None:
    write_class(tmp_path)
    assert len(find_bots([tmp_path])) == 30
    assert len({name.partition("/")[0] for name in THIRTY}) == 30
