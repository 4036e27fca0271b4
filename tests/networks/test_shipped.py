"""The network that comes along is what its header says."""

from __future__ import annotations

import pytest

from claimeven import Geometry, make_agent, play_match
from claimeven.agents.ntuple import SHIPPED
from claimeven.arena.measuring import measure_accuracy
from claimeven.arena.positions import shipped_set
from claimeven.networks import read_model


def test_its_figures_are_found_again() -> None:
    facts = read_model(SHIPPED, "ntuple", Geometry()).facts
    positions = shipped_set()
    assert positions is not None
    assert facts["positions"] == positions.digest
    found = measure_accuracy("ntuple").accuracy
    assert found.all.mean("perfect") == pytest.approx(facts["measured"]["perfect"])
    assert found.decisive.mean("keeping") == pytest.approx(facts["measured"]["keeping"])


def test_it_is_small_and_plays_well() -> None:
    assert SHIPPED.stat().st_size < 2_000_000
    assert play_match("ntuple", "random", games=40, seed=1).wins[0] >= 36
    assert play_match("ntuple-alphabeta:depth=4", "alphabeta:depth=4", games=20, seed=1,
                      opening_plies=4).wins[0] >= 10  # fmt: skip
    assert make_agent("ntuple").name == "ntuple"
