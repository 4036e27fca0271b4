"""`claimeven tournament --executor ray`: Ctrl-C, and the errors if Ray cannot play."""

from __future__ import annotations

import json
import secrets
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store
from tests.cli.conftest import Run, bad_input, interrupted


def test_ctrl_c_ends_ray_and_keeps_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # not the one of this user
    out = tmp_path / "games.db"

    def some_are_stored() -> bool:
        with suppress(InvalidStore), Store.read(out) as store:
            return len(store) > 0
        return False

    words = ("random", "uct:iterations=500", "--rounds", "9999", "--executor", "ray", "--jobs", "1")
    result = interrupted("tournament", *words, "--out", str(out), "--json", when=some_are_stored)
    assert (result.status, "Traceback" in result.err) == (130, False)
    assert result.err.splitlines()[-1].endswith(f"continue with: --out {out} --resume")
    with Store.read(out) as store:
        assert json.loads(result.out)["games"] == len(store)


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "random", "greedy"),
        ("match", "random", "greedy"),
        ("sprt", "random", "greedy"),
        ("ladder", "greedy:win=yes"),
        ("accuracy", "greedy", "--count", "3"),
        ("study", "run", "lund-peer"),
        ("train", "compare", "nothing", "--last"),
    ],
)
def test_what_cannot_be_is_reported(
    words: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bad_input(run(*words, "--address", "here:1")) == (
        "--address is the address of a Ray cluster: give --executor ray too"
    )
    assert "must be one of local, ray" in bad_input(run(*words, "--executor", "cloud"))
    monkeypatch.setitem(sys.modules, "ray", None)
    assert bad_input(run(*words, "--executor", "ray")) == (
        "a cluster needs Ray: pip install 'claimeven[cluster]'"
    )


@pytest.mark.parametrize(
    ("address", "output"),
    [
        ("nowhere", "address must be host:port, ray://host:port or auto, got 'nowhere'"),
        ("http://a:1", "address must be host:port, ray://host:port or auto, got 'http://a:1'"),
        ("127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1: Connection refused"),
    ],
)
def test_an_address_without_a_cluster_is_reported(address: str, output: str, run: Run) -> None:
    pytest.importorskip("ray")
    words = ("tournament", "random", "greedy", "--executor", "ray", "--address", address)
    assert output in bad_input(run(*words))
