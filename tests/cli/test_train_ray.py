"""`claimeven train selfplay --executor ray`: Ray plays all iterations, and Ctrl-C ends it."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from tests.cli.conftest import interrupted
from tests.learning.needs import needs_jax

pytestmark = needs_jax

WORDS = (
    "--columns", "4", "--rows", "4", "--connect", "3", "--games", "16", "--games-per-worker", "16",
    "--simulations", "8", "--steps", "4", "--batch", "64", "--eval-games", "0",
    "--eval-every", "999",
)  # fmt: skip


def test_a_run_of_self_play_ends_without_warnings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray starts once, before JAX has threads: JAX warns about later forks."""
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # not the one of this user
    run, log = tmp_path / "run", tmp_path / "run/log.jsonl"

    def two_are_made() -> bool:
        return log.exists() and log.read_bytes().count(b"\n") >= 2

    words = ("--executor", "ray", "--jobs", "1", "--iterations", "9999", "--inference", "jax")
    result = interrupted("train", "selfplay", "--out", str(run), *words, *WORDS, when=two_are_made)
    assert (result.status, "Traceback" in result.err, "fork" in result.err) == (130, False, False)
    message = f"interrupted; run the same command to continue from {run}"
    assert result.err.splitlines()[-1] == message
