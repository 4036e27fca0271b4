"""Submissions as files: their text, and their play under Kaggle's own runner."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claimeven.adapters.kaggle import export_submission, submission
from claimeven.adapters.kaggle.builders import EVALUATION_PARTS, RECIPES
from claimeven.agents import InvalidSpec
from claimeven.atomic_io import CannotWrite
from claimeven.evaluation import EVALUATIONS
from claimeven.networks.net import Net, NetShape, write_net
from tests.adapters.kaggle.support import loaded

#: A spec of each family, and each evaluation.
SPECS = (
    "perfect",
    "uct:iterations=60",
    "uct:playout=careful,final_choice=mean,decisive_moves=root,solver=no,iterations=60",
    "uct-polito:playout=greedy,min_wins=2,capacity=500,iterations=60",
    *(f"alphabeta:depth=2,eval={name}" for name in EVALUATION_PARTS),
    "random",
    "greedy:win=yes,block=yes",
    "flat:iterations=120",
    "flat:playout=careful,final_choice=visits,decisive_moves=off,playout_cutoff=5,capacity=60,"
    "iterations=60",
)
#: Those with a net, whose files take a moment to load.
NETS = ("net", "puct:iterations=20")


@pytest.fixture(scope="module")
def agents() -> dict[str, Any]:
    return {spec: loaded(submission(spec))["agent"] for spec in (*SPECS, NETS[1])}


def test_every_evaluation_can_be_exported() -> None:
    assert set(EVALUATION_PARTS) == set(EVALUATIONS)


@pytest.mark.parametrize("spec", [*RECIPES, *SPECS[1:]])
def test_a_submission_has_the_form_that_kaggle_expects(spec: str) -> None:
    text = submission(spec, seed=3)
    assert submission(spec, seed=3) == text
    assert len(text) < 2_500_000
    assert all(len(line) <= 102 for line in text.splitlines() if spec not in line)
    tree = ast.parse(text)
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert tree.body[1 : 1 + len(imports)] == imports  # after the file's own words
    if spec.startswith(("net", "puct")):
        assert "needs only Python 3.10 and NumPy and" in text
        assert "    import numpy as np" in text.splitlines()
    else:
        assert "needs only Python 3.10 and plays" in text and "numpy" not in text
    modules = {
        alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names
    }
    modules |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names
    defined = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.append(node.name)
        else:
            stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
            defined += [name.id for name in stored if isinstance(name.ctx, ast.Store)]
    assert len(defined) == len(set(defined))
    assert "__file__" not in text and "signal" not in text
    left = loaded(text)
    assert [value for value in left.values() if callable(value)][-1] is left["agent"]


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ("breadth", "breadth cannot be exported: choose from minimax, alphabeta"),
        ("uct@seconds=1", "uct@seconds=1: a submission has Kaggle's limits: leave out the limit"),
        ("flat:threads=2", r"threads=2 cannot be exported \(a .* one core\): choose from 1"),
        ("alphabet", r"there is no agent to export 'alphabet' \(did you mean"),
        ("alphabeta:depht=2", "did you mean depth"),
        ("alphabeta:eval=mine.py:f", "eval=mine.py:f cannot be exported: choose from sequences"),
        ("negamax:table=4", "a submission has no table: negamax is exported as it is with table"),
        (
            "uct:playout=alphabeta1",
            r"playout=alphabeta1 cannot be exported \(too slow in plain Python",
        ),
        ("uct:playout=mine.py:f", r"playout=mine\.py:f cannot be .* choose from random, wins-and"),
        (
            "uct:transpositions=mirror",
            r"transpositions=mirror cannot be exported \(the tree .* choose from off",
        ),
        ("uct-itu-table", "uct-itu-table cannot be exported: choose from minimax"),
        ("uct:threads=2", r"threads=2 cannot be exported \(a .* one core\): choose from 1"),
        ("mine.py", r"only bundled agents can be exported, not mine\.py .* is\): choose from"),
        ("kaggle:mine.py", r"only bundled agents can be exported, not kaggle:mine\.py"),
        ("http://127.0.0.1:1/play", "bundled agents can be exported, not http://127.0.0.1:1/play"),
        ("perfect:level=3", "a submission has no level: perfect is exported as it is with level"),
    ],
)
def test_agents_that_cannot_be_exported_are_refused(tmp_path: Path, spec: str, output: str) -> None:
    with pytest.raises(InvalidSpec, match=output):
        export_submission(spec, tmp_path / "main.py")
    assert not (tmp_path / "main.py").exists()


@pytest.mark.parametrize("folder", ["C:\\Users\\new", 'a"""b', "it's", "trailing\\"])
def test_any_model_name_gives_valid_python(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "net.npz"
    path.parent.mkdir()
    write_net(path, Net.zeros(NetShape(pairs=4, blocks=1)))
    text = submission(f"net:model={path}")
    output = ast.get_docstring(ast.parse(text))
    assert output is not None
    assert output.splitlines()[0] == f"A submission to Kaggle ConnectX: net:model={path}"
    assert f"claimeven export {shlex.quote(f'net:model={path}')} -o main.py" in output
    assert callable(loaded(text)["agent"])


def test_unprintable_model_names_are_escaped(tmp_path: Path) -> None:
    """A lone surrogate is a byte of a path that is not UTF-8."""
    long = "n" * 200
    path = tmp_path / long / long / "\udcff\n.npz"
    path.parent.mkdir(parents=True)
    write_net(path, Net.zeros(NetShape(pairs=4, blocks=1)))
    out = tmp_path / "main.py"
    export_submission(f"net:model={path}", out)
    text = out.read_text("utf-8")
    output = ast.get_docstring(ast.parse(text))
    assert output is not None
    shown = f"{path.parent}/\\udcff\\n.npz"
    assert output.splitlines()[0] == f"A submission to Kaggle ConnectX: net:model={shown}"
    assert f"    claimeven export 'net:model={shown}' -o main.py" in output.splitlines()
    assert callable(loaded(text)["agent"])


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="there is no folder"):
        export_submission("perfect", tmp_path / "nowhere" / "main.py")


