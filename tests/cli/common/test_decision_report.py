"""A decision in words."""

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import Limit, make_agent
from claimeven.cli.common.decision_report import decision_lines


@pytest.mark.parametrize(
    ("spec", "full"),
    [("uct:capacity=100", True), ("uct-itu-table:capacity=100", True), ("uct", False)],
)
def test_a_full_tree_is_reported(spec: str, full: bool) -> None:
    position = Position.from_moves("44")
    decision = make_agent(spec).choose(position, Limit(iterations=500), np.random.default_rng(0))
    lines = [line for line in decision_lines(decision, position) if "is full" in line]
    stored = decision.details["stored"]
    assert lines == ([f"the tree is full ({stored} nodes)"] if full else [])
