"""Benchmarks tell what they are and refuse what they do not know, before they begin to work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: What can be run: the other modules of the folder are parts of these.
BENCHMARKS = sorted(
    path.stem for path in (ROOT / "bench").glob("*.py") if "__main__" in path.read_text("utf-8")
)


def run(name: str, argument: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"bench.{name}", argument],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_benchmarks_are_found() -> None:
    assert {"classics", "levels", "montecarlo", "solver", "strength"} <= set(BENCHMARKS)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_help_is_told(name: str) -> None:
    ran = run(name, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"usage: {name}.py")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_an_unknown_option_is_refused(name: str) -> None:
    ran = run(name, "--no-such-option")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"\n{name}.py: error: " in ran.stderr
