"""`claimeven export`: files for Kaggle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven import __version__
from claimeven.adapters.kaggle import submission
from tests.cli.conftest import Run


def test_a_file_is_written_and_plays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = Path("main.py")
    result = run("export", "alphabeta:depth=2", "-o", "main.py")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("main.py: alphabeta:depth=2 for Kaggle ConnectX, ")
    assert " ".join(result.out.split()).endswith(f" {out.stat().st_size:,} bytes")
    assert out.read_text("utf-8") == submission("alphabeta:depth=2")
    match = ("match", f"kaggle:{out}", "random", "--games", "2", "--json")
    totals = json.loads(run(*match).out)
    assert (totals["games"], totals["forfeits"]) == (2, 0)


def test_it_goes_to_stdout(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("export", "uct", "-o", "-", "--seed", "3")
    assert (result.status, result.err) == (0, "")
    assert result.out == submission("uct", seed=3)
    assert run("export", "uct", "-o", "-", "--json").status == 2
    assert list(tmp_path.iterdir()) == []


def test_json_and_seed(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "main.py"
    output = json.loads(run("export", "uct", "-o", str(out), "--seed", "3", "--json").out)
    assert output.pop("claimeven") == __version__
    assert output == {"agent": "uct", "out": str(out), "bytes": out.stat().st_size, "seed": 3}
    assert out.read_text("utf-8") == submission("uct", seed=3)


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("human", "-o", "main.py"), "human cannot be exported: choose from minimax"),
        (("perfekt", "-o", "main.py"), "did you mean perfect"),
        (("perfect", "-o", "nowhere/main.py"), "there is no folder"),
        (("perfect",), "Missing option '-o'"),
    ],
)
def test_errors_are_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("export", *words)
    assert result.status == 2
    assert output in result.err and len(result.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_net_is_written_as_onnx(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    out = str(tmp_path / "net.onnx")
    result = run("export", "net", "-o", out, "--json")
    assert (result.status, result.err) == (0, "")
    written = json.loads(result.out)
    assert (written["agent"], written["out"]) == ("net", out)
    assert written["bytes"] == Path(out).stat().st_size
    assert "net as ONNX, " in " ".join(run("export", "net", "-o", out).out.split())
    for spec in ("puct", "greedy"):
        rejected = run("export", spec, "-o", out)
        assert rejected.status == 2
        assert f"only net and net:model=FILE can be written as ONNX, got {spec}" in rejected.err


@pytest.mark.parametrize("spec", ["net:model=mine.py:Model", "puct:model=net.onnx"])
def test_models_of_other_authors_stay_here(run: Run, tmp_path: Path, spec: str) -> None:
    """Their code is not run either."""
    result = run("export", spec, "-o", str(tmp_path / "main.py"))
    assert result.status == 2
    assert "cannot be exported: only a net of claimeven can, a .npz" in result.err
