"""`--file`: options from a file, and the file of a run, which repeats it."""

from __future__ import annotations

import json
import tomllib
import zipfile
from pathlib import Path

import click
import pytest

from claimeven.arena.store.store import Store
from claimeven.cli.common.experiments import run_options
from claimeven.cli.main import cli
from claimeven.experiment_file import InvalidExperiment, write_experiment
from tests.cli.conftest import Run

#: For each experiment: its words, and the file or folder that it writes.
EXPERIMENTS = {
    "match": (["random", "greedy:win=yes", "--games", "6", "--seed", "5", "--no-swap"], "a.db"),
    "tournament": (["random", "greedy", "--rounds", "2", "--jobs", "1", "--columns", "5"], "a.db"),
    "sprt": (["greedy:win=yes", "random", "--elo1", "200", "--jobs", "1"], "a.db"),
    "dataset": (
        ["--positions", "30", "--plies", "5-9", "--columns", "4", "--rows", "4", "--seed", "2"],
        "a.csv",
    ),
    "book build": (
        ["--plies", "3", "--columns", "4", "--rows", "4", "--threads", "2"],
        "a.book",
    ),
    "study run": (["aifour-match", "--games", "2", "--jobs", "1"], "a"),
    "train ntuple": (
        ["--games", "300", "--eval-every", "300", "--columns", "4", "--rows", "4", "--tuples", "4"],
        "a",
    ),
}  # fmt: skip


def games_of(path: Path) -> list[tuple[str, str, str]]:
    with Store.read(path) as store:
        return [(game.job, game.opening, game.moves) for game in store.games()]


def result_of(path: Path) -> object:
    """Return the results of a run, without times."""
    if path.suffix == ".db":
        return games_of(path)
    if path.is_file():
        return path.read_bytes()
    if (path / "model.npz").exists():
        with zipfile.ZipFile(path / "model.npz") as arrays:
            names = [name for name in arrays.namelist() if name != "header.npy"]  # it has times
            return {name: arrays.read(name) for name in names}
    return [*map(games_of, sorted(path.glob("*.db")))]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_run_writes_the_file_that_repeats_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words, out = EXPERIMENTS[name]
    first = run(*name.split(), *words, "--out", out)
    assert first.status == 0, first.err
    file = tmp_path / out / "run.toml" if Path(out).is_dir() else tmp_path / f"{out}.toml"
    again = f"again{Path(out).suffix}"
    jobs = ["--jobs", "1"] if name == "sprt" else []  # more processes play a few games more
    second = run(*name.split(), "--file", str(file), "--out", again, *jobs)
    assert second.status == 0, second.err
    other = tmp_path / again / "run.toml" if Path(again).is_dir() else tmp_path / f"{again}.toml"
    assert other.read_bytes() == file.read_bytes()
    assert result_of(tmp_path / again) == result_of(tmp_path / out) != []
    options = tomllib.loads(file.read_text("utf-8"))
    assert options["command"] == name
    assert not {"out", "jobs", "threads", "executor", "json", "file"} & set(options)
    # A file of another command is rejected, and names its own.
    rejected = "match" if name != "match" else "sprt"
    message = run(rejected, "--file", str(file)).err
    assert f"is a file for claimeven {name}, not for claimeven {rejected}" in message


