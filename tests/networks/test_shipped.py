"""The bundled networks agree with their headers."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from claimeven import Geometry, make_agent, play_match
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.dataset.scored_sets import bundled_set
from claimeven.learning import HELD_OUT, held_out
from claimeven.learning.metrics import net_accuracy
from claimeven.networks import read_model
from claimeven.networks.loading import BUNDLED_NET, BUNDLED_NTUPLE, default_policy_value
from claimeven.networks.net import Net, SearchDefaults, read_net


@pytest.mark.parametrize(
    ("path", "digest"),
    [(BUNDLED_NTUPLE, "4c8f0d8a8eec55fee63d"), (BUNDLED_NET, "2c723c8a94c796854a10")],
)
def test_bundled_models_with_how_they_were_made_never_change(path: Path, digest: str) -> None:
    assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest)


def test_its_figures_are_found_again() -> None:
    facts = read_model(BUNDLED_NTUPLE, "ntuple", Geometry()).facts
    positions = bundled_set()
    assert positions is not None
    assert facts["positions"] == positions.digest
    found = measure_accuracy("ntuple").accuracy
    assert found.all.mean("perfect") == pytest.approx(facts["measured"]["perfect"])
    assert found.decisive.mean("keeps_result") == pytest.approx(facts["measured"]["keeping"])


def test_it_is_small_and_plays_well() -> None:
    assert BUNDLED_NTUPLE.stat().st_size < 2_000_000
    assert play_match("ntuple", "random", games=40, seed=1).wins[0] >= 36
    assert play_match("ntuple-alphabeta:depth=4", "alphabeta:depth=4", games=20, seed=1,
                      opening_plies=4).wins[0] >= 10  # fmt: skip
    assert make_agent("ntuple").name == "ntuple"


def test_the_figures_of_the_net_are_found_again() -> None:
    facts, net = read_model(BUNDLED_NET, "net", Geometry()).facts, read_net(BUNDLED_NET)
    assert facts["parameters"] == net.parameters
    assert net.search_defaults == SearchDefaults(0.5, 4.0, 0.95, 6.0)
    assert facts["recipe"]["shape"] == net.shape.as_dict()
    assert (facts["recipe"]["method"], facts["recipe"]["shares"]) == ("average", [1, 1, 1])
    for name in HELD_OUT:
        found = net_accuracy(net, held_out(name))
        # Another processor rounds otherwise, and two columns may be all but equal.
        assert found["accuracy"] == pytest.approx(facts["measured"][name], abs=0.001)
        assert found["sign"] == pytest.approx(facts["measured"][f"{name}_sign"], abs=0.001)
        assert found["accuracy"] > found["floor"] + 0.4


def test_the_net_is_small_and_searches_use_it() -> None:
    assert BUNDLED_NTUPLE.stat().st_size + BUNDLED_NET.stat().st_size < 2_000_000
    assert isinstance(default_policy_value(), Net)
    assert play_match("net", "random", games=40, seed=1).wins[0] >= 36