CONFIGURATION = {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 0.02}

STRANGE: list[tuple[Any, Any]] = [
    ({}, {}),
    (None, None),
    ({"board": None, "mark": 1}, CONFIGURATION),
    ({"board": [0] * 42}, CONFIGURATION),
    ({"board": [0] * 42, "mark": 3}, CONFIGURATION),
    ({"board": [0] * 42, "mark": "1", "remainingOverageTime": None}, CONFIGURATION),
    ({"board": [0] * 41, "mark": 1}, CONFIGURATION),
    ({"board": [1] * 42, "mark": 1}, CONFIGURATION),
    ({"board": [1] * 6 + [0] * 36, "mark": 2}, CONFIGURATION),
    ({"board": [1, 2] * 3 + [0] + [2, 1] * 3 + [0] * 29, "mark": 2}, CONFIGURATION),
    ({"board": [0] * 38 + [1] * 4, "mark": 2}, CONFIGURATION),
    ({"board": "nothing", "mark": 1}, CONFIGURATION),
    ({"board": [0] * 42, "mark": 1}, {**CONFIGURATION, "actTimeout": float("nan")}),
    ({"board": [0] * 42, "mark": 1}, {**CONFIGURATION, "actTimeout": -1}),
    ({"board": [0] * 42, "mark": 1}, {**CONFIGURATION, "columns": None}),
    ({"board": [0] * 42, "mark": 1}, {**CONFIGURATION, "inarow": 1}),
    ({"board": [0] * 42, "mark": 1}, {**CONFIGURATION, "inarow": 9}),
    ({"board": [0] * 3, "mark": 1}, {**CONFIGURATION, "columns": 1, "rows": 3}),
    ({"board": [0] * 1600, "mark": 1}, {**CONFIGURATION, "columns": 40, "rows": 40}),
]


@pytest.mark.parametrize(
    "spec",
    [
        "perfect",
        "uct:iterations=60",
        "alphabeta:depth=2,eval=windows",
        NETS[1],
        "random",
        "greedy:win=yes,block=yes",
        "flat:iterations=120",
    ],
)
def test_any_observation_gets_a_plain_legal_column(agents: dict[str, Any], spec: str) -> None:
    for observation, configuration in STRANGE:
        column = agents[spec](observation, configuration or {})
        assert type(column) is int
        board = (observation or {}).get("board")
        columns = (configuration or {}).get("columns") or 7
        assert 0 <= column < columns
        if isinstance(board, list) and 0 in board[:columns]:
            assert board[column] == 0


def made(**configuration: Any) -> Any:
    kaggle = pytest.importorskip("kaggle_environments")
    return kaggle.make("connectx", configuration={"actTimeout": 0.04, **configuration})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A file for each spec."""
    folder = tmp_path_factory.mktemp("submissions")
    paths = {spec: str(folder / f"{number}.py") for number, spec in enumerate((*SPECS, *NETS))}
    for spec, path in paths.items():
        assert export_submission(spec, path) == Path(path).stat().st_size
    return paths


@pytest.mark.parametrize("spec", [*SPECS, *NETS])
def test_games_under_kaggles_own_runner(files: dict[str, str], spec: str) -> None:
    for seat in (0, 1):
        environment = made()
        pair = [files[spec], "random"]
        environment.run(pair[::-1] if seat else pair)
        assert [side.status for side in environment.steps[-1]] == ["DONE", "DONE"]


@pytest.mark.parametrize("board", [(4, 5, 3), (9, 7, 5)])
def test_games_on_other_boards(files: dict[str, str], board: tuple[int, int, int]) -> None:
    columns, rows, connect = board
    for spec in ("perfect", "uct:iterations=60"):
        environment = made(actTimeout=0.02, columns=columns, rows=rows, inarow=connect)
        environment.run([files[spec], files["alphabeta:depth=2,eval=sequences"]])
        assert [side.status for side in environment.steps[-1]] == ["DONE", "DONE"]


def test_a_file_needs_no_package(files: dict[str, str]) -> None:
    code = (
        "import sys; space = {}\n"
        f"exec(open({files['perfect']!r}).read(), space)\n"
        "answer = space['agent']({'board': [0] * 42, 'mark': 1}, {})\n"
        "assert not {'numpy', 'claimeven'} & set(sys.modules)\n"
        "print(answer)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("3\n", "")
