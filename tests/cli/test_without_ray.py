"""`--executor ray`: the errors if Ray cannot play."""

from __future__ import annotations

import sys

import pytest

from tests.cli.conftest import Run, bad_input


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "random", "greedy"),
        ("match", "random", "greedy"),
        ("sprt", "random", "greedy"),
        ("ladder", "greedy:win=yes"),
        ("tune", "greedy", "--option", "win=yes,no", "--against", "random"),
        ("accuracy", "greedy", "--count", "3"),
        ("study", "run", "lund-peer"),
        ("train", "compare", "nothing", "--last"),
    ],
)
def test_bad_input_is_reported(
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
