"""`claimeven train`: a run, resumed, rejected in a sentence, stopped by Ctrl-C."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from pathlib import Path

import click
import pytest
from doctools.output import described_keys

from claimeven import Geometry
from claimeven.cli.train.learn import distil, ntuple, selfplay
from claimeven.cli.train.models import compare
from claimeven.learning import DistilConfig, NTupleConfig, SelfPlayConfig, net_weights
from claimeven.learning.compare_runs import CompareConfig
from claimeven.learning.quantization import POSITIONS
from claimeven.networks.model_file import read_model
from claimeven.networks.net import Net, NetShape, write_net
from tests.cli.conftest import Run, bad_input, interrupted

WORDS = (
    "--eval-every", "40", "--tuples", "3", "--length", "3", "--eval-games", "1",
    "--columns", "4", "--rows", "4", "--connect", "3",
)  # fmt: skip


@pytest.mark.parametrize(
    ("command", "config"),
    [
        (ntuple, NTupleConfig),
        (distil, DistilConfig),
        (selfplay, SelfPlayConfig),
        (compare, CompareConfig),
    ],
)
def test_defaults_are_the_same_in_python(command: click.Command, config: type) -> None:
    defaults = {each.name: each.default for each in dataclasses.fields(config)}
    data = {
        option.name: option.default
        for option in command.params
        if option.name in defaults and isinstance(option.default, int | float | str)
    }
    assert len(data) > 3
    assert data == {name: defaults[name] for name in data}


def test_a_run_is_reported_and_its_model_plays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "run")
    result = run("train", "ntuple", "--out", out, "--games", "80", *WORDS)
    assert result.status == 0
    assert result.out.splitlines()[0].split() == [
        "games", "seconds", "plies", "perfect", "keeps", "against", "perfect"
    ]  # fmt: skip
    assert [line.split()[0] for line in result.out.splitlines()[1:3]] == ["40", "80"]
    assert "".join(result.out.split()).endswith(f"model:{out}/model.npz")
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "40")
        narrow = run("train", "ntuple", "--out", out, "--games", "80", *WORDS).out
    assert max(map(len, narrow.partition("model:")[0].splitlines())) <= 40
    data = json.loads(run("train", "ntuple", "--out", out, "--games", "80", *WORDS, "--json").out)
    assert data["model"] == f"{out}/model.npz"
    assert [row["games"] for row in data["rows"]] == [40, 80]
    for name in ("ntuple", "ntuple-alphabeta"):
        words = (f"{name}:model={data['model']}", "random", "--games", "2", *WORDS[-6:])
        assert run("match", *words).status == 0
    message = bad_input(run("match", f"ntuple:model={data['model']}", "random"))
    assert "the network knows 4x4 connect 3, not 7x6 connect 4" in message


def test_nets_are_averaged_into_one_that_plays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net_weights, "MANY_POSITIONS", POSITIONS)
    paths = [str(tmp_path / name) for name in ("1.npz", "2.npz")]
    for path in paths:
        write_net(path, Net.zeros(NetShape(8, 1, 1, 1), Geometry()))
    out = str(tmp_path / "mean.npz")
    words = ("train", "average", *paths, "--out", out, "--model-weights", "2,1")
    result = run(*words)
    assert result.status == 0
    figures = read_model(out).facts["measured"]
    lines = f"model: {out}; hard {figures['hard']:.1%}, easy {figures['easy']:.1%}"
    assert result.out.split() == lines.split()
    assert run("think", "44", "--agent", f"net:model={out}").status == 0
    data = json.loads(run(*words, "--json").out)
    assert (data["out"], data["models"]) == (out, paths)
    assert data["measured"] == {name: round(figure, 4) for name, figure in figures.items()}
    assert list(data["measured"]) == ["hard", "hard_sign", "easy", "easy_sign"]
    bad = {
        ("--model-weights", "1,x"): "--model-weights takes numbers like 1,2, got '1,x'",
        ("--model-weights", "1,2,3"): "3 weights were given for 2 nets",
        ("--quant-levels", "0"): "quant levels must be 1 to 127, got 0",
    }
    for more, message in bad.items():
        assert message in bad_input(run(*words, *more))
    assert "Missing argument 'MODEL...'" in bad_input(run("train", "average", "--out", out))
    for path in paths:
        write_net(path, Net.zeros(NetShape(8, 1, 1, 1), Geometry(4, 4, 3)))
    unmeasured = run("train", "average", *paths, "--out", out)
    assert unmeasured.out.split() == ["model:", out]


SELFPLAY = (
    "--games", "12", "--games-per-worker", "12", "--simulations", "8", "--fast-simulations", "4",
    "--full-search-fraction", "0.5", "--steps", "2", "--batch", "20", "--eval-games", "1",
    "--jobs", "1", "--columns", "4", "--rows", "4", "--connect", "3",
)  # fmt: skip


def test_a_run_of_self_play_is_reported_resumed_and_its_model_plays(
    run: Run, tmp_path: Path
) -> None:
    pytest.importorskip("optax", reason="training a net needs the extra learn")
    out = str(tmp_path / "run")
    words = ("train", "selfplay", "--out", out, *SELFPLAY)
    result = run(*words, "--iterations", "1")
    assert result.status == 0
    assert result.out.split("\n")[0].split() == [
        "iteration", "games", "core", "s", "policy", "value", "hard", "search", "easy", "perfect"
    ]  # fmt: skip
    assert max(len(line) for line in result.out.splitlines() if out not in line) <= 80
    data = json.loads(run(*words, "--iterations", "2", "--json").out)
    assert [row["games"] for row in data["rows"]] == [12, 24]
    assert set(data["rows"][0]) <= described_keys("train", "train-selfplay")
    players = (f"net:model={data['model']}", f"puct:iterations=9,model={data['model']}")
    assert run("match", *players, "--games", "2", *SELFPLAY[-6:]).status == 0
    message = bad_input(run(*words, "--iterations", "2", "--dirichlet-fraction", "0"))
    assert "contains a run with dirichlet_fraction 0.25, not 0.0" in message
    message = bad_input(run(*words, "--score-value-weight", "1", "--score-weight", "0"))
    assert "--score-value-weight needs a --score-weight above 0: add it" in message
    message = bad_input(run(*words, "--full-search-fraction", "1"))
    assert "--fast-simulations needs a --full-search-fraction below 1: add it" in message


@pytest.mark.parametrize("words", [("ntuple",), ("selfplay",), ("distil", "none.csv")])
def test_curves_that_cannot_be_drawn_are_reported_before_the_run(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    if words[0] == "distil":
        pytest.importorskip("optax", reason="training a net needs the extra learn")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("train", *words, "--out", str(tmp_path / "run"), "--plots")
    assert "pip install 'claimeven[plot]'" in bad_input(result)
    assert not (tmp_path / "run").exists()


def test_curves_are_drawn_in_the_end_and_on_demand(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra plot")
    out = tmp_path / "run"
    words = ("train", "ntuple", "--out", str(out), "--games", "80", *WORDS)
    assert run(*words, "--plots").status == 0
    pictures = sorted(path.name for path in (out / "plots").iterdir())
    kinds = [f"by-{by}" for by in ("cores", "games", "time")]
    assert pictures == [f"{name}.{kind}" for name in kinds for kind in ("png", "svg")]
    assert "it has no config.json" in bad_input(run("train", "plot", str(tmp_path)))
    (out / "log.jsonl").write_text('{"games": 9, "perfect": 0.5}\n')
    both = tmp_path / "both"
    words = ("train", "plot", str(out), str(out), "--out", str(both))
    data = json.loads(run(*words, "--json").out)
    assert data["runs"] == [str(out)] * 2
    assert data["plots"] == [str(both / f"by-games.{kind}") for kind in ("png", "svg")]
    monkeypatch.setenv("COLUMNS", "40")
    result = run(*words)
    assert " ".join(result.out.split()) == f"{both}: by-games.png, by-games.svg"
    assert result.out.count("\n") > 1


def test_runs_are_evaluated_by_the_same_measures(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra plot")
    out = tmp_path / "run"
    assert run("train", "ntuple", "--out", str(out), "--games", "80", *WORDS).status == 0
    words = ("train", "compare", str(out), "--games", "2")
    data = json.loads(run(*words, "--json").out)
    assert data["plots"] == [str(out / "plots" / f"comparison.{kind}") for kind in ("png", "svg")]
    rows = data["rows"]
    assert [(row["agent"], row["number"]) for row in rows] == [
        (agent, number) for agent in ("ntuple", "ntuple-alphabeta:depth=6") for number in (1, 2)
    ]
    assert {*data, *rows[0]} <= described_keys("train-others", "train-compare")
    both = tmp_path / "both"
    drawn = " ".join(run(*words, "--out", str(both)).out.split())
    assert drawn.endswith(f"charts: {both}/comparison.png, {both}/comparison.svg")
    assert sorted(path.name for path in both.iterdir()) == [
        "comparison.png",
        "comparison.svg",
        "run.toml",
    ]
    last = json.loads(run(*words, "--last", "--json").out)
    assert [row["number"] for row in last["rows"]] == [2, 2]
    assert last["plots"] == []
    result = run(*words, "--last")
    lines = result.out.splitlines()
    assert (lines[0].split()[:3], len(lines)) == (["run", "and", "agent"], 3)
    assert max(map(len, lines)) <= 80
    for more, message in (
        (("--rounds", "0"), "rounds must be 1 to 16, got 0"),
        (("--jobs", "0"), "jobs must be 1 or more, got 0"),
        (("--out", str(out / "log.jsonl"), "--seed", "8"), "log.jsonl cannot be written: it is"),
        ((str(out),), "a chart of several runs needs a folder: give one"),
    ):
        assert message in bad_input(run(*words, *more))
    others = [str(tmp_path / f"run{number}") for number in range(3)]
    for other in others:
        shutil.copytree(out, other)
    many = bad_input(run(*words, *others, "--seed", "8", "--out", str(tmp_path / "all")))
    assert many.startswith(
        "8 agents of runs are too many for a chart, the limit is 6: name fewer runs, "
    )
    stored = (out / "comparison.jsonl").read_text()
    assert '"seed": 8' not in stored  # what cannot be drawn is refused before it is judged
    assert not (tmp_path / "all").exists()


def test_ctrl_c_reports_how_to_resume(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("train", "ntuple", "--out", str(out), *WORDS, "--seed", "3")
    log = out / "log.jsonl"
    finished = interrupted(
        *words, "--games", "1000000", when=lambda: log.exists() and log.read_text().count("\n") > 1
    )
    assert (finished.status, finished.out) == (130, "")
    assert finished.err == f"\ninterrupted; run the same command to continue from {out}\n"
    message = bad_input(run(*words, "--games", "80"))
    assert "games" in message
    assert json.loads((out / "config.json").read_text())["games"] == 10**6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ntupel",), "did you mean ntuple?"),
        (("ntuple", "--out", "r", "--games", "0"), "games must be 1 to 1,000,000,000, got 0"),
        (
            ("ntuple", "--out", "r", "--length", "20"),
            "the cells of a tuple on 7x6 connect 4 must be 1",
        ),
        (("ntuple", "--out", "r", "--columns", "12"), "64 bits"),
        (
            ("ntuple", "--out", "r", "--columns", "4", "--eval-positions", "5"),
            "no positions of 4x6 con",
        ),
        (
            ("selfplay", "--out", "r", "--gate-min-score", "0.9"),
            "--gate-min-score needs a --gate-games above 0",
        ),
        (
            ("selfplay", "--out", "r", "--gate-games", "4"),
            "no net can pass gate games 4 with gate min score",
        ),
        (
            ("compare", "r", "--last", "--out", "b"),
            "--last and --out exclude each other",
        ),
        (("selfplay", "--out", "r", "--size", "smal"), "did you mean small?"),
        (
            ("selfplay", "--out", "r", "--search-value-weight", "2"),
            "search value weight must be 0 to 1, got",
        ),
        (
            ("selfplay", "--out", "r", "--lr-schedule", "fast"),
            "must be one of none, stepwise, cosine",
        ),
        (
            ("selfplay", "--out", "r", "--worker-timeout", "nan"),
            "worker_timeout must be a number",
        ),
        (("selfplay", "--out", "r", "--address", "h:1"), "give --executor ray too"),
        (("ntuple", "--out", "."), "contains other files (mine.txt): choose an empty or new"),
    ],
)
def test_bad_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("x")
    assert message in bad_input(run("train", *words))
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_models_that_are_invalid_are_rejected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 and so on")
    message = bad_input(run("match", f"ntuple:model={tmp_path}/x.npz", "random"))
    assert "x.npz is not a model: it is corrupt" in message
    assert "cannot be read: No such file" in bad_input(
        run("match", "ntuple:model=no.npz", "greedy")
    )