def test_accuracy_is_repeated_by_the_file_next_to_its_answers(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("greedy", "random", "--count", "20", "--jobs", "1", "--show-worst", "0", "--seed", "4")
    assert run("accuracy", *words, "--answers", "a.jsonl").status == 0
    again = run("accuracy", "--file", "a.jsonl.toml", "--answers", "b.jsonl", "--jobs", "1")
    assert again.status == 0
    assert Path("a.jsonl.toml").read_bytes() == Path("b.jsonl.toml").read_bytes()
    first, second = (
        [{**json.loads(line), "seconds": 0} for line in Path(name).read_text().splitlines()]
        for name in ("a.jsonl", "b.jsonl")
    )
    assert first == second != []


def test_the_command_line_overrides_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text('agents = ["random", "greedy"]\ngames = 8\nseed = 3\nswap = false\n')
    result = json.loads(run("match", "--file", str(file), "--json").out)
    assert (result["agents"], result["games"]) == (["random", "greedy"], 8)
    assert (result["seed"], result["swap"]) == (3, False)
    words = ("greedy:win=yes", "--games", "2", "--swap", "--file", str(file), "--json")
    result = json.loads(run("match", *words).out)
    assert (result["agents"], result["games"]) == (["greedy:win=yes", "greedy"], 2)
    assert (result["seed"], result["swap"]) == (3, True)
    file.write_text("published = true\nrounds = 16\nisolate = false\n")
    assert run("ladder", "--file", str(file)).out == run("ladder", "--published").out
    file.write_text("agents = ['random', 'greedy']\n", "utf-8-sig")  # as editors on Windows do
    message = run("match", "--file", str(file), "random", "greedy", "uct").err
    assert "unexpected extra argument" in message


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("dataset", "seed = 1\n\npositions = 'many'", "line 3: positions must be a whole number"),
        ("train selfplay", "iteration = 1", "line 1: there is no field 'iteration' (did you mean"),
        ("sprt", "jobs = 2\nmodel = 'logistics'", "line 2: model must be normalized or logistic"),
        ("study run", "seats = 'swap'", "line 1: seats must be original or swapped, got 'swap'"),
        ("ladder", "agent = ['greedy']", "line 1: agent must be a text, got ['greedy']"),
        ("book build", "json = true", "line 1: there is no field 'json'"),
        (
            "accuracy",
            "seed = 1\nseed = 2",
            "must be a TOML file: Cannot overwrite a value (at ",
        ),
    ],
)
def test_an_invalid_file_is_one_sentence_with_its_line(
    run: Run, tmp_path: Path, command: str, text: str, expected: str
) -> None:
    file = tmp_path / "odd.toml"
    file.write_text(text)
    result = run(*command.split(), "--file", str(file))
    assert (result.status, result.out) == (2, "")
    assert expected in result.err and result.err.count("\n") == 1


def test_a_file_of_the_user_is_not_replaced(run: Run, tmp_path: Path) -> None:
    own, out = tmp_path / "class.toml", tmp_path / "class"
    own.write_text('agents = ["random", "greedy"]\ngames = 2 # mine\n')
    result = run("match", "--file", str(own), "--out", str(out))
    assert result.status == 0 and "exists, so the options of this run" in result.err
    assert "# mine" in own.read_text()


def test_names_that_toml_escapes_and_cannot_have(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    assert write_experiment(file, {"out": 'a\x7f"b'})
    assert tomllib.loads(file.read_text()) == {"out": 'a\x7f"b'}
    with pytest.raises(InvalidExperiment, match="a name is not in UTF-8"):
        write_experiment(file, {"out": "\udcff"})
    assert not write_experiment(tmp_path, {})  # a folder


def test_every_experiment_takes_a_file() -> None:
    of_train = [f"train {name}" for name in ("selfplay", "distil", "average", "compare")]
    for name in (*EXPERIMENTS, "ladder", "tune", "accuracy", "study all", *of_train):
        found: click.Command | None = cli
        for word in name.split():
            assert isinstance(found, click.Group)
            found = found.get_command(click.Context(found), word)
        assert found is not None
        assert "--file" in [each for param in found.params for each in param.opts], name


def test_an_absent_argument_is_not_an_option() -> None:
    ladder = cli.get_command(click.Context(cli), "ladder")
    assert ladder is not None
    with ladder.make_context("ladder", ["--published", "--jobs", "2"]):
        options = run_options()
    assert (options["published"], options["rounds"]) == (True, 16)
    assert not {"agent", "jobs", "seconds"} & set(options)
