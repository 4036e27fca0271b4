"""Files on pages about other packages run with these packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from claimeven.adapters.kaggle import export_submission
from claimeven.arena import play_match
from tests.cli.conftest import environment
from tests.docs.examples import ROOT, blocks_of


def written(page: str, title: str, folder: Path) -> Path:
    """Write a file of a page; return its path."""
    (block,) = (b for b in blocks_of(ROOT / "docs" / page) if b.title == title)
    path = folder / title
    path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
    return path


def printed(path: Path) -> str:
    """Run a file in its folder; return its output."""
    ran = subprocess.run(
        [sys.executable, path.name],
        cwd=path.parent,
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_games_of_the_page_on_kaggle(tmp_path: Path) -> None:
    pytest.importorskip("kaggle_environments")
    export_submission("alphabeta:depth=4", tmp_path / "main.py")
    path = written("kaggle.md", "try_it.py", tmp_path)
    text = path.read_text("utf-8")
    assert "num_episodes=10" in text
    path.write_text(text.replace("num_episodes=10", "num_episodes=1"), "utf-8")
    *_, steps, results = printed(path).splitlines()
    assert results in ("[[1, -1]]", "[[-1, 1]]", "[[0, 0]]")
    assert steps.count("'status': 'DONE'") == 2


def test_the_bots_of_the_page_on_openspiel(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    lines = printed(written("other-engines.md", "with_openspiel.py", tmp_path)).splitlines()
    assert lines[0] == "[1.0, -1.0]"
    assert lines[-3:] == ["...oo..", "...xx..", " True"]


def test_the_agent_of_the_page_on_training(tmp_path: Path) -> None:
    """Its weights are untrained, with the shapes of the page's training."""
    rng = np.random.default_rng(1)
    shapes = [(128, 84), (128,), (128, 128), (128,), (7, 128), (7,)]
    np.savez(tmp_path / "policy.npz", *(rng.normal(size=shape, scale=0.1) for shape in shapes))
    agent = written("train.md", "my_agent.py", tmp_path)
    result = play_match(str(agent), "random", games=4, seed=1)
    assert sum(result.wins) + result.draws == 4 and not any(result.forfeits)
