"""`claimeven train distil`: a run, its table and JSON, bad input, Ctrl-C."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from doctools.output import described_keys

from claimeven import Geometry
from claimeven.dataset import DatasetPlan, make_dataset
from claimeven.learning.jax_functions import jax_and_optax
from claimeven.solver import Solver
from tests.cli.conftest import Run, bad_input, interrupted
from tests.cli.test_reading_output import keys_of
from tests.learning.needs import needs_jax

pytestmark = needs_jax

SMALL = Geometry(4, 4, 3)
BOARD = ("--columns", "4", "--rows", "4", "--connect", "3")
#: All steps alike: one that rounds weights, or of another batch, takes seconds to compile.
QUICK = ("--size", "small", "--batch", "20", "--eval-every", "5", "--qat-start", "1", *BOARD)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("data") / "small.csv"
    make_dataset(path, DatasetPlan(200, 0, 12, seed=1, geometry=SMALL), Solver(SMALL, table_mb=1))
    return str(path)


def test_a_run_is_reported_and_its_model_plays(run: Run, table: str, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    words = ("train", "distil", table, "--out", out, "--epochs", "1", *QUICK)
    result = run(*words)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].split() == ["steps", "seconds", "loss", "held", "out", "sign"]
    assert [line.split()[0] for line in lines[1:3]] == ["5", "10"]
    assert "".join(lines[3:]).replace(" ", "") == f"model:{out}/model.npz"
    data = json.loads(run(*words, "--json").out)
    assert data["model"] == f"{out}/model.npz"
    assert [row["steps"] for row in data["rows"]] == [5, 10]
    assert {"hard", "easy", "hard_sign", "easy_sign", *keys_of(data)} <= described_keys(
        "train", "train-distil"
    )
    for name in ("net", "puct"):
        words = (f"{name}:model={data['model']}", "random", "--games", "2", *BOARD)
        assert run("match", *words, "--iterations", "5").status == 0
    thought = run("think", "112", "--agent", f"net:model={data['model']}", *BOARD).out
    assert "guess: the exact score of a column as estimated by the net" in thought
    message = bad_input(run("match", f"net:model={data['model']}", "random"))
    assert "the net knows 4x4 connect 3, not 7x6 connect 4" in message


def test_ctrl_c_reports_how_to_resume(table: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    log = out / "log.jsonl"
    finished = interrupted(
        *("train", "distil", table, "--out", str(out), "--epochs", "100000", *QUICK),
        when=lambda: log.exists() and log.read_text().count("\n") > 1,
    )
    assert (finished.status, finished.out) == (130, "")
    assert finished.err == f"\ninterrupted; run the same command to continue from {out}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--out", "r"), "Missing argument 'DATA...'"),
        (("no.csv", "--out", "r"), "no.csv cannot be read: No such file"),
        (("mine.txt", "--out", "r"), "mine.txt must end in .csv or .parquet as data sets do"),
        (
            ("no.csv", "--out", "r", "--size", "tiny"),
            "must be one of small, medium, large, got 'tiny'",
        ),
        (("no.csv", "--out", "r", "--lr", "0"), "lr must be 1e-09 to 1, got 0.0"),
        (
            ("no.csv", "--out", "r", "--dataset-weights", "1,a"),
            "--dataset-weights takes numbers like 1,2, got '1,a'",
        ),
        (
            ("no.csv", "--out", "r", "--ply-weights", "4-7:1,8-"),
            "--ply-weights takes plies and numbers like 4-11:1,12-41:2, got '4-7:1,8-'",
        ),
        (
            ("no.csv", "--out", "r", "--ply-weights", "4-7:1,7:2"),
            "must be in ascending order, each",
        ),
        (("no.csv", "--out", "r", "--ply-weights", "4-7"), "4-11:1,12-41:2, got '4-7'"),
        (("TABLE", "--out", "r"), "small.csv"),
        (
            ("TABLE", "--out", "r", "--dataset-weights", "1,2", *BOARD),
            "2 weights were given for 1 data",
        ),
        (
            ("TABLE", "--out", ".", *BOARD),
            "contains other files (mine.txt): choose an empty or new",
        ),
    ],
)
def test_bad_input(
    run: Run,
    table: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("x")
    given = [table if word == "TABLE" else word for word in words]
    assert message in bad_input(run("train", "distil", *given))
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_without_jax_the_extra_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jax_and_optax.cache_clear()
    monkeypatch.setitem(sys.modules, "optax", None)
    message = bad_input(run("train", "distil", "no.csv", "--out", str(tmp_path / "r")))
    assert message == "training a net needs JAX and optax: pip install 'claimeven[learn]'"
    jax_and_optax.cache_clear()
