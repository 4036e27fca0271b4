"""Benchmarks print their help and reject unknown options before they start to work."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: The runnable modules; the others are parts of these.
BENCHMARKS = sorted(
    path.stem for path in (ROOT / "bench").glob("*.py") if "__main__" in path.read_text("utf-8")
)
#: Packages outside the extra `test`; `--help` needs none of them.
BEYOND_TEST = (
    "bitbully",
    "kaggle_environments",
    "open_spiel",
    "pgx",
    "playwright",
    "ray",
    "requests",
)


def run(
    name: str, argument: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[object, str, str]:
    """Run a benchmark as `python -m` would; return its exit status and its output."""
    path = ROOT / "bench" / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(path), argument])
    for absent in BEYOND_TEST:
        monkeypatch.setitem(sys.modules, absent, None)
    for part in [module for module in sys.modules if module.startswith("bench.")]:
        monkeypatch.delitem(sys.modules, part)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    return ended.value.code, *capsys.readouterr()


def test_the_benchmarks_are_found() -> None:
    assert {"classics", "levels", "montecarlo", "solver", "strength"} <= set(BENCHMARKS)


def test_one_is_run_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.classics", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("usage: classics.py")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_help_is_printed(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(name, "--help", monkeypatch, capsys)
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: {name}.py")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_an_unknown_option_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(name, "--no-such-option", monkeypatch, capsys)
    assert (status, out) == (2, "")
    assert f"\n{name}.py: error: " in err
