"""`claimeven study`: the list, then beside now, files taken up again, Ctrl-C, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven.arena.store.store import Store
from claimeven.arena.studies import STUDIES
from tests.cli.conftest import Run, bad_input, interrupted

QUICK = ("--games", "2", "--jobs", "1")


def test_the_list_names_every_study(run: Run) -> None:
    lines = run("study", "list").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        study.name for study in STUDIES
    ]
    told = json.loads(run("study", "list", "--json").out)["studies"]
    assert [(each["study"], each["games"]) for each in told] == [
        (study.name, study.games) for study in STUDIES
    ]


def test_then_stands_beside_now(run: Run) -> None:
    ran = run("study", "run", "polito-alphabeta", *QUICK)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "2 of them played" in ran.out
    (won,) = [line.split() for line in lines if line.startswith("games won")]
    assert won[2:6] == ["99.4", "%", "100.0", "%"]
    (time,) = [line for line in lines if line.startswith("time of a game")]
    assert time.endswith(" x")
    assert "1 of 1 studies" in lines[-1]


def test_json_holds_every_figure(run: Run) -> None:
    told = json.loads(run("study", "run", "lund-peer", "lund-time", *QUICK, "--json").out)
    assert [each["study"] for each in told["studies"]] == ["lund-peer", "lund-time"]
    for study in told["studies"]:
        (data,) = [each for each in STUDIES if each.name == study["study"]]
        labels = [figure.label for _, figure in data.figures]
        figures = [f for experiment in study["experiments"] for f in experiment["figures"]]
        assert [figure["label"] for figure in figures] == labels
        assert all(figure["now"] is not None for figure in figures)


def test_files_are_taken_up(run: Run, tmp_path: Path) -> None:
    words = ("study", "run", "lund-peer", "--out", str(tmp_path / "kept"), "--jobs", "1")
    assert run(*words, "--games", "2").status == 0
    assert "is there already" in bad_input(run(*words, "--games", "4"))
    told = json.loads(run(*words, "--games", "4", "--resume", "--json").out)
    assert [each["games"] for each in told["studies"][0]["experiments"]] == [4, 4]


def test_ctrl_c_tells_how_to_go_on_and_loses_nothing(tmp_path: Path) -> None:
    words = ("study", "run", "lund-peer", "itu-flat", "--out", str(tmp_path), "--games", "20")
    ended = interrupted(*words, "--jobs", "1", "--json", when=(tmp_path / "itu-flat-1.db").exists)
    assert ended.status == 130, ended.err
    assert f"interrupted after 1 of 2 studies; go on with: --out {tmp_path} --resume" in ended.err
    assert [each["study"] for each in json.loads(ended.out)["studies"]] == ["lund-peer"]
    with Store.read(tmp_path / "lund-peer-1.db") as store:
        assert len(store) == 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "polito-uctt"), "no study 'polito-uctt' (did you mean polito-uct?)"),
        (("run", "itu-flat", "--games", "0"), "a match has 1 game or more, not 0"),
        (("run", "itu-flat", "--jobs", "0"), "a match takes at least 1 job, not 0"),
        (("run", "itu-flat", "--resume"), "name the folder"),
        (("run", "itu-flat", "--seed", "-1"), "a seed is 0 or more, not -1"),
        (("runs",), "no verb 'runs' (did you mean run?)"),
        (("run",), "NAME"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, words: tuple[str, ...], said: str) -> None:
    assert said in bad_input(run("study", *words))


def test_a_folder_that_is_a_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    words = ("study", "run", "lund-peer", "--out", str(tmp_path / "file"))
    assert "is a file" in bad_input(run(*words))
